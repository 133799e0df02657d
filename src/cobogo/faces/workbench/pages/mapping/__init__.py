"""Map: a mechanism hides where people are, an attacker guesses, and both can be watched as time goes by."""

from __future__ import annotations

from cobogo.faces.workbench.frame import framed
from cobogo.faces.workbench.pages.mapping.player import Player
from cobogo.faces.workbench.session import Desk


async def build(desk: Desk) -> None:
    """The page."""
    with framed(desk, "mapping") as session:
        if session is not None:
            await Player(desk, session).build()
