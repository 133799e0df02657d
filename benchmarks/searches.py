"""The search alone: on the Adult extract against what ARX needs, and on lattices of a million nodes and more."""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import adult, tables
from benchmarks.measure import Result, Spent, of_call, once
from cobogo.examine.metrics import METRICS, find_metric
from cobogo.publish import anonymize as job
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import Solution
from cobogo.publish.recode.lattice.classic.genetic import genetic
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.search import optimal
from cobogo.publish.recode.lattice.walk import predecessors, successors

SECONDS = 10.0
"""What each search has in a lattice too large to go through."""

ARX = "ARX 3.9.2"
"""Its search alone, in CPU seconds, on a machine of this kind: the figures are not taken again in this run."""

NINE = (*adult.QUASI, "occupation")
BY_METRIC: dict[float, dict[str, float]] = {
    0.0: {
        "precision": 0.0253, "iloss": 0.0258, "discernibility": 0.0251, "aecs": 0.0276, "height": 0.0253,
        "entropy": 0.0268, "normalized-entropy": 0.0238, "kl-divergence": 0.0895, "ambiguity": 0.0238,
    },
    0.05: {
        "precision": 0.1455, "iloss": 0.2062, "discernibility": 0.3113, "aecs": 0.3319, "height": 0.2773,
        "entropy": 0.3581,
    },
}  # fmt: skip
"""Its seconds with eight attributes and k = 5, by limit and metric."""
CLOSE = {"model": "t-closeness", "attribute": "occupation", "distance": "equal", "t": 0.2}


def on_adult(directory: Path) -> Iterator[Result]:
    """The extract, and tables of up to three million rows drawn from it."""
    if not adult.is_there():
        return
    data = adult.HOME / "adult.csv"
    yield _against_arx("8 attributes, k = 5, limit 5 %", adult.policy(data), 0.24)
    for limit, seconds_of in BY_METRIC.items():
        for metric, seconds in seconds_of.items():
            policy = adult.policy(data, limit=limit, metric=metric)
            yield _against_arx(f"8 attributes, k = 5, limit {limit:.0%}, by {metric}", policy, seconds)
    yield _against_arx("9 attributes, k = 5, limit 100 %", adult.policy(data, quasi=NINE, limit=1.0), 2.9)
    yield _against_arx("8 attributes, k = 5, t = 0.2, limit 5 %", adult.policy(data, CLOSE, sensitive=True), 0.82)
    for rows, seconds in ((300_000, 4.0), (1_000_000, 14.2), (3_000_000, 44.5)):
        file = adult.sample(directory, rows)
        yield _against_arx(f"{rows:,} rows, 8 attributes, k = 5, limit 5 %", adult.policy(file), seconds)


def by_every_metric(directory: Path) -> Iterator[Result]:
    """Made-up people, 60,000 records and 45,000 nodes: each metric, with nothing, some and everything suppressed at
    most, against making the table of every node once. Both are warm: the code is loaded."""
    file = tables.write(directory, 60_000, 8, sizes=tables.TALL, branches=3, steepness=2.0)
    problem = job.prepare(tables.policy(file, 8, label="illness")).problem
    every = once(lambda: _check_every_node(replace(problem, metric=find_metric("discernibility"))))
    for limit, (name, metric) in itertools.product((0.0, 0.05, 1.0), METRICS.items()):
        steered = replace(problem, metric=metric, limit=int(limit * problem.scale.records))
        spent, *_, found = _once(steered, None)
        yield Result(f"search: 8 attributes, limit {limit:.0%}, by {name}", spent, "every node", every, found)


def _check_every_node(problem: Problem) -> None:
    evaluator = Evaluator(problem)
    for levels in itertools.product(*map(range, [top + 1 for top in problem.highest])):
        evaluator.check(levels)


def _against_arx(what: str, policy: dict[str, Any], seconds: float) -> Result:
    problem = job.prepare(policy).problem
    spent = of_call(lambda: optimal(replace(problem)))
    return Result(f"search: Adult, {what}", spent, ARX, Spent(seconds, seconds), _found(optimal(problem)))


def on_large_lattices(directory: Path) -> Iterator[Result]:
    """Made-up people: a lattice of more than a million nodes proven, and fifty attributes within a time limit."""
    problem = _wide(directory, 14)
    yield Result("search: 14 attributes", *_once(problem, None))
    for width, rows in ((16, 73_000), (24, 30_000), (50, 30_000)):
        yield _against_heuristics(directory, width, rows)


def _against_heuristics(directory: Path, width: int, rows: int) -> Result:
    """Ten seconds each, every suppression allowed: what is compared is the loss, in the note. All check nodes with the
    same compiled code, so that only what they choose to check is different."""
    data = tables.write(directory, rows, width)
    problem = job.prepare(tables.policy(data, width, limit=1.0)).problem
    found: list[Solution] = []
    spent = once(lambda: found.append(optimal(replace(problem), time_limit=SECONDS)))
    beside = once(lambda: found.append(genetic(replace(problem), time_limit=SECONDS)))
    others = {
        "genetic": found[1].value,
        "from the top": _best_first(problem, problem.highest, -1),
        "from the bottom": _best_first(problem, problem.lowest, 1),
    }
    losses = ", ".join(f"{name} {value:.4f}" for name, value in {"loss": found[0].value, **others}.items())
    what = f"search: {width} attributes, {rows:,} rows, time-limit {SECONDS:.0f}"
    return Result(what, spent, "genetic", beside, f"{losses}; {_found(found[0])}")


def _best_first(problem: Problem, start: Levels, step: int) -> float:
    """The least loss found by going from one end of the lattice to the other, always on from the best node seen so far:
    what ARX calls top-down and bottom-up search."""
    evaluator, deadline = Evaluator(problem), time.monotonic() + SECONDS
    seen: dict[Levels, float] = {}
    queue: list[tuple[float, Levels]] = []

    def look(levels: Levels) -> None:
        node = evaluator.check(levels)
        seen[levels] = node.value if node.satisfied else math.inf
        heapq.heappush(queue, (seen[levels], levels))

    look(start)
    while queue and time.monotonic() < deadline:
        _, levels = heapq.heappop(queue)
        beside = predecessors(levels, problem.lowest) if step < 0 else successors(levels, problem.highest)
        for node in beside:
            if node not in seen and time.monotonic() < deadline:
                look(node)
    return min(seen.values())


def _wide(directory: Path, width: int) -> Problem:
    return job.prepare(tables.policy(tables.write(directory, 30_000, width), width)).problem


def _once(problem: Problem, limit: float | None) -> tuple[Spent, str, None, str]:
    found: list[Solution] = []
    spent = of_call(lambda: found.append(optimal(replace(problem), time_limit=limit)), times=1)
    return spent, "", None, _found(found[-1])


def _found(solution: Solution) -> str:
    proven = "proven" if solution.optimal else "best found"
    nodes = f"{solution.nodes:,}" if solution.nodes < 10**9 else f"{solution.nodes:.0e}"
    gap = "" if solution.optimal or solution.gap is None else f", gap {100 * solution.gap:.0f} %"
    return f"{nodes} nodes, {solution.checked:,} checked, {proven}{gap}"
