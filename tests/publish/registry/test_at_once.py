"""Two releases at once, and one that is killed half way: nothing is released that was not checked and recorded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import cobogo
from cobogo.publish.registry import store
from support.commands import RUN
from support.registry_commands import command

pytestmark = pytest.mark.slow

POLICY = """
[data]
path = "people.csv"
unit = "who"

[attributes]
who     = { role = "identifier" }
age     = { role = "quasi-identifier", hierarchy = { intervals = [10] }, min-level = AGE, max-level = AGE }
place   = { role = "quasi-identifier", min-level = PLACE, max-level = PLACE }
illness = { role = "sensitive" }

[privacy]
models = [{ model = "k-anonymity", k = 2 }]

[registry]
path = "registry.db"
dataset = "clinic"
"""
DIES = "import os; from cobogo.floor import files; files._put_in_place = lambda *_: os._exit(9)\n" + RUN
STOPS = (
    """
import os, signal
from cobogo.release import write as writing
writing.{moment} = lambda *_: os.kill(os.getpid(), signal.SIGINT)
"""
    + RUN
)


@pytest.fixture
def home(workplace: Path) -> Path:
    rows = [
        f"{age}{place},{age},{place},{'flu' if age == 21 else 'gout'}" for age in (21, 22, 31, 32) for place in "AB"
    ]
    (workplace / "people.csv").write_text("\n".join(["who,age,place,illness", *rows]) + "\n")
    for name, age, place in (("one", 1, 0), ("other", 0, 1)):
        (workplace / f"{name}.toml").write_text(POLICY.replace("AGE", str(age)).replace("PLACE", str(place)))
    assert command("registry", "init") == 0
    return workplace


def start(code: str, name: str) -> subprocess.Popen[str]:
    words = ["anonymize", f"{name}.toml", "--out", name, "--quiet"]
    env = {**os.environ, "PYTHONPATH": str(Path(cobogo.__file__).parents[1])}
    return subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE, text=True, env=env)


def states() -> dict[str, str]:
    with store.open_registry("registry.db", None).transaction() as book:
        return {entry.id: entry.state for entry in book.entries()}


def test_of_two_at_once_that_do_not_go_together_one_is_refused(home: Path) -> None:
    running = {name: start(RUN, name) for name in ("one", "other")}
    said = {name: process.communicate()[1] for name, process in running.items()}
    codes = {name: process.returncode for name, process in running.items()}
    assert sorted(codes.values()) == [0, 1], said
    (refused,) = [name for name, code in codes.items() if code]
    assert "complementary with clinic-1: exposes 8 people" in said[refused]
    assert not (home / refused).exists()
    assert states() == {"clinic-1": "released"}


def test_one_that_dies_before_it_is_in_place_counts_until_it_is_removed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    process = start(DIES, "one")
    process.communicate()
    assert process.returncode == 9
    assert states() == {"clinic-1": "unfinished"}
    assert not (home / "one").exists()
    assert command("anonymize", "other.toml", "--dry-run") == 1, "a dry run looks back, too"
    assert command("anonymize", "other.toml", "--out", "other", "--quiet") == 1
    assert command("registry", "remove", "clinic-1") == 0, "nobody can have it"
    assert command("anonymize", "other.toml", "--out", "other", "--quiet") == 0
    assert states() == {"clinic-2": "released"}


@pytest.mark.parametrize(("moment", "left"), [("_write_tables", {}), ("seal", {"clinic-1": "unfinished"})])
def test_ctrl_c_leaves_nothing_in_place(moment: str, left: dict[str, str], home: Path) -> None:
    process = start(STOPS.format(moment=moment), "one")
    process.communicate()
    assert process.returncode == 128 + signal.SIGINT
    assert not (home / "one").exists()
    assert states() == left


def test_ctrl_c_at_any_moment_leaves_what_is_whole_and_recorded_or_nothing(home: Path) -> None:
    process = start(RUN, "one")
    time.sleep(0.8)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode in (0, -signal.SIGINT, 128 + signal.SIGINT)
    if (home / "one").exists():
        assert cobogo.verify(home / "one")
        assert list(states()) == ["clinic-1"]
