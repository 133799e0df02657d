"""The page about devices, the anonymizer and services says what there is, and its examples give what they say."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cobogo.floor.randomness import Seeded
from cobogo.locate.attacks.base import Scene
from cobogo.locate.attacks.crowds import CentreOfCloak
from cobogo.locate.crowds import CLOAKS, Casper, Hilbert, NearestNeighbours, QuadTree
from cobogo.locate.device import PRESETS
from cobogo.locate.places.grid import Grid
from cobogo.studies.fortaleza import people
from cobogo.studies.fortaleza.clinics import beliefs
from support.paths import ROOT

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "location-service.md").read_text(encoding="utf-8")
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
    from cobogo.locate.anonymizer.app import create_app
    from cobogo.locate.anonymizer.devices import Devices
    from cobogo.locate.anonymizer.server import PrivacyServer

    paths = create_app(PrivacyServer(), Devices()).openapi()["paths"]
    routes = [f"{method.upper()} {path}" for path, methods in paths.items() for method in methods]
    for route in routes:
        assert f"| `{route}` |" in PAGE
    assert len(routes) == len(re.findall(r"^\| `(?:GET|POST|DELETE) ", PAGE, re.MULTILINE))


def test_the_figures_of_the_story_are_those_of_the_code() -> None:
    for protection, shares in beliefs(Seeded(7)).items():
        linked, unlinked = (f"{100 * share:.1f} %" for share in shares)
        assert f"| {protection} | {linked} | {unlinked} |" in PAGE


def test_the_table_of_cloaks_is_measured() -> None:
    crowd = people(2000, days=1).trajectories(step=3600)
    assert crowd.time is not None
    noon = crowd.take(crowd.time == crowd.time[12])
    grid = Grid.from_bounds(-38.63, -3.88, -38.42, -3.69, size=1000)
    for cloak in (QuadTree(20), QuadTree(20, reciprocal=True), Casper(20), Hilbert(20), NearestNeighbours(20)):
        cloaked = cloak.regions(noon)
        shared = cloaked.sharing(noon)
        centre = CentreOfCloak().run(Scene(noon, cloak.apply(noon, Seeded(1)), grid, cloak)).success
        assert centre is not None
        name = f"`{cloak.name}`" + (", reciprocal" if cloak == QuadTree(20, reciprocal=True) else "")
        area = f"{np.median(cloaked.area) / 1e6:.2f} km²"
        chances = [f"{100 * chance:.1f} %" for chance in (float((1 / shared).mean()), centre)]
        assert f"| {name} | {area} | {shared.min()} | {' | '.join(chances)} |" in PAGE
