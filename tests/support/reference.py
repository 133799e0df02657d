"""A second opinion on full-domain recoding: every node of the lattice, every record, by plain Python.

Slow and simple on purpose. It shares no line with the program it judges; the definitions are those of the design.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction

Label = str | None
Levels = tuple[int, ...]

METRICS = ("loss", "precision", "iloss", "discernibility", "c_avg", "aecs", "height")
MAXIMIZED = ("precision",)
TOLERANCE = Fraction(1, 10**12)


@dataclass(frozen=True)
class Ladder:
    """A hierarchy as its file has it: one row a leaf, from the leaf up to its label at the highest level."""

    rows: tuple[tuple[Label, ...], ...]

    @property
    def height(self) -> int:
        return len(self.rows[0]) - 1

    @property
    def leaves(self) -> int:
        return len({row[0] for row in self.rows})

    def with_null(self) -> Ladder:
        """NULL without a row of its own: one more leaf, NULL below the top and ``*`` there."""
        if any(row[0] is None for row in self.rows):
            return self
        null: list[Label] = [None] * (self.height + 1)
        if self.height:
            null[-1] = "*"
        return Ladder((*self.rows, tuple(null)))

    def recoding(self, level: int) -> dict[Label, Label]:
        """What each leaf is released as."""
        return {row[0]: row[level] for row in self.rows}

    def leaves_under(self, level: int) -> Counter[Label]:
        """How many leaves each released value stands for."""
        return Counter(self.recoding(level).values())


@dataclass(frozen=True)
class Task:
    """A table to be recoded. Each sensitive attribute is a column beside the quasi-identifiers' tuples."""

    tuples: tuple[tuple[Label, ...], ...]
    ladders: tuple[Ladder, ...]
    sensitive: dict[str, tuple[Label, ...]] = field(default_factory=dict)
    ks: tuple[int, ...] = ()
    ls: tuple[tuple[str, int], ...] = ()
    metric: str = "loss"
    limit: str = "0"  # as it is written: 0.29 means 29/100
    weights: tuple[str, ...] = ()
    lowest: Levels = ()
    highest: tuple[int | None, ...] = ()

    @property
    def records(self) -> int:
        return len(self.tuples)

    @property
    def allowed(self) -> int:
        """How many records may be suppressed: floor(limit · N), exactly."""
        share = Fraction(self.limit) * self.records
        return share.numerator // share.denominator

    def full_ladders(self) -> tuple[Ladder, ...]:
        """The hierarchies, with NULL admitted where the data has it."""
        return tuple(
            ladder.with_null() if any(row[column] is None for row in self.tuples) else ladder
            for column, ladder in enumerate(self.ladders)
        )

    def nodes(self) -> Iterator[Levels]:
        heights = [ladder.height for ladder in self.ladders]
        low = self.lowest or (0,) * len(heights)
        high = self.highest or (None,) * len(heights)
        tops = [tall if most is None else min(most, tall) for tall, most in zip(heights, high, strict=True)]
        yield from itertools.product(*(range(a, b + 1) for a, b in zip(low, tops, strict=True)))


@dataclass(frozen=True)
class Node:
    """What becomes of the table at one node."""

    levels: Levels
    kept: dict[tuple[Label, ...], list[int]]  # released tuple → the numbers of its records
    suppressed: list[int]

    @property
    def sizes(self) -> list[int]:
        return sorted(len(members) for members in self.kept.values())


def classes(task: Task, levels: Levels) -> dict[tuple[Label, ...], list[int]]:
    """The records of each released tuple, before any suppression."""
    recodings = [ladder.recoding(level) for ladder, level in zip(task.full_ladders(), levels, strict=True)]
    found: dict[tuple[Label, ...], list[int]] = {}
    for number, row in enumerate(task.tuples):
        released = tuple(recoding[value] for recoding, value in zip(recodings, row, strict=True))
        found.setdefault(released, []).append(number)
    return found


def satisfies(task: Task, members: Sequence[int]) -> bool:
    """Whether one class satisfies every model."""
    if any(len(members) < k for k in task.ks):
        return False
    return all(len({task.sensitive[name][number] for number in members} - {None}) >= least for name, least in task.ls)


def at(task: Task, levels: Levels) -> Node:
    """The node with its failing classes suppressed, whatever the limit."""
    every = classes(task, levels)
    kept = {released: members for released, members in every.items() if satisfies(task, members)}
    lost = [number for released, members in every.items() if released not in kept for number in members]
    return Node(levels, kept, sorted(lost))


