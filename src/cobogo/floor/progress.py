"""How long work says how far it is."""

from __future__ import annotations

from collections.abc import Callable

Steps = Callable[[int, int], None]
"""Called with how many steps are done, and of how many."""

Progress = Callable[[str, int, int], None]
"""Called with the stage's name, how many steps of it are done, and of how many."""


def silent(stage: str, done: int, total: int) -> None:
    """Say nothing."""
