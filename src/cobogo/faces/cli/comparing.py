"""A comparison on the terminal."""

from __future__ import annotations

from cobogo.faces.cli import console, speaking
from cobogo.studies.comparison import Comparison


def lines(found: Comparison) -> str:
    """A table with one row for each algorithm, and below it why some made nothing."""
    say = speaking.words()
    measured = [say(f"h.{key}") for key in ("suppressed", "classes", "smallest", "inference", "risk")]
    header = [say("algorithm"), found.metric, *measured, say("seconds")]
    values = iter(say.column([run.value for run in found.runs if run.solved]))
    rows = []
    for run in found.runs:
        if not run.solved:
            rows.append([run.algorithm, say("none"), *("" for _ in header[2:])])
            continue
        counts = [say.number(number) for number in (run.suppressed, run.classes, run.smallest)]
        chances = [say.percent(run.worst_inference), say.percent(run.risk)]
        rows.append([run.algorithm, next(values), *counts, *chances, say.fixed(run.seconds, ".2f")])
    text = [console.table(header, rows, numbers=range(1, len(header)))]
    text += [f"{run.algorithm}: {speaking.sentence(str(run.why))}." for run in found.runs if not run.solved]
    return "\n".join(text)
