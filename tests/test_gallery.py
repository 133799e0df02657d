"""Every script of the gallery runs, at a small size, and draws what the page shows."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

from support.paths import ROOT

pytestmark = pytest.mark.slow

GALLERY = ROOT / "examples" / "gallery"
PAGE = (GALLERY.parents[1] / "docs" / "gallery.md").read_text(encoding="utf-8")
SIZES = {
    "covid_ceara": 2_000,
    "mobility_fortaleza": 3,
    "salary_survey": 500,
    "telemetry_rappor": 20_000,
    "traffic_fines": 1_000,
}


@pytest.fixture(autouse=True)
def _beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(GALLERY))


def run(name: str, *arguments: object) -> None:
    spec = importlib.util.spec_from_file_location(name, GALLERY / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(*arguments)
    sys.modules.pop("canvas", None)


@pytest.mark.parametrize("name", SIZES)
def test_a_story(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(name, str(tmp_path), SIZES[name])
    assert [file.name for file in tmp_path.iterdir()] == [f"gallery-{name.replace('_', '-')}.png"]
    assert capsys.readouterr().out


def test_adult_with_a_table_of_its_shape(tmp_path: Path) -> None:
    rows = [("Male", 20 + n % 50, "White", "Married", "Bachelors", "<=50K") for n in range(300)]
    names = ["sex", "age", "race", "marital-status", "education", "salary-class"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "adult.csv", index=False)
    (tmp_path / "out").mkdir()
    run("adult", str(tmp_path / "adult.csv"), str(tmp_path / "out"))
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["gallery-adult.png"]


def test_the_page_tells_every_story_and_shows_its_picture() -> None:
    scripts = {file.stem for file in GALLERY.glob("*.py")} - {"canvas"}
    assert scripts == {*SIZES, "adult"}
    for name in scripts:
        assert f"`{name}.py`" in PAGE
        picture = f"gallery-{name.replace('_', '-')}.png"
        assert f"images/{picture}" in PAGE
        assert (GALLERY.parents[1] / "docs" / "images" / picture).is_file()
    assert len(re.findall(r"!\[", PAGE)) == len(scripts)
