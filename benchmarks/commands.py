"""The whole command, CSV in and verified CSV out, against what the engine alone needs for the least of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from benchmarks import adult, tables
from benchmarks.measure import PYTHON, Result, Spent, in_turn, of_process

ROWS = (300_000, 1_000_000, 3_000_000)
COMMAND = "from cobogo.faces.cli.main import run; run()"


def whole(directory: Path) -> Iterator[Result]:
    """`cobogo anonymize`, from the start of the process to its end, for growing tables."""
    spent: dict[int, tuple[Spent, Spent]] = {}
    for rows in ROWS:
        policy = _policy(directory, rows)
        file = directory / f"policy-{rows}.toml"
        file.write_text(_toml(policy), encoding="utf-8")
        spent[rows] = in_turn(
            lambda file=file: of_process(
                [PYTHON, "-m", "benchmarks.commands", "ours", str(file), str(directory / "out")]
            ),
            lambda policy=policy: of_process(
                [PYTHON, "-m", "benchmarks.commands", "engine", policy["data"]["path"], json.dumps(_quasi(policy))]
            ),
        )
        ours, engine = spent[rows]
        memory = f"at most {ours.megabytes:,.0f} MB (the engine: {engine.megabytes:,.0f} MB)"
        yield Result(f"whole command: {rows:,} rows", ours, "engine alone", engine, memory)
    small, large = spent[ROWS[0]][0], spent[ROWS[-1]][0]
    times = ROWS[-1] / ROWS[0]
    ten = Spent(small.wall * times, small.cpu * times)
    yield Result(f"whole command: growth to {times:.0f} times the rows", large, "linear growth", ten)


def starts(directory: Path) -> Iterator[Result]:
    """What one waits for however little there is to do: whole commands, against the engine that reads the file."""
    jobs = {"13 rows": tables.policy(tables.write(directory, 13, 4), 4, limit=1.0)}
    if adult.is_there():
        jobs["Adult, 30,162 rows"] = adult.policy(adult.HOME / "adult.csv")
    yield _start("cobogo --help", ["--help"], jobs["13 rows"])
    for what, policy in jobs.items():
        file, out = directory / "start.toml", directory / "start"
        file.write_text(_toml(policy), encoding="utf-8")
        yield _start(f"anonymize: {what}", ["anonymize", str(file), "--out", str(out), "--quiet"], policy)
        yield _start(f"verify: {what}", ["verify", str(out)], policy)


def _start(what: str, command: list[str], policy: dict[str, Any]) -> Result:
    reading = f"import duckdb; duckdb.read_csv({policy['data']['path']!r}).fetchall()"
    ours, engine = in_turn(
        lambda: of_process([PYTHON, "-c", COMMAND, *command]), lambda: of_process([PYTHON, "-c", reading]), times=3
    )
    note = f"{ours.cpu:.2f} s of CPU; a new process each time, files in the system's cache"
    return Result(f"whole command: {what}", ours, "engine alone", engine, note)


def _policy(directory: Path, rows: int) -> dict[str, Any]:
    if adult.is_there():
        return adult.policy(adult.sample(directory, rows))
    return tables.policy(tables.write(directory, rows, 8), 8)


def _quasi(policy: dict[str, Any]) -> list[str]:
    return [name for name, said in policy["attributes"].items() if said["role"] == "quasi-identifier"]


def _toml(policy: dict[str, Any]) -> str:
    """Values of JSON are values of TOML, apart from tables."""

    def inline(value: Any) -> str:
        if isinstance(value, dict):
            return "{ " + ", ".join(f"{json.dumps(key)} = {inline(one)}" for key, one in value.items()) + " }"
        return "[" + ", ".join(map(inline, value)) + "]" if isinstance(value, list) else json.dumps(value)

    return "\n".join(f"{name} = {inline(value)}" for name, value in policy.items()) + "\n"


def engine_alone(data: str, quasi: list[str]) -> None:
    """What any verified release costs the engine: count the input, copy it in random order, count the copy."""
    names = ", ".join(f'"{name}"' for name in quasi)
    copy = f"{data}.copy"

    def source(file: str) -> str:
        return f"read_csv('{file}', delim=';', header=true, all_varchar=true)"

    with duckdb.connect() as engine:
        engine.execute(f"CREATE TABLE counted AS SELECT {names}, count(*) FROM {source(data)} GROUP BY ALL")
        engine.execute(
            f"COPY (SELECT * FROM {source(data)} ORDER BY random()) TO '{copy}' (FORMAT csv, DELIMITER ';', HEADER)"
        )
        engine.execute(f"CREATE TABLE again AS SELECT {names}, count(*) FROM {source(copy)} GROUP BY ALL")
    Path(copy).unlink()


if __name__ == "__main__":
    if sys.argv[1] == "engine":
        engine_alone(sys.argv[2], json.loads(sys.argv[3]))
    else:
        from cobogo.faces.cli.main import run

        run(["anonymize", sys.argv[2], "--out", sys.argv[3], "--quiet"])
