"""The sparse vector technique follows its law, and stops when it must."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cobogo.promises.mechanisms import SparseVector
from support import laws

pytestmark = pytest.mark.slow


def test_the_sparse_vector_follows_its_law() -> None:
    mechanism = SparseVector(1, Fraction(4))
    of_threshold, of_scores = laws.laplace(mechanism.threshold_noise.scale), laws.laplace(mechanism.score_noise.scale)
    assert (mechanism.threshold_noise.scale, mechanism.score_noise.scale) == (0.5, 1.0)

    def reached(score: int, threshold: int) -> float:
        return sum(p for x, p in of_scores.items() if score + x >= threshold)

    scores, threshold = [1, 3], 2
    law = {(True,): 0.0, (False, True): 0.0, (False, False): 0.0}
    for x, p in of_threshold.items():
        first, second = (reached(score, threshold + x) for score in scores)
        law[True,] += p * first
        law[False, True] += p * (1 - first) * second
        law[False, False] += p * (1 - first) * (1 - second)
    assert laws.fits((tuple(mechanism.compare(scores, threshold)) for _ in range(4_000)), law)


def test_the_sparse_vector_stops_after_as_many_as_are_paid_for() -> None:
    answers = list(SparseVector(1, Fraction(1), most=2, monotonic=True).compare([10**6] * 9, 0))
    assert answers == [True, True]
