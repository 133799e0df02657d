"""Randomization operators: column-stochastic matrices that are sampled, inverted and bounded."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import STEPS, Source, below, choices, coins
from cobogo.floor.untrusted import fraction

LARGEST = 4096
"""The largest domain whose matrix is written out: 128 MiB."""


@dataclass(frozen=True, eq=False, repr=False)
class Operator(ABC):
    """Values of a domain of ``size``, as codes 0 … size − 1."""

    size: int

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """The operator as a manifest states it; `cobogo.promises.operators.read_operator` is the inverse."""

    @abstractmethod
    def sample(self, codes: Ints, source: Source) -> Ints:
        """Draw the released value of each original value, independently."""

    @abstractmethod
    def probability(self, released: Ints, original: Ints) -> Floats:
        """P[released | original], entry by entry; both are broadcast against each other."""

    @property
    @abstractmethod
    def amplification(self) -> float:
        """γ: the largest ratio of two originals' probabilities of one released value. ε of local differential privacy
        is its logarithm."""

    @abstractmethod
    def spread(self, shares: Floats) -> Floats:
        """The expected released distribution (or counts) of an original one: P·f."""

    @abstractmethod
    def inverse(self, released: Floats) -> Floats:
        """P⁻¹·o: the unbiased estimate of the original distribution (or counts) from the released one.

        It may have negative entries, and sums are right only with them.
        """

    def bounds(self) -> tuple[Floats, Floats]:
        """For each released value the least and the largest probability that any original gives it."""
        matrix = self.matrix()
        return matrix.min(axis=1), matrix.max(axis=1)

    @property
    def diagonal(self) -> Floats:
        """P[x|x]: the probability that each value is released unchanged."""
        everything = np.arange(self.size)
        return self.probability(everything, everything)

    def matrix(self) -> Floats:
        """P, written out."""
        if self.size > LARGEST:
            raise ValueError(f"a domain of {self.size:,} values is too large for a matrix")
        everything = np.arange(self.size)
        return self.probability(everything[:, None], everything[None, :])

    def expected_unchanged(self, shares: Floats) -> float:
        """The expected share of records that are released unchanged, where values have some shares."""
        return float((self.diagonal * shares).sum())

    def posterior(self, prior: Floats) -> Floats:
        """Pr[x|y] in row x, column y, for an attacker who knows the prior; 0 for a y that is never released."""
        joint = self.matrix() * prior[None, :]
        seen = joint.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(joint, seen, out=np.zeros_like(joint), where=seen > 0).T)


@dataclass(frozen=True, eq=False, repr=False)
class Matrix(Operator):
    """``weights[y, x] / 2**53`` is P[y|x]. Everything is computed from these weights, as values are drawn by them.

    >>> operator = operator_from_matrix(np.array([[0.7, 0.4], [0.3, 0.6]]))
    >>> operator.inverse(operator.spread(np.array([30.0, 70.0]))).round(9).tolist()
    [30.0, 70.0]
    """

    weights: Ints

    def __post_init__(self) -> None:
        if self.weights.shape != (self.size, self.size) or self.size > LARGEST:
            raise ValueError(f"an operator of {self.size:,} values needs a square matrix of at most {LARGEST:,}")
        if (self.weights < 0).any() or (self.weights.sum(axis=0) != STEPS).any():
            raise ValueError("each column of an operator must hold probabilities that sum to 1")

    def matrix(self) -> Floats:
        """P."""
        return np.asarray(self.weights / STEPS)

    @property
    def amplification(self) -> float:
        """Over the rows that can be drawn; infinite where one original never leads to a value and another does."""
        most, least = self.weights.max(axis=1), self.weights.min(axis=1)
        seen = most > 0
        if (least[seen] == 0).any():
            return math.inf
        return float((most[seen] / least[seen]).max())

    @property
    def condition(self) -> float:
        """The condition number: how much the errors of the released distribution may grow in the estimate."""
        return float(np.linalg.cond(self.matrix()))

    def as_dict(self) -> dict[str, Any]:
        """The whole numbers, column by column."""
        return {"operator": "matrix", "size": self.size, "columns": self.weights.T.tolist()}

    def sample(self, codes: Ints, source: Source) -> Ints:
        """Each by its own column."""
        return choices(self.weights, np.asarray(codes), source)

    def probability(self, released: Ints, original: Ints) -> Floats:
        """The entries of the matrix."""
        return np.asarray(self.weights[released, original] / STEPS)

    def spread(self, shares: Floats) -> Floats:
        """P·f."""
        return np.asarray(self.matrix() @ shares)

    def inverse(self, released: Floats) -> Floats:
        """By solving P·π = o."""
        try:
            return np.asarray(np.linalg.solve(self.matrix(), released))
        except np.linalg.LinAlgError:
            raise ValueError("two values are released alike: there is no inverse") from None


def operator_from_matrix(matrix: Floats) -> Matrix:
    """The operator nearest to a column-stochastic matrix. Each column's largest entry takes up what rounding leaves."""
    if not np.isfinite(matrix).all() or (matrix < -1e-9).any() or (abs(matrix.sum(axis=0) - 1) > 1e-6).any():
        raise ValueError("each column of an operator must hold probabilities that sum to 1")
    clean = np.clip(matrix, 0, None)
    weights = np.floor(clean / clean.sum(axis=0) * STEPS).astype(np.int64)
    weights[weights.argmax(axis=0), np.arange(len(weights))] += STEPS - weights.sum(axis=0)
    return Matrix(len(weights), weights)


