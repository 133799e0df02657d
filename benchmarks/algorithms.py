"""Every algorithm on the Adult extract: what it loses, how long it computes, and what it promises.

``python -m benchmarks.algorithms [K …]`` prints the table of docs/results.md as Markdown. It needs the extract beside
the project (see `benchmarks.local`). Eight quasi-identifiers; everything may be suppressed, which costs what it
loses. Occupation is sensitive, and the label of the algorithm that learns.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.local import ARX, QUASI
from cobogo.errors import CobogoError
from cobogo.publish.anonymize import prepare, solve
from cobogo.publish.recode.algorithms import ALGORITHMS, invents_records, releases_one_table


def policy(directory: Path, algorithm: str, k: int) -> dict[str, Any]:
    """The policy of one run."""
    columns = (directory / "adult.csv").open().readline().strip().split(";")
    trees = {
        name: {"csv": str(directory / f"adult_hierarchy_{name}.csv"), "separator": ";"}
        for name in columns
        if name in QUASI
    }
    one = releases_one_table(algorithm)
    model = {"model": "k-anonymity", "k": k} if one else {"model": "l-diversity", "l": min(k, 5)}
    label = {"label": "occupation"} if algorithm == "top-down" else {}
    return {
        "data": {"path": str(directory / "adult.csv"), "separator": ";"},
        "attributes": {
            name: {"role": "quasi-identifier", "hierarchy": trees[name]} if name in QUASI else {"role": "sensitive"}
            for name in columns
        },
        "privacy": {"models": [model]},
        "recoding": {"algorithm": algorithm, "suppression-limit": 1.0} | label,
    }


def run(directory: Path, algorithm: str, k: int) -> str:
    """Loss and seconds of computing, or why there is none."""
    try:
        prepared = prepare(policy(directory, algorithm, k))
        begin = time.process_time()
        release = solve(prepared)
    except CobogoError as error:
        return f"({type(error).__name__})"
    loss = release.metrics.get("loss")
    return f"{'–' if loss is None else f'{loss:.4f}'} ({time.process_time() - begin:.1f} s)"


def main(ks: list[int]) -> None:
    """Print the table."""
    directory = Path(os.environ.get("COBOGO_ADULT", "../shared/data/adult"))
    if not (directory / "adult.csv").is_file():
        sys.exit(f"benchmarks.algorithms: {directory} has no adult.csv: say where it is with COBOGO_ADULT")
    print("| algorithm | " + " | ".join(f"k = {k}" for k in ks) + " |")
    print("|---|" + "---|" * len(ks))
    print("| *ARX, local recoding* | " + " | ".join(f"*{ARX.get(k, float('nan')):.4f}*" for k in ks) + " |", flush=True)
    for algorithm in ALGORITHMS:
        if releases_one_table(algorithm) and not invents_records(algorithm):
            cells = [run(directory, algorithm, k) for k in ks]
            print(f"| `{algorithm}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or list(ARX))
