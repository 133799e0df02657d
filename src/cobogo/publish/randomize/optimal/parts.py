"""Small-domain randomization: the table in parts, each with few of the values, so that more of them can be retained.

The idea is Chaytor and Wang's (2010: Perturbation Partitioning): perturb each part within its own sub-domain. How the
parts are found here, and the argument that they tell no more than was allowed, are our own constructions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from cobogo.errors import NoSolution
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.promises.operators.uniform import Uniform, largest_retention


@dataclass(frozen=True, eq=False, repr=False)
class DomainPart:
    """Some values, which no other part has, and how those records are perturbed."""

    codes: Ints  # into the whole domain
    records: int
    operator: Uniform

    @property
    def retention(self) -> Fraction:
        """The retention within the part."""
        return self.operator.retention


def largest_amplification_within(rho1: float, rho2: float, share: float, *, both: bool) -> float | None:
    """The largest amplification of a part, or None where its share of the records is too small to hide anything in.

    Whoever knows the part of a person knows that a property with a share of at most ρ1 of the whole has one of at most
    ρ1·n/|T_i| there; (that, ρ2)-privacy within the part is upward (ρ1, ρ2)-privacy of the whole. ``both``: its opposite
    must not rise from 1 − ρ2 above 1 − ρ1, either, so that a part has more than 1 − ρ2 of the records.
    """
    found = []
    for low, high in [(rho1, rho2), (1 - rho2, 1 - rho1)][: 1 + both]:
        inner = low / share
        if inner >= high:
            return None
        found.append(high * (1 - inner) / (inner * (1 - high)))
    return min(found)


@card("small-domain", title="small-domain randomization")
def partition_domain(
    counts: Ints,
    rho1: float,
    rho2: float,
    *,
    both: bool = False,
    objective: Literal["total", "maximin"] = "total",
    min_retention: float = 0.0,
) -> tuple[DomainPart, ...]:
    r"""Part the table by its values, and perturb each part within its own few.

    Values in the order of their frequency are cut into contiguous runs by a dynamic programme. ``objective``: the most
    records retained overall, or the largest smallest retention. Where values are about equally frequent one part is
    best: skew is what pays. ``both``: what was likely must not become unlikely, either; that leaves few parts, often
    one. The idea is that of Chaytor and Wang; the partition and its argument are our own.

    Formula: a part $T_i$ of $n$ records must meet $(\rho_1 n / \lvert T_i\rvert,\, \rho_2)$-privacy by itself: $p_i =
        \frac{\gamma_i - 1}{\gamma_i - 1 + m_i}$ with $\gamma_i = \frac{\rho_2 (1 - \rho_{1i})}{\rho_{1i} (1 - \rho_2)}$
        and $\rho_{1i} = \rho_1 n / \lvert T_i\rvert$; $\max \sum_i \lvert T_i\rvert\,p_i$
    Example: Fifty values by Zipf's law: uniform perturbation would retain 26.5 %.
        >>> counts = np.array([1_000_000 // rank for rank in range(1, 51)])
        >>> parts = partition_domain(counts, 0.05, 0.5)
        >>> round(sum(part.records * float(part.operator.retention) for part in parts) / int(counts.sum()), 2)
        0.39

    Guarantee: Upward (ρ1, ρ2)-privacy for the table's distribution: every property with a share of at most ρ1 in the
        table has a posterior of at most ρ2. The whole of it where the policy asks for rho1-rho2-privacy.
    Limits: The part of a record is released, and with it, for certain, which values its own is among: no local
        differential privacy. Rare parts may retain next to nothing; see ``objective``.
    Cost: $O(m^2)$ for m values.
    Paper: R. Chaytor and K. Wang, Small domain randomization: same privacy, more utility, PVLDB 2010, for the idea.
    """
    order = np.argsort(-counts, kind="stable")
    m, records = len(order), int(counts.sum())
    ends = np.concatenate([[0], np.cumsum(counts[order])])
    best = np.full(m + 1, -np.inf)
    best[0] = 0.0 if objective == "total" else 1.0
    cut = np.zeros(m + 1, dtype=np.int64)
    for end in range(1, m + 1):
        for start in range(end):
            size = int(ends[end] - ends[start])
            if not size or not np.isfinite(best[start]):
                continue
            gamma = largest_amplification_within(rho1, rho2, size / records, both=both)
            if gamma is None:
                continue
            retention = (gamma - 1) / (gamma - 1 + end - start)
            if retention < min_retention or retention <= 0:
                continue
            value = best[start] + size * retention if objective == "total" else min(best[start], retention)
            if value > best[end]:
                best[end], cut[end] = value, start
    if not np.isfinite(best[m]):
        raise NoSolution(
            "no partition of the values meets the guarantee", remedy="Raise rho2, lower rho1, or lower min-retention."
        )
    parts: list[DomainPart] = []
    end = m
    while end:
        start = int(cut[end])
        size = int(ends[end] - ends[start])
        gamma = largest_amplification_within(rho1, rho2, size / records, both=both)
        assert gamma is not None
        parts.append(
            DomainPart(np.sort(order[start:end]), size, Uniform(end - start, largest_retention(gamma, end - start)))
        )
        end = start
    return tuple(reversed(parts))
