"""The hierarchies as flat arrays for compiled kernels, and what it costs to release a record as some tuple."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cobogo.data.hierarchy import Hierarchy
from cobogo.examine.metrics import Outcome
from cobogo.floor.arrays import Floats, Ints, Small
from cobogo.publish.recode.contract.assignment import leaf_tuples
from cobogo.publish.recode.contract.problem import Problem, label_numbers
from cobogo.publish.recode.lattice.walk import node_count

STEERED = ("loss", "iloss", "precision", "height")
"""The metrics that are sums over cells. A search by cells goes by these; by loss where another is asked for."""

NODES = 40_000
"""Of a lattice that is gone through whole; of a larger one, about as many are drawn. Bounds the time of a peel, which
groups the tuples that are left at each."""


@dataclass(frozen=True, eq=False, repr=False)
class Terrain:
    """A problem's tuples as leaves, and for each attribute and level what each leaf is released as and costs there.

    For leaf ``v`` of attribute ``a`` at level ``l``, index ``starts[a, l] + v`` of ``names`` is a number for the
    released value (equal values have equal numbers, at whatever level), and that of ``costs`` what one record costs.
    """

    problem: Problem
    leaves: Small
    starts: Ints
    names: Small
    shares: tuple[tuple[Floats, ...], ...]  # by attribute and level: each leaf's part of the domain once released
    costs: Floats
    prices: Floats  # by attribute: what one unit of loss costs

    @classmethod
    def from_problem(cls, problem: Problem) -> Terrain:
        """The terrain with the costs of the first steps away from the original table."""
        height = max((h.height for h in problem.hierarchies), default=0)
        starts = np.zeros((len(problem.hierarchies), height + 1), dtype=np.int64)
        names: list[Small] = [np.zeros(0, dtype=np.int32)]
        shares = []
        place = 0
        for column, h in enumerate(problem.hierarchies):
            labels, by_level = label_numbers(h)
            under = _leaves_under(by_level, len(labels))
            shares.append(tuple(under[numbers] for numbers in by_level))
            for level, numbers in enumerate(by_level):
                starts[column, level] = place
                names.append(numbers.astype(np.int32))
                place += len(numbers)
        flat = np.concatenate(names).astype(np.int32)
        terrain = cls(
            problem, leaf_tuples(problem), starts, flat, tuple(shares), np.zeros(place), np.zeros(len(starts))
        )
        return terrain.reprice(None)

    def reprice(self, outcome: Outcome | None) -> Terrain:
        """The terrain with the costs that cells have when the rest of the table is as in an outcome.

        Loss is a product over the attributes of 1 + v, so a cell costs less the more its attribute has lost already.
        """
        prices = _prices(self.problem, outcome)
        parts: list[Floats] = [np.zeros(0)]
        for column, (h, levels) in enumerate(zip(self.problem.hierarchies, self.shares, strict=True)):
            for level, leaves in enumerate(levels):
                parts.append(prices[column] * _units(self.problem, h, level, leaves))
        return Terrain(self.problem, self.leaves, self.starts, self.names, self.shares, np.concatenate(parts), prices)

    @cached_property
    def suppression(self) -> float:
        """What a suppressed record costs: as much as one of which every value may be any leaf, or is at the top."""
        prices, total = self.prices, 0.0
        for column, h in enumerate(self.problem.hierarchies):
            everything = np.full(1, float(len(h.leaves)))
            total += float(prices[column] * _units(self.problem, h, h.height, everything)[0])
        return total

    @cached_property
    def mean_costs(self) -> tuple[Floats, ...]:
        """For each attribute and level, what a record costs there on average."""
        records = max(self.problem.scale.records, 1)
        found = []
        for column, h in enumerate(self.problem.hierarchies):
            counts = self.problem.sharing[column][0]
            starts = self.starts[column]
            found.append(
                np.array(
                    [
                        float((counts * self.costs[starts[level] : starts[level] + len(counts)]).sum()) / records
                        for level in range(h.height + 1)
                    ]
                )
            )
        return tuple(found)

    @cached_property
    def nodes(self) -> Ints:
        """The nodes of the lattice, from the cheapest up; of a large one, those on many ways from bottom to top."""
        lowest, highest = self.problem.lowest, self.problem.highest
        if node_count(lowest, highest) <= NODES:
            ranges = [np.arange(low, high + 1) for low, high in zip(lowest, highest, strict=True)]
            found = np.array(list(itertools.product(*ranges)), dtype=np.int64).reshape(-1, len(ranges))
        else:
            found = self._ways(np.random.default_rng(0))
        cost = sum((mean[found[:, column]] for column, mean in enumerate(self.mean_costs)), np.zeros(len(found)))
        return np.asarray(found[np.argsort(cost, kind="stable")])

    def _ways(self, random: np.random.Generator) -> Ints:
        lowest, highest = np.array(self.problem.lowest), np.array(self.problem.highest)
        steps = np.repeat(np.arange(len(lowest)), highest - lowest)
        found = []
        for _ in range(max(1, NODES // (len(steps) + 1))):
            raised = np.zeros((len(steps) + 1, len(lowest)), dtype=np.int64)
            raised[np.arange(1, len(steps) + 1), random.permutation(steps)] = 1
            found.append(lowest + np.cumsum(raised, axis=0))
        return np.unique(np.concatenate(found), axis=0)


def _leaves_under(by_level: tuple[Ints, ...], labels: int) -> Floats:
    """For each label, how many leaves it covers at any of the levels where it occurs."""
    leaves = len(by_level[0])
    pairs = np.concatenate([numbers * leaves + np.arange(leaves) for numbers in by_level])
    return np.bincount(np.unique(pairs) // max(leaves, 1), minlength=labels).astype(float)


def _prices(problem: Problem, outcome: Outcome | None) -> Floats:
    """What one unit of each attribute costs."""
    weights = problem.scale.weights / problem.scale.weights.sum()
    if problem.metric.name in ("precision", "height"):
        return np.full(len(weights), 1 / len(weights))
    if problem.metric.name == "iloss" or outcome is None:
        return np.asarray(weights)
    leaves, records = problem.scale.leaves, max(problem.scale.records, 1)
    shares = outcome.leaf_sums + outcome.suppressed * leaves
    lost = np.where(leaves > 1, (shares - records) / (np.maximum(leaves - 1, 1) * records), 0.0)
    return np.asarray(weights / (1 + lost))


def _units(problem: Problem, hierarchy: Hierarchy, level: int, leaves: Floats) -> Floats:
    """How far each leaf is from the original at a level, from 0 to about 1."""
    match problem.metric.name:
        case "precision":
            return np.full(len(leaves), level / max(hierarchy.height, 1))
        case "height":
            return np.full(len(leaves), float(level))
        case "iloss":
            return (leaves - 1) / max(len(hierarchy.leaves), 1)
        case _:
            return (leaves - 1) / max(len(hierarchy.leaves) - 1, 1)
