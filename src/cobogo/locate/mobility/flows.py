"""Flows: how many people go from one area to another, counted with noise over a tree of areas and made to add up.

Pairs of areas (origin, destination) form a tree, too: a pair of bairros lies within the pair of their zones. Each level
of this tree is counted with its own noise. The rest is post-processing and costs nothing: all levels together give the
estimates with the least variance (Hay, Rastogi, Miklau & Suciu 2010, here with unequal numbers of children). What the
noise alone explains is taken out of them. From the top down they become whole numbers, none below zero, that add up.

The setting is that of OnTheMap (Machanavajjhala, Kifer, Abowd, Gehrke & Vilhuber 2008), which draws synthetic commuters
from a Dirichlet posterior instead (`on_the_map`). What is done here is ours.
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
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr, trn
from cobogo.floor.randomness import Entropy
from cobogo.floor.untrusted import fraction
from cobogo.locate.mobility.areas import AreaTree, Journeys, add_up
from cobogo.locate.mobility.model import project_counts
from cobogo.promises.accounting import Amount, exact_amount, loss_of
from cobogo.promises.mechanisms import Laplace

FORMAT = "cobogo-flows/1"


@dataclass(frozen=True, eq=False, repr=False)
class FlowCounts:
    """Noisy counts of journeys over a tree of areas, and the consistent table that follows from them."""

    tree: AreaTree
    noisy: tuple[Ints, ...]  # level by level, finest first
    epsilon: Fraction
    most: int
    shares: tuple[Fraction, ...]  # of ε, one for each level

    @cached_property
    def noise(self) -> list[Laplace]:
        """The noise of each level."""
        return level_noise(self.shares, self.epsilon, self.most)

    @cached_property
    def table(self) -> tuple[Ints, ...]:
        """Whole numbers of journeys, none below zero, that add up from level to level."""
        variances = [noise.variance() for noise in self.noise]
        estimates = best_estimates(self.noisy, variances, self.tree)
        return round_tree(shrink_estimates(estimates, variances, self.tree), self.tree)

    def costs(self) -> list[dict[str, Any]]:
        """What each level cost, and its noise."""
        return [
            {"level": level, "pairs": len(counts), "epsilon": str(noise.epsilon), "mechanism": noise.name,
             "sensitivity": noise.sensitivity, "scale": noise.scale}
            for level, counts, noise in zip(self.tree.levels, self.noisy, self.noise, strict=True)
        ]  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """As they are published: areas, and whole numbers with noise."""
        return {"format": FORMAT, "epsilon": str(self.epsilon), "most": self.most,
                "shares": [str(share) for share in self.shares], "areas": self.tree.as_dict(),
                "noisy": [counts.tolist() for counts in self.noisy]}  # fmt: skip

    @classmethod
    def from_dict(cls, content: Any, where: str) -> FlowCounts:
        """Published counts; raises `VerificationFailed` where they are damaged."""
        try:
            if content["format"] != FORMAT:
                raise ValueError
            tree = AreaTree.from_dict(content["areas"])
            noisy = tuple(np.array(counts, dtype=np.int64) for counts in content["noisy"])
            shares = check_shares([fraction(share) for share in content["shares"]], tree)
            if [len(counts) for counts in noisy] != [len(parent) for parent in tree.pair_parents]:
                raise ValueError
            return cls(tree, noisy, fraction(content["epsilon"]), int(content["most"]), shares)
        except (DataError, PolicyError, KeyError, TypeError, ValueError, OverflowError):
            raise VerificationFailed(
                tr("does not hold counts of flows of this version"),
                where=where,
                remedy=tr("Use the Cobogó that wrote it, or a later one."),
            ) from None


@card("flows", title="origin–destination counts", guide="flows")
def count_flows(
    journeys: Journeys, epsilon: Amount, most: int = 1, shares: Sequence[Amount] | None = None
) -> FlowCounts:
    r"""How many people go from each area to each other area: counts with noise on every level of a tree of areas, made
    to add up.

    At most ``most`` journeys of a person count, chosen at random. Every pair of areas is counted with noise, on every
    level, whether anybody goes there or not. The levels share ε evenly, or in proportion to ``shares``, the finest
    first. From the noisy counts follow the best estimates that add up. Where pairs differ no more than the noise, they
    are taken to be what the numbers of people who leave and arrive suggest. In the end there are whole numbers, none
    below zero, that add up exactly. All noise is from the operating system's entropy.

    Formula: $\tilde{n}_l(o, d) = n_l(o, d) + X$ with discrete Laplace noise $X$ of scale $\frac{m}{s_l\,\varepsilon}$
        on each level $l$ of share $s_l$, for at most $m$ journeys of a person
    Example: Nobody is lost between the levels.
        >>> from cobogo.studies import fortaleza
        >>> flows = count_flows(fortaleza.people(500, days=1).commutes(), epsilon=1)
        >>> flows.tree.levels, bool(flows.table[0].sum() == flows.table[1].sum())
        (('area', 'zone'), True)

    Guarantee: ε-differential privacy for a person with all their journeys.
    Limits: Where there are many pairs and few people, the finest level is mostly noise. Areas and bounds must be
        declared without looking at the data. Numbers that cannot be negative are too large on average where nobody
        goes; the noisy counts, which are published beside the table, are unbiased.
    Cost: $O(L\,a^2)$ for a areas, up to 1,500, and L levels.
    Paper: The setting: A. Machanavajjhala, D. Kifer, J. Abowd, J. Gehrke and L. Vilhuber, Privacy: theory meets
        practice on the map, ICDE 2008. The estimates: M. Hay, V. Rastogi, G. Miklau and D. Suciu, Boosting the accuracy
        of differentially private histograms through consistency, VLDB 2010. Their combination is ours.
    """
    if most < 1:
        raise PolicyError(tr("must be above 0. Got {amount} instead", amount=str(most)), where="--most")
    cost = loss_of(epsilon).amount
    parts = check_shares([1] * len(journeys.tree.levels) if shares is None else shares, journeys.tree)
    exact = journeys.bound(most, Entropy()).counts()
    drawn = tuple(
        np.array(noise.release(counts.tolist()), dtype=np.int64)
        for noise, counts in zip(level_noise(parts, cost, most), exact, strict=True)
    )
    return FlowCounts(journeys.tree, drawn, cost, most, parts)


def check_shares(weights: Sequence[Amount], tree: AreaTree) -> tuple[Fraction, ...]:
    """The shares of ε of the levels of a tree, which sum to 1, from weights; raises where there is not one for each.

    >>> from cobogo.studies.fortaleza.people import bairro_areas
    >>> [str(share) for share in check_shares([3, 1], bairro_areas())]
    ['3/4', '1/4']
    """
    parts = [exact_amount(weight, "--shares") for weight in weights]
    if len(parts) != len(tree.levels):
        raise PolicyError(
            trn(
                "there is {n} share for {levels} levels",
                "there are {n} shares for {levels} levels",
                n=len(parts),
                levels=len(tree.levels),
            ),
            where="--shares",
            remedy=tr("Give one number for each level, the finest first: --shares 3,1."),
        )
    return tuple(part / sum(parts) for part in parts)


def level_noise(shares: Sequence[Fraction], epsilon: Fraction, most: int) -> list[Laplace]:
    """The noise of each level: a person's journeys change each by ``most`` at most."""
    return [Laplace(most, epsilon * share) for share in shares]


