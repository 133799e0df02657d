"""Map: location mechanisms and attacks on a map."""

from __future__ import annotations

from cobogo.workbench.frame import framed
from cobogo.workbench.session import Desk


def build(desk: Desk) -> None:
    """The page."""
    with framed(desk, "mapping"):
        pass
