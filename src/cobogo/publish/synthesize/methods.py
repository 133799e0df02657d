"""The private methods: each chooses which marginals are measured with noise, and a model is estimated from them.

MST: a tree of the pairs of attributes that tell most of each other (McKenna, Miklau & Sheldon 2021). AIM: round by
round, the marginal that the model so far gets most wrong (McKenna, Mullins, Sheldon & Miklau 2022). PrivBayes: a
network in which each attribute depends on few others (Zhang et al. 2014). Its parents are taken from one earlier
family, so that the network is decomposable: its families are the cliques of a junction tree, and the estimate from all
of them together is exact. Families are measured with Gaussian noise and the network is chosen by the exponential
mechanism with the score R, the distance from independence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source, keys
from cobogo.publish.synthesize import model
from cobogo.publish.synthesize.model import draw_systematic
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
def fit_mst(private: PrivateTable, degree: int) -> Fitted:  # noqa: ARG001
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


MEASURING = Fraction(9, 10)
"""The share of a round's cost that measures; the rest chooses. The paper's value."""

ROUNDS = 16
"""The first rounds cost as if there were this many for each attribute; the paper's value. Rounds that teach nothing
make later ones dearer, so that there are usually far fewer."""

LARGEST = 4.0
"""The size in megabytes that a model may have when the budget is spent, and proportionally less before. It trades
accuracy for the time of a fit; the paper uses 80."""

LOOKED_AT = 200
"""Marginals that a round chooses from, drawn uniformly where there are more: each score costs a pass over the data."""

HALF = math.sqrt(2 / math.pi)
"""The mean of the absolute value of a standard normal number."""


@card("aim", title="AIM", private=True, change=min)
def fit_aim(private: PrivateTable, degree: int) -> Fitted:
    r"""Measures, round by round, the marginal in which the model so far has the largest error (AIM).

    It measures each attribute, then, of all marginals of up to ``degree`` attributes, the one with the largest error in
    the model; marginals with more attributes weigh more. After a round that taught nothing, the next rounds spend four
    times as much.

    Formula: the score of a marginal $r$ is $w_r \left( \lVert M_r - \hat{M}_r\rVert_1 - \sqrt{2/\pi}\,\sigma\,\lvert
        r\rvert \right)$, with $\lvert r\rvert$ its cells and $w_r$ its attributes
    Example: A model in which two equal attributes are independent is wrong about half of the records.
        >>> codes = np.arange(1000) % 2
        >>> rows = PrivateTable((2, 2), (codes, codes), Fraction(1))
        >>> _score({(0, 1): np.full(4, 250.0)}, deviation=0.0)((0, 1), rows)
        2000

    Guarantee: (ε, δ)-differential privacy for a person with up to ``max-rows`` records, for everything that is given
        away.
    Limits: It is usually the most accurate method, and the slowest. The domains must be declared.
    Cost: $O(r\,w\,n)$ for r rounds, w candidate marginals and n records, and one fit of the model in each round;
        minutes for a dozen columns.
    Paper: R. McKenna, B. Mullins, D. Sheldon and G. Miklau, AIM: an adaptive and iterative mechanism for differentially
        private synthetic data, PVLDB 2022.
    """
    width = len(private.sizes)
    workload = [
        marginal
        for several in range(1, min(degree, width) + 1)
        for marginal in combinations(private.every, several)
        if private.cells(marginal) <= MOST_CELLS
    ]
    share = private.rho / (ROUNDS * width)
    measured = [private.measure((place,), MEASURING * share) for place in private.every]
    records = total(measured)
    fitted = model.estimate(private.sizes, measured, records, steps=model.SHORT)
    while private.left:
        share = private.left if private.left < 2 * share else share
        deviation = private.max_rows / math.sqrt(2 * MEASURING * share)
        expected = _expected_counts(private, fitted, workload, [m.attributes for m in measured], records)
        chosen = private.choose(
            list(expected), _score(expected, deviation), min(degree, width), (1 - MEASURING) * share
        )
        measured.append(private.measure(chosen, MEASURING * share))
        records = total(measured)
        last = not private.left
        fitted = model.estimate(
            private.sizes, measured, records, steps=model.LONG if last else model.SHORT, start=fitted
        )
        learnt = np.abs(records * fitted.tree.marginal(chosen) - expected[chosen]).sum()
        if learnt <= HALF * deviation * private.cells(chosen):
            share *= 4
    return Fitted(records, fitted.tree.draw)


def _score(expected: dict[Attributes, Floats], deviation: float) -> Callable[[Attributes, PrivateTable], int]:
    """The model's error about a marginal, less the error that the noise of measuring it would have anyway."""

    def score(marginal: Attributes, rows: PrivateTable) -> int:
        bias = round(HALF * deviation * rows.cells(marginal))
        return len(marginal) * (distance(rows, marginal, expected[marginal]) - bias)

    return score


