"""MST: a tree of the pairs of attributes that tell most of each other (McKenna, Miklau & Sheldon 2021)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source
from cobogo.publish.synthesize import model
from cobogo.publish.synthesize.belief import draw_systematic
from cobogo.publish.synthesize.private import (
    Attributes,
    Fitted,
    MarginalMeasurement,
    PrivateTable,
    distance,
    nonnegative,
    total,
)

MOST_CELLS = 1_000_000
"""Pairs with more combinations are not measured: noise would exceed their counts, and a fit would need too much
memory."""

RARE = 3
"""Values with noisy counts below this many standard deviations of the noise are merged to one; the paper's value."""


@card("mst", title="MST", private=True)
def fit(private: PrivateTable, degree: int) -> Fitted:  # noqa: ARG001
    r"""A tree of the pairs of attributes that depend most on each other (MST).

    A third of the budget counts each attribute by itself, a third chooses the pairs of a tree by the exponential
    mechanism, and a third counts those pairs. Before the pairs are chosen, values whose count is lost in the noise are
    merged. The model is estimated from the noisy counts alone, and records are drawn from it.

    Formula: pairs by $\Pr[(i, j)] \propto e^{\varepsilon\,\lVert M_{ij} - \hat{M}_i \hat{M}_j / n\rVert_1 / 2 \Delta}$
        until they make a spanning tree; counts with discrete Gaussian noise, $\rho = \sum \frac{\Delta^2}{2 \sigma^2} +
        \sum \frac{\varepsilon^2}{8}$
    Example: Of three attributes, the pair that is correlated is chosen first.
        >>> import numpy as np
        >>> codes = np.arange(3000) % 2
        >>> rows = PrivateTable((2, 2, 2), (codes, codes, np.arange(3000) // 2 % 2), Fraction(3))
        >>> ones = [rows.measure((place,), Fraction(1, 3)) for place in rows.every]
        >>> _tree(rows, ones, 3000.0, Fraction(1, 2))[0]
        (0, 1)

    Guarantee: (ε, δ)-differential privacy for a person with up to ``max-rows`` records, for everything that is given
        away.
    Limits: Only the pairs of the tree are preserved: relations among three attributes are lost. The domains must be
        declared.
    Cost: $O(a^2 n)$ to score pairs of a attributes and n records; seconds for a dozen columns.
    Paper: R. McKenna, G. Miklau and D. Sheldon, Winning the NIST contest: a scalable and general approach to
        differentially private synthetic data, Journal of Privacy and Confidentiality, 2021.
    """
    width = len(private.sizes)
    third = private.rho / 3
    alone = (private.rho if width == 1 else third) / width
    ones = [private.measure((place,), alone) for place in private.every]
    records = total(ones)
    back = [_merge_rare(one) for one in ones]
    private.merge([codes for codes, _ in back])
    merged = [one.merge(codes) for one, (codes, _) in zip(ones, back, strict=True)]
    pairs = _tree(private, merged, records, third / max(width - 1, 1))
    each = private.left / max(len(pairs), 1)
    twos = [private.measure(pair, each) for pair in pairs]
    fitted = model.estimate(private.sizes, [*merged, *twos], records)

    def draw(count: int, source: Source) -> list[Ints]:
        drawn = fitted.tree.draw(count, source)
        return [
            _split_merged(column, codes, shares, source) for column, (codes, shares) in zip(drawn, back, strict=True)
        ]

    return Fitted(records, draw)


def _tree(private: PrivateTable, ones: list[MarginalMeasurement], records: float, rho: Fraction) -> list[Attributes]:
    """Choose pairs that form a tree, each by its distance from independence."""
    shares = [nonnegative(one.counts, records) / records for one in ones]
    component = list(private.every)

    def score(pair: Attributes, rows: PrivateTable) -> int:
        one, other = pair
        return distance(rows, pair, records * np.outer(shares[one], shares[other]))

    chosen: list[Attributes] = []
    known: dict[Attributes, int] = {}

    def cached_score(pair: Attributes, rows: PrivateTable) -> int:
        if pair not in known:
            known[pair] = score(pair, rows)
        return known[pair]

    while True:
        candidates = [
            pair
            for pair in combinations(private.every, 2)
            if component[pair[0]] != component[pair[1]] and private.cells(pair) <= MOST_CELLS
        ]
        if not candidates:
            return chosen
        one, other = private.choose(candidates, cached_score, 1, rho)
        chosen.append((one, other))
        left = component[other]
        component = [component[one] if place == left else place for place in component]


def _merge_rare(one: MarginalMeasurement) -> tuple[Ints, Floats]:
    """Map the rare values of an attribute to one code; return the map, and the shares that split the code again."""
    rare = one.counts < RARE * one.deviation
    if rare.sum() < 2:
        return np.arange(len(rare)), np.ones(len(rare))
    codes = np.where(rare, int((~rare).sum()), np.cumsum(~rare) - 1)
    shares = np.where(rare, np.maximum(one.counts, 0), 1.0).astype(np.float64)
    if not shares[rare].any():
        shares[rare] = 1.0
    return codes, shares


def _split_merged(column: Ints, codes: Ints, shares: Floats, source: Source) -> Ints:
    """Draw values for the codes of merged values."""
    width = int(codes.max()) + 1
    table = np.zeros((width, len(codes)))
    table[codes, np.arange(len(codes))] = shares
    return draw_systematic(table, column, source) if width < len(codes) else column
