"""Three attackers, in a population that is counted or estimated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.examine.risk.attackers import attackers, estimate_probabilities, expected_inverse
from cobogo.examine.risk.population import (
    ClassSizes,
    estimates,
)
from support.effort import examples

some_sizes = st.lists(st.integers(1, 30), min_size=1, max_size=60).map(np.array)


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(1, 60), st.floats(0.02, 1.0))
def test_the_expected_inverse_of_a_negative_binomial(size: int, pi: float) -> None:
    most = int(stats.nbinom.ppf(1 - 1e-13, size, pi)) + 10
    misses = np.arange(most)
    expected = (stats.nbinom.pmf(misses, size, pi) / (size + misses)).sum()
    assert expected_inverse(np.array([size]), pi)[0] == pytest.approx(expected, rel=1e-8)


@settings(max_examples=examples(30), deadline=None)
@given(some_sizes, st.integers(0, 5000))
def test_who_knows_less_finds_less(sizes: np.ndarray, others: int) -> None:
    sample = ClassSizes.from_classes(sizes)
    population = sample.people + others
    uniques = estimates(sample, population)["dankar"].uniques
    found = attackers(sizes, 0.2, estimated=estimate_probabilities(sizes, sample.people / population, uniques))
    assert found.journalist is not None
    assert found.journalist.highest <= found.prosecutor.highest + 1e-12
    assert found.marketer <= found.prosecutor.average + 1e-12
    assert found.journalist.over <= found.prosecutor.over
    if not others:
        assert found.journalist == found.prosecutor


def test_who_is_unique_is_found_by_anybody() -> None:
    """Everybody in the population is unique: not to know who is in the table is of no help to anyone."""
    sizes = np.ones(5, dtype=np.int64)
    chances = estimate_probabilities(sizes, 0.01, estimates(ClassSizes.from_classes(sizes), 500)["dankar"].uniques)
    assert chances.tolist() == pytest.approx([1.0] * 5)


def test_attackers_of_a_counted_population() -> None:
    """Three classes of 1, 2 and 4 people of the data, of which there are 1, 10 and 4 in the population."""
    found = attackers(np.array([1, 2, 4]), 0.25, population=np.array([1, 10, 4]))
    assert found.prosecutor.highest == 1
    assert found.prosecutor.average == pytest.approx(3 / 7)
    assert (found.prosecutor.over, found.prosecutor.over_share) == (3, pytest.approx(3 / 7))
    assert found.journalist is not None
    assert found.journalist.highest == 1
    assert found.marketer == pytest.approx((1 + 2 / 10 + 1) / 7)
    assert found.journalist.average == pytest.approx(max(3 / 15, 2.2 / 7))
    assert found.journalist.over == 1
