"""How far long work is, and how long each of its stages takes."""

from __future__ import annotations

import time
from collections.abc import Callable

Steps = Callable[[int, int], None]
"""Called with how many steps are done, and of how many."""

Progress = Callable[[str, int, int], None]
"""Called with the stage's name, how many steps of it are done, and of how many."""


def silent(stage: str, done: int, total: int) -> None:
    """Say nothing."""


class Stopwatch:
    """Adds the seconds of a block to a stage's."""

    def __init__(self, seconds: dict[str, float], stage: str) -> None:
        self.seconds, self.stage = seconds, stage

    def __enter__(self) -> None:
        self.start = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        self.seconds[self.stage] = self.seconds.get(self.stage, 0.0) + time.perf_counter() - self.start
