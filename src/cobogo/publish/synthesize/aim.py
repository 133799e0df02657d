"""AIM: round by round, the marginal that the model so far gets most wrong (McKenna, Mullins, Sheldon & Miklau 2022)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import keys
from cobogo.publish.synthesize import model
from cobogo.publish.synthesize.mst import MOST_CELLS
from cobogo.publish.synthesize.private import Attributes, Fitted, PrivateTable, distance, total

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
def fit(private: PrivateTable, degree: int) -> Fitted:
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
