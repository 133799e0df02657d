"""Risk and attacks: what an intruder could do before and after."""

from __future__ import annotations

from cobogo.workbench.frame import framed
from cobogo.workbench.session import Desk


def build(desk: Desk) -> None:
    """The page."""
    with framed(desk, "risk"):
        pass
