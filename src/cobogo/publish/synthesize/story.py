"""The report of synthetic data: what it cost, what the cost was spent on, and how close it is to the original.

Closeness is measured on the true data: it is for the data holder only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.policy import Utility
from cobogo.data.table.read import Table
from cobogo.examine.utility import learning
from cobogo.examine.utility.statistics import cramers_v, total_variation
from cobogo.examine.utility.workload import Line
from cobogo.floor.arrays import Floats
from cobogo.floor.language import tr
from cobogo.promises.accounting import epsilon_of
from cobogo.publish.synthesize.domains import AttributeDomain, encode_rows, read_domain
from cobogo.publish.synthesize.methods import MOST_CELLS
from cobogo.release.drawn import Bars, Row, Section, Story
from cobogo.tell.report.labels import KIND

if TYPE_CHECKING:
    from cobogo.floor.language import Speech
    from cobogo.publish.synthesize.release import Synthetic


MOST_PAIRS = 500
"""Pairs of attributes that are compared, sampled where there are more: each costs a pass over both tables."""

MOST_RECORDS = 200_000
"""Records used for queries and classifiers, sampled where there are more: shares are then known to ±0.2 %."""

TOGETHER = 3
"""The largest number of attributes in a query."""

Columns = Sequence[NDArray[np.int32]]


@dataclass(frozen=True)
class AttributePair:
    """Two attributes: the distance of their joint distributions, and their association in each table."""

    attributes: tuple[str, str]
    distance: float
    before: float
    after: float


@dataclass(frozen=True)
class Fidelity:
    """All measurements. Distances are total variation: the share of records that would have to change."""

    ones: Mapping[str, float]
    pairs: tuple[AttributePair, ...]  # the farthest apart first
    queries: Mapping[str, Any] | None
    accuracy: Mapping[str, Any] | None

    def as_dict(self) -> dict[str, Any]:
        """For report.json."""
        return {
            "one-way": {"mean": _mean(list(self.ones.values())), "attributes": dict(self.ones)},
            "two-way": {
                "mean": self.mean_of_pairs,
                "worst": max((pair.distance for pair in self.pairs), default=None),
                "pairs": [
                    {"attributes": list(pair.attributes), "distance": pair.distance,
                     "association": {"before": pair.before, "after": pair.after}}
                    for pair in self.pairs
                ],
            },
            "query-error": self.queries,
            "accuracy": self.accuracy,
        }  # fmt: skip

    @property
    def mean_of_ones(self) -> float | None:
        """The mean distance of single attributes."""
        return _mean(list(self.ones.values()))

    @property
    def mean_of_pairs(self) -> float | None:
        """The mean distance of pairs."""
        return _mean([pair.distance for pair in self.pairs])


def fidelity(
    domains: Sequence[AttributeDomain],
    before: Columns,
    after: Columns,
    *,
    queries: int,
    selectivity: float,
    seed: int,
    label: str | None,
) -> Fidelity:
    """Compare two tables of the same attributes."""
    random = np.random.default_rng(seed)
    names, sizes = [domain.attribute for domain in domains], [domain.size for domain in domains]
    ones = {
        name: total_variation(np.bincount(before[n], minlength=sizes[n]), np.bincount(after[n], minlength=sizes[n]))
        for n, name in enumerate(names)
    }
    some = [pair for pair in combinations(range(len(names)), 2) if sizes[pair[0]] * sizes[pair[1]] <= MOST_CELLS]
    if len(some) > MOST_PAIRS:
        some = [some[place] for place in np.sort(random.choice(len(some), MOST_PAIRS, replace=False))]
    pairs = [_pair(one, other, names, sizes, before, after) for one, other in some]
    known = bool(len(before[0]) and len(after[0]))
    here, there = _some(before, random), _some(after, random)
    return Fidelity(
        ones,
        tuple(sorted(pairs, key=lambda pair: -pair.distance)),
        query_error(here, there, sizes, queries, selectivity, random) if known else None,
        accuracy(here, there, sizes, names.index(label), label, random) if known and label is not None else None,
    )


def _pair(one: int, other: int, names: list[str], sizes: list[int], before: Columns, after: Columns) -> AttributePair:
    tables = []
    for rows in (before, after):
        place = rows[one].astype(np.int64) * sizes[other] + rows[other]
        tables.append(np.bincount(place, minlength=sizes[one] * sizes[other]))
    first, second = np.divmod(np.arange(sizes[one] * sizes[other]), sizes[other])
    strength = [cramers_v(first, second, table) if table.any() else 0.0 for table in tables]
    return AttributePair((names[one], names[other]), total_variation(*tables), strength[0], strength[1])


def query_error(
    before: Columns, after: Columns, sizes: Sequence[int], queries: int, selectivity: float, random: np.random.Generator
) -> dict[str, Any]:
    """The errors of random counting queries, as shares of the records.

    Half of the queries ask for runs of values of a few attributes, half for the exact values of a random original.
    """
    lines = [Line.from_counts(np.arange(size), np.bincount(own, minlength=size).astype(float))
             for own, size in zip(before, sizes, strict=True)]  # fmt: skip
    true, found = np.empty(queries), np.empty(queries)
    for number in range(queries):
        anchor = int(random.integers(len(before[0])))
        many = int(random.integers(1, min(TOGETHER, len(sizes)) + 1))
        inside = [np.ones(len(before[0]), dtype=np.bool_), np.ones(len(after[0]), dtype=np.bool_)]
        for place in random.choice(len(sizes), many, replace=False).tolist():
            value = int(before[place][anchor])
            chosen = np.arange(sizes[place]) == value
            if number % 2 == 0:
                chosen = lines[place].run(value, selectivity ** (1 / many), random)
            inside = [mask & chosen[rows[place]] for mask, rows in zip(inside, (before, after), strict=True)]
        true[number], found[number] = (mask.mean() for mask in inside)
    off = np.abs(found - true)
    return {
        "queries": queries,
        "selectivity": selectivity,
        "mean": float(off.mean()),
        "worst": float(off.max()),
        "relative": {
            "median": float(np.median(off / true)),
            "quartiles": np.quantile(off / true, [0.25, 0.75]).tolist(),
        },
    }


def accuracy(
    before: Columns, after: Columns, sizes: Sequence[int], at: int, label: str, random: np.random.Generator
) -> dict[str, Any]:
    """The accuracy on held-out original records of models trained on the synthetic records, and of the same models
    trained on the other originals."""
    learning.require_learning()
    held = random.random(len(before[0])) < learning.HELD_OUT
    if not held.any() or held.all() or len(sizes) < 2:
        return {"label": label, "held_out": int(held.sum()), "baseline": None, "models": {}}
    features = [place for place in range(len(sizes)) if place != at]
    widths = [sizes[place] for place in features]
    originals = [before[place].astype(np.int64) for place in features]
    both = [np.concatenate([before[place], after[place]]).astype(np.int64) for place in features]
    tests = held.astype(np.int64)
    first = learning.accuracies(originals, widths, before[at].astype(np.int64), 1 - tests, tests)
    labels = np.concatenate([before[at], after[at]]).astype(np.int64)
    none, every = np.zeros(len(after[0]), dtype=np.int64), np.ones(len(after[0]), dtype=np.int64)
    second = learning.accuracies(
        both, widths, labels, np.concatenate([np.zeros_like(tests), every]), np.concatenate([tests, none])
    )
    common = int(np.bincount(before[at][~held]).argmax())
    return {
        "label": label,
        "held_out": int(held.sum()),
        "baseline": float((before[at][held] == common).mean()),
        "models": {name: {"original": first[name], "release": second[name]} for name in first},
    }


def _some(rows: Columns, random: np.random.Generator) -> Columns:
    if not rows or len(rows[0]) <= MOST_RECORDS:
        return rows
    chosen = np.sort(random.choice(len(rows[0]), MOST_RECORDS, replace=False))
    return [column[chosen] for column in rows]


def _mean(values: Sequence[float] | Floats) -> float | None:
    return float(np.mean(values)) if len(values) else None


SYNTHETIC_COLUMN = {
    "distance": tr("distance"),
    "pair": tr("attributes"),
    "before": tr("association before"),
    "after": tr("association after"),
    "step": tr("step"),
    "attributes": tr("attributes"),
    "scale": tr("noise"),
    "share": tr("share of ρ"),
}

SYNTHETIC_STEP = {
    "gaussian": tr("counted with noise"),
    "exponential": tr("chosen"),
}

SHOWN = 30
PLOTTED = 4
"""Attributes whose values are plotted: those with the largest distances."""

SOME_DELTA = 1e-9
"""The δ at which a cost in ρ is also given in ε."""


def tell(made: Synthetic, before: Table, after: Table, say: Speech) -> Story:
    """Measure the fidelity of the released records, and report it with the cost."""
    decimal = made.policy.data.decimal
    original = encode_rows(before, made.domains, decimal)
    released = encode_rows(
        after, [read_domain(domain.attribute, domain.statement()) for domain in made.domains], decimal
    )
    asked = made.policy.utility or Utility()
    found = fidelity(
        made.domains,
        original.codes,
        released.codes,
        queries=asked.queries,
        selectivity=asked.selectivity,
        seed=asked.seed,
        label=asked.label,
    )
    sections = [_ones(found, say), _pairs(found, say), *_accuracy(found, say), *_steps(made, say)]
    beyond = {name: count for name, count in original.beyond.items() if count}
    if beyond or original.left_out:
        sections.append(_beyond(beyond, original.left_out, say))
    summary = {
        "fidelity": found.as_dict(),
        "rho-spent": float(sum(step.cost for step in made.outcome.steps)),
        "beyond-domains": beyond,
        "left-out": original.left_out,
    }
    headline = say(
        tr("synthetic records by {method}, with differential privacy")
        if made.cost
        else tr("synthetic records by {method}: NO GUARANTEE"),
        method=made.wanted.method,
    )
    return Story(summary, headline, _keys(made, found, say), sections, _plots(made, found, original, released, say))


def _keys(made: Synthetic, found: Fidelity, say: Speech) -> list[tuple[str, str, str]]:
    if made.cost is None:
        keys = [
            (
                say("Formal guarantee"),
                say("NONE"),
                say(
                    "The model was fitted to exact counts. Its records may tell of single people: attack them before "
                    "giving them away, and better do not give them away at all."
                ),
            )
        ]
    elif made.cost.epsilon is None or made.cost.delta is None:
        epsilon = say.number(epsilon_of(float(made.cost.rho), SOME_DELTA))
        why = say("Zero-concentrated; that is ε = {epsilon} for δ = {delta}.", epsilon=epsilon, delta=f"{SOME_DELTA:g}")
        keys = [(say("Formal guarantee"), f"ρ = {say.number(float(made.cost.rho))}", why)]
    else:
        cost = f"ε = {say.number(float(made.cost.epsilon))}, δ = {float(made.cost.delta):g}"
        why = say(
            tr("For people, with up to {rows} records each.")
            if made.policy.data.unit
            else tr("For every single record of the data."),
            rows=made.max_rows,
        )
        keys = [(say("Formal guarantee"), cost, why)]
    keys.append(
        (
            say("Single attributes"),
            say.percent(found.mean_of_ones),
            say(
                "Mean total variation: the share of the records that would have to change for an attribute to be "
                "distributed as in the original."
            ),
        )
    )
    if found.pairs:
        keys.append(
            (
                say("Pairs of attributes"),
                say.percent(found.mean_of_pairs),
                say("The same of pairs, of which all classifiers and cross tables are made."),
            )
        )
    if found.queries:
        why = say(
            "Mean error of {queries} random counts over ranges and single values of up to three attributes, "
            "as a share of the records.",
            queries=found.queries["queries"],
        )
        keys.append((say("Counting queries"), say.percent(found.queries["mean"]), why))
    return keys


def _ones(found: Fidelity, say: Speech) -> Section:
    ordered = sorted(found.ones.items(), key=lambda entry: -entry[1])
    return Section(
        say("Attributes"),
        say(
            "How far each attribute's distribution is from the original's. All figures of this page are "
            "measured on the true data: they are not protected, and stay here."
        ),
        [say("attribute"), say("distance")],
        [[name, distance] for name, distance in ordered],
    )


def _pairs(found: Fidelity, say: Speech) -> Section:
    rows: list[Row] = [[" × ".join(p.attributes), p.distance, p.before, p.after] for p in found.pairs[:SHOWN]]
    return Section(
        say("Pairs that are farthest apart"),
        say(
            "The distance of the joint distributions, and how strongly the two are associated (Cramér's V) in "
            "the original and in the release."
        ),
        [say(SYNTHETIC_COLUMN[name]) for name in ("pair", "distance", "before", "after")],
        rows,
    )


def _accuracy(found: Fidelity, say: Speech) -> list[Section]:
    if not found.accuracy or not found.accuracy["models"]:
        return []
    rows: list[Row] = [
        [say(KIND.get(name, name)), entry["original"], entry["release"]]
        for name, entry in found.accuracy["models"].items()
    ]
    lead = say(
        "Trained to predict {label} on the synthetic records, and on original ones; tested on {held_out} "
        "of the original. Always guessing the most frequent label is right for {baseline}.",
        label=found.accuracy["label"],
        held_out=say.plural("{n} record", "{n} records", n=found.accuracy["held_out"]),
        baseline=say.percent(found.accuracy["baseline"]),
    )
    header = [say("classifier"), say("trained on originals"), say("trained on synthetic")]
    return [Section(say("What classifiers learn"), lead, header, rows)]


def _steps(made: Synthetic, say: Speech) -> list[Section]:
    """What each step cost."""
    if made.cost is None:
        return []
    names = [domain.attribute for domain in made.domains]
    rows: list[Row] = [
        [
            say(SYNTHETIC_STEP[step.mechanism]),
            " × ".join(names[place] for place in step.attributes) or say("(all records)"),
            step.scale,
            float(step.cost / made.cost.rho),
        ]
        for step in made.outcome.steps
    ]
    header = [say(SYNTHETIC_COLUMN[name]) for name in ("step", "attributes", "scale", "share")]
    return [
        Section(
            say("Where the cost went"),
            say("Every look at the data, in order. The standard deviation of the noise is in records."),
            header,
            rows,
        )
    ]


def _beyond(beyond: dict[str, int], left_out: int, say: Speech) -> Section:
    rows: list[Row] = [[name, count] for name, count in beyond.items()]
    lead = say(
        "Records of the original whose value is none of the domain: they counted as NULL. Left out "
        "altogether: {left_out}.",
        left_out=say.plural("{n} record", "{n} records", n=left_out),
    )
    header = [say("attribute"), say("records")]
    return Section(say("Values that were not declared"), lead, header, rows)


def _plots(made: Synthetic, found: Fidelity, before, after, say: Speech) -> list[Bars]:  # type: ignore[no-untyped-def]
    names = [domain.attribute for domain in made.domains]
    far = sorted(found.ones, key=lambda name: -found.ones[name])
    plots = [
        Bars(
            "one-way",
            say("How far each attribute is off"),
            say("Total variation between original and synthetic records"),
            far,
            {say("distance"): [found.ones[name] for name in far]},
        )
    ]
    if found.pairs:
        labels = [" × ".join(pair.attributes) for pair in found.pairs]
        distances = {say("distance"): [pair.distance for pair in found.pairs]}
        plots.append(
            Bars(
                "two-way",
                say("How far pairs of attributes are off"),
                say("Total variation of joint distributions, the farthest first"),
                labels,
                distances,
            )
        )
    for name in far[:PLOTTED]:
        place = names.index(name)
        domain = made.domains[place]
        shares = []
        for rows in (before, after):
            counts = np.bincount(rows.codes[place], minlength=domain.size)
            shares.append(counts / max(counts.sum(), 1))
        order = np.argsort(-shares[0], kind="stable") if domain.size > SHOWN else np.arange(domain.size)
        series = {
            say("original"): shares[0][order].tolist(),
            say("synthetic"): shares[1][order].tolist(),
        }
        title = say("{attribute}: original and synthetic", attribute=name)
        labels = [say.label(domain.name(int(code))) for code in order]
        plots.append(Bars(f"values-{place}", title, say("Share of the records with each value"), labels, series))
    return plots
