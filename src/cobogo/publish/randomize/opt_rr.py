"""OptRR: operators that no other beats in both privacy and utility (Huang and Du 2008).

The search over matrices returns a Pareto front, not a guarantee: the publisher chooses a point of it, whose guarantees
are measured like those of any operator. It is evolutionary like the authors', with an archive of the best utility at
each level of privacy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.floor.randomness import Seeded, Source, below
from cobogo.promises.operators import Matrix, operator_from_matrix


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
