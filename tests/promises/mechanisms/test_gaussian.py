"""The discrete Gaussian mechanism follows its law; its errors are as foretold."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cobogo.promises.mechanisms import Gaussian
from support import laws


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
