"""The page about devices, the anonymizer and services says what there is, and its examples give what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cobogo.location.client import PRESETS
from cobogo.location.cloaks import CLOAKS
from cobogo.location.fortaleza.clinics import beliefs
from cobogo.randomness import Seeded

PAGE = (Path(__file__).parents[2] / "docs" / "location-service.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_examples_print_what_they_say(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    exec(BLOCKS[number], {})
    assert capsys.readouterr().out.strip() == BLOCKS[number].rstrip().splitlines()[-1].split("  # ")[1]


def test_every_cloak_and_preset_is_there() -> None:
    for name in CLOAKS:
        assert f"| `{name}`" in PAGE
    for preset in PRESETS.values():
        hours = f"{preset.window / 3600:g} h"
        cells = [f"`{preset.name}`", f"{preset.precision:,.0f} m", str(preset.reports), hours, preset.identity]
        assert f"| {' | '.join(cells)} | {preset.release} |" in PAGE


def test_every_route_is_there() -> None:
    pytest.importorskip("fastapi")
    from cobogo.location.service.app import router
    from cobogo.location.service.devices import Devices
    from cobogo.location.service.server import PrivacyServer

    routes = router(PrivacyServer(), Devices()).routes
    for route in routes:
        (method,) = route.methods  # type: ignore[attr-defined]
        assert f"| `{method} {route.path}` |" in PAGE  # type: ignore[attr-defined]
    assert len(routes) == len(re.findall(r"^\| `(?:GET|POST|DELETE) ", PAGE, re.MULTILINE))


def test_the_figures_of_the_story_are_those_of_the_code() -> None:
    for protection, shares in beliefs(Seeded(7)).items():
        linked, unlinked = (f"{100 * share:.1f} %" for share in shares)
        assert f"| {protection} | {linked} | {unlinked} |" in PAGE
