"""A second opinion on every model, and on the search with them: the definitions of the papers in plain Python.

Slow and simple on purpose, exact where numbers are rational. It shares no line with the program it judges: a model is
the table that a policy writes, a class is the list of its records.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from support import reference
from support.reference import Label, Ladder, Levels, Task

Number = Fraction | float
Specification = Mapping[str, Any]

SLACK = Fraction(1, 10**12)
DEFINED = (
    "k-anonymity", "l-diversity", "t-closeness", "delta-presence", "k-map", "alpha-k-anonymity", "k-e-anonymity",
    "beta-likeness", "delta-disclosure", "highest-risk", "average-risk", "p-sensitive-k-anonymity", "t-corruption",
    "epsilon-m-anonymity", "realistic-epsilon-privacy",
)  # fmt: skip
"""The models that are defined here."""

ON_THE_TABLE = ("average-risk",)
"""Models that are conditions on all kept classes together."""


@dataclass(frozen=True)
class Group:
    """A class as the models see it: how many people, how many of them hold each value, how many match it outside."""

    size: int
    counts: Mapping[str, Counter[Label]]
    population: int = 0


@dataclass(frozen=True)
class Whole:
    """The whole table before suppression."""

    records: int
    counts: Mapping[str, Counter[Label]]
    trees: Mapping[str, Ladder] = field(default_factory=dict)


def holds(model: Specification, group: Group, whole: Whole) -> bool:  # noqa: PLR0912
    """Whether a class satisfies a model."""
    value = measured(model, group, whole)
    match model["model"]:
        case "k-anonymity":
            return value >= model["k"]
        case "l-diversity" if model["kind"] == "distinct":
            return value >= model["l"]
        case "l-diversity" if model["kind"] == "entropy":
            return math.log(value) >= math.log(model["l"]) - 1e-9
        case "l-diversity":
            return value < exact(model["c"])
        case "t-closeness":
            return value <= exact(model["t"]) + SLACK
        case "delta-presence":
            return exact(model["min"]) - SLACK <= value <= exact(model["max"]) + SLACK
        case "k-map":
            return value >= (model["k"] if "population" in model else threshold(model, whole.records))
        case "alpha-k-anonymity":
            return value <= exact(model["alpha"]) + SLACK and group.size >= model["k"]
        case "k-e-anonymity":
            labels = known(model, group.counts[model["attribute"]])
            distinct = {None if label is None else Fraction(label) for label in labels}
            return value >= exact(model["e"]) and len(distinct) >= model["k"]
        case "beta-likeness":
            return value <= exact(model["beta"]) + SLACK
        case "realistic-epsilon-privacy":
            return value <= exact(model["epsilon"]) * (1 + SLACK)
        case "delta-disclosure":
            return value < model["delta"]
        case "highest-risk":
            return value <= exact(model["max"]) + SLACK
        case "p-sensitive-k-anonymity":
            return value >= model["p"] and group.size >= model["k"]
        case "t-corruption":
            return value <= 1 / exact(model["l"]) + SLACK
        case "epsilon-m-anonymity":
            return value >= model["m"]
    raise KeyError(model["model"])


def known(model: Specification, counts: Counter[Label]) -> Counter[Label]:
    """The values that a model looks at: a missing one is none, unless the model says so."""
    seen = model.get("missing") == "value"
    return Counter({label: number for label, number in counts.items() if seen or label is not None})


def measured(model: Specification, group: Group, whole: Whole) -> Number:  # noqa: PLR0912
    """What a model measures of a class."""
    held = group.counts.get(model.get("attribute", ""), Counter())
    counts, total = known(model, held), known(model, whole.counts.get(model.get("attribute", ""), Counter()))
    there = group.size - (held[None] - counts[None])  # people who have a value
    if "attribute" in model and not counts:
        return nothing(model) if total else Fraction(0) if model["model"] == "delta-disclosure" else nothing(model)
    match model["model"]:
        case "k-anonymity":
            return Fraction(group.size)
        case "l-diversity" if model["kind"] == "entropy":
            everybody = sum(counts.values())
            return math.exp(-sum(n / everybody * math.log(n / everybody) for n in counts.values()))
        case "l-diversity" if model["kind"] == "recursive":
            ordered = sorted(counts.values(), reverse=True)
            return ratio(ordered[0], sum(ordered[model["l"] - 1 :]))
        case "l-diversity" | "p-sensitive-k-anonymity":
            return Fraction(len(counts))
        case "t-closeness":
            return distance(model["distance"], counts, sum(counts.values()), total, whole.trees.get(model["attribute"]))
        case "delta-presence":
            return ratio(group.size, group.population)
        case "k-map":
            return Fraction(group.population if "population" in model else group.size)
        case "alpha-k-anonymity":
            named = [counts[model["value"]]] if "value" in model else counts.values()
            return min(ratio(max(named), there), Fraction(1))
        case "k-e-anonymity":
            numbers = [Fraction(label) for label in counts if label is not None]
            return max(numbers) - min(numbers) if numbers else Fraction(0)
        case "beta-likeness":
            return gain(model, counts, there, total)
        case "realistic-epsilon-privacy":
            return max(change(model, min(n, there), there, label, total) for label, n in counts.items())
        case "delta-disclosure":
            if set(counts) != set(total):
                return math.inf
            everybody = sum(total.values())
            return max(
                abs(math.log(min(ratio(n, there), Fraction(1)) / Fraction(total[x], everybody)))
                for x, n in counts.items()
            )
        case "highest-risk":
            return Fraction(1, group.size)
        case "t-corruption":
            return ratio(max(counts.values()), max(there - model["t"], 0))
        case "epsilon-m-anonymity":
            return ratio(there, crowd(model, counts))
    raise KeyError(model["model"])


def nothing(model: Specification) -> Number:
    """What a model measures where nobody of a class has a value: no diversity; nothing that anybody could infer."""
    match model["model"]:
        case "l-diversity" if model["kind"] == "entropy":
            return 1.0
        case "l-diversity" if model["kind"] == "recursive":
            return math.inf
        case "delta-disclosure" | "epsilon-m-anonymity":
            return math.inf
        case "realistic-epsilon-privacy":
            return Fraction(1)
    return Fraction(0)


def exact(number: float) -> Fraction:
    """A number as it is written: 0.1 is a tenth."""
    return Fraction(repr(number))


def ratio(part: int, whole: int) -> Number:
    """A share; infinite of nothing."""
    return Fraction(part, whole) if whole else math.inf


def distance(kind: str, counts: Counter[Label], size: int, total: Counter[Label], ladder: Ladder | None) -> Fraction:
    """The earth mover's distance between a class and the whole table."""
    everybody = sum(total.values())
    extra = {x: Fraction(counts[x], size) - Fraction(n, everybody) for x, n in total.items()}
    if kind == "equal":
        return sum((abs(value) for value in extra.values()), Fraction(0)) / 2
    if kind == "ordered":
        running, moved = Fraction(0), Fraction(0)
        for label in in_order(list(extra), ladder):
            running += extra[label]
            moved += abs(running)
        return moved / max(len(extra) - 1, 1)
    assert ladder is not None
    # Li, Li and Venkatasubramanian: at every inner node, what its children have too much goes to what others lack.
    moved = Fraction(0)
    for level in range(1, ladder.height + 1):
        below = {row[level - 1]: row[level] for row in ladder.rows}
        children = {label: Fraction(0) for label in below}
        for row in ladder.rows:
            children[row[level - 1]] += extra.get(row[0], 0)
        for parent in set(below.values()):
            own = [value for label, value in children.items() if below[label] == parent]
            surplus = sum((value for value in own if value > 0), Fraction(0))
            moved += Fraction(level, ladder.height) * min(surplus, -sum((v for v in own if v < 0), Fraction(0)))
    return moved


