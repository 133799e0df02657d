"""The map: what is played is what was released, and nothing is promised that does not hold."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("nicegui")

from cobogo.faces.workbench.labels import MAP_ATTACK, MAP_CHOICE, MAP_KNOB, MAP_NAME
from cobogo.faces.workbench.pages.mapping.figures import MAP_MEASURES, MAP_WHY_NONE, Try, promise_lines, remember
from cobogo.faces.workbench.pages.mapping.panel import MAP_ABOUT, MAP_KNOWS, attacks, knobs, positions_in
from cobogo.faces.workbench.pages.mapping.picture import WIDE, MapPicture
from cobogo.faces.workbench.session import PageSession
from cobogo.floor.randomness import Seeded
from cobogo.locate.metrics import quality_loss
from cobogo.locate.spec import mechanisms
from cobogo.studies.fortaleza import people
from cobogo.studies.location_trial import TrialGround, try_mechanism

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ground() -> TrialGround:
    return TrialGround.from_points(people(8, days=1).trajectories(3600), hours_from_utc=-3)


def _start(name: str) -> dict:
    made: dict = {}
    for knob in knobs(name):
        made |= knob.set(knob.start)
    return made


def test_every_mechanism_has_knobs_and_words() -> None:
    for name in mechanisms():
        assert name in MAP_NAME
        assert name in MAP_ABOUT
        assert set(attacks(name)) <= MAP_KNOWS.keys() & MAP_ATTACK.keys() & MAP_MEASURES.keys()
        for knob in knobs(name):
            assert knob.name in MAP_KNOB
            assert set(knob.choices) <= MAP_CHOICE.keys()
            if not knob.choices:
                assert knob.value(knob.place(float(knob.start))) == knob.start
                assert knob.range.low <= float(knob.start) <= knob.range.high


@pytest.mark.parametrize("name", [name for name in mechanisms() if name != "optimal"])
def test_what_is_played_is_what_was_released(name: str, ground: TrialGround) -> None:
    found = try_mechanism(ground, name, _start(name), attacks(name)[0], source=Seeded(1))
    reports = found.released.points
    assert len(found.truth) == len(reports)
    assert found.run.quality_loss == pytest.approx(float(quality_loss(found.truth, found.released).mean()))
    assert found.finding is not None or found.skipped
    if found.guarantee.kind == "none":
        assert found.guarantee.epsilon is None
        assert promise_lines(PageSession(), found)[0] == MAP_WHY_NONE[name]
    picture = MapPicture(ground, lambda key, **_: key)
    moment = float(ground.moments[13])
    series = {one["id"]: one["data"] for one in picture.options(found, 0, moment)["series"]}
    mine = [row for row in range(len(reports)) if found.truth.user[row] == 0 and found.truth.time[row] <= moment]
    assert list(found.rows_until(0, moment)) == mine
    assert len(series["said"]) == len(mine)
    east, north = picture.frame.metres(reports.lon[mine], reports.lat[mine])
    assert np.allclose(series["said"], np.column_stack((east, north)) / 1000, atol=1e-3)
    regions = found.released.box is not None or found.released.radius is not None
    assert len(series["region"]) == (1 if regions and mine else 0)


def test_nothing_is_shown_of_somebody_before_their_first_report(ground: TrialGround) -> None:
    found = try_mechanism(ground, "planar-laplace", {"epsilon": 0.01}, "home-and-work")
    before = float(ground.moments[0]) - 1
    assert found.row(0, before) is None
    series = {one["id"]: one["data"] for one in MapPicture(ground, lambda key, **_: key).moving(found, 0, before)}
    assert not any(series.values())
    assert found.one_guess_each
    assert found.highest_spending == pytest.approx(0.01 * found.reports_each)


def test_a_map_keeps_its_shape_from_afar_and_close_up(ground: TrialGround) -> None:
    found = try_mechanism(ground, "disc", {"radius": 300}, None)
    picture = MapPicture(ground, lambda key, **_: key)
    for close in (False, True):
        seen = picture.window(found, 0, float(ground.moments[5]), close=close)
        width, height = (seen[part]["max"] - seen[part]["min"] for part in ("xAxis", "yAxis"))
        assert width / height == pytest.approx(WIDE, rel=1e-3)
    assert height * 1000 > 2 * found.released.radius[0]


def test_only_tables_with_positions_and_times_are_offered() -> None:
    assert positions_in({"about": {"columns": ["nome", "Latitude", "lng", "hora"]}}) is not None
    assert positions_in({"about": {"columns": ["nome", "lat", "lon"]}}) is None


def test_a_trial_of_the_same_settings_stands_for_the_earlier_one() -> None:
    one, two = (Try("disc", {"radius": r}, "none", 1.0, "tracking", 2.0, 0.5) for r in (1, 2))
    again = Try("disc", {"radius": 1}, "none", 9.0, "tracking", 8.0, 0.1)
    assert remember([two, one], again) == [again, two]
