"""Three attackers (El Emam 2013): the prosecutor knows that a person is in the table; the journalist does not, and
looks for any person; the marketer looks for as many people as possible.

With f_j people of the table and F_j of the population in class j, and n people in the table in all:

* prosecutor: 1/f_j for each of them; on average u/n, with u classes;
* journalist: 1/F_j; on average max(u/ΣF_j, (1/n)·Σ f_j/F_j);
* marketer: the expected share of right matches if each person is matched with a random person of the population's
  class: (1/n)·Σ f_j/F_j.

Without a table of the population F_j is unknown. If the population's size is known, 1/F_j is replaced by an estimate of
E[1/F_j | f_j] with F_j negative binomial given f_j (Benedetti and Franconi 1998). That is too low where many people are
unique, so for people who are alone in their class it is at least the probability that they are alone in the population.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cobogo.floor.arrays import Floats, Ints

SLACK = 1e-12
_SERIES = 256  # terms of the series: the last is below 1e-17 of the first for sizes from _LONG on
_LONG = 32  # sizes from here on take the series, smaller ones the recursion, which is exact for small fractions


@dataclass(frozen=True)
class AttackerRisk:
    """The probability that one attacker re-identifies a person: the highest, the average, and how many people have one
    above the threshold."""

    highest: float
    average: float
    over: int
    over_share: float


@dataclass(frozen=True)
class Attackers:
    """The risks by all three attackers; ``estimated`` says that the last two rest on a model of the population. Where
    nothing is known of the population there is no journalist, and the marketer takes the table for the population."""

    prosecutor: AttackerRisk
    journalist: AttackerRisk | None
    marketer: float
    estimated: bool = False


def attackers(
    sizes: Ints, threshold: float, *, population: Ints | None = None, estimated: Floats | None = None
) -> Attackers:
    """The risks of classes from their people in the table and, if known, in the population: counted (``population``),
    or as an estimate of one over their number (``estimated``).

    >>> found = attackers(np.array([1, 4]), 0.5, population=np.array([2, 8]))
    >>> found.prosecutor.highest, found.journalist.highest, found.marketer
    (1.0, 0.5, 0.2)
    """
    prosecutor = attacker_risk(sizes, 1.0 / sizes, threshold)
    if population is not None:
        found = attacker_risk(sizes, 1.0 / population, threshold)
        journalist = replace(found, average=max(found.average, len(sizes) / float(population.sum())))
        return Attackers(prosecutor, journalist, found.average)
    if estimated is not None:
        found = attacker_risk(sizes, estimated, threshold)
        return Attackers(prosecutor, found, found.average, estimated=True)
    return Attackers(prosecutor, None, prosecutor.average)


def attacker_risk(sizes: Ints, probabilities: Floats, threshold: float) -> AttackerRisk:
    """Summarize the probabilities of classes over their people."""
    people = int(sizes.sum())
    over = int(sizes[probabilities > threshold + SLACK].sum())
    average = float((sizes * probabilities).sum() / people)
    return AttackerRisk(float(probabilities.max()), average, over, over / people)


def estimate_probabilities(sizes: Ints, fraction: float, uniques: float | None) -> Floats:
    """Estimate one over each class's people in the population, of which the ``fraction`` is in the table and
    ``uniques`` people are unique (None where that is unknown)."""
    probabilities, alone = expected_inverse(sizes, fraction), sizes == 1
    if uniques is not None and alone.any():
        least = min(fraction * uniques / int(alone.sum()), 1.0)
        probabilities[alone] = np.maximum(probabilities[alone], least)
    return probabilities


def expected_inverse(sizes: Ints, fraction: float) -> Floats:
    """E[1/F | f], where F is the number of draws up to the f-th hit and each draw hits with the sampling fraction.

    With q = 1−π it is I_f = ∫₀¹ y^{f−1}·π/(π+qy) dy = π·Σ_m q^m·B(f, m+1), and q·I_{f+1} = π·(1/f − I_f).

    >>> expected_inverse(np.array([1, 2]), 0.5).round(6).tolist()  # ln 2, 1 − ln 2
    [0.693147, 0.306853]
    """
    if fraction >= 1:
        return np.asarray(1.0 / sizes)
    distinct, place = np.unique(sizes, return_inverse=True)
    found = np.empty(len(distinct))
    long = distinct >= _LONG if fraction <= 0.5 else distinct >= 1
    found[long] = _sum_series(distinct[long].astype(np.float64), fraction)
    if not long.all():
        found[~long] = _recurse(fraction)[distinct[~long]]
    return found[place]


def _sum_series(sizes: Floats, pi: float) -> Floats:
    """Sum the series: all terms are positive, each is q·(m+1)/(f+m+1) times the one before."""
    term = pi / sizes
    total = term.copy()
    for m in range(_SERIES):
        term = term * ((1 - pi) * (m + 1) / (sizes + m + 1))
        total += term
    return total


def _recurse(pi: float) -> Floats:
    """The first values by the recursion, which is stable while π ≤ q."""
    odds = pi / (1 - pi)
    values = [np.nan, odds * -np.log(pi)]
    for size in range(1, _LONG):
        values.append(odds * (1 / size - values[size]))
    return np.array(values)
