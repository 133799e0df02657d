"""The levels of a sample: stated by the policy or chosen by the exponential mechanism, never by looking at the data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.build import build_for_table
from cobogo.data.policy import IntervalsHierarchy, MaskHierarchy, PathHierarchy, Policy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr
from cobogo.promises.mechanisms.selection import ExponentialMechanism

MOST_SCHEMES = 10_000
FULL = 1000
"""The worth, for each record, of a scheme that changes nothing. Scores are whole numbers, so a larger one makes them
finer; the sensitivity grows with it, so that probabilities stay the same."""

Levels = Mapping[str, int]


@dataclass(frozen=True, eq=False, repr=False)
class Coarser:
    """The distinct rows of a table's released columns, and the hierarchies that make them coarser."""

    counted: FrequencyTable
    hierarchies: Mapping[str, Hierarchy]  # of the quasi-identifiers

    def classes(self, levels: Levels) -> tuple[Ints, Ints]:
        """The class of each distinct row, and the number of records of each class."""
        keys = np.zeros(len(self.counted.counts), dtype=np.int64)
        for place, name in enumerate(self.counted.quasi_identifiers):
            codes = self.codes(name, levels)[self.counted.codes[:, place]]
            _, keys = np.unique(keys * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)
        return keys, np.bincount(keys, weights=self.counted.counts).astype(np.int64)

    def codes(self, name: str, levels: Levels) -> Ints:
        """The released value of each value of a column, as an index into `labels`."""
        values = self.counted.values[name]
        if name not in levels:
            return np.arange(len(values))
        hierarchy = self.hierarchies[name]
        return hierarchy.maps[levels[name]][hierarchy.encode(values)].astype(np.int64)

    def labels(self, name: str, levels: Levels) -> Sequence[str | None]:
        """The released values of a column."""
        return self.hierarchies[name].labels[levels[name]] if name in levels else self.counted.values[name]


def build_coarser(policy: Policy, table: Table, counted: FrequencyTable) -> Coarser:
    """Build the hierarchies; refuse those in which a value's generalization depends on other values."""
    made = {name: build_for_table(name, policy, table, counted) for name in policy.quasi_identifiers}
    for name in policy.quasi_identifiers:
        spec = policy.attributes[name].hierarchy
        if isinstance(spec, IntervalsHierarchy):
            numbers = (*spec.intervals, spec.origin, spec.lower, spec.upper, spec.bottom_code, spec.top_code)
            stated = max(_decimals(repr(number), ".") for number in numbers if number is not None)
            mark = spec.decimal or policy.data.decimal
            found = max((_decimals(value, mark) for value in counted.values[name] if value is not None), default=0)
            if found > stated:
                raise PolicyError(
                    tr(
                        "numbers of the data have more decimals than the interval widths of the policy "
                        "({stated}), which would change how intervals are written",
                        stated=stated,
                    ),
                    where=tr('{policy}, attribute "{attribute}"', policy=policy.name, attribute=name),
                    remedy=tr("Round the numbers, or write a width with as many decimals."),
                )
    return Coarser(counted, made)


def _decimals(text: str, mark: str) -> int:
    return len(text.partition(mark)[2].rstrip("0"))


def stated_levels(policy: Policy, made: Coarser) -> dict[str, int]:
    """The levels that the policy states, checked against the hierarchies."""
    assert policy.sampling is not None
    levels = dict(policy.sampling.levels or {})
    for name, level in levels.items():
        where = f"{policy.name}, sampling.levels.{name}"
        if name not in made.hierarchies:
            raise PolicyError(
                tr("is not a quasi-identifier"),
                where=where,
                remedy=tr("Quasi-identifiers: {names}.", names=", ".join(made.hierarchies)),
            )
        if level > made.hierarchies[name].height:
            raise PolicyError(
                tr("the highest level of the hierarchy is {height}", height=made.hierarchies[name].height),
                where=where,
                remedy=tr("Lower the level."),
            )
    return levels


def candidates(policy: Policy, made: Coarser, fixed: Levels) -> list[dict[str, int]]:
    """All schemes that the policy allows. Their number must not depend on the data."""
    free = [name for name in made.hierarchies if name not in fixed]
    ranges = []
    for name in free:
        attribute = policy.attributes[name]
        if isinstance(attribute.hierarchy, MaskHierarchy | PathHierarchy):
            raise PolicyError(
                tr("the number of levels depends on the data, so a level cannot be chosen privately"),
                where=tr('{policy}, attribute "{attribute}"', policy=policy.name, attribute=name),
                remedy=tr("Give its level: sampling.levels.{name}.", name=name),
            )
        height = made.hierarchies[name].height
        most = height if attribute.max_level is None else min(height, attribute.max_level)
        ranges.append(range(attribute.min_level, most + 1))
    number = math.prod(len(one) for one in ranges)
    if number > MOST_SCHEMES:
        raise PolicyError(
            tr(
                "there are {number:,} combinations of levels to choose from, and the limit is {most:,}",
                number=number,
                most=MOST_SCHEMES,
            ),
            where=f"{policy.name}, sampling",
            remedy=tr("Give the levels of some attributes under levels, or narrow them with min-level and max-level."),
        )
    return [{**fixed, **dict(zip(free, levels, strict=True))} for levels in itertools.product(*ranges)]


def choose_levels(
    made: Coarser, schemes: Sequence[dict[str, int]], least: int, epsilon: Fraction, weights: Mapping[str, float]
) -> dict[str, int]:
    """Choose one scheme by the exponential mechanism.

    Its score is its `worth` times the sum, over classes, of the records beyond ``least``: one record more or less
    changes that sum by at most 1, and the score by at most `FULL`.
    """
    scores = [worth(made, levels, weights) * count_beyond(made.classes(levels)[1], least) for levels in schemes]
    return dict(schemes[ExponentialMechanism(FULL, epsilon).choose(scores)])


def worth(made: Coarser, levels: Levels, weights: Mapping[str, float]) -> int:
    """The mean over quasi-identifiers of how far below the top they are, from 0 (all ``*``) to `FULL`."""
    total = math.fsum(weights.values())
    detail = math.fsum(
        weights[name] * (1 - levels[name] / hierarchy.height if hierarchy.height else 1)
        for name, hierarchy in made.hierarchies.items()
    )
    return max(0, min(FULL, int(FULL * detail / total)))


def count_beyond(sizes: Ints, least: int) -> int:
    """Σ max(0, n − least) over classes."""
    return int(np.maximum(sizes - least, 0).sum())
