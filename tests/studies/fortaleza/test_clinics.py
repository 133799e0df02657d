"""Four requests near clinics, and the examples that are told of them."""

from __future__ import annotations

import runpy
from math import inf, log

import numpy as np
import pytest

from cobogo.floor.randomness import Seeded
from cobogo.locate.attacks.presence import log_evidence, probability
from cobogo.locate.places.points import Points
from cobogo.locate.reports import Report
from cobogo.studies.fortaleza.clinics import PRIOR, beliefs, bob, clinics, crowds
from support.paths import ROOT

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples" / "location"


@pytest.fixture(scope="module")
def believed() -> dict[str, tuple[float, float]]:
    return beliefs(Seeded(11), draws=6)


def test_precise_positions_under_one_name_give_bob_away(believed: dict[str, tuple[float, float]]) -> None:
    linked, unlinked = believed["precise positions"]
    assert linked > 0.99
    assert PRIOR < unlinked < 0.5


def test_cloaks_leave_the_service_where_it_was(believed: dict[str, tuple[float, float]]) -> None:
    for k in (20, 100):
        assert max(believed[f"cloak of {k} people"]) < 2 * PRIOR


def test_noise_helps_much_and_dummies_that_are_nowhere_near_clinics_little(
    believed: dict[str, tuple[float, float]],
) -> None:
    assert max(believed["noise, 95 % within 500 m"]) < 0.35
    linked, unlinked = believed["ten dummies"]
    assert linked > 0.3
    assert PRIOR < unlinked < believed["precise positions"][1]


def test_bob_is_at_a_clinic_and_among_everybody() -> None:
    him = bob()
    for row, crowd in enumerate(crowds()):
        assert (crowd.lon[-1], crowd.lat[-1]) == (him.lon[row], him.lat[row])
        assert (
            min(clinics().distance(Points(*(np.full(len(clinics()), part[row]) for part in (him.lon, him.lat))))) < 40
        )


def test_evidence_is_the_ratio_of_shares() -> None:
    places = Points.from_columns([0.0, 1.0, 2.0, 3.0], [0.0] * 4)
    everybody = Points.from_columns([0.0] + [5.0] * 9, [0.0] * 10)
    box = Report(((0.0, 0.0),), box=(-0.1, -0.1, 0.1, 0.1))
    assert log_evidence(box, places, everybody) == pytest.approx(log(0.25 / 0.1))
    both = Report(((0.0, 0.0), (5.0, 0.0)))
    assert log_evidence(both, places, everybody) == pytest.approx(log(0.25 / 1.0))
    assert log_evidence(Report(((9.0, 9.0),)), places, everybody) == -inf
    assert log_evidence(Report(((3.0, 0.0),)), places, everybody) == inf
    near, far = (log_evidence(Report(((x, 0.0),)), places, everybody, epsilon=1e-4) for x in (1.0, 5.0))
    assert near > 0 > far
    assert probability(0.1, [-inf]) == 0


def test_the_story_of_the_clinics_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "clinics.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Monday")
    assert any(line.startswith("precise positions") and "99.9 %" in line for line in lines)


def test_the_whole_path_gives_exact_answers(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("uvicorn")
    pytest.importorskip("httpx")
    runpy.run_path(str(EXAMPLES / "whole_path.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert said.count("exactly the nearest: yes") == 2
    assert "NO" not in said
    assert said.count("nobody in particular") == 2
