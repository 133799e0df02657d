"""Words and numbers that many clients hold, found without a list of candidates."""

from __future__ import annotations

from cobogo.ldp.discovery.base import Discovery
from cobogo.ldp.discovery.prefixes import Prefixes
from cobogo.ldp.discovery.puzzles import Puzzles

DISCOVERIES: dict[str, type[Discovery]] = {kind.name: kind for kind in (Prefixes, Puzzles)}
"""A new one is registered here."""
