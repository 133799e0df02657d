"""How far long work is, and how long each of its stages takes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

PAUSE = 0.3
"""Seconds between two lines of progress in a notebook, and before the first: shorter work shows none, and the cell does
not flicker."""

Steps = Callable[[int, int], None]
"""Called with how many steps are done, and of how many."""

Progress = Callable[[str, int, int], None]
"""Called with the stage's name, how many steps of it are done, and of how many."""


def silent(stage: str, done: int, total: int) -> None:
    """Say nothing."""


def show_in_notebook(stage: str, done: int, total: int) -> None:
    """Show the stage below the cell of a notebook that runs, until the cell is done; nothing elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if getattr(shell, "kernel", None) is not None:
        _LINE.show(shell, f"{stage} {done:,} / {total:,}" if total else stage)


class CellLine:
    """One line of output, below whichever cell runs. It needs no widgets: the line is replaced, and emptied at the
    end."""

    def __init__(self) -> None:
        self.cell, self.last, self.handle = -1, 0.0, None

    def show(self, shell: Any, text: str) -> None:
        """Replace the line, unless it was replaced a moment ago."""
        now = time.monotonic()
        if self.cell != shell.execution_count:
            self.cell, self.last, self.handle = shell.execution_count, now, None
        if now - self.last < PAUSE:
            return
        self.last = now
        if self.handle is not None:
            self.handle.update({"text/plain": text}, raw=True)
            return
        from IPython.display import display

        self.handle = display({"text/plain": text}, raw=True, display_id=True)
        shell.events.register("post_run_cell", self.clear)
        self.shell = shell

    def clear(self, *result: Any) -> None:  # noqa: ARG002
        """Empty the line: the cell is done."""
        if self.handle is not None:
            self.handle.update({"text/plain": ""}, raw=True)
        self.handle = None
        self.shell.events.unregister("post_run_cell", self.clear)


_LINE = CellLine()


class Stopwatch:
    """Adds the seconds of a block to a stage's."""

    def __init__(self, seconds: dict[str, float], stage: str) -> None:
        self.seconds, self.stage = seconds, stage

    def __enter__(self) -> None:
        self.start = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        self.seconds[self.stage] = self.seconds.get(self.stage, 0.0) + time.perf_counter() - self.start