def _expected_counts(
    private: PrivateTable,
    fitted: model.EstimatedModel,
    workload: list[Attributes],
    known: list[Attributes],
    records: float,
) -> dict[Attributes, Floats]:
    """The model's counts of each marginal that could be measured without making the model too large."""
    room = LARGEST * float(private.spent / private.rho)
    some = workload
    if len(workload) > LOOKED_AT:
        some = [workload[place] for place in np.argsort(keys(len(workload)))[:LOOKED_AT]]
    fits = [
        marginal
        for marginal in some
        if any(set(marginal) <= set(clique) for clique in known)
        or model.megabytes(private.sizes, [*known, marginal]) <= room
    ]
    return {marginal: records * fitted.tree.marginal(marginal) for marginal in fits or [known[0]]}


COUNTING, CHOOSING = Fraction(1, 20), Fraction(1, 4)
"""The shares of the cost that count the records and choose the network; the rest measures its families. The paper gives
0.3 to choosing; a count of records needs little, since its noise is small beside any table's size."""

USEFUL = 4
"""θ, the paper's 4: a family is small enough if its mean count is this many times the deviation of the noise."""

FINE = 16
"""Steps of a score for each record: scores are integers, and a finer step loses less to rounding."""

CHANGE = 4 * FINE + 1
"""The largest change of a score by one record more or less: see `dependence`."""

"""Families that a round chooses from, drawn uniformly where there are more: each score costs a pass over the data."""


@card("privbayes", title="PrivBayes", private=True, change=lambda width, degree: 65)  # noqa: ARG005
def fit_privbayes(private: PrivateTable, degree: int) -> Fitted:
    r"""A network in which each attribute depends on a few others (PrivBayes).

    It counts the records, chooses a network of up to ``degree`` parents, and measures its families. The parents are
    taken from one earlier family, so that the families of the network are the cliques of a junction tree. Here the
    noise is Gaussian, and the model is fitted to all families together.

    Formula: $\Pr[x] = \prod_i \Pr[x_i \mid \pi_i]$ with the parents $\pi_i$ chosen by the exponential mechanism with
        the score $R = \sum \lvert C(x, \pi) - C(x)\,C(\pi) / n\rvert$
    Example: The score of two equal attributes, in steps of 1/16.
        >>> import numpy as np
        >>> codes = np.arange(1000) % 2
        >>> dependence(PrivateTable((2, 2), (codes, codes), Fraction(1)), (0, 1))
        16000

    Guarantee: (ε, δ)-differential privacy for a person with up to ``max-rows`` records, for everything that is given
        away.
    Limits: The order in which attributes are taken matters, and is chosen greedily. The domains must be declared.
    Cost: $O(a\,m\,n)$ for a attributes, m candidate families in each round and n records.
    Paper: J. Zhang, G. Cormode, C. M. Procopiuc, D. Srivastava and X. Xiao, PrivBayes: private data release via
        Bayesian networks, SIGMOD 2014.
    """
    width = len(private.sizes)
    counted = private.measure((), COUNTING * private.rho)
    records = total([counted])
    each = (1 - COUNTING - (CHOOSING if width > 1 else 0)) * private.rho / width
    room = min(records * math.sqrt(2 * each) / (USEFUL * private.max_rows), MOST_CELLS)
    families = _network(private, degree, room, CHOOSING * private.rho / max(width - 1, 1))
    measured = [private.measure(family, each) for family in families]
    records = total([counted, *measured])
    fitted = model.estimate(private.sizes, measured, records)
    return Fitted(records, fitted.tree.draw)


def _network(private: PrivateTable, degree: int, room: float, rho: Fraction) -> list[Attributes]:
    """Choose a family for each attribute: it and its parents, which are of one earlier family. The first attribute is
    the one with the fewest values."""
    first = min(private.every, key=lambda place: private.sizes[place])
    families: list[Attributes] = [(first,)]
    left = [place for place in private.every if place != first]
    while left:
        parents = {
            some
            for family in families
            for many in range(1, degree + 1)
            for some in combinations(family, min(many, len(family)))
        }
        moves = [
            (child, some)
            for child in left
            for some in sorted(parents)
            if private.cells((child, *some)) <= room
        ] or [(child, ()) for child in left]  # fmt: skip
        if len(moves) > LOOKED_AT:
            moves = [moves[place] for place in np.argsort(keys(len(moves)))[:LOOKED_AT]]
        child, *some = private.choose(
            [(child, *some) for child, some in moves], lambda move, rows: dependence(rows, move), CHANGE, rho
        )
        families.append(tuple(sorted((child, *some))))
        left.remove(child)
    return families


def dependence(private: PrivateTable, move: Attributes) -> int:
    """The distance of a child from independence of its parents: Σ |C(x, π) − C(x)·C(π)/n|, in steps of 1/`FINE`.

    Let p and q be the shares of the child's and the parents' values. A record more, of a value e of the one and f of
    the other, adds (e − p)(f − q)·n/(n + 1) to the table of differences, whose L1 norm is below 4. Rounding down to
    whole steps adds one at most.
    """
    child, *parents = move
    family = tuple(sorted(move))
    counts = private.counts(family).reshape([private.sizes[place] for place in family])
    joint = np.moveaxis(counts, family.index(child), 0).reshape(private.sizes[child], -1)
    records = int(joint.sum())
    if not records or not parents:
        return 0
    apart = np.abs(records * joint - np.outer(joint.sum(axis=1), joint.sum(axis=0)))
    return FINE * int(apart.sum()) // records
