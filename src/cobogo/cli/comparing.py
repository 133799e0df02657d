"""A comparison on the terminal."""

from __future__ import annotations

from cobogo.cli import console
from cobogo.comparison import Comparison
from cobogo.report.words import words


def lines(found: Comparison) -> str:
    """A table with one row for each algorithm, and below it why some made nothing."""
    say = words("en")
    header = ["algorithm", found.metric, "suppressed", "classes", "smallest", "inference", "risk", "seconds"]
    values = iter(say.column([run.value for run in found.runs if run.solved]))
    rows = []
    for run in found.runs:
        if not run.solved:
            rows.append([run.algorithm, "none", *("" for _ in header[2:])])
            continue
        counts = [say.number(number) for number in (run.suppressed, run.classes, run.smallest)]
        chances = [say.percent(run.inference), say.percent(run.risk)]
        rows.append([run.algorithm, next(values), *counts, *chances, f"{run.seconds:.2f}"])
    text = [console.table(header, rows, numbers=range(1, len(header)))]
    text += [f"{run.algorithm}: {run.why}." for run in found.runs if not run.solved]
    return "\n".join(text)
