"""Flows: how many people go from one area to another, counted with noise over a tree of areas and made to add up.

Pairs of areas (origin, destination) form a tree, too: a pair of bairros lies within the pair of their zones. Each level
of this tree is counted with its own noise. The rest is post-processing and costs nothing: all levels together give the
estimates with the least variance (Hay, Rastogi, Miklau & Suciu 2010, here with unequal numbers of children), and from
the top down these become whole numbers, none below zero, that add up exactly.

The setting is that of OnTheMap (Machanavajjhala, Kifer, Abowd, Gehrke & Vilhuber 2008), which draws synthetic commuters
from a Dirichlet posterior instead, under a weaker guarantee. What is done here is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from cobogo.errors import DataError, PolicyError, VerificationFailed
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy
from cobogo.floor.untrusted import fraction
from cobogo.locate.mobility.areas import AreaTree, Journeys, add_up
from cobogo.locate.mobility.model import project_counts
from cobogo.promises.mechanisms import Laplace

FORMAT = "cobogo-flows/1"


@dataclass(frozen=True, eq=False, repr=False)
class FlowCounts:
    r"""Noisy counts of journeys over a tree of areas, and the consistent table that follows from them.

    Formula: $\tilde{n}_l(o, d) = n_l(o, d) + X$ with discrete Laplace noise $X$ of scale $m L / \varepsilon$ on each of
        $L$ levels, for at most $m$ journeys of a person
    """

    tree: AreaTree
    noisy: tuple[Ints, ...]  # level by level, finest first
    epsilon: Fraction
    most: int

    @classmethod
    def draw(cls, journeys: Journeys, epsilon: Fraction, most: int = 1) -> FlowCounts:
        """Count with noise from the operating system's entropy."""
        if most < 1:
            raise PolicyError(tr("must be above 0. Got {amount} instead", amount=str(most)), where="--most")
        exact = journeys.bound(most, Entropy()).counts()
        noise = level_noise(len(exact), epsilon, most)
        drawn = tuple(np.array(noise.release(counts.tolist()), dtype=np.int64) for counts in exact)
        return cls(journeys.tree, drawn, epsilon, most)

    @property
    def noise(self) -> Laplace:
        """The noise of each level."""
        return level_noise(len(self.noisy), self.epsilon, self.most)

    @cached_property
    def table(self) -> tuple[Ints, ...]:
        """Whole numbers of journeys, none below zero, that add up from level to level."""
        return round_tree(best_estimates(self.noisy, self.tree), self.tree)

    def costs(self) -> list[dict[str, Any]]:
        """What each level cost, and its noise."""
        noise = self.noise
        return [
            {"level": level, "pairs": len(counts), "epsilon": str(noise.epsilon), "mechanism": noise.name,
             "sensitivity": noise.sensitivity, "scale": noise.scale}
            for level, counts in zip(self.tree.levels, self.noisy, strict=True)
        ]  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """As they are published: areas, and whole numbers with noise."""
        noisy = [counts.tolist() for counts in self.noisy]
        return {"format": FORMAT, "epsilon": str(self.epsilon), "most": self.most, "areas": self.tree.as_dict(),
                "noisy": noisy}  # fmt: skip

    @classmethod
    def from_dict(cls, content: Any, where: str) -> FlowCounts:
        """Published counts; raises `VerificationFailed` where they are damaged."""
        try:
            if content["format"] != FORMAT:
                raise ValueError
            tree = AreaTree.from_dict(content["areas"])
            noisy = tuple(np.array(counts, dtype=np.int64) for counts in content["noisy"])
            if [len(counts) for counts in noisy] != [len(parent) for parent in tree.pair_parents]:
                raise ValueError
            return cls(tree, noisy, fraction(content["epsilon"]), int(content["most"]))
        except (DataError, KeyError, TypeError, ValueError, OverflowError):
            raise VerificationFailed(
                tr("does not hold counts of flows of this version"),
                where=where,
                remedy=tr("Use the Cobogó that wrote it, or a later one."),
            ) from None


def level_noise(levels: int, epsilon: Fraction, most: int) -> Laplace:
    """The noise of each of so many levels: they share ε evenly, and a person's journeys change each by ``most``."""
    return Laplace(most, epsilon / levels)


def best_estimates(noisy: Sequence[Ints], tree: AreaTree) -> list[Floats]:
    """The estimates with the least variance that add up, from counts with equal noise on every level.

    From the finest level up, a count is averaged with the sum of those below it, each weighted by the other's variance.
    From the top down, what a count and the sum below it then differ by is shared out by variance.
    """
    value, spread = [noisy[0].astype(np.float64)], [np.ones(len(noisy[0]))]
    sums, spreads = [], []
    for counts, parent in zip(noisy[1:], tree.pair_parents, strict=False):
        sums.append(np.bincount(parent, value[-1]))
        spreads.append(np.bincount(parent, spread[-1]))
        value.append((counts * spreads[-1] + sums[-1]) / (spreads[-1] + 1))
        spread.append(spreads[-1] / (spreads[-1] + 1))
    found = [value[-1]]
    for level in range(len(noisy) - 2, -1, -1):
        parent = tree.pair_parents[level]
        rest = (found[0] - sums[level]) / spreads[level]
        found.insert(0, value[level] + spread[level] * rest[parent])
    return found


def round_tree(estimates: Sequence[Floats], tree: AreaTree) -> tuple[Ints, ...]:
    """Whole numbers near the estimates, none below zero, that add up: from the top down, the nearest such numbers by
    squares within each pair of the level above, then rounded so that the largest remainders are rounded up."""
    total = np.array([max(round(float(estimates[-1].sum())), 0)])
    found: list[Ints] = []
    for values, parent in zip(reversed(estimates), reversed(tree.pair_parents), strict=True):
        total = round_within(project_counts(values, parent, total.astype(np.float64)), parent, total)
        found.insert(0, total)
    return tuple(found)


def round_within(values: Floats, group: Ints, total: Ints) -> Ints:
    """Whole numbers that sum to the whole total of each group, each at most one from its value.

    >>> round_within(np.array([0.5, 0.3, 1.2, 2.0]), np.array([0, 0, 0, 1]), np.array([2, 2])).tolist()
    [1, 0, 1, 2]
    """
    whole = np.floor(values + 1e-9).astype(np.int64)
    missing = total - add_up(whole, group)
    order = np.lexsort((np.arange(len(values)), whole - values, group))
    starts = np.searchsorted(group[order], np.arange(len(total)))
    rank = np.arange(len(values)) - starts[group[order]]
    whole[order] += rank < missing[group[order]]
    return whole
