"""The same task by packages of PyPI, on the same table and machine. They live in an environment of their own."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
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
    python = environment()
    if python is None:
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
    yield from beside(
        [python, HERE / "peers" / "run.py", peer, data, release, str(WIDTH)], peer, what, of_call(work), note
    )


def environment(peer: str = "") -> Path | None:
    """The Python of the peers' environment, or of one peer's own; None, with a word, where it was not installed."""
    place = ENVIRONMENT.with_name(f"{ENVIRONMENT.name}-{peer}") if peer else ENVIRONMENT
    python = place / "bin" / "python"
    if (place / "installed").is_file() and python.is_file():
        return python
    print(f"{peer or 'peers'} left out: no environment at {place} (make bench installs it where it can)")
    return None


def beside(command: Sequence[str | Path], peer: str, what: str, ours: Spent, note: str) -> Iterator[Result]:
    """What we spent beside what a peer's process says that it did."""
    start = time.perf_counter()
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
