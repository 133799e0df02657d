"""From counted bits to strings: which candidates clients hold, and how many clients hold each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.collect.protocol import BONFERRONI, LEVEL, significant_chances, tail_probabilities
from cobogo.collect.rappor.filters import RapporParameters, bit_table
from cobogo.errors import PolicyError
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.extras import require
from cobogo.floor.language import tr


@dataclass(frozen=True, eq=False)
class DecodedStrings:
    """Candidates that were found, the most frequent first, with estimates of how many clients hold them.

    ``fit`` is the share of the variance of the bits that the strings found explain (R²): where it is low, clients
    hold strings that are not among the candidates.
    """

    strings: tuple[str, ...]
    counts: Floats
    errors: Floats
    users: int
    fit: float

    @property
    def shares(self) -> Floats:
        """The counts as shares of the clients."""
        return self.counts / max(self.users, 1)


MOST_BITS = 1 << 25
"""Bits of all candidates in all cohorts, at most. Each takes 12 bytes, and 8 more while they are weighed: some 700 MB.
A hundred thousand candidates with two hash functions have as many in 168 cohorts."""

LEAST_FREE = 1e-6
"""The least share of a bit that the others must leave open: below it, rounding would decide on the bit's residual."""

MOST_FITTED = 5792
"""Candidates that are fitted together, at most: the square of their number is 2^25, and least squares takes four
matrices of that size, some 1 GB."""


def estimate_bits(counted: Ints, parameters: RapporParameters) -> tuple[Floats, Floats]:
    """Estimate for each cohort and bit how many clients' filters have it, with the standard error.

    A bit shown c times in N reports was set in about (c − p*·N) / (q* − p*) filters, without bias.
    """
    reports, shown = counted[:, :1].astype(np.float64), counted[:, 1:].astype(np.float64)
    q, p = float(parameters.shown_if_set), float(parameters.shown_if_not)
    found = (shown - p * reports) / (q - p)
    rate = np.divide(shown, reports, out=np.full_like(shown, 0.5), where=reports > 0)
    spread = np.sqrt(np.maximum(reports * rate * (1 - rate), 1)) / (q - p)
    return found, spread


def decode(
    counted: Ints,
    candidates: Sequence[str],
    parameters: RapporParameters,
    *,
    level: float = LEVEL,
    rule: str = BONFERRONI,
) -> DecodedStrings:
    """Find the candidates that clients hold: their estimates by weighted least squares are significantly above zero.

    By the rule ``bonferroni`` the level is the probability that any string is found that no client holds; by ``fdr`` it
    is the expected share of such strings among those found. Strings that clients hold and that are no candidates do not
    change this as a rule, because the errors allow for them. Where there are more candidates than half of the bits of
    all cohorts, a LASSO selects some first. The level does not account for that selection; so few are selected that
    nothing was invented in 105 trials.
    """
    names = list(dict.fromkeys(candidates))
    users = int(counted[:, 0].sum())
    if not names or not users:
        return DecodedStrings((), np.zeros(0), np.zeros(0), users, 0.0)
    _refuse_too_many(len(names), parameters)
    heights, spread = estimate_bits(counted, parameters)
    share = counted[:, :1] / users  # of the clients, in each cohort: chance deals them out unevenly
    design = CandidateBits.weigh(names, parameters, share / spread)
    target = (heights / spread).reshape(-1)
    chosen = _choose_candidates(design, target)
    if not len(chosen):
        return DecodedStrings((), np.zeros(0), np.zeros(0), users, 0.0)
    estimates, errors, fit = _fit(design.part(chosen), target)
    scores = np.divide(estimates, errors, out=np.full(len(errors), -np.inf), where=errors > 0)
    there = significant_chances(tail_probabilities(scores), len(names), level, rule)
    order = np.argsort(-estimates[there], kind="stable")
    return DecodedStrings(
        tuple(np.array(names, dtype=object)[chosen][there][order]),
        estimates[there][order],
        errors[there][order],
        users,
        fit,
    )


