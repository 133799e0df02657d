"""RAPPOR decoded from the same counts by our two rules and by that of Google's decoder: strings found and invented.

Google's rule, from its published analysis: nonnegative least squares on the estimated bits, five times, four of them
with noise of the estimates' own size added; a string is found whose mean is above two standard deviations of the five.
Here it is written anew. Its bounds on the sum and on single bits are left out. The counts are seeded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from benchmarks.measure import Result, of_call, once
from cobogo.collect.rappor.decode import estimate_bits
from cobogo.collect.rappor.filters import RapporParameters, bloom_filters
from cobogo.collect.rappor.simulation import PAPER, DrawnCounts, decode_drawn, draw_counts
from cobogo.floor.randomness import Seeded

CLIENTS = 1_000_000
SHARE = 0.1
"""The share of false ones that the rule fdr may expect: at it, the rule finds about as many as Google's."""

STRICT = RapporParameters.from_decimals(bits=128, hashes=2, cohorts=128, f="0.45", p="0.39", q="0.61")
"""ε = 1 for a report: the parameters of most of Google's regression tests."""

SET_UPS: dict[str, tuple[str, RapporParameters, dict[str, Any]]] = {
    "paper, exponential": ("exponential", PAPER, {"extra": 100}),
    "paper, normal": ("normal", PAPER, {"extra": 100}),
    "paper, Zipf": ("zipf", PAPER, {"extra": 100}),
    "typical, 8 bits": ("exponential", replace(STRICT, bits=8), {"extra": 20, "missing": 10}),
    "sharp, normal": ("normal", STRICT, {}),
    "ten times the candidates": ("exponential", STRICT, {"extra": 1000, "missing": 10}),
}


CANDIDATES = 100_000


def many_candidates(_: Path, clients: int = CLIENTS, candidates: int = CANDIDATES) -> Iterator[Result]:
    """The paper's normal distribution with many more candidates, in this process: what it takes, and how much memory
    the process has had at its peak."""
    drawn = draw_counts("normal", clients, PAPER, Seeded(1), extra=100)
    more = [*drawn.candidates, *(f"other {n}" for n in range(candidates - len(drawn.candidates)))]
    many = replace(drawn, candidates=more)
    found: list[Any] = []
    spent = once(lambda: found.append(decode_drawn(many, PAPER)))
    note = f"found/invented: {found[0].detected}/{found[0].invented}; at most {spent.megabytes:,.0f} MB"
    yield Result(f"RAPPOR decoded, {candidates:,} candidates", spent, note=note)


def decoding(_: Path, clients: int = CLIENTS, names: Sequence[str] = tuple(SET_UPS)) -> Iterator[Result]:
    """Each set-up, by each rule."""
    for name in names:
        shape, parameters, others = SET_UPS[name]
        drawn = draw_counts(shape, clients, parameters, Seeded(1), **others)
        note = ", ".join(f"{rule} {found}/{invented}" for rule, (found, invented) in tally(drawn, parameters).items())
        ours = of_call(partial(decode_drawn, drawn, parameters), 1)
        other = of_call(partial(google_found, drawn, parameters), 1)
        yield Result(f"RAPPOR decoded, {name}", ours, "Google's rule", other, f"found/invented: {note}")


def tally(drawn: DrawnCounts, parameters: RapporParameters) -> dict[str, tuple[int, int]]:
    """Strings found that somebody holds, and strings found that nobody does, by each rule."""
    ours = {name: decode_drawn(drawn, parameters, level=level, rule=rule) for name, (rule, level) in RULES.items()}
    found = {rule: (one.detected, one.invented) for rule, one in ours.items()}
    theirs = google_found(drawn, parameters)
    return {**found, "google": (len(theirs & set(drawn.names)), len(theirs - set(drawn.names)))}


RULES = {"bonferroni": ("bonferroni", 0.05), "at 0.001": ("bonferroni", 0.001), "fdr": ("fdr", SHARE)}


def google_found(drawn: DrawnCounts, parameters: RapporParameters, seed: int = 1) -> set[str]:
    """What Google's rule finds."""
    reports = drawn.counted[:, :1]
    heights, spread = (part / reports for part in estimate_bits(drawn.counted, parameters))
    filters = bloom_filters(drawn.candidates, parameters).transpose(0, 2, 1).reshape(-1, len(drawn.candidates))
    design = filters.astype(np.float64)
    draws = np.random.default_rng(seed)  # made-up data, and Google's own way to an error: nothing here is private
    targets = [heights, *(heights + spread * draws.standard_normal(heights.shape) for _ in range(4))]
    root = np.linalg.cholesky(design.T @ design + 1e-9 * np.eye(design.shape[1]))
    fits = np.array([nnls(root.T, np.linalg.solve(root, design.T @ target.reshape(-1)))[0] for target in targets])
    there = fits.mean(axis=0) > 1e-6 / drawn.counted[:, 0].sum() + 2 * fits.std(axis=0, ddof=1)
    return {name for name, found in zip(drawn.candidates, there, strict=True) if found}
