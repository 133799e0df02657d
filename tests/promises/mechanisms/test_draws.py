"""What is drawn all at once follows the exact laws, whatever fraction its scale is."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from cobogo.floor.randomness import Entropy
from cobogo.promises.mechanisms import Gaussian, Laplace
from cobogo.promises.mechanisms.base import LARGEST, MANY, draws_many
from cobogo.promises.mechanisms.draws import SCALES, exponential_coins, gaussians, laplaces
from support import laws

SOURCE = Entropy()


@pytest.mark.parametrize("gamma", ["0", "1/7", "1", "5/3", "123456789/2**80"])
def test_exponential_coins_follow_their_law(gamma: str) -> None:
    numerator, _, denominator = gamma.partition("/")
    share = Fraction(int(numerator), 2**80 if "*" in denominator else int(denominator or 1))
    coins = exponential_coins(np.array([share.numerator] * 20_000, dtype=object), share.denominator, SOURCE)
    heads = math.exp(-share)
    assert laws.fits(coins.tolist(), {True: heads, False: 1 - heads})


@pytest.mark.parametrize("denominator", [3, 2**61, 3 * 2**100])
def test_coins_of_one_call_each_have_their_own_law(denominator: int) -> None:
    gammas = [0, denominator // 3, 2 * denominator, 10**6 * denominator]
    coins = exponential_coins(np.array(gammas * 10_000, dtype=object), denominator, SOURCE).reshape(-1, 4)
    for at, gamma in enumerate(gammas):
        heads = math.exp(-Fraction(gamma, denominator))
        assert laws.fits(coins[:, at].tolist(), {True: heads, False: 1 - heads})


@pytest.mark.parametrize("scale", [0.25, 1 / 3, 1.0, 7.3, 200.0])
def test_numbers_drawn_at_once_follow_their_laws(scale: float) -> None:
    assert laws.fits(laplaces(Fraction(scale), 40_000, SOURCE).tolist(), laws.laplace(scale))
    assert laws.fits(gaussians(Fraction(scale), 20_000, SOURCE).tolist(), laws.gaussian(scale))


def test_a_scale_that_is_slightly_off_is_noticed() -> None:
    assert not laws.fits(laplaces(Fraction(3), 40_000, SOURCE).tolist(), laws.laplace(3.2))
    assert not laws.fits(gaussians(Fraction(3), 20_000, SOURCE).tolist(), laws.gaussian(3.2))


@pytest.mark.parametrize("noise", [Laplace(2**40, Fraction(1)), Gaussian(2**79, Fraction(1, 2))])
def test_the_largest_scale_fits_into_64_bits(noise: Laplace | Gaussian) -> None:
    assert draws_many(noise.scale, MANY)
    released = np.array(noise.release([LARGEST] * 1000), dtype=object) - LARGEST
    assert 0.6 < np.abs(released.astype(float)).mean() / noise.scale < 1.3
    assert (np.abs(released) < 60 * int(noise.scale)).all()


def test_scales_that_do_not_fit_are_left_to_opendp() -> None:
    assert not draws_many(float(SCALES[0]) / 2, MANY)
    assert not draws_many(float(SCALES[1]) * 2, MANY)
    assert Laplace(1, Fraction(2000)).release([5] * 1000) == [5] * 1000
