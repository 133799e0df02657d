"""The mobility model: fitting it and drawing from it, beside sorting the same records; and how near it comes.

``python -m benchmarks.where`` prints the table of docs/where.md as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks.measure import Result, of_call
from cobogo.locate.mobility import Space, sample
from cobogo.locate.mobility.counts import bound_calls
from cobogo.locate.mobility.fidelity import fidelity
from cobogo.locate.mobility.model import fit_model
from cobogo.studies import fortaleza

FIRST, DAYS = date(2024, 3, 4), 7
EPSILONS = (None, "10", "1", "0.5", "0.1")
SIZES = (1_000, 10_000, 100_000)
DRAWS = 3


def mobility(directory: Path, people: int = 10_000) -> Iterator[Result]:  # noqa: ARG001
    """Making up people, fitting the model to their calls and drawing as many from it, beside a sort of the calls."""
    crowd = fortaleza.people(people, days=DAYS)
    calls = crowd.calls()
    space = Space(calls.cells, FIRST, DAYS, utc_offset=fortaleza.UTC_OFFSET)
    mixed = np.random.default_rng(1).permutation(len(calls))
    sorting = of_call(lambda: np.lexsort((calls.time[mixed], calls.user[mixed])))
    model = fit_model(calls, space, Fraction(1))
    steps = {
        "made-up people, every 10 minutes": lambda: fortaleza.people(people, days=DAYS).trajectories(),
        "mobility model, fitted at ε = 1": lambda: fit_model(calls, space, Fraction(1)),
        "people drawn from the model": lambda: sample(model),
    }
    for name, work in steps.items():
        yield Result(f"{name}, {people:,} × {DAYS} days", of_call(work), "sorting", sorting, f"{len(calls):,} calls")


def table() -> None:
    """Markdown: earth mover's distances over people and ε."""
    print("| people | ε | daily range, m | population by hour, m | home, m | work, m |")
    print("|---|---|---|---|---|---|")
    for people in SIZES:
        calls = fortaleza.people(people, days=DAYS).calls()
        space = Space(calls.cells, FIRST, DAYS, utc_offset=fortaleza.UTC_OFFSET)
        real = bound_calls(calls, space)
        for epsilon in EPSILONS:
            found = []
            for draw in range(DRAWS if people < SIZES[-1] else 1):
                model = fit_model(calls, space, None if epsilon is None else Fraction(epsilon))
                one = fidelity(real, sample(model, seed=draw), space)
                hours = one["population by hour"]
                found.append([one["daily range"]["earth mover's metres"], hours["mean"], one["home"], one["work"]])
            cells = [f"{people:,}", epsilon or "∞", *(f"{figure:,.0f}" for figure in np.mean(found, axis=0))]
            print("| " + " | ".join(cells) + " |", flush=True)
        print(f"| {people:,} | calls from anywhere | | {hours['of calls from anywhere']:,.0f} | | |", flush=True)


if __name__ == "__main__":
    table()
