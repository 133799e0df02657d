"""ε-privacy against realistic adversaries: the closed form, against an enumeration of all tables."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from cobogo.promises.models.example_classes import classes
from cobogo.promises.models.realistic import RealisticEpsilonPrivacy

SIZES = [(1, 1, 0), (2, 1, 0), (2, 1, 1), (3, 1, 1), (2, 2, 2), (4, 1, 0)]
SHAPES = [
    (Fraction(1, 3),) * 3,
    (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)),
    (Fraction(1, 10), Fraction(8, 10), Fraction(1, 10)),
]


def weight(world: Sequence[int], sigma: Fraction, shape: Sequence[Fraction]) -> Fraction:
    """The probability that people have these values, one after the other, by a Dirichlet belief: a Pólya urn."""
    found = Fraction(1)
    for place, value in enumerate(world):
        before = sum(1 for other in world[:place] if other == value)
        found *= (sigma * shape[value] + before) / (sigma + place)
    return found


def belief(counts: Sequence[int], value: int, sigma: Fraction, shape: Sequence[Fraction], *, inside: bool) -> Fraction:
    """How probable it is that the first person has a value, if the table has these counts, with them or without."""
    people = sum(counts) + (not inside)
    having = total = Fraction(0)
    for world in itertools.product(range(len(counts)), repeat=people):
        table = world if inside else world[1:]
        if tuple(table.count(v) for v in range(len(counts))) == tuple(counts):
            chance = weight(world, sigma, shape)
            total += chance
            having += chance if world[0] == value else 0
    return having / total


@pytest.mark.parametrize("counts", SIZES, ids=str)
@pytest.mark.parametrize("sigma", [Fraction(1, 2), Fraction(3)], ids=str)
def test_the_closed_form_is_what_all_tables_say(counts: tuple[int, ...], sigma: Fraction) -> None:
    for shape in SHAPES:
        for value, count in enumerate(counts):
            if count == 0:
                continue
            people = sum(counts)
            assert belief(counts, value, sigma, shape, inside=True) == Fraction(count, people)
            expected = (count + sigma * shape[value]) / (people + sigma)
            assert belief(counts, value, sigma, shape, inside=False) == expected


def ratios(counts: Sequence[int], sigma: Fraction, shape: Sequence[Fraction]) -> float:
    """What the model measures, by enumeration."""
    worst = Fraction(1)
    for value, count in enumerate(counts):
        if count:
            p, q = (belief(counts, value, sigma, shape, inside=inside) for inside in (True, False))
            if p == 1:
                return float("inf")
            worst = max(worst, p / q, (1 - q) / (1 - p))
    return float(worst)


@pytest.mark.parametrize("counts", SIZES, ids=str)
def test_the_model_measures_what_the_enumeration_does(counts: tuple[int, ...]) -> None:
    values = [value for value, count in zip("xyz", counts, strict=True) for _ in range(count)]
    table = classes(s=[values, list("xyz")])
    for sigma in (0.5, 3.0):
        third = RealisticEpsilonPrivacy("s", 2.0, sigma, "uniform").measure(table)[0]
        assert third == pytest.approx(ratios(counts, Fraction(sigma), (Fraction(1, 3),) * 3))
        worst = RealisticEpsilonPrivacy("s", 2.0, sigma, "any").measure(table)[0]
        narrow = Fraction(1, 10**9)
        near = ratios(counts, Fraction(sigma), (narrow, narrow, 1 - 2 * narrow))
        assert third <= worst * (1 + 1e-12)
        assert near <= worst * (1 + 1e-12)
        if counts[2] == 0:
            assert near == pytest.approx(worst, rel=1e-6), "and it is no larger than it must be"


def test_no_generalization_withstands_unlimited_stubbornness() -> None:
    """The whole table as one class, whatever ε: an attacker who is stubborn enough learns more. A larger class only
    puts it off."""
    for people in (10, 1000):
        table = classes(s=[["x", "y"] * (people // 2)])
        found = [RealisticEpsilonPrivacy("s", 2.0, 10.0**power, "any").measure(table)[0] for power in range(1, 9)]
        assert np.diff(found).min() > 0
        assert found[-1] == pytest.approx(1 + 10.0**8 / people)


def test_less_stubborn_attackers_are_covered() -> None:
    table = classes(s=[["x", "x", "y"], ["y", "z", "z", "x"]])
    for prior in ("table", "uniform", "any"):
        found = [
            RealisticEpsilonPrivacy("s", 2.0, sigma, prior).measure(table)
            for sigma in (0.01, 0.1, 1.0, 10.0, 100.0)  # type: ignore[arg-type]
        ]
        assert (np.diff(np.array(found), axis=0) >= -1e-12).all()


def test_with_a_known_shape_the_limit_is_the_gain_over_the_table() -> None:
    """Even an attacker who cannot be convinced learns c/n instead of the share that they believe in."""
    table = classes(s=[["x", "x", "y"], ["y"] * 5])
    assert RealisticEpsilonPrivacy("s", 9.0, 1e12).measure(table)[0] == pytest.approx((2 / 3) / (2 / 8))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("prior", ["table", "uniform", "any"])
def test_the_most_stubborn_attacker_is_measured_without_overflow(prior: str) -> None:
    table = classes(disease=[["flu", "flu", "cough", "fever"], ["flu", "flu"]])
    most = RealisticEpsilonPrivacy("disease", epsilon=2, stubbornness=1e308, prior=prior).measure(table)
    less = RealisticEpsilonPrivacy("disease", epsilon=2, stubbornness=1e15, prior=prior).measure(table)
    assert not np.isnan(most).any()
    assert (most >= less * (1 - 1e-9)).all()
