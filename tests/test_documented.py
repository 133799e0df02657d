"""Whatever is public is explained: names by their docstrings, rooms by the map of those who want to build."""

import re
import subprocess
import sys
import tomllib

import pytest
from press.names import described, rooms, tables

import cobogo
from support.paths import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", [name for name in cobogo.__all__ if name != "__version__"])
def test_every_public_name_has_a_docstring_and_a_section(name: str) -> None:
    assert (getattr(cobogo, name).__doc__ or "").strip()
    assert f"## {name}\n" in (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def test_every_name_of_every_public_room_is_explained() -> None:
    missing = [f"{room}.{name}" for room, names in rooms().items() for name in names if described(room, name) is None]
    assert missing == []
    text = tables()
    assert all(f"| `{name}` |" in text for names in rooms().values() for name in names)


def test_the_citation_is_that_of_this_version() -> None:
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert cited["version"] == cobogo.__version__
    assert (
        cited["license"] == tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["license"]
    )
    assert all(
        author.keys() <= {"name", "family-names", "given-names", "orcid", "website"} for author in cited["authors"]
    )
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(cited["date-released"]))


def test_a_missing_library_names_its_extra() -> None:
    """Whatever room asks for a library that is not there, the command says what brings it."""
    code = (
        "import sys; sys.modules['scipy'] = None; sys.modules['scipy.spatial'] = None\n"
        "from cobogo.faces.cli.main import run; run(['locate', 'people', '--out', 'nowhere', '--number', '3'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'cobogo[location]'" in done.stderr
    assert "Traceback" not in done.stderr
