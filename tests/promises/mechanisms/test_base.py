"""Every sampler follows its law exactly; every scale is enough for what it claims; errors are as foretold."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import PolicyError
from cobogo.promises.mechanisms import MECHANISMS, ExponentialMechanism, Gaussian, Laplace, NoisyMax
from cobogo.promises.mechanisms.base import LARGEST
from support import laws
from support.effort import examples

amounts = st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=10**6)


@settings(max_examples=examples(60), deadline=None)
@given(sensitivity=st.integers(1, 10**9), amount=amounts)
def test_opendp_finds_every_scale_enough(sensitivity: int, amount: Fraction) -> None:
    laplace = Laplace(sensitivity, amount)
    assert Fraction(laplace.measurement.map(sensitivity)) <= amount
    assert laplace.scale == pytest.approx(float(sensitivity / amount), rel=1e-9)
    gaussian = Gaussian(sensitivity, amount)
    assert Fraction(gaussian.measurement.map(math.sqrt(sensitivity))) <= amount
    assert gaussian.scale == pytest.approx(math.sqrt(sensitivity / (2 * amount)), rel=1e-9)


@settings(max_examples=examples(30), deadline=None)
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


@pytest.mark.parametrize("many", [1, 1000])
def test_values_beyond_64_bits_are_held_within(many: int) -> None:
    released = Laplace(1, Fraction(1)).release([10**30, -(10**30)] * many)
    assert released[:2] == pytest.approx([LARGEST, -LARGEST], rel=1e-9)
    chosen = NoisyMax(1, Fraction(1)).choose_each(np.array([[2**63 - 1, -(2**63)]] * many))
    assert chosen == [0] * many


def test_nothing_in_nothing_out() -> None:
    assert Laplace(1, Fraction(1)).release([]) == []
    with pytest.raises(PolicyError, match="no candidates to choose"):
        ExponentialMechanism(1, Fraction(1)).choose([])
    with pytest.raises(PolicyError, match="2 candidates are asked for, and there are only 1"):
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
