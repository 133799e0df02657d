"""Local recoding of the Adult extract: loss and computing time, against the best known elsewhere.

``python -m benchmarks.local [SECONDS]``; needs the Adult extract beside the project (``../shared/data/adult``, or the
directory in ``COBOGO_ADULT``). SECONDS is the policy's time limit; without it, the default.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from cobogo.publish.anonymize import prepare
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.local.search import local

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
ARX = {2: 0.0176, 5: 0.0281, 10: 0.0475, 50: 0.0987, 100: 0.1284}
"""The loss of ARX's local recoding: about ten seconds for k = 5, its fast setting for the others."""
LEAST = {2: 0.0073, 5: 0.0163, 10: 0.0241, 50: 0.0509, 100: 0.0678}
"""Each record in its cheapest class of k, whatever becomes of the others: nothing can lose less."""
OTHERS: dict[str, list[dict[str, Any]]] = {
    "k = 5, l = 3": [{"model": "l-diversity", "attribute": "occupation", "l": 3}],
    "k = 5, entropy l = 4": [{"model": "l-diversity", "attribute": "occupation", "kind": "entropy", "l": 4}],
    "k = 5, t = 0.4": [{"model": "t-closeness", "attribute": "occupation", "t": 0.4}],
    "k = 5, t = 0.2": [{"model": "t-closeness", "attribute": "occupation", "t": 0.2}],
}


def adult(directory: Path, k: int, more: list[dict[str, Any]], quasi: tuple[str, ...] = QUASI) -> Problem:
    """The problem of releasing the extract without suppression."""
    columns = (directory / "adult.csv").open().readline().strip().split(";")
    roles = {name: "quasi-identifier" if name in quasi else "sensitive" for name in columns}
    attributes = {
        name: {"role": role, "hierarchy": {"csv": str(directory / f"adult_hierarchy_{name}.csv"), "separator": ";"}}
        for name, role in roles.items()
    }
    policy = {
        "data": {"path": str(directory / "adult.csv"), "separator": ";"},
        "attributes": attributes,
        "privacy": {"models": [{"model": "k-anonymity", "k": k}, *more]},
        "recoding": {"algorithm": "local"},
    }
    return prepare(policy).problem


def measured(problem: Problem, seconds: float | None) -> tuple[float, float]:
    """Loss, and seconds of computing."""
    begin = time.process_time()
    found = local(problem, time_limit=seconds)
    return found.value, time.process_time() - begin


def main() -> None:
    """Measure and print."""
    directory = Path(os.environ.get("COBOGO_ADULT", "../shared/data/adult"))
    if not (directory / "adult.csv").is_file():
        sys.exit(f"benchmarks.local: {directory} has no adult.csv: say where it is with COBOGO_ADULT")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else None
    local(adult(directory, 2, []), time_limit=0.5)  # compile
    local(adult(directory, 2, OTHERS["k = 5, l = 3"]), time_limit=0.5)
    print(f"{'':<24}{'loss':>9}{'seconds':>9}{'ARX':>9}{'at least':>10}")
    for k, theirs in ARX.items():
        loss, took = measured(adult(directory, k, []), seconds)
        print(f"{f'k = {k}':<24}{loss:>9.4f}{took:>9.1f}{theirs:>9.4f}{LEAST[k]:>10.4f}", flush=True)
    loss, took = measured(adult(directory, 5, [], (*QUASI, "occupation")), seconds)
    print(f"{'k = 5, nine attributes':<24}{loss:>9.4f}{took:>9.1f}{0.0577:>9.4f}", flush=True)
    for name, more in OTHERS.items():
        loss, took = measured(adult(directory, 5, more), seconds)
        print(f"{name:<24}{loss:>9.4f}{took:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
