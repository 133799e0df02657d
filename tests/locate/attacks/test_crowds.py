"""What cloaks and mix zones give away."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from cobogo.locate.attacks import (
    CentreOfCloak,
    IntersectionOfCloaks,
    MixZoneLinkage,
    Scene,
)
from cobogo.locate.attacks.crowds import Crossings, weights_of
from cobogo.locate.mechanisms.base import Released, no_cost
from cobogo.locate.places.points import Points
from support.location_scenes import cloaked, cloaked_by_time, crossing
from support.stand_ins import HERE, scattered, square, walkers


def test_a_cloak_about_a_person_has_them_in_its_middle() -> None:
    truth = scattered(150, square(), 3, time=np.zeros(150), user=np.arange(150))
    found = CentreOfCloak().run(Scene(truth, cloaked(truth, 8), square()))
    assert found.success == 1.0
    assert found.baseline <= 1 / 8
    assert found.figures["smallest_crowd"] >= 8
    cells = square(4, 500.0)
    x, y = HERE.metres(truth.lon, truth.lat)
    west, south = HERE.degrees(np.floor(x / 500) * 500, np.floor(y / 500) * 500)
    east, north = HERE.degrees(np.floor(x / 500 + 1) * 500, np.floor(y / 500 + 1) * 500)
    fixed = CentreOfCloak().run(Scene(truth, Released(truth, no_cost(truth), box=(west, south, east, north)), cells))
    assert fixed.success == pytest.approx(fixed.baseline)  # each cell's middle points at one of its people


def test_cloaks_of_one_who_moves_have_few_people_in_common() -> None:
    truth = walkers(60, 12, 8, minutes=15, speed=300)
    released = cloaked_by_time(truth, 5)
    found = IntersectionOfCloaks().run(Scene(truth, released, square()))
    assert found.attacked == 60
    assert found.success > 0.8
    still = Points(truth.lon[::12].repeat(12), truth.lat[::12].repeat(12), truth.time, truth.user, truth.names)
    stay = IntersectionOfCloaks().run(Scene(still, cloaked_by_time(still, 5), square()))
    assert stay.success == 0.0
    assert stay.figures["people_left"] >= 5


def test_a_mix_zone_with_one_person_at_a_time_mixes_nothing() -> None:
    apart, close = MixZoneLinkage().link(crossing(7, 1, gap=1000)), MixZoneLinkage().link(crossing(7, 1, gap=1))
    assert (apart.success, apart.baseline) == (1.0, pytest.approx(1 / 7))
    assert apart.figures["entropy_bits"] < 0.01
    assert close.figures["entropy_bits"] > 1
    assert close.figures["entropy_bits"] <= close.figures["most_bits"] == pytest.approx(np.log2(5040))


def test_the_matching_is_the_likeliest_of_all() -> None:
    crossings = crossing(6, 2, gap=20)
    weights = weights_of(crossings, 1.4, 0.5, 0.8)
    chances = {way: np.prod(weights[np.arange(6), list(way)]) for way in permutations(range(6))}
    best = max(chances, key=chances.__getitem__)  # the exit of each entry
    linked = MixZoneLinkage().link(crossings)
    assert linked.success == np.mean([crossings.match[exit] == entry for entry, exit in enumerate(best)])
    share = np.array([*chances.values()]) / sum(chances.values())
    assert linked.figures["entropy_bits"] == pytest.approx(-(share[share > 0] * np.log2(share[share > 0])).sum())
    headed = Crossings(crossings.entries, crossings.exits, crossings.match, np.zeros(6), np.full(6, np.pi / 2))
    assert weights_of(headed, 1.4, 0.5, 0.5) == pytest.approx(weights * np.exp(-np.pi))
