"""Synthetic data on a census-like table: how far pairs of columns are off, by method and ε, and what it takes.

``python -m benchmarks.synthetic`` prints the table of docs/synthesis.md as Markdown.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import adult, tables
from benchmarks.measure import Result, Spent
from cobogo.data.policy import Policy
from cobogo.data.table.read import open_source
from cobogo.floor.randomness import Entropy
from cobogo.publish.synthesize import METHODS
from cobogo.publish.synthesize.domains import AttributeDomain, declared_domains, encode_rows
from cobogo.publish.synthesize.private import PrivateTable
from cobogo.publish.synthesize.release import Cost
from cobogo.publish.synthesize.story import Fidelity, fidelity

EPSILONS = (0.1, 1.0, 10.0)
DELTA = 1e-9


def census(directory: Path, rows: int = 30_000) -> tuple[str, tuple[AttributeDomain, ...], list[Any], str]:
    """The Adult extract with its nine columns, or a table much like it; its domains, its rows as codes, a label."""
    if adult.is_there():
        policy = adult.policy(adult.HOME / "adult.csv", quasi=(*adult.QUASI, "occupation"))
        name, label = "Adult", "salary-class"
    else:
        policy = tables.policy(tables.write(directory, rows, 9), 9)
        policy["attributes"]["illness"] = {"role": "identifier"}
        name, label = "made-up census", "q1"
    rules = Policy.of({key: policy[key] for key in ("data", "attributes")} | {"synthesis": {}})
    domains = declared_domains(rules, rules.quasi_identifiers)
    return name, domains, list(encode_rows(open_source(rules), domains, ".").codes), label


def once(
    method: str, domains: tuple[AttributeDomain, ...], codes: list[Any], label: str | None, epsilon: float
) -> tuple[Spent, Fidelity]:
    """Learn, draw and compare."""
    policy = Policy.of({"attributes": {"x": {"role": "sensitive"}}, "synthesis": {"epsilon": epsilon, "delta": DELTA}})
    assert policy.synthesis is not None
    rows = PrivateTable(
        tuple(d.size for d in domains), tuple(codes), Cost.from_policy(policy.synthesis, "benchmark").rho
    )
    wall, cpu = time.perf_counter(), time.process_time()
    fitted = METHODS[method].fit(rows, 2)
    drawn = fitted.draw(max(1, round(fitted.records)), Entropy())
    spent = Spent(time.perf_counter() - wall, time.process_time() - cpu)
    after = [column.astype(np.int32) for column in drawn]
    return spent, fidelity(domains, codes, after, queries=1000, selectivity=0.05, seed=0, label=label)


def synthetic(directory: Path, rows: int = 30_000, methods: tuple[str, ...] = tuple(METHODS)) -> Iterator[Result]:
    """Every method beside the copula, which protects nobody."""
    name, domains, codes, _ = census(directory, rows)
    beside, _ = once("copula-without-guarantee", domains, codes, None, 1.0)
    for method in methods:
        private = METHODS[method].private
        for epsilon in EPSILONS if private else EPSILONS[:1]:
            spent, found = once(method, domains, codes, None, epsilon)
            cost = f"ε = {epsilon:g}, " if private else ""
            note = f"{cost}pairs {found.mean_of_pairs:.4f}, single {found.mean_of_ones:.4f} (total variation)"
            yield Result(f"synthetic: {method}, {name}", spent, "copula", beside, note)


def main(methods: list[str]) -> None:
    """The table of the page about it."""
    with tempfile.TemporaryDirectory() as directory:
        name, domains, codes, label = census(Path(directory))
        print(f"{name}: {len(codes[0]):,} records, {len(domains)} columns, δ = {DELTA:g}\n")
        print("| method | ε | single columns | pairs | worst pair | queries | logistic regression | CPU seconds |")
        print("|---|---|---|---|---|---|---|---|")
        for method in methods or METHODS:
            for epsilon in EPSILONS if METHODS[method].private else (1.0,):
                spent, found = once(method, domains, codes, label, epsilon)
                accuracy = (found.accuracy or {})["models"]["logistic-regression"]
                cells = [
                    f"`{method}`", f"{epsilon:g}" if METHODS[method].private else "none", f"{found.mean_of_ones:.4f}",
                    f"{found.mean_of_pairs:.4f}", f"{found.pairs[0].distance:.3f}",
                    f"{(found.queries or {})['mean']:.4f}",
                    f"{accuracy['release']:.3f} (original {accuracy['original']:.3f})", f"{spent.cpu:.1f}",
                ]  # fmt: skip
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
