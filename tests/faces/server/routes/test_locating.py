"""The anonymizer beside everything else: devices are collectors, and nothing says when they reported."""

from __future__ import annotations

import pytest

from cobogo.errors import InputError
from cobogo.faces.server.app import create_app
from cobogo.faces.server.roles import KeyRole
from cobogo.faces.server.settings import ServerSettings

pytestmark = pytest.mark.slow


def _here(lon: float) -> dict[str, object]:
    return {"positions": [{"lon": lon, "lat": -3.7}]}


def test_devices_get_a_cloak_that_holds_k_of_them(served) -> None:
    for number in range(3):
        who = f"device{number}"
        served.keys[who] = served.context.keys.create(f"{who}-{served.test}", KeyRole.COLLECTOR)[1]
        assert served(who, "POST", "/location/locations", json=_here(-38.5 + number / 1000)).status_code == 200
    answer = served("device1", "POST", "/location/cloak", json={"k": 3})
    assert answer.status_code == 200, answer.text
    west, south, east, north = answer.json()["box"]
    assert west <= -38.499 <= east
    assert south <= -3.7 <= north
    assert served("device1", "DELETE", "/location/locations").status_code == 200
    assert served("device1", "POST", "/location/cloak", json={"k": 3}).status_code == 400
    lines = served("auditor", "GET", "/log?limit=10000").json()
    of_devices = [line["action"] for line in lines if line["owner"].startswith("device")]
    assert of_devices == ["POST /location/cloak"]  # the refusal


def test_a_budget_of_noise_is_its_owners_and_ends_in_words(served) -> None:
    served("collector", "POST", "/location/locations", json=_here(0.0))
    answers = [served("collector", "POST", "/location/noise") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [409]
    assert answers[-1].json()["remedy"]
    left = served("collector", "GET", f"/location/budget/collector-{served.test}").json()["left"]
    assert left == pytest.approx(0)
    assert served("collector", "GET", "/location/budget/somebody").status_code == 403
    assert served("steward", "GET", f"/location/budget/collector-{served.test}").status_code == 403


def test_settings_that_make_no_anonymizer_are_refused_by_their_place(tmp_path) -> None:
    with pytest.raises(InputError, match=r"location\.cloak"):
        create_app(ServerSettings.from_content({"state": str(tmp_path / "s"), "location": {"cloak": "invisibility"}}))
