"""Reviews of a written release, whole commands: verify, risk and audit, against the engine's own read and count."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb

from benchmarks.large import POLICY, generate
from benchmarks.measure import PYTHON, Result, Spent, in_turn, of_process

REVIEWED, VERIFIED = 1_000_000, 3_000_000
QUASI = ("age", "sex", "city", "admitted", "disease")


def reviews(directory: Path) -> Iterator[Result]:
    """Audit and risk of a release of a million rows, with its original as knowledge; verify of three million."""
    for rows, commands in ((REVIEWED, ("audit", "risk")), (VERIFIED, ("verify",))):
        home = _release(directory / str(rows), rows)
        arguments = {
            "audit": ["audit", str(home / "out"), "--json"],
            "risk": ["risk", str(home / "people.csv"), "--policy", str(home / "policy.toml"), "--json"],
            "verify": ["verify", str(home / "out")],
        }
        for command in commands:
            file = home / "people.csv" if command == "risk" else home / "out" / "public" / "release.csv"
            ours, engine = in_turn(
                lambda chosen=arguments[command]: _run("ours", *chosen), lambda file=file: _run("engine", str(file))
            )
            note = f"a new process, files in the system's cache; at most {ours.megabytes:,.0f} MB"
            yield Result(f"{command}, whole command, {rows:,} rows", ours, "engine's count", engine, note)


def _run(*arguments: str) -> Spent:
    return of_process([PYTHON, "-m", "benchmarks.reviews", json.dumps(arguments)])


def _release(home: Path, rows: int) -> Path:
    """A table of made-up people as CSV, its policy, and its release."""
    generate(home / "parts", rows)
    duckdb.sql(f"COPY (FROM '{home / 'parts'}/*.parquet') TO '{home / 'people.csv'}' (HEADER)")
    policy = POLICY.replace('path = "people"', 'path = "people.csv"').replace('"parquet"', '"csv"')
    (home / "policy.toml").write_text(policy, encoding="utf-8")
    _run("ours", "anonymize", str(home / "policy.toml"), "--out", str(home / "out"), "--quiet")
    return home


def engine_alone(file: Path) -> None:
    """What the engine needs for the least of it: the file's hash, and its classes."""
    with file.open("rb") as stream:
        hashlib.file_digest(stream, "sha256")
    with duckdb.connect() as engine:
        names = ", ".join(QUASI)
        source = f"read_csv('{file}', header=true, all_varchar=true)"
        engine.execute(f"SELECT {names}, count(*) FROM {source} GROUP BY ALL").fetchall()


if __name__ == "__main__":
    which, *given = json.loads(sys.argv[1])
    if which == "engine":
        engine_alone(Path(given[0]))
    else:
        from cobogo.faces.cli.main import run

        try:
            run(given)
        except SystemExit as end:  # 1: an audit that exposes somebody has run, too
            sys.exit(0 if end.code in (None, 0, 1) else end.code)
