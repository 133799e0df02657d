"""The front of operators: none of them is beaten, and their errors are those of simulations."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from cobogo.promises.guarantees.prior_posterior import worst_posterior
from cobogo.promises.operators import Uniform
from cobogo.publish.randomize.opt_rr import error, privacy, search_operators

F = np.array([30, 25, 20, 5, 5, 5, 4, 3, 2, 1]) / 100


def test_the_front_of_operators_is_one_and_beats_uniform_perturbation() -> None:
    front = search_operators(F, 1000, rounds=60)
    hidden, wrong = [p.privacy for p in front], [p.error for p in front]
    assert hidden == sorted(hidden)
    assert wrong == sorted(wrong)
    for p in (0.3, 0.5, 0.7):
        matrix = p * np.eye(10) + (1 - p) / 10
        assert min(x.error for x in front if x.privacy >= privacy(matrix, F)) < error(matrix, F, 1000)
    for point in front[::10]:
        assert privacy(point.operator.matrix(), F) == pytest.approx(point.privacy, abs=1e-9)
    bounded = search_operators(F, 1000, rounds=10, largest_posterior=0.6)
    assert max(point.operator.posterior(F).max() for point in bounded) <= 0.6 + 1e-9


def test_the_error_of_an_operator_is_that_of_simulations() -> None:
    random = np.random.default_rng(5)
    operator = Uniform(3, Fraction(1, 2))
    prior, n = np.array([0.5, 0.3, 0.2]), 300
    seen = random.multinomial(n, operator.spread(prior), size=20_000)
    found = np.array([operator.inverse(row / n) for row in seen])
    assert ((found - prior) ** 2).mean() == pytest.approx(error(operator.matrix(), prior, n), rel=0.05)
    assert worst_posterior(operator.matrix(), prior, 0.2) == pytest.approx(operator.posterior(prior)[2, 2])
