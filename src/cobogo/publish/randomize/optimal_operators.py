"""Operators that are searched for: they retain most of the values that their privacy allows.

Fine-grain perturbation retains most under (ρ1, ρ2)-privacy for the table's own distribution. The aim is that of Chaytor
(2010, chapter 5): retain as much as the publisher's guarantee allows. The linear programme and the fast form are our
own constructions, not the author's algorithm.

OptRR finds operators that no other beats in both privacy and utility (Huang and Du 2008). The search over matrices
returns a Pareto front, not a guarantee: the publisher chooses a point of it, whose guarantees are measured like those
of any operator. It is evolutionary like the authors', with an archive of the best utility at each level of privacy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.errors import NoSolution, SearchTooLarge
from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.floor.extras import require
from cobogo.floor.language import tr
from cobogo.floor.randomness import Seeded, Source, below
from cobogo.promises.guarantees.prior_posterior import worst_posterior
from cobogo.promises.operators import Matrix, operator_from_matrix

MOST_VALUES = 100
"""Values of a domain up to which the linear programme, of about 3m² variables, is solved."""


@card("fine-grain", title="FineGrain")
def linear_programme(
    shares: Floats,
    rho1: float,
    rho2: float,
    *,
    downward: bool = True,
    margin: float = 0.0,
    cap: float | None = None,
) -> Matrix:
    r"""The operator that retains most for the table's own distribution, found by a linear programme.

    The constraints cover all properties, fractional ones included; the duality of the knapsack problem makes them
    linear. ``downward`` adds the same constraints for the opposites (1 − ρ2, 1 − ρ1). ``margin`` requires P[y|y] ≥
    P[y|x] + margin; without it, rare values may be released with equal probabilities, so that no number of records
    tells them apart. ``cap`` bounds the amplification for every prior. The goal is that of Chaytor (2010); the
    programme is our own construction.

    Formula: $\max \sum_x f(x)\,P[x \mid x]$ such that $\sum_{x \in Q} f(x) P[y \mid x] \le \rho_2 \sum_x f(x) P[y \mid
        x]$ for every $y$ and every $Q$ with $f(Q) \le \rho_1$

        As a programme: $s_{yx} \ge f(x) P[y \mid x] - f(x) \mu_y$ and $\rho_1 \mu_y + \sum_x s_{yx} \le \rho_2 \sum_x
        f(x) P[y \mid x]$ with $\mu_y, s_{yx} \ge 0$
    Example: Uniform perturbation releases 55 % of these records unchanged.
        >>> shares = np.array([30, 25, 20, 5, 5, 5, 4, 3, 2, 1]) / 100
        >>> best = linear_programme(shares, 0.12, 0.6)
        >>> round(float(best.matrix().diagonal() @ shares), 3)
        0.761

    Guarantee: (ρ1, ρ2)-privacy against an attacker who knows the table's distribution and nothing more about a person.
    Limits: Frequent values hardly change, and rare ones can become far more probable than before. Against an attacker
        who knows more about a person, only the cap protects. The operator depends on the distribution, and reveals
        something about it. It needs SciPy.
    Cost: a linear programme with about $3 m^2$ variables, up to 100 values.
    Paper: After R. Chaytor, On the utility of randomization approaches for privacy preserving data publishing, PhD
        thesis, Simon Fraser University, 2010; the programme is our own.
    """
    m = len(shares)
    if m > MOST_VALUES:
        raise SearchTooLarge(
            tr(
                "the optimal probabilities of {m:,} values need a linear programme of {variables:,} "
                "variables, which is too large",
                m=m,
                variables=3 * m * m,
            ),
            remedy=tr('Use method = "value-dependent", or "small-domain".'),
        )
    missing = tr("the optimal probabilities are computed with SciPy, which is not installed")
    require("scipy", "utility", missing, otherwise=tr('Or use method = "value-dependent".'))
    from scipy.optimize import linprog

    rows = _Rows(shares, rho1, rho2, downward=downward, margin=margin, cap=cap)
    goal = np.zeros(rows.variables)
    goal[[x * m + x for x in range(m)]] = -shares
    found = linprog(goal, A_ub=rows.upper(), b_ub=rows.bounds, A_eq=rows.columns_sum(), b_eq=np.ones(m), method="highs")
    if found.status != 0:
        raise NoSolution(
            tr("no probabilities give the guarantee under these conditions"),
            remedy=tr("Lower margin, or raise cap or rho2."),
        )
    return operator_from_matrix(found.x[: m * m].reshape(m, m))


class _Rows:
    """The constraints, sparse. P[y|x] is variable y·m + x; then, for each direction, s_yx and μ_y."""

    def __init__(
        self, shares: Floats, rho1: float, rho2: float, *, downward: bool, margin: float, cap: float | None
    ) -> None:
        self.m = len(shares)
        self.bounds: list[float] = []
        self._entries: list[tuple[int, int, float]] = []
        directions = [(rho1, rho2), (1 - rho2, 1 - rho1)][: 1 + downward]
        self.variables = self.m**2 + len(directions) * (self.m**2 + self.m)
        for number, (low, high) in enumerate(directions):
            self._knapsack(shares, low, high, self.m**2 + number * (self.m**2 + self.m))
        if margin:
            self._separate_values(margin)
        if cap is not None:
            self._cap_amplification(cap)

    def _knapsack(self, shares: Floats, low: float, high: float, first: int) -> None:
        m = self.m
        for y in range(m):
            multiplier = first + m * m + y
            total = self._row(0.0)
            self._entries.append((total, multiplier, low))
            for x in range(m):
                slack = first + y * m + x
                self._entries += [(total, slack, 1.0), (total, y * m + x, -high * shares[x])]
                row = self._row(0.0)
                self._entries += [(row, y * m + x, shares[x]), (row, multiplier, -shares[x]), (row, slack, -1.0)]

    def _separate_values(self, margin: float) -> None:
        m = self.m
        for y in range(m):
            for x in range(m):
                if x != y:
                    row = self._row(-margin)
                    self._entries += [(row, y * m + x, 1.0), (row, y * m + y, -1.0)]

    def _cap_amplification(self, cap: float) -> None:
        """P[y|x] ≤ cap·P[y|x'], by a variable for the least entry of each row."""
        m, least = self.m, self.variables
        self.variables += m
        for y in range(m):
            for x in range(m):
                row = self._row(0.0)
                self._entries += [(row, y * m + x, 1.0), (row, least + y, -cap)]
                row = self._row(0.0)
                self._entries += [(row, least + y, 1.0), (row, y * m + x, -1.0)]

    def _row(self, bound: float) -> int:
        self.bounds.append(bound)
        return len(self.bounds) - 1

    def upper(self) -> Any:
        """The matrix of the inequalities."""
        from scipy.sparse import csr_matrix

        rows, columns, values = zip(*self._entries, strict=True)
        return csr_matrix((values, (rows, columns)), shape=(len(self.bounds), self.variables))

    def columns_sum(self) -> Any:
        """Σ_y P[y|x] = 1."""
        from scipy.sparse import csr_matrix

        m = self.m
        places = np.arange(m * m)
        return csr_matrix((np.ones(m * m), (places % m, places)), shape=(m, self.variables))


@card("value-dependent", title="value-dependent retention")
def value_dependent(shares: Floats, rho1: float, rho2: float, *, cap: float | None = None) -> Matrix:
    r"""Each value has a retention of its own, computed for the table's own distribution.

    Bisection finds the largest retentions with which no single value with f(x) ≤ ρ1 gets a posterior above ρ2. Values
    more frequent than ρ1 are kept, unless a ``cap`` on the amplification forbids it. The method then mixes in the
    smallest share of uniform draws with which the guarantee holds for all properties in both directions. It is our own
    construction.

    Formula: $p_x = \mathrm{clip}\left(\frac{\rho_2 S / f_x - 1/m}{1 - \rho_2 - 1/m}, 0, 1\right)$ for $f_x \le \rho_1$,
        with $S = \frac{1 - \sum f_x p_x}{m}$
    Example:
        >>> shares = np.array([30, 25, 20, 5, 5, 5, 4, 3, 2, 1]) / 100
        >>> kept = temper(value_dependent(shares, 0.12, 0.6), shares, 0.12, 0.6)
        >>> worst_posterior(kept.matrix(), shares, 0.12) <= 0.6
        True

    Guarantee: (ρ1, ρ2)-privacy against an attacker who knows the table's distribution and nothing more about a person,
        after the uniform draws are mixed in.
    Limits: The same as for `fine-grain`; it retains less, and needs no SciPy. ρ2 must be below $1 - 1/m$.
    Cost: $O(m)$ for each of about 200 steps of the bisection.
    Paper: None: our own, after R. Chaytor 2010.
    """
    m = len(shares)
    rare = (shares <= rho1) & (shares > 0)
    if rho2 >= 1 - 1 / m:
        raise NoSolution(
            tr("with {m} values, rho2 must be below {bound:.3g} for this method", m=m, bound=1 - 1 / m),
            remedy=tr('Lower rho2, or use method = "fine-grain".'),
        )

    def retentions(drawn: float) -> Floats:
        """The retentions that are possible if a share ``drawn`` of the records, over m, is drawn uniformly."""
        limit = (rho2 * drawn / np.where(rare, shares, 1) - 1 / m) / ((1 - rho2) - 1 / m)
        found = np.where(rare, np.clip(limit, 0, 1), np.where(shares > 0, 1.0, 0.0))
        return found if cap is None else np.minimum(found, (cap - 1) / (cap - 1 + m))

    low, high = 0.0, 1 / m
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if (shares * retentions(middle)).sum() > 1 - m * middle else (middle, high)
    retention = retentions(low)
    return operator_from_matrix((1 - retention)[None, :] / m + np.diag(retention))


def temper(operator: Matrix, shares: Floats, rho1: float, rho2: float) -> Matrix:
    """Mix an operator with the least uniform draw that makes it meet the guarantee in both directions, for all
    properties: with probability 1 − t a value is drawn from the whole domain instead."""
    matrix, m = operator.matrix(), operator.size

    def mix(t: float) -> Floats:
        return t * matrix + (1 - t) / m

    def meets(t: float) -> bool:
        return worst_posterior(mix(t), shares, rho1) <= rho2 and worst_posterior(mix(t), shares, 1 - rho2) <= 1 - rho1

    if meets(1.0):
        return operator
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if meets(middle) else (low, middle)
    return operator_from_matrix(mix(low))


@dataclass(frozen=True, eq=False, repr=False)
class OperatorPoint:
    """An operator of the front: the probability that the best guess fails, and the error of estimated shares."""

    privacy: float
    error: float
    operator: Matrix


def privacy(matrix: Floats, shares: Floats) -> float:
    """1 − Σ_y max_x f(x)·P[y|x]: the probability that the best guess of a record's value fails.

    >>> privacy(np.eye(2), np.array([0.5, 0.5]))
    0.0
    """
    return float(1 - (matrix * shares[None, :]).max(axis=1).sum())


def error(matrix: Floats, shares: Floats, records: int) -> float:
    """The mean squared error of the inverted shares: the mean diagonal of P⁻¹(diag(λ) − λλᵀ)P⁻ᵀ/n, with λ = P·f."""
    seen = matrix @ shares
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return float("inf")
    spread = (np.diag(seen) - np.outer(seen, seen)) / records
    return float(np.einsum("ij,jk,ik->i", inverse, spread, inverse).mean())


def search_operators(
    shares: Floats,
    records: int,
    *,
    rounds: int = 200,
    population: int = 40,
    levels: int = 50,
    largest_posterior: float | None = None,
    seed: int = 0,
) -> tuple[OperatorPoint, ...]:
    """Search the front, from the least private operator to the most. The seed is for the search, not for a release.

    The search starts from uniform perturbations of every strength. A child takes the columns before a cut from one
    parent and the others from the other, and some mass of one column is moved. ``largest_posterior`` refuses operators
    under which a released value has a larger posterior for some original.
    """
    random = Seeded(seed)
    m = len(shares)
    archive: dict[int, tuple[float, float, Floats]] = {}

    def admit(matrix: Floats) -> None:
        if largest_posterior is not None and _posterior(matrix, shares) > largest_posterior:
            return
        hidden, wrong = privacy(matrix, shares), error(matrix, shares, records)
        place = int(hidden * levels / (1 - shares.max() + 1e-12))
        if np.isfinite(wrong) and (place not in archive or wrong < archive[place][1]):
            archive[place] = (hidden, wrong, matrix)

    for p in np.linspace(0.02, 0.98, 2 * levels):
        admit(p * np.eye(m) + (1 - p) / m)
    for _ in range(rounds):
        parents = [entry[2] for _, entry in sorted(archive.items())]
        picks = below(len(parents), 2 * population, random)
        cuts = below(m + 1, population, random)
        for one, other, cut in zip(picks[::2], picks[1::2], cuts, strict=True):
            child = np.hstack([parents[one][:, :cut], parents[other][:, cut:]])
            admit(_move_mass(child, random))
    front: list[OperatorPoint] = []
    for hidden, wrong, matrix in sorted(archive.values(), key=lambda entry: -entry[0]):
        if not front or wrong < front[-1].error:
            front.append(OperatorPoint(hidden, wrong, operator_from_matrix(matrix)))
    return tuple(reversed(front))


def _posterior(matrix: Floats, shares: Floats) -> float:
    joint = matrix * shares[None, :]
    seen = joint.sum(axis=1, keepdims=True)
    return float(np.divide(joint, seen, out=np.zeros_like(joint), where=seen > 0).max())


def _move_mass(matrix: Floats, random: Source) -> Floats:
    """Move some of one column's mass from one value to another."""
    column, giver, taker = (int(n) for n in below(len(matrix), 3, random))
    share = int(below(1001, 1, random)[0]) / 1000
    changed = matrix.copy()
    moved = changed[giver, column] * share
    changed[giver, column] -= moved
    changed[taker, column] += moved
    return np.asarray(changed)