@card("warner", title="Warner's randomized response")
def warner(truth: float) -> Uniform:
    r"""Warner's randomized response: a yes-or-no question is answered truthfully with a given probability, and
    otherwise with the opposite.

    With the probability ``truth`` of a true answer, it is uniform perturbation of two values with the retention 2·truth
    − 1.

    Formula: $\Pr[\text{yes} \mid \text{yes}] = t$, $\gamma = \frac{t}{1 - t}$; the share of yes is estimated as
        $\hat{\pi} = \frac{\lambda - (1 - t)}{2 t - 1}$ from the share $\lambda$ of yes answers
    Example:
        >>> round(warner(0.75).amplification, 9)
        3.0

    Guarantee: $\ln \frac{t}{1 - t}$-local differential privacy for one answer.
    Limits: It is for two values only. A second random answer reveals more: keep the first one.
    Cost: $O(n)$ draws for n records.
    Paper: S. L. Warner, Randomized response: a survey technique for eliminating evasive answer bias, Journal of the
        American Statistical Association, 1965.
    """
    if not 0.5 <= truth <= 1:
        raise ValueError(f"The 'truth' parameter of warner must be of 0.5 to 1. Got {truth!r} instead")
    return Uniform(2, 2 * Fraction(str(truth)) - 1)


READERS: dict[str, Callable[[Mapping[str, Any]], Operator]] = {
    "uniform": lambda stated: Uniform(int(stated["size"]), fraction(stated["retention"])),
    "matrix": lambda stated: Matrix(int(stated["size"]), np.array(stated["columns"], dtype=np.int64).T),
}


def read_operator(stated: Mapping[str, Any]) -> Operator:
    """The operator that a statement describes; ValueError or KeyError where it describes none."""
    return READERS[stated["operator"]](stated)


def largest_retention(amplification: float, size: int) -> Fraction:
    """The largest p with γ at most the one given: (γ − 1)/(γ − 1 + m), rounded down.

    >>> [round(float(largest_retention(19, m)), 3) for m in (2, 10, 50)]
    [0.9, 0.643, 0.265]
    """
    if amplification == math.inf:
        return Fraction(1)
    excess = max(Fraction(amplification) - 1, Fraction(0))
    steps = 2**40
    return Fraction(math.floor(excess / (excess + size) * steps), steps)