def best_estimates(noisy: Sequence[Ints], variances: Sequence[float], tree: AreaTree) -> list[Floats]:
    """The estimates with the least variance that add up, from counts whose noise has a variance on each level.

    From the finest level up, a count is averaged with the sum of those below it, each weighted by the other's variance.
    From the top down, what a count and the sum below it then differ by is shared out by variance.
    """
    value, spread = [noisy[0].astype(np.float64)], [np.full(len(noisy[0]), variances[0])]
    sums, spreads = [], []
    for counts, variance, parent in zip(noisy[1:], variances[1:], tree.pair_parents, strict=False):
        sums.append(np.bincount(parent, value[-1]))
        spreads.append(np.bincount(parent, spread[-1]))
        value.append((counts * spreads[-1] + sums[-1] * variance) / (spreads[-1] + variance))
        spread.append(spreads[-1] * variance / (spreads[-1] + variance))
    found = [value[-1]]
    for level in range(len(noisy) - 2, -1, -1):
        parent = tree.pair_parents[level]
        rest = (found[0] - sums[level]) / spreads[level]
        found.insert(0, value[level] + spread[level] * rest[parent])
    return found


def shrink_estimates(estimates: Sequence[Floats], variances: Sequence[float], tree: AreaTree) -> list[Floats]:
    """Estimates, nearer to those of independence within each pair of the level above: by the share of their squared
    differences that the noise alone explains (James & Stein 1961). Sums stay as they are.

    Independence: of the journeys from one zone to another, those of a pair of areas are as many as the share of its
    origin in what leaves the zone and that of its destination in what arrives suggest.
    """
    total = np.array([estimates[-1].sum()])
    found: list[Floats] = []
    for level in range(len(estimates) - 1, -1, -1):
        values, parent, above = estimates[level], tree.pair_parents[level], tree.parents[level]
        square = values.reshape(len(above), -1)
        leaving, arriving = (_shares_within(square.sum(axis=axis), above) for axis in (1, 0))
        expected = total[parent] * (leaving[:, None] * arriving).ravel()
        apart = values - expected
        explained = variances[level] * np.maximum(np.bincount(parent) - 1, 0)
        kept = np.maximum(1 - explained / np.maximum(np.bincount(parent, apart**2), 1e-9), 0.0)
        found.insert(0, expected + kept[parent] * apart)
        total = found[0]
    return found


def _shares_within(values: Floats, group: Ints) -> Floats:
    """The share of each value, none below zero, in the sum of its group."""
    positive = np.maximum(values, 1e-9)
    return np.asarray(positive / np.bincount(group, positive)[group])


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
