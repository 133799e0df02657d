"""The discrete Laplace and Gaussian mechanisms follow their laws; errors are as foretold."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cobogo.promises.mechanisms import Gaussian, Laplace
from support import laws


@pytest.mark.slow
@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, "1"), (1, "3"), (7, "1"), (3, "0.1")])
def test_laplace_follows_its_law(sensitivity: int, epsilon: str) -> None:
    noise = Laplace(sensitivity, Fraction(epsilon))
    assert laws.fits(noise.release([0] * 20_000), laws.laplace(noise.scale))
    few = [released for _ in range(400) for released in noise.release([0] * 20)]
    assert laws.fits(few, laws.laplace(noise.scale))


@pytest.mark.slow
def test_a_law_that_is_slightly_off_is_noticed() -> None:
    noise = Laplace(1, Fraction(1, 3))
    assert not laws.fits(noise.release([0] * 20_000), laws.laplace(noise.scale * 1.1))
    assert not laws.fits(Gaussian(8, Fraction(1)).release([0] * 15_000), laws.gaussian(2 * 1.1))


@pytest.mark.parametrize(("squared", "rho"), [(1, "1/2"), (4, "3"), (50, "0.1")])
def test_gaussian_follows_its_law(squared: int, rho: str) -> None:
    noise = Gaussian(squared, Fraction(rho))
    assert laws.fits(noise.release([0] * 15_000), laws.gaussian(noise.scale))
    few = [released for _ in range(400) for released in noise.release([0] * 20)]
    assert laws.fits(few, laws.gaussian(noise.scale))


def test_a_large_gaussian_error_is_that_of_the_normal_law() -> None:
    noise = Gaussian(10**8, Fraction(1, 2))
    assert noise.scale == pytest.approx(10**4)
    assert noise.error(0.95) == pytest.approx(19_600, rel=1e-3)
