"""A frontier on the terminal."""

from __future__ import annotations

from cobogo.faces.cli import console, speaking
from cobogo.studies.frontier import Frontier


def lines(found: Frontier) -> str:
    """A table with one row for each choice."""
    say = speaking.words()
    solved = [point for point in found.points if point.levels is not None]
    attributes = list(solved[0].levels or ()) if solved else []
    measured = [say(f"h.{key}") for key in ("suppressed", "classes", "smallest", "inference", "risk")]
    header = [*found.varied, *attributes, found.metric, *measured]
    values = iter(say.column([point.value for point in solved]))
    rows = []
    for point in found.points:
        given = [say.number(value) for value in point.given.values()]
        if point.levels is None:
            cells = [*("" for _ in attributes), say("no solution"), *("" for _ in range(5))]
        else:
            levels = [say.number(level) for level in point.levels.values()]
            counts = [say.number(number) for number in (point.suppressed, point.classes, point.smallest)]
            cells = [*levels, next(values), *counts, say.percent(point.worst_inference), say.percent(point.risk)]
        rows.append([*given, *cells])
    return console.table(header, rows, numbers=range(len(header)))