@card("uniform", title="uniform perturbation")
@dataclass(frozen=True, eq=False, repr=False)
class Uniform(Operator):
    r"""Each sensitive value is kept with a given probability, and otherwise drawn from the whole domain.

    ``retention`` is the probability that a value is kept without a draw. The probability that it is released unchanged
    is the ``diagonal``, which is larger, since a draw may give the same value. Without a ``retention`` the largest one
    that satisfies every guarantee is used. This is the operator of k-ary randomized response.

    Formula: $P[y \mid x] = p + \frac{1 - p}{m}$ if $y = x$, else $\frac{1 - p}{m}$; $\gamma = 1 + \frac{p\,m}{1 - p}$,
        so the largest retention is $p = \frac{\gamma - 1}{\gamma - 1 + m}$
    Example:
        >>> operator = Uniform(10, Fraction(9, 14))
        >>> round(operator.amplification, 9)
        19.0

    Guarantee: γ-amplification, hence ln γ-local differential privacy and (ρ1, ρ2)-privacy for any prior, even if the
        attacker knows all other people.
    Limits: With many values little is retained. Two releases of the same people multiply: γ² instead of γ.
        Quasi-identifiers are released unchanged.
    Cost: $O(n)$ draws for n records; counts are estimated with a variance of about $\frac{n\,q (1 - q)}{p^2}$, $q = (1
        - p)/m$.
    Paper: R. Agrawal, R. Srikant and D. Thomas, Privacy preserving OLAP, SIGMOD 2005; P. Kairouz, K. Bonawitz and D.
        Ramage, Discrete distribution estimation under local privacy, ICML 2016.
    """

    retention: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.retention <= 1:
            raise ValueError(f"The 'retention' of Uniform must be of 0 to 1. Got {self.retention!r} instead")

    @property
    def other(self) -> Fraction:
        """q = (1 − p)/m: P[y|x] for any y but x."""
        return (1 - self.retention) / self.size

    @property
    def amplification(self) -> float:
        """γ = 1 + p·m/(1 − p)."""
        return float("inf") if self.retention == 1 else float(1 + self.retention / self.other)

    def as_dict(self) -> dict[str, Any]:
        """Its size and its retention, exactly."""
        return {"operator": "uniform", "size": self.size, "retention": str(self.retention)}

    def bounds(self) -> tuple[Floats, Floats]:
        """q and p + q."""
        ones = np.ones(self.size)
        return float(self.other) * ones, float(self.retention + self.other) * ones

    def sample(self, codes: Ints, source: Source) -> Ints:
        """The coins first, then values for those that show tails."""
        released = np.array(codes, dtype=np.int64)
        tails = np.flatnonzero(~coins(self.retention, len(released), source))
        released[tails] = below(self.size, len(tails), source)
        return released

    def probability(self, released: Ints, original: Ints) -> Floats:
        """p + q on the diagonal, q off it."""
        q = float(self.other)
        return np.where(np.equal(released, original), float(self.retention + self.other), q)

    def spread(self, shares: Floats) -> Floats:
        """p·f + q·Σf."""
        return np.asarray(float(self.retention) * shares + float(self.other) * shares.sum())

    def inverse(self, released: Floats) -> Floats:
        """(o − q·Σo)/p."""
        if not self.retention:
            raise ValueError("nothing was retained: there is no inverse")
        return np.asarray((released - float(self.other) * released.sum()) / float(self.retention))


@card("gamma-diagonal", title="γ-diagonal matrix")
def gamma_diagonal(amplification: float, sizes: Sequence[int]) -> Uniform:
    r"""Whole records are kept or drawn, over the cross product of all columns (FRAPP).

    It protects quasi-identifiers, too. The product is never written out; the marginal of some columns is uniform
    perturbation with the same retention. The variant with random matrix elements is not included.

    Formula: $A_{uu} = \gamma x$ and $A_{uv} = x$ with $x = \frac{1}{\gamma + N - 1}$, over the $N = \prod_j m_j$
        possible records; the retention is $\frac{\gamma - 1}{\gamma - 1 + N}$
    Example: With three columns of ten values each, 1.8 % of the records are kept.
        >>> round(float(gamma_diagonal(19, (10, 10, 10)).retention), 3)
        0.018

    Guarantee: γ-amplification of whole records, hence (ρ1, ρ2)-privacy for any property of a person, quasi-identifiers
        included.
    Limits: It retains very little, since the number of possible records is large. List the possible values of every
        column under ``domains``.
    Cost: $O(n\,a)$ draws for n records of a columns; the condition number of the estimate is $\frac{\gamma + N -
        1}{\gamma - 1}$.
    Paper: S. Agrawal and J. R. Haritsa, A framework for high-accuracy privacy-preserving mining, ICDE 2005.
    """
    size = math.prod(sizes)
    return Uniform(size, largest_retention(amplification, size))


def estimate_by_inversion(operator: Operator, observed: Ints) -> Floats:
    """P⁻¹·o/n: unbiased. Entries may be negative, and must stay so where they are summed.

    >>> from fractions import Fraction
    >>> estimate_by_inversion(Uniform(2, Fraction(1, 2)), np.array([60, 40])).round(9).round(9).tolist()
    [0.7, 0.3]
    """
    return operator.inverse(observed.astype(float) / max(int(observed.sum()), 1))


