"""Loops over arrays, compiled by Numba as soon as that pays.

Loading the compiler and its cached code takes a third of a second, longer than the loops of a small table take in
plain Python. So a kernel that is marked ``small_in_python`` runs as the function it is while its arrays are small and
all kernels of the process together have taken less than the compiler would. Every other kernel is compiled (or loaded
from what the installation compiled) when it is first called, and Numba is imported no earlier than that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

from cobogo.floor.lean import load_numba

FEW_ELEMENTS = 60_000  # in all arrays of a call together; a call with more is never interpreted
PATIENCE = 0.15  # seconds of CPU that all interpreted calls may take together, before compiled code is loaded


class Kernel:
    """A function that loops over arrays, and its compiled form. Kernels that call it compile it into themselves."""

    spent = 0.0  # seconds of CPU in interpreted calls, of all kernels

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], *, small_in_python: bool) -> None:
        self.function, self._options, self._small_in_python = function, options, small_in_python
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Compiled, or interpreted where that is quicker."""
        if self._small_in_python and Kernel.spent < PATIENCE and _elements(arguments) < FEW_ELEMENTS:
            return self.interpret(*arguments)
        return self.compiled(*arguments)

    def interpret(self, *arguments: Any) -> Any:
        """Run as a function of Python; whole numbers wrap around without a warning, as compiled ones do."""
        import numpy as np

        start = time.thread_time()
        with np.errstate(over="ignore"):
            found = self.function(*arguments)
        Kernel.spent += time.thread_time() - start
        return found

    @cached_property
    def compiled(self) -> Any:
        """The compiled form, made or loaded at its first call."""
        return load_numba().njit(**self._options)(self.function)

    @property
    def _numba_type_(self) -> Any:
        """What Numba takes this for where another kernel calls it."""
        return load_numba().types.Dispatcher(self.compiled)


def interpret_no_more() -> None:
    """Run every kernel compiled from now on: what comes is so large that the compiler pays."""
    Kernel.spent = PATIENCE


def kernel(*, small_in_python: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a kernel of a function that Numba can compile.

    ``small_in_python``: it gives the same without being compiled, and need not be for small arrays.
    """
    chosen = {"cache": True, "nogil": True} | options
    return lambda function: Kernel(function, chosen, small_in_python=small_in_python)


def _elements(arguments: tuple[Any, ...]) -> int:
    return sum(getattr(argument, "size", 0) for argument in arguments)
