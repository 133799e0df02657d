"""The same task by packages of PyPI, on the same table and machine. They live in an environment of their own."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cobogo
from benchmarks import tables
from benchmarks.measure import Result, Spent, of_call

HERE = Path(__file__).parent
ENVIRONMENT = Path(os.environ.get("COBOGO_PEERS", HERE.parent / ".venv-peers"))
ROWS, WIDTH = 30_000, 6
RELEASED = 1_000_000
PATIENCE = 600


def beside_peers(directory: Path) -> Iterator[Result]:
    """Anonymizing a frame in memory beside anjana and anonypy; verifying a release beside pycanon."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.is_file():
        print(f"peers left out: no environment at {ENVIRONMENT} (make bench installs it)")
        return
    data = tables.write(directory, ROWS, WIDTH)
    policy = tables.policy(data, WIDTH)
    frame = _frame(data)

    def anonymize() -> None:
        cobogo.anonymize(frame, policy).to_pandas()

    task = f"{ROWS:,} rows, {WIDTH} attributes, k = 5"
    note = "both full-domain, with the same hierarchies; ours is the optimum"
    yield from _beside(python, "anjana", f"anonymize: {task}", anonymize, data, data, note)
    note = "ours full-domain, the other local (Mondrian)"
    yield from _beside(python, "anonypy", f"anonymize: {task}", anonymize, data, data, note)
    for rows in (ROWS, RELEASED):
        out = directory / f"released-{rows}"
        cobogo.anonymize(tables.policy(tables.write(directory, rows, WIDTH), WIDTH)).write(out)
        what = f"verify: {rows:,} rows, {WIDTH} attributes, k = 5"
        release = out / "public" / "release.csv"
        yield from _beside(
            python, "pycanon", what, lambda out=out: cobogo.verify(out), data, release, "ours checks every hash, too"
        )


def _beside(
    python: Path, peer: str, what: str, work: Callable[[], Any], data: Path, release: Path, note: str
) -> Iterator[Result]:
    ours = of_call(work)
    start = time.perf_counter()
    command = [python, HERE / "peers" / "run.py", peer, data, release, str(WIDTH)]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    except subprocess.TimeoutExpired:
        theirs = Spent(time.perf_counter() - start, 0.0)
        yield Result(what, ours, peer, theirs, f"{note}; it was stopped before its end")
    except subprocess.CalledProcessError as error:
        print(f"{peer} left out: {error.stderr.strip().splitlines()[-1]}")
    else:
        yield Result(what, ours, peer, Spent(**json.loads(said.splitlines()[-1])), note)


def _frame(data: Path) -> Any:
    import pandas as pd

    return pd.read_csv(data, sep=";", dtype=str)