def in_order(labels: Sequence[Label], ladder: Ladder | None) -> list[Label]:
    """Numbers by size, others as the hierarchy's rows; NULL last."""
    known = [label for label in labels if label is not None]
    if ladder is None:
        known.sort(key=Fraction)
    else:
        known.sort(key=[row[0] for row in ladder.rows].index)
    return [*known, None] if None in labels else [*known]


def gain(model: Specification, counts: Counter[Label], size: int, total: Counter[Label]) -> Number:
    """β-likeness: the largest relative gain; the enhanced one's, in units of its own limit, times β."""
    most: Number = Fraction(0)
    for label, number in counts.items():
        before = Fraction(total[label], sum(total.values()))
        more: Number = (min(ratio(number, size), Fraction(1)) - before) / before
        if more > 0 and model["kind"] == "enhanced":
            limit = min(model["beta"], -math.log(before))
            more = float(more) * model["beta"] / limit if limit else math.inf
        most = max(most, more)
    return most


def change(model: Specification, count: int, size: int, label: Label, total: Counter[Label]) -> Number:
    """ε-privacy: how much more an attacker believes that a person has a value, or how much less that they have not,
    because of their own record."""
    worth = exact(model["stubbornness"])
    shape = {
        "table": Fraction(total[label], sum(total.values())),
        "uniform": Fraction(1, len(total)),
        "any": Fraction(0),
    }[model["prior"]]
    inside, outside = Fraction(count, size), (count + worth * shape) / (size + worth)
    return max(Fraction(1), ratio(inside, outside), ratio(1 - outside, 1 - inside) if outside < 1 else Fraction(1))