def value(task: Task, node: Node, metric: str) -> Fraction | None:
    """A metric of a node, exactly (the loss to forty digits). None where it says nothing."""
    records, lost = task.records, len(node.suppressed)
    ladders = task.full_ladders()
    weights = [Fraction(text) for text in task.weights or ["1"] * len(ladders)]
    match metric:
        case "height":
            return Fraction(sum(node.levels))
        case "discernibility":
            return Fraction(sum(len(members) ** 2 for members in node.kept.values()) + lost * records)
        case "aecs":
            return Fraction(records, len(node.kept) + (1 if lost else 0))
        case "c_avg":
            return Fraction(records - lost, len(node.kept)) / max(task.ks) if task.ks else None
        case "precision":
            climbed = Fraction(0)
            for ladder, level in zip(ladders, node.levels, strict=True):
                # A suppressed cell is at the top, even of a hierarchy that has no level but the values.
                climbed += lost + (records - lost) * (Fraction(level, ladder.height) if ladder.height else 0)
            return 1 - climbed / (records * len(ladders))
        case "iloss" | "iloss-sum":
            total = Fraction(0)
            for column, ladder in enumerate(ladders):
                under = ladder.leaves_under(node.levels[column])
                beyond = lost * (ladder.leaves - 1)
                beyond += sum(len(members) * (under[released[column]] - 1) for released, members in node.kept.items())
                whole = 1 if metric == "iloss-sum" else sum(weights)
                total += weights[column] / whole * Fraction(beyond, ladder.leaves * records)
            return total
        case "loss":
            return _geometric([_lost(node, column, ladder, records) for column, ladder in enumerate(ladders)], weights)
    raise AssertionError(metric)


def _lost(node: Node, column: int, ladder: Ladder, records: int) -> Fraction:
    """(mean share of the leaves − 1/D) / (1 − 1/D) of one attribute."""
    domain = ladder.leaves
    if domain == 1:
        return Fraction(0)
    under = ladder.leaves_under(node.levels[column])
    leaves = len(node.suppressed) * domain
    leaves += sum(len(members) * under[released[column]] for released, members in node.kept.items())
    return (Fraction(leaves, domain * records) - Fraction(1, domain)) / (1 - Fraction(1, domain))


def _geometric(lost: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction:
    with localcontext() as context:
        context.prec = 50
        product = Decimal(1)
        for share, weight in zip(lost, weights, strict=True):
            exponent = weight / sum(weights)
            base = 1 + share
            power = (Decimal(base.numerator) / Decimal(base.denominator)).ln()
            product *= (power * Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
        return Fraction(round(product - 1, 40))


def solutions(task: Task) -> list[Node]:
    """The nodes that satisfy the models within the limit and leave something."""
    found = [at(task, levels) for levels in task.nodes()]
    return [node for node in found if node.kept and len(node.suppressed) <= task.allowed]


def optimum(task: Task, among: Sequence[Node] | None = None) -> Node | None:
    """The best solution: by the metric, then more classes, fewer suppressed, lower height, smallest levels.

    ``among``: the task's solutions, if they are known already; they do not depend on the metric.
    """
    found = []
    for node in solutions(task) if among is None else among:
        measured = value(task, node, task.metric)
        assert measured is not None
        found.append((-measured if task.metric in MAXIMIZED else measured, node))
    if not found:
        return None
    best = min(cost for cost, _ in found)
    tied = [node for cost, node in found if cost <= best + TOLERANCE * max(1, abs(best))]
    return min(tied, key=lambda node: (-len(node.kept), len(node.suppressed), sum(node.levels), node.levels))


def fewest_suppressed(task: Task) -> int | None:
    """The fewest records that any node has to suppress, leaving something; None where no limit helps."""
    counts = [len(node.suppressed) for node in (at(task, levels) for levels in task.nodes()) if node.kept]
    return min(counts, default=None)


def worst_inference(task: Task, node: Node, sensitive: str) -> Fraction:
    """The surest guess of a sensitive value in any kept class, of whoever has one."""
    column = task.sensitive[sensitive]
    known = [[column[number] for number in members if column[number] is not None] for members in node.kept.values()]
    return max((Fraction(max(Counter(one).values()), len(one)) for one in known if one), default=Fraction(0))
