"""A kernel gives the same whether it is interpreted or compiled, and is compiled when that pays."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from cobogo.errors import CobogoError
from cobogo.floor import kernels
from cobogo.floor.kernels import Kernel, kernel
from cobogo.publish.recode.lattice.search import optimal
from support.effort import examples
from support.random_tasks import problem_of, tasks
from support.reference import Task

pytestmark = pytest.mark.slow


@kernel(small_in_python=True)
def total(numbers):  # type: ignore[no-untyped-def]
    """The sum of the numbers."""
    found = 0
    for number in numbers:
        found += number
    return found


@kernel()
def twice(numbers):  # type: ignore[no-untyped-def]
    """Twice the sum: a kernel that calls another one."""
    return 2 * total(numbers)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kernel, "spent", 0.0)
    monkeypatch.setattr(kernels, "PATIENCE", 1e9)


def test_small_arrays_are_interpreted_and_large_ones_compiled(patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(total, "interpret", lambda *_: ran.append("interpreted"))
    monkeypatch.setitem(vars(total), "compiled", lambda *_: ran.append("compiled"))
    total(np.ones(10, dtype=np.int64))
    total(np.ones(kernels.FEW_ELEMENTS, dtype=np.int64))
    monkeypatch.setattr(Kernel, "spent", 2e9)
    total(np.ones(10, dtype=np.int64))
    assert ran == ["interpreted", "compiled", "compiled"]


def test_a_kernel_compiles_the_kernels_that_it_calls() -> None:
    assert twice(np.arange(5)) == 20
    assert twice.__doc__ == twice.function.__doc__


@settings(deadline=None, max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(task=tasks())
def test_a_search_finds_the_same_interpreted_and_compiled(task: Task) -> None:
    found = []
    for patience in (0.0, 1e9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Kernel, "spent", 0.0)
            patch.setattr(kernels, "PATIENCE", patience)
            try:
                solution = optimal(problem_of(task))
                found.append((solution.levels, solution.value, solution.checked))
            except CobogoError as error:
                found.append((type(error),))
    assert found[0] == found[1]


def test_a_process_of_our_own_loads_no_linear_algebra_with_numba() -> None:
    code = (
        "import sys, numpy as np; from cobogo.floor import lean; from cobogo.data.table.kernels import sum_by;"
        "lean.own_process = True;"
        "sum_by.compiled(np.zeros(3, np.int64), np.ones(3, np.int64), np.zeros(1, np.int64));"
        "print('scipy.linalg' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
