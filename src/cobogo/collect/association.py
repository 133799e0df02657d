"""The joint distribution of the answers to two questions, from reports that came in pairs.

Each client answers both questions, each answer randomized by itself, at the privacy loss of both. No report reveals a
pair. Expectation maximization finds the shares of pairs of values that make the pairs of reports most likely (Fanti,
Pihur and Erlingsson 2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.collect.collection import Collection
from cobogo.collect.layout import Rows
from cobogo.errors import PolicyError, ReportError
from cobogo.floor.arrays import Floats
from cobogo.floor.extras import require
from cobogo.floor.language import tr

CLOSE = 1e-6
"""Rounds end when no share, nor the log-likelihood of the reports, changes by more than this."""

ROUNDS = 500
FEWEST = 1e-6
"""Smaller shares count as zero: they lie on the boundary, where standard errors are not defined."""

MOST_CELLS = 2_500
"""Pairs of values for which standard errors are computed."""


@dataclass(frozen=True, eq=False)
class Association:
    """The estimated share of each pair of values, its standard error (NaN for a share of zero, or too many pairs), and
    the probability that independent answers would seem to depend on each other as much (``chance``)."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    shares: Floats
    errors: Floats
    users: int
    chance: float

    def as_dict(self) -> dict[str, Any]:
        """The content for JSON."""
        pairs = [
            {
                "first": row, "second": column, "share": float(self.shares[i, j]),
                "error": None if np.isnan(self.errors[i, j]) else float(self.errors[i, j]),
            }
            for i, row in enumerate(self.rows)
            for j, column in enumerate(self.columns)
        ]  # fmt: skip
        return {"reports": self.users, "chance": self.chance, "pairs": pairs}


def associate(first: Collection, first_rows: Rows, second: Collection, second_rows: Rows) -> Association:
    """Estimate the joint distribution of two answers, from the reports of the same clients in the same order."""
    if len(first_rows) != len(second_rows) or not len(first_rows):
        raise ReportError(
            tr("both questions must have the same number of reports, from the same clients"),
            where="association",
            remedy=tr("Give the reports of the same clients to both questions, in the same order."),
        )
    seen, often = _distinct(np.concatenate([first_rows, second_rows], axis=1))
    width = first_rows.shape[1]
    rows, one = _likely(first, seen[:, :width])
    columns, other = _likely(second, seen[:, width:])
    reports = ReportPairs(one, other, often)
    together, likely = fit_shares(reports)
    apart, unlikely = fit_shares(reports, independent=True)
    freedom = (_present(apart.sum(axis=1)) - 1) * (_present(apart.sum(axis=0)) - 1)
    chance = _tail(max(2 * (likely - unlikely), 0.0), freedom) if freedom > 0 else 1.0
    return Association(rows, columns, together, _errors(reports, together), len(first_rows), chance)


@dataclass(frozen=True, eq=False)
class ReportPairs:
    """The distinct pairs of reports: their likelihood for every value of the first question and of the second, and how
    often each pair came."""

    one: Floats
    other: Floats
    often: Floats

    def chances(self, shares: Floats) -> Floats:
        """The likelihood of each pair of reports, where pairs of values have some shares."""
        found: Floats = np.einsum("nj,nj->n", self.one @ shares, self.other)
        return found

    def round(self, shares: Floats, *, independent: bool) -> tuple[Floats, float]:
        """One round of expectation maximization: the next shares, and the log-likelihood of the shares given.

        Each pair of reports is divided among the pairs of values in proportion to their likelihood so far.
        """
        seen = self.chances(shares)
        new = shares * (self.one.T @ (self.other * (self.often / seen)[:, None])) / self.often.sum()
        return (np.outer(new.sum(axis=1), new.sum(axis=0)) if independent else new), float(self.often @ np.log(seen))


def fit_shares(reports: ReportPairs, *, independent: bool = False) -> tuple[Floats, float]:
    """The most likely shares of pairs, and their log-likelihood; if ``independent``, among shares of independent
    answers.

    Two rounds of expectation maximization are extrapolated (Varadhan and Roland 2008); the extrapolation is kept if it
    makes the reports no less likely.
    """
    shape = (reports.one.shape[1], reports.other.shape[1])
    shares = np.full(shape, 1 / shape[0] / shape[1])
    before = -np.inf
    for _ in range(ROUNDS):
        first, likely = reports.round(shares, independent=independent)
        second, _ = reports.round(first, independent=independent)
        step, turn = first - shares, second - 2 * first + shares
        far = float(np.linalg.norm(step)) / max(float(np.linalg.norm(turn)), 1e-300)
        leap = np.maximum(shares + 2 * far * step + far**2 * turn, second * 1e-3)
        landed, there = reports.round(leap / leap.sum(), independent=independent)
        shares = landed if there >= likely else second
        if likely - before < CLOSE and np.abs(step).max() < CLOSE:
            break
        before = likely
    return shares, float(reports.often @ np.log(reports.chances(shares)))


def _errors(reports: ReportPairs, shares: Floats) -> Floats:
    """Standard errors from the observed information of the shares above zero, which sum to one."""
    errors = np.full(shares.shape, np.nan)
    i, j = np.nonzero(shares > FEWEST)
    if not 1 < len(i) <= MOST_CELLS:
        return errors
    weights = np.sqrt(reports.often) / reports.chances(shares)
    information = np.zeros((len(i), len(i)))
    at_once = max(1, 2**22 // len(i))
    for start in range(0, len(weights), at_once):
        part = slice(start, start + at_once)
        scores = reports.one[part][:, i] * reports.other[part][:, j] * weights[part, None]
        information += scores.T @ scores
    basis = np.linalg.svd(np.ones((1, len(i))))[2][1:]  # directions in which the sum does not change
    covariance = basis.T @ np.linalg.pinv(basis @ information @ basis.T, hermitian=True) @ basis
    errors[i, j] = np.sqrt(np.maximum(np.diag(covariance), 0))
    return errors


def _distinct(rows: Rows) -> tuple[Rows, Floats]:
    """The distinct rows, and how often each appears."""
    whole = np.ascontiguousarray(rows)
    _, places, counts = np.unique(
        whole.view(np.dtype((np.void, whole.shape[1]))).reshape(-1), return_index=True, return_counts=True
    )
    return whole[places], counts.astype(np.float64)


def _present(shares: Floats) -> int:
    return int(np.count_nonzero(shares > FEWEST))


def _likely(collection: Collection, rows: Rows) -> tuple[tuple[str, ...], Floats]:
    try:
        return collection.protocol.likelihoods(rows)
    except NotImplementedError:
        raise PolicyError(
            tr("answers of the mechanism {mechanism} cannot be associated", mechanism=collection.mechanism),
            where=collection.where,
            remedy=tr("Ask with rappor, grr, sue, oue, olh or hadamard."),
        ) from None


def _tail(statistic: float, freedom: int) -> float:
    """The probability that a χ² variable is at least so large."""
    require("scipy", "ldp", tr("association needs SciPy, which is not installed"), where="association")
    from scipy.stats import chi2

    return float(chi2.sf(statistic, freedom))
