"""The exponential mechanism, noisy max and the sparse vector follow their laws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from cobogo.promises.mechanisms import ExponentialMechanism, NoisyMax, SparseVector
from support import laws


@pytest.mark.parametrize("scores", [[16, 10, 28, 4], [0, 0, 0], [-200, 0, 1]])
def test_the_exponential_mechanism_follows_its_law(scores: list[int]) -> None:
    mechanism = ExponentialMechanism(28, Fraction(2))
    law = dict(enumerate(mechanism.probabilities(scores)))
    assert laws.fits((mechanism.choose(scores) for _ in range(4_000)), law)


def test_scores_too_far_apart_for_floats_do_not_confuse_the_exponential_mechanism() -> None:
    assert {ExponentialMechanism(1, Fraction(2)).choose([0, 10**6, 10**6]) for _ in range(200)} == {1, 2}


@pytest.mark.slow
@pytest.mark.parametrize("monotonic", [True, False])
def test_noisy_max_follows_the_law_of_permute_and_flip(monotonic: bool) -> None:
    mechanism = NoisyMax(3, Fraction(1), monotonic=monotonic)
    scores = [4, 9, 1, 9]
    assert mechanism.scale == pytest.approx(3 if monotonic else 6)
    drawn = (mechanism.choose(scores)[0] for _ in range(8_000))
    assert laws.fits(drawn, laws.permute_and_flip(scores, mechanism.scale))
    at_once = mechanism.choose_each(np.tile(scores, (20_000, 1)))
    assert laws.fits(at_once, laws.permute_and_flip(scores, mechanism.scale))


@pytest.mark.slow
def test_the_two_best_follow_their_law() -> None:
    mechanism = NoisyMax(1, Fraction(1), monotonic=True, k=2)
    scores = [4, 6, 1, 5]
    assert mechanism.scale == pytest.approx(2)
    assert laws.fits((tuple(mechanism.choose(scores)) for _ in range(8_000)), laws.peeled(scores, mechanism.scale))


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_sparse_vector_stops_after_as_many_as_are_paid_for() -> None:
    answers = list(SparseVector(1, Fraction(1), most=2, monotonic=True).compare([10**6] * 9, 0))
    assert answers == [True, True]
