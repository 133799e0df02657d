"""From call records to a model and made-up calls."""

from fractions import Fraction

import pytest

from cobogo.locate.mobility import Space, sample
from cobogo.locate.mobility.fidelity import fidelity
from cobogo.locate.mobility.fit import fit_model
from cobogo.studies import fortaleza
from support.location_calls import FIRST

pytestmark = pytest.mark.slow


def test_utility_survives_at_the_scale_of_a_city() -> None:
    """The noise is fresh each time; the bounds are far from what is found (see docs/where.md)."""
    calls = fortaleza.people(4_000, days=7, seed=11).calls(fortaleza.towers(80))
    space = Space(calls.cells, FIRST, 7, utc_offset=-3)
    near, far = (
        fidelity(calls, sample(fit_model(calls, space, epsilon), seed=2), space)
        for epsilon in (Fraction(10), Fraction(1, 100))
    )
    assert near["population by hour"]["mean"] < 0.6 * near["population by hour"]["of calls from anywhere"]
    assert near["daily range"]["earth mover's metres"] < 400
    assert near["population by hour"]["mean"] < 0.7 * far["population by hour"]["mean"]
