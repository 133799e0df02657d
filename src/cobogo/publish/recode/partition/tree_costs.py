"""The hierarchies as flat arrays: what a leaf is at each level, and what a record costs that is released there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Small
from cobogo.publish.recode.problem import Problem


@dataclass(frozen=True, eq=False, repr=False)
class TreeCosts:
    """What attribute ``a`` has for leaf ``v`` at level ``l`` stands at ``starts[a, l] + v``: the code of its value, and
    the share of the domain under it, by the attribute's weight."""

    starts: Ints
    codes: Small
    costs: Floats
    lowest: Ints
    highest: Ints

    @classmethod
    def of(cls, problem: Problem) -> TreeCosts:
        """Of a problem's hierarchies."""
        height = max(h.height for h in problem.hierarchies)
        starts = np.zeros((len(problem.hierarchies), height + 1), dtype=np.int64)
        codes, costs, place = [], [], 0
        for column, (h, weight) in enumerate(zip(problem.hierarchies, problem.weights, strict=True)):
            for level, there in enumerate(h.maps):
                starts[column, level] = place
                codes.append(there)
                costs.append(weight * (h.leaf_counts[level][there] - 1) / max(len(h.leaves) - 1, 1))
                place += len(there)
        levels = np.array([problem.lowest, problem.highest], dtype=np.int64)
        return cls(starts, np.concatenate(codes).astype(np.int32), np.concatenate(costs), levels[0], levels[1])