def project_onto_simplex(estimate: Floats) -> Floats:
    """The distribution nearest to an estimate, in Euclidean distance. Show it, but do not add it up: it is biased.

    >>> project_onto_simplex(np.array([1.1, -0.1])).tolist()
    [1.0, 0.0]
    """
    descending = np.sort(estimate)[::-1]
    excess = np.cumsum(descending) - 1
    last = np.flatnonzero(descending - excess / np.arange(1, len(estimate) + 1) > 0)[-1]
    return np.asarray(np.clip(estimate - excess[last] / (last + 1), 0, None))


def estimate_by_likelihood(
    operator: Operator, observed: Ints, *, rounds: int = 10_000, tolerance: float = 1e-12
) -> Floats:
    """The distribution of maximum likelihood, by expectation maximization (Agrawal and Aggarwal 2001).

    Equal to the inversion wherever that is a distribution; otherwise the best one on the edge.
    """
    shares = observed / max(int(observed.sum()), 1)
    guess = np.full(operator.size, 1 / operator.size)
    matrix = operator.matrix() if operator.size <= LARGEST and not isinstance(operator, Uniform) else None
    before = -np.inf
    for _ in range(rounds):
        seen = operator.spread(guess)
        ratio = np.divide(shares, seen, out=np.zeros_like(seen), where=seen > 0)
        # Uniform perturbation is symmetric: its transpose need not be written out.
        guess = guess * (operator.spread(ratio) if matrix is None else matrix.T @ ratio)
        now = float((shares[shares > 0] * np.log(seen[shares > 0])).sum())
        if now - before <= tolerance:
            break
        before = now
    return guess


def variances(operator: Uniform, shares: Floats, records: int) -> Floats:
    """The variance of each share that is estimated by inversion, over the draws alone (the table is fixed):
    [π·a(1 − a) + (1 − π)·q(1 − q)]/(n·p²), with a = p + q."""
    p, q = float(operator.retention), float(operator.other)
    a = p + q
    return np.asarray((shares * a * (1 - a) + (1 - shares) * q * (1 - q)) / (records * p * p))


FALSE_ALARM = 1e-9
"""The largest probability that a release which was drawn as stated fails a test of all its values."""


def unexpectedly_rare(observed: Ints, records: int, least: Floats) -> Ints:
    """The values that appear more rarely than any original can explain; ``least`` are the smallest probabilities.

    The number of records with a value is a sum of independent draws of at least these probabilities, so that its tail
    is at most exp(−n·KL(o/n ‖ q)) (Hoeffding 1963, whether or not the draws have equal probabilities).
    """
    return _outliers(observed, records, least, below=True)


def unexpectedly_frequent(observed: Ints, records: int, most: Floats) -> Ints:
    """The values that appear more often than any original can explain; ``most`` are the largest probabilities."""
    return _outliers(observed, records, most, below=False)


def unexpected_counts(observed: Ints, expected: Floats) -> Ints:
    """The values that appear more or less often than the ``expected`` counts can explain."""
    records = int(observed.sum())
    shares = expected / records
    return np.union1d(
        _outliers(observed, records, shares, below=True), _outliers(observed, records, shares, below=False)
    )


def _outliers(observed: Ints, records: int, shares: Floats, *, below: bool) -> Ints:
    if not records:
        return np.zeros(0, dtype=np.int64)
    found = observed / records
    threshold = math.log(2 * len(observed) / FALSE_ALARM)
    suspicious = found < shares if below else found > shares
    return np.flatnonzero(suspicious & (records * coin_divergence(found, np.clip(shares, 0, 1)) > threshold))


def coin_divergence(found: Floats, shares: Floats) -> Floats:
    """KL(found ‖ share) of two Bernoulli distributions, in nats.

    >>> coin_divergence(np.array([0.5, 0.0]), np.array([0.5, 0.5])).round(3).tolist()
    [0.0, 0.693]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = np.where(found > 0, found * np.log(found / shares), 0.0)
        tails = np.where(found < 1, (1 - found) * np.log((1 - found) / (1 - shares)), 0.0)
    return np.asarray(heads + tails)
