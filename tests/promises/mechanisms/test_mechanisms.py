"""Every sampler follows its law exactly; every scale is enough for what it claims; errors are as foretold."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import PolicyError
from cobogo.promises.mechanisms import MECHANISMS, ExponentialMechanism, Gaussian, Laplace, NoisyMax, SparseVector
from cobogo.promises.mechanisms.base import LARGEST
from cobogo.promises.mechanisms.exact import exponential_coin
from support import laws

amounts = st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=10**6)


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, "1"), (1, "3"), (7, "1"), (3, "0.1")])
def test_laplace_follows_its_law(sensitivity: int, epsilon: str) -> None:
    noise = Laplace(sensitivity, Fraction(epsilon))
    assert laws.fits(noise.release([0] * 20_000), laws.laplace(noise.scale))


@pytest.mark.parametrize(("squared", "rho"), [(1, "1/2"), (4, "3"), (50, "0.1")])
def test_gaussian_follows_its_law(squared: int, rho: str) -> None:
    noise = Gaussian(squared, Fraction(rho))
    assert laws.fits(noise.release([0] * 15_000), laws.gaussian(noise.scale))


def test_a_law_that_is_slightly_off_is_noticed() -> None:
    noise = Laplace(1, Fraction(1, 3))
    assert not laws.fits(noise.release([0] * 20_000), laws.laplace(noise.scale * 1.1))
    assert not laws.fits(Gaussian(8, Fraction(1)).release([0] * 15_000), laws.gaussian(2 * 1.1))


@pytest.mark.parametrize("gamma", ["0", "1/7", "1", "5/3"])
def test_exponential_coins_follow_their_law(gamma: str) -> None:
    heads = math.exp(-Fraction(gamma))
    assert laws.fits((exponential_coin(Fraction(gamma)) for _ in range(8_000)), {True: heads, False: 1 - heads})


@pytest.mark.parametrize("scores", [[16, 10, 28, 4], [0, 0, 0], [-200, 0, 1]])
def test_the_exponential_mechanism_follows_its_law(scores: list[int]) -> None:
    mechanism = ExponentialMechanism(28, Fraction(2))
    law = dict(enumerate(mechanism.probabilities(scores)))
    assert laws.fits((mechanism.choose(scores) for _ in range(4_000)), law)


def test_scores_too_far_apart_for_floats_do_not_confuse_the_exponential_mechanism() -> None:
    assert {ExponentialMechanism(1, Fraction(2)).choose([0, 10**6, 10**6]) for _ in range(200)} == {1, 2}


@pytest.mark.parametrize("monotonic", [True, False])
def test_noisy_max_follows_the_law_of_permute_and_flip(monotonic: bool) -> None:
    mechanism = NoisyMax(3, Fraction(1), monotonic=monotonic)
    scores = [4, 9, 1, 9]
    assert mechanism.scale == pytest.approx(3 if monotonic else 6)
    drawn = (mechanism.choose(scores)[0] for _ in range(8_000))
    assert laws.fits(drawn, laws.permute_and_flip(scores, mechanism.scale))


def test_the_two_best_follow_their_law() -> None:
    mechanism = NoisyMax(1, Fraction(1), monotonic=True, k=2)
    scores = [4, 6, 1, 5]
    assert mechanism.scale == pytest.approx(2)
    assert laws.fits((tuple(mechanism.choose(scores)) for _ in range(8_000)), laws.peeled(scores, mechanism.scale))


def test_the_sparse_vector_follows_its_law() -> None:
    mechanism = SparseVector(1, Fraction(4))
    of_threshold, of_scores = laws.laplace(mechanism.of_threshold.scale), laws.laplace(mechanism.of_scores.scale)
    assert (mechanism.of_threshold.scale, mechanism.of_scores.scale) == (0.5, 1.0)

    def reached(score: int, threshold: int) -> float:
        return sum(p for x, p in of_scores.items() if score + x >= threshold)

    scores, threshold = [1, 3], 2
    law = {(True,): 0.0, (False, True): 0.0, (False, False): 0.0}
    for x, p in of_threshold.items():
        first, second = (reached(score, threshold + x) for score in scores)
        law[True,] += p * first
        law[False, True] += p * (1 - first) * second
        law[False, False] += p * (1 - first) * (1 - second)
    assert laws.fits((tuple(mechanism.above(scores, threshold)) for _ in range(4_000)), law)


def test_the_sparse_vector_stops_after_as_many_as_are_paid_for() -> None:
    answers = list(SparseVector(1, Fraction(1), most=2, monotonic=True).above([10**6] * 9, 0))
    assert answers == [True, True]


@settings(max_examples=60, deadline=None)
@given(sensitivity=st.integers(1, 10**9), amount=amounts)
def test_opendp_finds_every_scale_enough(sensitivity: int, amount: Fraction) -> None:
    laplace = Laplace(sensitivity, amount)
    assert Fraction(laplace.measurement.map(sensitivity)) <= amount
    assert laplace.scale == pytest.approx(float(sensitivity / amount), rel=1e-9)
    gaussian = Gaussian(sensitivity, amount)
    assert Fraction(gaussian.measurement.map(math.sqrt(sensitivity))) <= amount
    assert gaussian.scale == pytest.approx(math.sqrt(sensitivity / (2 * amount)), rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(sensitivity=st.integers(1, 40), amount=amounts.filter(lambda a: a > Fraction(1, 20)), share=st.floats(0.5, 0.99))
def test_errors_are_the_quantiles_of_the_law(sensitivity: int, amount: Fraction, share: float) -> None:
    for noise, law in (
        (Laplace(sensitivity, amount), laws.laplace),
        (Gaussian(sensitivity, amount), laws.gaussian),
    ):
        exact = law(noise.scale)
        within = noise.error(share)
        inside = math.fsum(p for x, p in exact.items() if abs(x) <= within)
        closer = math.fsum(p for x, p in exact.items() if abs(x) <= within - 1)
        assert inside >= share - 1e-9
        assert closer < share + 1e-9
        assert noise.variance() == pytest.approx(math.fsum(p * x * x for x, p in exact.items()), rel=1e-6, abs=1e-12)


def test_a_large_gaussian_error_is_that_of_the_normal_law() -> None:
    noise = Gaussian(10**8, Fraction(1, 2))
    assert noise.scale == pytest.approx(10**4)
    assert noise.error(0.95) == pytest.approx(19_600, rel=1e-3)


def test_values_beyond_64_bits_are_held_within() -> None:
    released = Laplace(1, Fraction(1)).release([10**30, -(10**30)])
    assert released[0] == pytest.approx(LARGEST, rel=1e-9)
    assert released[1] == pytest.approx(-LARGEST, rel=1e-9)


def test_nothing_in_nothing_out() -> None:
    assert Laplace(1, Fraction(1)).release([]) == []
    with pytest.raises(PolicyError, match="nothing to choose"):
        ExponentialMechanism(1, Fraction(1)).choose([])
    with pytest.raises(PolicyError, match="1 to choose 2 from"):
        NoisyMax(1, Fraction(1), k=2).choose([1])


def test_every_mechanism_is_listed_with_its_cost() -> None:
    made = {"gaussian": Gaussian(1, Fraction(1, 7))}
    for name, kind in MECHANISMS.items():
        mechanism = made.get(name) or kind(1, Fraction(1, 7))
        assert mechanism.name == name
        assert mechanism.loss.amount == Fraction(1, 7)


def test_the_tables_of_the_documents() -> None:
    """Densities of Laplace(7) at five noises, in per cent; and the exponential mechanism's four probabilities."""
    densities = [100 * math.exp(-abs(noise) / 7) / 14 for noise in (-4.58, -0.15, 12.15, -6.43, 2.89)]
    assert densities == pytest.approx([3.70, 6.98, 1.25, 2.85, 4.72], abs=0.02)
    shares = ExponentialMechanism(28, Fraction(1)).probabilities(
        [len("João") * 4, len("Bruno") * 2, len("Iago") * 7, 4]
    )
    assert [100 * share for share in shares] == pytest.approx([25.35, 22.78, 31.41, 20.46], abs=0.005)
