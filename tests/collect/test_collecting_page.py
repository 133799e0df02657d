"""The page about collecting, followed word by word; its tables of keys against the code."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import pytest
from pydantic import BaseModel

from cobogo.collect.collection import Collection
from cobogo.collect.discovery import DiscoveryCollection
from cobogo.collect.frequency import FrequencyCollection
from cobogo.collect.means import MeanCollection
from cobogo.collect.mechanisms import MECHANISMS
from cobogo.collect.rappor.protocol import RapporCollection
from cobogo.collect.sketch_protocol import SketchCollection
from support.pages import ROOT, blocks, follow, page, rows, section

pytestmark = pytest.mark.slow

TELEMETRY = ROOT / "examples" / "telemetry"
TEXT = page("collecting")


@pytest.fixture
def telemetry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example, with its devices made up, to work in."""
    here = tmp_path / "telemetry"
    shutil.copytree(TELEMETRY, here, ignore=shutil.ignore_patterns("*.csv", "__pycache__"))
    monkeypatch.chdir(here)
    runpy.run_path("devices.py")["main"]()
    return here


def test_the_page(telemetry, capsys):
    assert (telemetry / "os.toml").read_text(encoding="utf-8") in blocks(TEXT, "toml")
    follow(TEXT, capsys)
    names: dict[str, object] = {}
    for block in blocks(TEXT, "python"):
        capsys.readouterr()
        exec(block, names)
        expected = [line.split(")  # ")[1] for line in block.splitlines() if line.lstrip().startswith("print(")]
        assert capsys.readouterr().out.splitlines() == expected


def test_the_example(telemetry, capsys, tmp_path):
    follow((telemetry / "README.md").read_text(encoding="utf-8"), capsys)
    capsys.readouterr()
    runpy.run_path("device.py")["main"](str(tmp_path))
    *days, spent = capsys.readouterr().out.splitlines()
    systems = [day.split("  ")[1] for day in days]
    assert len(set(systems[:3])) == len(set(systems[3:5])) == 1
    assert systems[5].startswith("nothing")
    assert systems[6] == systems[0]
    assert len({day.split("  ")[2] for day in days}) == 7
    assert spent == "spent on the system: ε = 2; on the page: ε = 7.784"


KEYS: dict[str, tuple[type[BaseModel], ...]] = {
    "The collection": (Collection,),
    "Listed values": (FrequencyCollection,),
    "Any string": (RapporCollection, SketchCollection),
    "Words that nobody knows": (DiscoveryCollection,),
    "Numbers": (MeanCollection,),
}


@pytest.mark.parametrize("title", KEYS)
def test_every_key_is_documented(title):
    documented = rows(section(TEXT, title))
    shared = set() if title == "The collection" else set(Collection.model_fields)
    fields = {
        field.alias or name: field
        for part in KEYS[title]
        for name, field in part.model_fields.items()
        if name not in shared
    }
    assert documented.keys() == fields.keys()
    for key, field in fields.items():
        assert (documented[key][2] == "required") is field.is_required()
        if not field.is_required() and field.default is not None:
            assert documented[key][2].strip("`") == str(field.default).replace("()", "[]")


def test_every_mechanism_is_documented():
    assert [name for name in MECHANISMS if f"`{name}`" not in TEXT] == []
