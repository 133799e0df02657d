"""The search alone: on the Adult extract against what ARX needs, and on lattices of a million nodes and more."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import adult, tables
from benchmarks.measure import Result, Spent, of_call, once
from cobogo.examine.metrics import METRICS, find_metric
from cobogo.publish import anonymize as job
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Solution
from cobogo.publish.recode.lattice.classic.genetic import genetic
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.search import optimal

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
    """Made-up people, 60,000 records and 45,000 nodes: each metric against checking every node once, with the same
    compiled code. Both are warm: the code is loaded."""
    file = tables.write(directory, 60_000, 8, sizes=tables.TALL, branches=3, steepness=2.0)
    problem = job.prepare(tables.policy(file, 8, label="illness")).problem
    every = once(lambda: _check_every_node(replace(problem, metric=find_metric("discernibility"))))
    for name, metric in METRICS.items():
        steered = replace(problem, metric=metric)
        spent = of_call(lambda steered=steered: optimal(replace(steered)), times=1)
        yield Result(f"search: 8 attributes, by {name}", spent, "every node", every, _found(optimal(steered)))


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
        yield _against_genetic(directory, width, rows)


def _against_genetic(directory: Path, width: int, rows: int) -> Result:
    """Both searches in ten seconds, every suppression allowed: what is compared is the loss, in the note."""
    data = tables.write(directory, rows, width)
    problem = job.prepare(tables.policy(data, width, limit=1.0)).problem
    found: list[Solution] = []
    spent = of_call(lambda: found.append(optimal(replace(problem), time_limit=10.0)), times=1)
    ours = found[-1]
    beside = of_call(lambda: found.append(genetic(replace(problem), time_limit=10.0)), times=1)
    theirs = found[-1]
    note = f"loss {ours.value:.4f}, {ours.value / theirs.value:.3f} of that of genetic; {_found(ours)}"
    return Result(f"search: {width} attributes, {rows:,} rows, time-limit 10", spent, "genetic", beside, note)


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
