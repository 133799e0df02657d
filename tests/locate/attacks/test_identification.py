"""A few points tell people apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.floor.randomness import Seeded
from cobogo.locate.attacks import (
    Identification,
)
from cobogo.locate.attacks.identification import Visits, uniqueness
from support.effort import examples
from support.location_scenes import scene
from support.stand_ins import Noise, Nothing, square, walkers


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(1, 12), st.integers(1, 7), st.integers(1, 3), st.integers(0, 10_000))
def test_uniqueness_is_what_counting_every_set_finds(people: int, places: int, h: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 60))
    user, place = rng.integers(0, people, count), rng.integers(0, places, count)
    having = [set(place[user == one].tolist()) for one in range(user.max() + 1)]
    found = uniqueness(Visits.from_pairs(user, place), h, trials=300, source=Seeded(seed))
    for one, mine in enumerate(having):
        sizes = [sum(set(some) <= other for other in having) for some in combinations(sorted(mine), h)]
        if not sizes:
            assert np.isnan(found.risk[one])
        elif found.exact:
            assert found.risk[one] == pytest.approx(np.mean([1 / size for size in sizes]))
            assert found.alone[one] == pytest.approx(np.mean([size == 1 for size in sizes]))
        else:
            # Hoeffding: off by more than 0.16 once in 10^6, for 300 draws of figures between 0 and 1
            assert abs(found.risk[one] - np.mean([1 / size for size in sizes])) < 0.16


def test_a_few_points_find_a_pseudonym_until_noise_hides_it() -> None:
    truth = walkers(40, 50, 6)
    sure = Identification().run(scene(truth, Nothing(), grid=square(30, 200.0)))
    assert (sure.success, sure.figures["mean_rank"], sure.attacked) == (1.0, 1.0, 40)
    hidden = Identification().run(scene(truth, Noise(0.0002), grid=square(30, 200.0)))
    assert hidden.success < 0.5
