"""``make bench``: run every benchmark, print the ratios, keep them as JSON beside."""

from __future__ import annotations

import itertools
import json
import platform
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

import cobogo
from cobogo.demo import ceara
from cobogo.demo.run import Case, policy
from cobogo.recode.evaluate import Evaluator
from cobogo.recode.search import optimal

RESULTS = Path(__file__).parent / "results"


def seconds(work: Callable[[], Any], times: int = 3) -> float:
    """The best of a few runs."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def engine_alone(data: Path, copy: Path) -> None:
    """What any verified release costs the engine: count the input, copy it in random order, count the copy."""
    grouped = (
        "SELECT localidade, data_nascimento, count(*) FROM read_csv('{}', delim=';', all_varchar=true) GROUP BY ALL"
    )
    with duckdb.connect() as engine:
        engine.execute(grouped.format(data)).fetchall()
        engine.execute(
            f"COPY (SELECT * FROM read_csv('{data}', delim=';', all_varchar=true) ORDER BY random()) TO '{copy}' "
            "(FORMAT csv, DELIMITER ';', HEADER)"
        )
        engine.execute(grouped.format(copy)).fetchall()


def whole_job(directory: Path, rows: int) -> dict[str, Any]:
    """CSV in, verified release and report out, against the engine's own work."""
    data = directory / f"{rows}.csv"
    ceara.write(data, rows)
    ours = seconds(lambda: cobogo.anonymize(data, policy(Case(4), "en")).write(directory / "out"))
    engine = seconds(lambda: engine_alone(data, directory / "copy.csv"))
    return {"what": f"whole job, {rows:,} rows", "seconds": ours, "against": "engine alone", "ratio": ours / engine}


def search_against_all_nodes(directory: Path) -> dict[str, Any]:
    """The optimal search against checking every node with the same kernels."""
    data = directory / "search.csv"
    ceara.write(data, 100_000)
    problem = cobogo.anonymize(data, policy(Case(4, 3), "en")).problem
    nodes = list(itertools.product(*(range(h.height + 1) for h in problem.hierarchies)))

    def every_node() -> None:
        evaluator = Evaluator(problem)
        for node in nodes:
            evaluator.check(node)

    ours, all_nodes = seconds(lambda: optimal(problem)), seconds(every_node)
    return {"what": "optimal search", "seconds": ours, "against": "every node", "ratio": ours / all_nodes}


def main() -> None:
    """Run, print, keep."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        found = [whole_job(directory, 30_000), whole_job(directory, 300_000), search_against_all_nodes(directory)]
    print(f"{'what':<32}{'seconds':>9}  {'against':<14}{'ratio':>7}")
    for row in found:
        print(f"{row['what']:<32}{row['seconds']:>9.2f}  {row['against']:<14}{row['ratio']:>7.2f}")
    RESULTS.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cobogo": cobogo.__version__}
    (RESULTS / "latest.json").write_text(json.dumps({"machine": machine, "results": found}, indent=1))


if __name__ == "__main__":
    main()
