"""Kernels made ready while the data is read: loaded from the cache, or compiled once after an installation."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from cobogo import metrics
from cobogo.hierarchy import SUPPRESSED, Hierarchy
from cobogo.models import KAnonymity
from cobogo.recode import kernels
from cobogo.recode.problem import Problem
from cobogo.recode.search import optimal
from cobogo.table.frequency import FrequencyTable


@cache
def start() -> threading.Thread:
    """Begin, in a thread of its own; once in a process."""
    thread = threading.Thread(target=_search_a_toy, name="cobogo-kernels")
    thread.start()
    return thread


def finish(say: Callable[[], None]) -> None:
    """Wait for the end; ``say`` is called first if that takes long because kernels are being compiled."""
    thread = start()
    if thread.is_alive() and not compiled_before():
        say()
    thread.join()


def compiled_before() -> bool:
    """Whether an earlier run left compiled kernels."""
    place = kernels.roll_up.stats.cache_path
    return place is not None and any(Path(place).glob("kernels.roll_up-*.nbi"))


def _search_a_toy() -> None:
    """Two people in two towns, to be told apart no more."""
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
            metric=metrics.named("loss"),
            limit=1,
            lowest=(0,),
            highest=(1,),
            weights=(1.0,),
        )
    )
