"""Every recoding algorithm over small random tasks and over wide ones, for a process that watches its kernels.

Run as a script. With ``NUMBA_BOUNDSCHECK=1`` compiled kernels refuse an index beyond an array; with
``NUMBA_DISABLE_JIT=1`` they are plain Python, which does so, too, and NumPy tells where a number became too large.
"""

from __future__ import annotations

import contextlib
import linecache
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.table.frequency import FrequencyTable, Joint
from cobogo.errors import CobogoError
from cobogo.examine import metrics
from cobogo.floor import kernels
from cobogo.promises.models import Model
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.t_closeness import TCloseness
from cobogo.publish.recode.algorithms import ALGORITHMS
from cobogo.publish.recode.contract.problem import Problem, least_size
from cobogo.publish.recode.local.conditions import compile_conditions
from cobogo.publish.recode.local.exchange import Exchanger
from cobogo.publish.recode.local.improve import Improver, region_ground
from cobogo.publish.recode.local.peel import peel, settle
from cobogo.publish.recode.local.reshape import Reshaper
from cobogo.publish.recode.local.terrain import Terrain
from support.random_tasks import problem_of, tasks
from support.reference import Task

kernels.PATIENCE = 0.0  # what runs is what Numba makes of a kernel, small arrays or not

MODELS: list[tuple[Model, ...]] = [
    (),
    (LDiversity("s", 1.5, "entropy"), LDiversity("s", 2, "recursive", 3.0)),
    (TCloseness("s", 0.4),),
]

HASHES = ("uint64", "MIX", "MORE", "GOLDEN", "token")
"""What a line names in which numbers are meant to wrap around."""

TIMED = frozenset({"local", "marginals", "genetic"})
"""Algorithms that go on until their time is up: what they do would depend on the machine."""

WIDE = frozenset({"top-down", "mondrian-relaxed", "k-member", "k-similar", "oka", "hilbert", "mdav"})
"""Algorithms that are quick over many attributes."""


def told(task: Task) -> Problem:
    """A task with more models, and with what goes with each record, as the engine counts it."""
    problem = problem_of(task, also=MODELS[len(task.tuples) % len(MODELS)] if "s" in task.sensitive else ())
    if len(task.sensitive) != 1:
        return problem
    ((name, known),) = problem.table.histograms.items()
    joint = Joint(known, np.arange(len(known.domain), dtype=np.int32)[:, None], {name: known.domain.labels})
    return replace(problem, table=replace(problem.table, joint=joint))


def wide(attributes: int, height: int, rows: int = 40) -> Problem:
    """Many attributes: their lattice has more nodes than 64 bits can count."""
    random = np.random.default_rng(attributes)
    names = tuple(f"q{number}" for number in range(attributes))
    leaves = [str(number) for number in range(2**height)]
    levels = [[str(number >> level) + "." * level for number in range(2**height)] for level in range(height + 1)]
    codes = np.unique(random.integers(0, 2**height, (rows, attributes)), axis=0).astype(np.int32)
    return Problem(
        table=FrequencyTable(
            quasi_identifiers=names,
            values=dict.fromkeys(names, tuple(leaves)),
            codes=codes,
            counts=np.ones(len(codes), dtype=np.int64),
            histograms={},
        ),
        hierarchies=tuple(Hierarchy.from_columns(name, levels) for name in names),
        models=(KAnonymity(2),),
        metric=metrics.find_metric("loss"),
        limit=rows,
        lowest=(0,) * attributes,
        highest=(height,) * attributes,
        weights=(1.0,) * attributes,
    )


def improve(problem: Problem) -> None:
    """Some steps of the local search, from what peeling the lattice gives."""
    terrain, least = Terrain.from_problem(problem), least_size(problem)
    found = peel(terrain, least=least, skipped=0.99)
    settle(terrain, found)
    ground, asked, start = region_ground(terrain, least), compile_conditions(problem), found.assignment(terrain)
    for kind, steps in ((Improver, 60), (Reshaper, 4)):
        kind(terrain, ground, start).run(steps, heat=1.0)
    if asked is not None:
        Exchanger(terrain, ground, asked, start).run()


def recode(names: Sequence[str]) -> None:
    """Each of some algorithms over each task. Where one finds nothing or refuses, that is an answer."""

    @settings(max_examples=25, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(task=tasks())
    def small(task: Task) -> None:
        for name in set(names) - TIMED:
            with contextlib.suppress(CobogoError):
                ALGORITHMS[name](told(task))
        if "local" in names:
            improve(told(task))

    small()
    for problem in (wide(22, 8), wide(70, 1)):
        for name in WIDE & set(names):
            ALGORITHMS[name](problem)
        if "local" in names:
            improve(problem)


def main(names: Sequence[str]) -> None:
    """Recode, and complain of whole numbers that became too large and were not meant to."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        recode(names or list(ALGORITHMS))
    wrapped = {
        f"{warning.filename}:{warning.lineno}: {line.strip()}"
        for warning in heard
        if "overflow" in str(warning.message)
        and not any(word in (line := linecache.getline(warning.filename, warning.lineno)) for word in HASHES)
    }
    if wrapped:
        raise SystemExit("\n".join(sorted(wrapped)))


if __name__ == "__main__":
    main(sys.argv[1:])
