"""How close synthetic records are to the original ones, measured on the true data: for the data holder only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.examine.utility import learning
from cobogo.examine.utility.statistics import cramers_v, total_variation
from cobogo.examine.utility.workload import Line
from cobogo.floor.arrays import Floats
from cobogo.publish.synthesize.domains import AttributeDomain
from cobogo.publish.synthesize.mst import MOST_CELLS

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
    learning.require()
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
