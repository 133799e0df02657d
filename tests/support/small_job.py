"""A job of four people: its table, its policy, and commands run on it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.commands import Said, called

DATA = "name;age;city;disease\nAna;31;Sobral;flu\nBia;34;Sobral;cold\nCaio;52;Crato;flu\nDavi;58;Crato;cold\n"
POLICY = """
[data]
path = "a.csv"
separator = ";"
[attributes]
name = { role = "identifier" }
age = { role = "quasi-identifier", hierarchy = { intervals = [10, 20], top = true } }
city = { role = "quasi-identifier" }
disease = { role = "sensitive" }
[privacy]
models = [{ model = "k-anonymity", k = 2 }, { model = "l-diversity", l = 2 }]
"""


def cobogo(*words: object, cwd: Path, code: int = 0, **environment: str) -> Said:
    """Run a command: in this process, or in one of its own where an environment is given."""
    if not environment:
        return called(*words, cwd=cwd, code=code)
    done = subprocess.run(
        [sys.executable, "-c", "from cobogo.faces.cli.main import run; run()", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "200", **environment},
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return Said(done.stdout, done.stderr)
