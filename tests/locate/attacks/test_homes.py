"""Where people live and work, and whose address that is."""

from __future__ import annotations

import numpy as np

from cobogo.locate.attacks import (
    ContextLinking,
    HomeAndWork,
)
from cobogo.locate.attacks.homes import is_night, is_working_hour
from cobogo.locate.places.points import Points
from support.location_scenes import lives, scene
from support.stand_ins import Noise, Nothing


def test_homes_and_works_are_found_without_noise_and_seldom_with_much() -> None:
    truth, homes = lives()
    found = HomeAndWork(within=1.0).run(scene(truth, Nothing()))
    assert (found.success, found.figures["works_found"], found.attacked) == (1.0, 1.0, 12)
    assert found.guesses is not None
    assert found.guesses.distance(homes).max() < 1.0
    some = HomeAndWork().run(scene(truth, Noise(0.01)))
    much = HomeAndWork().run(scene(truth, Noise(0.0005)))
    assert some.success >= 0.75  # forty nights' reports of 200 m each
    assert much.error.mean() > 5 * some.error.mean()


def test_the_hours_follow_the_clock_that_people_live_by() -> None:
    noon = np.array([96 * 3600.0 + 12 * 3600])
    assert is_working_hour(noon).tolist() == [True]
    assert is_working_hour(noon, -12).tolist() == [False]
    assert is_night(noon, -12).tolist() == [True]
    assert is_working_hour(noon + 5 * 86400).tolist() == [False]


def test_an_address_is_found_in_the_book_without_noise() -> None:
    truth, homes = lives()
    book = Points.from_columns(
        np.concatenate([homes.lon, homes.lon + 0.002]), np.concatenate([homes.lat, homes.lat + 0.002])
    )
    sure = ContextLinking().run(scene(truth, Nothing(), places=book))
    assert (sure.success, sure.figures["candidates"]) == (1.0, 1.0)
    unsure = ContextLinking().run(scene(truth, Noise(0.0005), places=book))
    assert unsure.success < 0.5
