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
    out = directory / "peers"
    cobogo.anonymize(policy).write(out)

    def anonymize() -> None:
        cobogo.anonymize(frame, policy).to_pandas()

    task = f"{ROWS:,} rows, {WIDTH} attributes, k = 5"
    tasks: tuple[tuple[str, str, Callable[[], Any], str], ...] = (
        ("anjana", f"anonymize: {task}", anonymize, "both full-domain, same hierarchies; ours is the optimum"),
        ("anonypy", f"anonymize: {task}", anonymize, "ours full-domain, the other local (Mondrian)"),
        ("pycanon", f"verify: {task}", lambda: cobogo.verify(out), "ours also checks every hash"),
    )
    for peer, what, work, remark in tasks:
        note = remark
        ours = of_call(work)
        start = time.perf_counter()
        command = [python, HERE / "peers" / "run.py", peer, data, out / "public" / "release.csv", str(WIDTH)]
        try:
            said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
            theirs = json.loads(said.splitlines()[-1])["seconds"]
        except subprocess.TimeoutExpired:
            theirs, note = time.perf_counter() - start, f"{remark}; it was stopped before its end"
        except subprocess.CalledProcessError as error:
            print(f"{peer} left out: {error.stderr.strip().splitlines()[-1]}")
            continue
        yield Result(what, ours, peer, Spent(theirs, 0.0), note)


def _frame(data: Path) -> Any:
    import pandas as pd

    return pd.read_csv(data, sep=";", dtype=str)
