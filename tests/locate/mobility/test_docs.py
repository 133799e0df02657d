"""What the page about how a city moves says is true: its Python runs, its tables are those of the code."""

import re
from pathlib import Path

import pytest

from cobogo.locate.mobility.counts import ABOUT, SHARES
from support.paths import ROOT

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "where.md").read_text(encoding="utf-8")


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(found) == 3
    names: dict[str, object] = {}
    for block in found:
        exec(block, names)
    assert {file.name for file in tmp_path.iterdir()} == {"day.png", "day.html"}


def test_its_parts_are_those_of_the_model() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE))
    assert rows == {name: f"{ABOUT[name]} | {int(share * 24)}/24" for name, share in SHARES.items()}


def test_its_picture_shows_its_table() -> None:
    import sys

    sys.path.insert(0, str(ROOT))
    from figures.where import POPULATION_BY_HOUR, WITHOUT_NOISE

    rows = re.findall(r"^\| ([\d,]+) \| (∞|[\d.]+) \| [\d,]+ \| ([\d,]+) \|", PAGE, re.MULTILINE)
    assert len(rows) == 15
    for people, epsilon, metres in rows:
        number, found = int(people.replace(",", "")), float(metres.replace(",", ""))
        drawn = WITHOUT_NOISE[number] if epsilon == "∞" else POPULATION_BY_HOUR[number][float(epsilon)]
        assert drawn == found
