"""The command itself: its help, its version, its former names, its terminal."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cobogo.faces.cli.main import PANELS
from support.small_job import cobogo

pytestmark = pytest.mark.slow


def test_version_and_unknown_options(here: Path) -> None:
    assert cobogo("--version", cwd=here).stdout.startswith("cobogo 0.")
    cobogo("anonymize", "p.toml", "--nonsense", cwd=here, code=2)
    command = [sys.executable, "-m", "cobogo.faces.cli", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.startswith("cobogo 0.")


def test_a_terminal_that_cannot_write_accents(here: Path) -> None:
    cobogo("anonymize", "p.toml", "--out", "out", cwd=here, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")


@pytest.mark.parametrize(("old", "new"), [("dp", "answer"), ("ldp", "collect"), ("location", "locate")])
def test_a_former_name_is_refused_with_the_new_one(old: str, new: str, tmp_path: Path) -> None:
    said = cobogo(old, "plan", "x", cwd=tmp_path, code=2)
    assert said.stdout == ""
    assert said.stderr.startswith(f"cobogo: {old} is now {new}.")
    assert f"cobogo {new} plan …" in said.stderr


def test_help_shows_the_doors_in_order_of_use(tmp_path: Path) -> None:
    said = cobogo("--help", cwd=tmp_path, COLUMNS="200").stdout
    panels = ["Begin", "Publish", "Answer", "Collect", "Locate", "Examine", "Serve", "Look up"]
    assert [line.split()[1] for line in said.splitlines() if line.startswith("╭─")] == [
        "Options", *(panel.split()[0] for panel in panels)
    ]  # fmt: skip
    listed = [line.split()[1] for line in said.splitlines() if line.startswith("│ ") and line[2] != " "]
    assert [name for name in listed if not name.startswith("-")] == [
        name for panel in PANELS.values() for name in panel
    ]


INTERRUPTED_WHILE_LOADING = """
import os, signal, sys
class Interrupt:
    def find_spec(self, name, *more):
        if name == "cobogo.faces.cli.main":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
from cobogo.faces.cli import run
run()
"""


def test_an_interrupt_while_the_command_loads_ends_it_silently() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED_WHILE_LOADING], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, b"", b"")
