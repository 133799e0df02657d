"""Large tables: ``python -m benchmarks.large [rows] [memory]`` makes one as Parquet, anonymizes it, within a bound of
memory such as ``4GB`` where one is given, and says what that took.

``make bench`` runs it with 10 million rows; ``make bench LARGE=100000000`` with more, ``LARGE=0`` leaves it out.
The job runs in a process of its own, so that the memory measured is its own.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

PART = 10_000_000
ROWS = 10_000_000

POLICY = """
[data]
path = "people"
[attributes]
id = { role = "identifier" }
age = { role = "quasi-identifier", hierarchy = { intervals = [5, 10, 20, 40], lower = 0, upper = 120 } }
sex = { role = "quasi-identifier" }
city = { role = "quasi-identifier", hierarchy = { path = "/" } }
admitted = { role = "quasi-identifier", hierarchy = { dates = "%Y-%m", levels = ["%Y"] } }
disease = { role = "sensitive" }
cost = { role = "non-sensitive" }
[privacy]
models = [{ model = "k-anonymity", k = 10 }, { model = "l-diversity", l = 3 }]
[recoding]
suppression-limit = 0.01
[output]
format = "parquet"
"""


def generate(directory: Path, rows: int) -> None:
    """People in a directory of parts: skewed cities and diseases, half a million combinations and more."""
    directory.mkdir(parents=True)
    with duckdb.connect() as engine:
        engine.execute("SET enable_progress_bar = false")
        for number, start in enumerate(range(0, rows, PART)):
            engine.execute(
                f"""COPY (
                SELECT n AS id,
                  (20 + 30 * (h % 1000) / 1000 + 40 * (h // 1000 % 1000) / 1000)::INTEGER AS age,
                  CASE h // 1000000 % 2 WHEN 0 THEN 'F' ELSE 'M' END AS sex,
                  format('city {{}}/region {{}}', (1000 * pow(h % 9973 / 9973, 3))::INTEGER,
                         (1000 * pow(h % 9973 / 9973, 3))::INTEGER // 50) AS city,
                  strftime(DATE '2020-01-01' + (h // 7 % 730)::INTEGER, '%Y-%m') AS admitted,
                  format('disease {{}}', (40 * pow(h // 11 % 997 / 997, 2))::INTEGER) AS disease,
                  (h // 13 % 50000) / 100 AS cost
                FROM (SELECT range AS n, hash(range) // 2 AS h
                      FROM range({start}, {min(start + PART, rows)}))
                ) TO '{directory / f"{number:03}.parquet"}' (FORMAT parquet, COMPRESSION zstd)"""
            )


def measure(rows: int, directory: Path, memory: str | None = None) -> dict[str, Any]:
    """Generate, anonymize in a process of its own, and tell time, memory and size."""
    generate(directory / "people", rows)
    (directory / "policy.toml").write_text(POLICY)
    code = "from cobogo.faces.cli.main import run; run()"
    command = ["anonymize", str(directory / "policy.toml"), "--out", str(directory / "out")]
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", code, *command, *([] if memory is None else ["--memory", memory])],
        check=True,
        env={**os.environ, "TMPDIR": str(directory)},
    )
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads((directory / "out/evidence/report.json").read_bytes())
    return {
        "what": f"Parquet to Parquet, {rows:,} rows" + (f", {memory}" if memory else ""),
        "seconds": seconds,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_gib": used.ru_maxrss / 2**20,
        "input_gib": sum(file.stat().st_size for file in (directory / "people").iterdir()) / 2**30,
        "stages": report["seconds"],
    }


def main(arguments: list[str]) -> None:
    """Print what was found."""
    rows = int(arguments[0]) if arguments else int(os.environ.get("LARGE", ROWS))
    if not rows:
        print("large tables: left out")
        return
    with tempfile.TemporaryDirectory() as name:
        found = measure(rows, Path(name), *arguments[1:2])
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
