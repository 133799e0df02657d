"""The guide on the example table, run once: 20,000 invented people, ten releases."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from cobogo.studies.guide.results import Guide
from cobogo.studies.guide.run import run_demo


class Demo(NamedTuple):
    """What a run of the demo found, and where its files are."""

    found: Guide
    place: Path


@pytest.fixture(scope="package")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    place = tmp_path_factory.mktemp("guide") / "demo"
    return Demo(run_demo(place, rows=20_000), place)
