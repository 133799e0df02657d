"""Words and numbers that many clients hold, found without a list of candidates."""

from __future__ import annotations

from cobogo.collect.discovery.base import Discovery
from cobogo.collect.discovery.prefixes import Prefixes
from cobogo.collect.discovery.puzzles import Puzzles

DISCOVERIES: dict[str, type[Discovery]] = {kind.name: kind for kind in (Prefixes, Puzzles)}
"""A new one is registered here."""
