"""Kernels made ready while the data is read: loaded from the cache, or compiled once after an installation."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.hierarchy import SUPPRESSED, Hierarchy
from cobogo.data.policy import Policy
from cobogo.data.table import kernels
from cobogo.data.table.frequency import FrequencyTable, Joint
from cobogo.errors import CobogoError
from cobogo.examine import metrics
from cobogo.floor.kernels import interpret_no_more
from cobogo.promises.models import Domain, Histogram
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.t_closeness import TCloseness
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.lattice.blocks import Blocks, inner_columns
from cobogo.publish.recode.lattice.bounds import Yardstick
from cobogo.publish.recode.lattice.search import optimal
from cobogo.publish.recode.lattice.walk import DenseWalk

LARGE = 2_000_000  # bytes of a file whose distinct rows are more than the interpreted kernels should handle


_threads: list[threading.Thread] = []


def start() -> None:
    """Load or compile the kernels in a thread; once in a process."""
    if not _threads:
        _threads.append(threading.Thread(target=_recode_two_people, name="cobogo-kernels"))
        _threads[0].start()


def start_for(policy: Policy, data: Any) -> None:
    """The same, if the data (the policy's own where they are None) are a file so large that compiled kernels pay."""
    path = policy.home / str(policy.data.path) if data is None else data
    if isinstance(path, str | Path) and _bytes(Path(path)) > LARGE:
        start()


def _bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):  # a pattern, a URL, a file that is not there: whoever reads it will say so
        return 0


def finish(on_wait: Callable[[], None]) -> None:
    """Wait for the thread, if there is one; ``on_wait`` is called first where kernels are being compiled, which takes
    long."""
    for thread in _threads:
        if thread.is_alive() and not compiled_before():
            on_wait()
        thread.join()


def compiled_before() -> bool:
    """Whether an earlier run left compiled kernels."""
    place = kernels.roll_up.compiled.stats.cache_path
    return place is not None and any(Path(place).glob("kernels.roll_up-*.nbi"))


def _recode_two_people() -> None:
    """Recode two people of two towns, compiled however few they are."""
    interpret_no_more()
    table = FrequencyTable(
        quasi_identifiers=("town",),
        values={"town": ("Crato", "Sobral")},
        codes=np.array([[0], [1]], dtype=np.int32),
        counts=np.ones(2, dtype=np.int64),
        histograms={},
    )
    optimal(
        Problem(
            table=table,
            hierarchies=(Hierarchy.from_columns("town", [["Crato", "Sobral"], [SUPPRESSED, SUPPRESSED]]),),
            models=(KAnonymity(2),),
            metric=metrics.find_metric("loss"),
            limit=1,
            lowest=(0,),
            highest=(1,),
            weights=(1.0,),
        )
    )


def compile_everything() -> None:
    """Compile the kernels of all algorithms by letting each recode a small table: for the end of an installation."""
    from cobogo.publish.recode.algorithms import ALGORITHMS

    models = [
        (KAnonymity(3),),
        (KAnonymity(3), LDiversity("illness", 2)),
        (LDiversity("illness", 1.5, "entropy"), LDiversity("illness", 2, "recursive", 3.0)),
        (TCloseness("illness", 0.4), TCloseness("illness", 0.4, "ordered")),
    ]
    for algorithm in ALGORITHMS.values():
        for wanted in models:
            with contextlib.suppress(CobogoError):
                algorithm(_village().replace_models(wanted), time_limit=2.0)
    _count_a_block()


def _count_a_block() -> None:
    """Count the nodes of a block, as a search does only in large tables."""
    interpret_no_more()
    problem = replace(_village().replace_models([KAnonymity(3)]), metric=metrics.find_metric("aecs"))
    block = Blocks(problem, inner_columns(problem)).count(problem.lowest)
    yardstick = Yardstick(problem)
    DenseWalk(problem, yardstick).note_block(problem.lowest, block, *yardstick.bracket(block.spread, block.floor))


def _village() -> Problem:
    """A few hundred people: towns of four states, ages, illnesses."""
    towns = [f"{state}{town}" for state in "ABCD" for town in range(5)]
    ages = [str(age) for age in range(20, 60)]
    trees = (
        Hierarchy.from_columns("town", [towns, [town[0] for town in towns], [SUPPRESSED] * len(towns)]),
        Hierarchy.from_columns("age", [ages, [age[0] for age in ages], [SUPPRESSED] * len(ages)]),
    )
    numbers = np.arange(400)
    tuples, first = np.unique(np.stack([numbers * 7 % 20, numbers * numbers % 40], axis=1), axis=0, return_index=True)
    size = len(tuples)
    domain = Domain("illness", ("1", "2", "3"), np.bincount(first % 3, minlength=3) * 2)
    illness = Histogram(np.arange(size + 1), (first % 3).astype(np.int32), np.full(size, 2), domain)
    table = FrequencyTable(
        quasi_identifiers=("town", "age"),
        values={"town": tuple(towns), "age": tuple(ages)},
        codes=tuples.astype(np.int32),
        counts=np.full(size, 2),
        histograms={"illness": illness},
        joint=Joint(illness, np.arange(3, dtype=np.int32)[:, None], {"illness": domain.labels}),
    )
    return Problem(
        table=table,
        hierarchies=trees,
        models=(),
        metric=metrics.find_metric("loss"),
        limit=size // 10,
        lowest=(0, 0),
        highest=(2, 2),
        weights=(1.0, 1.0),
    )


if __name__ == "__main__":
    compile_everything()
