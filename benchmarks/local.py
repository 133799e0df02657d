"""Local recoding: loss and computing time, beside mondrian-relaxed and the best known elsewhere.

``python -m benchmarks.local [SECONDS]``; the Adult extract is measured where it is beside the project
(``../shared/data/adult``, or the directory in ``COBOGO_ADULT``), made-up tables always. SECONDS is the policy's time
limit; without it, the default.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import tables
from cobogo.publish.anonymize import prepare
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.local.search import local
from cobogo.publish.recode.partition.mondrian import mondrian_relaxed

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
ARX = {2: 0.0176, 5: 0.0281, 10: 0.0475, 50: 0.0987, 100: 0.1284}
"""The loss of ARX's local recoding: about ten seconds for k = 5, its fast setting for the others."""
OTHERS: dict[str, tuple[dict[str, Any], float]] = {
    "l = 5": ({"model": "l-diversity", "attribute": "occupation", "l": 5}, 0.0535),
    "t = 0.3": ({"model": "t-closeness", "attribute": "occupation", "t": 0.3}, 0.294),
    "t = 0.2": ({"model": "t-closeness", "attribute": "occupation", "t": 0.2}, 0.445),
}
"""Other models, and the loss of ARX's local recoding."""
MADE_UP = ((63_000, 8), (20_000, 16), (15_000, 24), (1_000_000, 8))
"""Rows and quasi-identifiers."""


def adult(directory: Path, models: list[dict[str, Any]], quasi: tuple[str, ...] = QUASI) -> Problem:
    """The problem of releasing the extract; as many records may be suppressed as is best."""
    columns = (directory / "adult.csv").open().readline().strip().split(";")
    roles = {name: "quasi-identifier" if name in quasi else "sensitive" for name in columns}
    attributes = {
        name: {"role": role, "hierarchy": {"csv": str(directory / f"adult_hierarchy_{name}.csv"), "separator": ";"}}
        for name, role in roles.items()
    }
    policy = {
        "data": {"path": str(directory / "adult.csv"), "separator": ";"},
        "attributes": attributes,
        "privacy": {"models": models},
        "recoding": {"algorithm": "local", "suppression-limit": 1.0},
    }
    return prepare(policy).problem


def problems(directory: Path) -> Iterator[tuple[str, Problem, float | None]]:
    """Names, problems, and the loss known elsewhere."""
    home = Path(os.environ.get("COBOGO_ADULT", "../shared/data/adult"))
    if (home / "adult.csv").is_file():
        for k, theirs in ARX.items():
            yield f"Adult, k = {k}", adult(home, [{"model": "k-anonymity", "k": k}]), theirs
        for name, (model, theirs) in OTHERS.items():
            yield f"Adult, {name}", adult(home, [model]), theirs
    for rows, width in MADE_UP:
        policy = tables.policy(tables.write(directory, rows, width), width, limit=1.0, algorithm="local")
        yield f"{rows:,} rows, {width} attributes", prepare(policy).problem, None


def measured(problem: Problem, algorithm: Any, seconds: float | None) -> tuple[float, float]:
    """Loss, and seconds of computing."""
    begin = time.process_time()
    found = algorithm(problem, time_limit=seconds)
    return found.value, time.process_time() - begin


def main() -> None:
    """Measure and print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else None
    print(f"{'':<30}{'local':>9}{'seconds':>9}{'mondrian-relaxed':>18}{'seconds':>9}{'ARX':>9}")
    with tempfile.TemporaryDirectory() as directory:
        for name, problem, theirs in problems(Path(directory)):
            base, quick = measured(problem, mondrian_relaxed, None)
            loss, took = measured(problem, local, seconds)
            beside = "" if theirs is None else f"{theirs:9.4f}"
            print(f"{name:<30}{loss:>9.4f}{took:>9.1f}{base:>18.4f}{quick:>9.1f}{beside}", flush=True)


if __name__ == "__main__":
    main()