def _refuse_too_many(candidates: int, parameters: RapporParameters) -> None:
    bits = parameters.cohorts * parameters.hashes
    if candidates * bits > MOST_BITS:
        raise PolicyError(
            tr(
                "{candidates:,} candidates with {bits:,} bits each are too many to decode at once",
                candidates=candidates,
                bits=bits,
            ),
            where="candidates",
            remedy=tr("Give only the likely candidates, at most {most:,}.", most=MOST_BITS // bits),
        )


SELECTED = 4
"""Of so many bits one candidate is selected, at most. Tried with 140 to 500 candidates for 128 and 512 bits, 105 trials
at a level of 0.05: with 2, 12 strings were invented, and in three of four set-ups fewer were found than with 4; with 4
none; with 6, 8; with 8, 43."""


@dataclass(frozen=True, eq=False, repr=False)
class CandidateBits:
    """The bits of all cohorts (rows) that candidates (columns) have, as a sparse matrix: of thousands of bits a
    candidate has but a few. Candidate ``i`` has the bits ``places[i]`` with ``weights[i]``; a weight is 0 where two of
    its hash functions set the same bit."""

    places: NDArray[np.int32]
    weights: Floats
    cohorts: int
    bits: int

    @classmethod
    def weigh(cls, names: Sequence[str], parameters: RapporParameters, weights: Floats) -> CandidateBits:
        """The bits of strings, each with the weight of its cohort and bit."""
        table = bit_table(names, parameters)
        table += np.arange(parameters.cohorts, dtype=np.int32)[:, None] * np.int32(parameters.bits)
        places = np.sort(table.reshape(len(names), -1), axis=1)
        found = weights.reshape(-1)[places]
        found[:, 1:][places[:, 1:] == places[:, :-1]] = 0.0
        return cls(places, found, parameters.cohorts, parameters.bits)

    def part(self, chosen: Ints) -> CandidateBits:
        """Those of some candidates."""
        return replace(self, places=self.places[chosen], weights=self.weights[chosen])

    def gather(self, target: Floats) -> Floats:
        """For each candidate, the weighted sum of its bits: the transposed matrix times a vector."""
        return np.asarray((self.weights * target[self.places]).sum(axis=1), dtype=np.float64)

    def spread(self, estimates: Floats) -> Floats:
        """For each bit, the weighted sum over the candidates that have it: the matrix times a vector."""
        held = (self.weights * estimates[:, None]).reshape(-1)
        return np.bincount(self.places.reshape(-1), held, self.cohorts * self.bits).astype(np.float64)

    def by_cohort(self) -> Iterator[Floats]:
        """The weights of one cohort after another: candidates by bits, in full."""
        rows = np.arange(len(self.places))[:, None]
        for own in np.split(np.arange(self.places.shape[1]), self.cohorts):
            dense = np.zeros((len(self.places), self.bits))
            np.add.at(dense, (rows, self.places[:, own] % self.bits), self.weights[:, own])
            yield dense

    def products(self) -> Floats:
        """The products of all pairs of candidates (the Gram matrix)."""
        total = np.zeros((len(self.places), len(self.places)))
        for dense in self.by_cohort():
            total += dense @ dense.T
        return total

    def to_scipy(self) -> Any:
        """The matrix as SciPy has it; nothing is copied."""
        from scipy.sparse import csc_array

        many, width = self.places.shape
        columns = np.arange(many + 1, dtype=np.int32) * np.int32(width)
        parts = (self.weights.reshape(-1), self.places.reshape(-1), columns)
        return csc_array(parts, shape=(self.cohorts * self.bits, many))


def _choose_candidates(design: CandidateBits, target: Floats) -> Ints:
    """All candidates, where they are at most half as many as the bits. Else those that a LASSO with nonnegative
    coefficients selects, along its path up to a quarter of the bits: with more, least squares would fit noise."""
    if len(design.places) <= min(max(1, len(target) // 2), MOST_FITTED):
        return np.arange(len(design.places))
    most = min(max(1, len(target) // SELECTED), MOST_FITTED)
    require("sklearn", "ldp", tr("decoding RAPPOR needs scikit-learn, which is not installed"), where="rappor")
    from sklearn.linear_model import lasso_path

    strongest = float(design.gather(target).max(initial=0)) / len(target)
    if strongest <= 0:
        return np.zeros(0, dtype=np.int64)
    alphas = np.geomspace(strongest, strongest / 1000, 50)
    _, path, _ = lasso_path(design.to_scipy(), target, positive=True, alphas=alphas, copy_X=False)
    fits = np.flatnonzero((path > 0).sum(axis=0) <= most)
    return np.flatnonzero(path[:, fits[-1]] > 0)


def _fit(design: CandidateBits, target: Floats) -> tuple[Floats, Floats, float]:
    """Least squares of weighted bits: estimates, their standard errors, and R².

    A frequent string that is no candidate lifts a few bits by far. A candidate that shares some of them would seem to
    be there if all bits had one variance. So each bit's own residual r counts, corrected for what the bit contributes
    to its own fit (MacKinnon and White 1985, HC3): the error is the root of Σ (w·r / (1 − leverage))² over the bits,
    with w the bit's weight in the estimate, and never below what chance alone leaves.
    """
    inverse = np.linalg.pinv(design.products(), hermitian=True)
    estimates = inverse @ design.gather(target)
    left = target - design.spread(estimates)
    variance = np.zeros(len(estimates))
    for dense, residual in zip(design.by_cohort(), np.split(left, design.cohorts), strict=True):
        weights = inverse @ dense
        own = 1 - np.einsum("cb,cb->b", dense, weights)
        variance += np.square(weights * (residual / np.maximum(own, LEAST_FREE))).sum(axis=1)
    errors = np.sqrt(np.maximum(variance, np.diag(inverse)))
    around = target - target.mean()
    fit = 1 - float(left @ left) / max(float(around @ around), 1e-300)
    return np.asarray(estimates, dtype=np.float64), np.asarray(errors, dtype=np.float64), max(fit, 0.0)


@dataclass(frozen=True)
class Decoding:
    """Reports under ``parameters``, to be decoded with so many candidate strings (``values``).

    The variance of weighted least squares on N reports: one bit of a string's filter estimates its count with variance
    N·r(1 − r) / (q* − p*)², with r the rate at which the bit is shown. A string has h bits in each cohort, which leaves
    one h-th of that variance. Fitting the other candidates as well raises it by a factor of bits / (bits − candidates),
    where they are selected first by 4/3; errors that allow for missing candidates have the factor twice.
    """

    parameters: RapporParameters
    values: int

    name: ClassVar[str] = "rappor"

    def __post_init__(self) -> None:
        if self.values < 1:
            raise ValueError(f"The 'values' parameter of RAPPOR must be 1 or more. Got {self.values!r} instead")

    def variance(self, held: Floats, users: int) -> Floats:
        """The variance of the estimate of each string, where so many of the users hold each."""
        q, p = float(self.parameters.shown_if_set), float(self.parameters.shown_if_not)
        share = np.asarray(held, dtype=np.float64) / users
        loaded = share + (1 - share) * (1 - (1 - 1 / self.parameters.bits) ** self.parameters.hashes)
        rate = p + loaded * (q - p)
        everything = self.parameters.bits * self.parameters.cohorts
        fitted = self.values - 1 if self.values <= everything / 2 else everything / SELECTED
        crowd = everything / (everything - fitted)
        return users * rate * (1 - rate) / (q - p) ** 2 / self._bits_of_a_string * crowd**2

    @property
    def _bits_of_a_string(self) -> float:
        """How many bits of a filter a string has on average: a little fewer than hashes, since some coincide."""
        bits = self.parameters.bits
        return bits * (1 - (1 - 1 / bits) ** self.parameters.hashes)