def crowd(model: Specification, counts: Counter[Label]) -> int:
    """(ε,m)-anonymity: the most people around one value of the class. NULL is near NULL alone."""
    numbers: Counter[Fraction] = Counter()
    for label, number in counts.items():
        if label is not None:
            numbers[Fraction(label)] += number
    most = counts[None]
    for value in numbers:
        reach = exact(model["epsilon"]) * (abs(value) if model["kind"] == "relative" else 1)
        most = max(most, sum(number for other, number in numbers.items() if abs(other - value) <= reach))
    return most


def threshold(model: Specification, records: int) -> int:
    """k-map without a table: the smallest size so rare among k people that its chance is at most the significance."""
    mean = model["k"] * min(records / model["population-size"], 1.0)
    chances = [math.exp(-mean) * mean**n / math.factorial(n) for n in range(60)]
    if model["estimator"] == "zero-truncated-poisson":
        chances = [0.0, *(chance / (1 - chances[0]) for chance in chances[1:])]
    for size in range(1, model["k"]):
        if 1 - sum(chances[:size]) <= model["significance"]:
            return size
    return int(model["k"])


# --- the search -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelTask(Task):
    """A table to be recoded under any models. ``others`` are the population's people who are not in the table;
    with ``people`` (one a record), people are counted and not records."""

    models: tuple[Specification, ...] = ()
    others: tuple[tuple[Label, ...], ...] = ()
    people: tuple[Label, ...] | None = None
    trees: Mapping[str, Ladder] = field(default_factory=dict)

    def full_ladders(self) -> tuple[Ladder, ...]:
        everybody = (*self.tuples, *self.others)
        return tuple(
            ladder.with_null() if any(row[column] is None for row in everybody) else ladder
            for column, ladder in enumerate(self.ladders)
        )

    def group(self, members: Sequence[int], population: int = 0) -> Group:
        """Some records as a class."""
        who = self.people or range(self.records)
        held = {
            name: Counter(value for value, _ in {(column[number], who[number]) for number in members})
            for name, column in self.sensitive.items()
        }
        return Group(len({who[number] for number in members}), held, population)

    @cached_property
    def whole(self) -> Whole:
        everybody = self.group(range(self.records))
        return Whole(everybody.size, everybody.counts, self.trees)

    @property
    def loses_nothing(self) -> bool:
        """Whether some model allows no class to be suppressed or empty."""
        return any(model["model"] == "delta-presence" and model["min"] > 0 for model in self.models)


def groups(task: ModelTask, levels: Levels) -> dict[tuple[Label, ...], tuple[list[int], Group]]:
    """The classes of a node before suppression, those of the population alone among them."""
    members = reference.classes(task, levels)
    recodings = [ladder.recoding(level) for ladder, level in zip(task.full_ladders(), levels, strict=True)]
    outside = Counter(tuple(r[v] for r, v in zip(recodings, row, strict=True)) for row in task.others)
    found = {}
    for released in {**members, **outside}:
        own = members.get(released, [])
        found[released] = (own, task.group(own, len(own) + outside[released]))
    return found


def at(task: ModelTask, levels: Levels) -> tuple[reference.Node, bool]:
    """A node with its failing classes suppressed, whatever the limit; and whether that is allowed and holds."""
    kept, lost, sound = {}, [], True
    for released, (members, group) in groups(task, levels).items():
        good = all(
            holds(model, group, task.whole)
            for model in task.models
            if model["model"] not in ON_THE_TABLE and (members or needs_every_class(model))
        )
        sound = sound and (good or not task.loses_nothing)
        if good and members:
            kept[released] = members
        elif not good:
            lost += members
    node = reference.Node(levels, kept, sorted(lost))
    sound = sound and all(on_the_table(model, task, node) for model in task.models if model["model"] in ON_THE_TABLE)
    return node, sound and bool(kept)


def needs_every_class(model: Specification) -> bool:
    return bool(model["model"] == "delta-presence" and model["min"] > 0)


def on_the_table(model: Specification, task: ModelTask, node: reference.Node) -> bool:
    """Whether what a node keeps satisfies a model on the whole table."""
    assert model["model"] == "average-risk"
    people = sum(task.group(members).size for members in node.kept.values())
    return not people or Fraction(len(node.kept), people) <= exact(model["max"]) + SLACK


def solutions(task: ModelTask) -> list[reference.Node]:
    """The nodes that satisfy the models within the limit and leave something."""
    found = [at(task, levels) for levels in task.nodes()]
    return [node for node, sound in found if sound and len(node.suppressed) <= task.allowed]


def fewest_suppressed(task: ModelTask) -> int | None:
    """The fewest records that any node has to suppress to be a solution; None where no limit helps."""
    found = [at(task, levels) for levels in task.nodes()]
    return min((len(node.suppressed) for node, sound in found if sound), default=None)
