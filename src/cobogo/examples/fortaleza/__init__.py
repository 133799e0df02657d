"""Fortaleza, made up: bairros, an outline, towers, and people who move about (`people`), for examples and tests."""

from __future__ import annotations

from cobogo.examples.fortaleza.bairros import CENTRES, COAST, OUTLINE, PLACES
from cobogo.examples.fortaleza.land import FRAME, ground, residents
from cobogo.examples.fortaleza.lives import sites
from cobogo.examples.fortaleza.people import UTC_OFFSET, People, people
from cobogo.examples.fortaleza.towers import towers

__all__ = [
    "CENTRES", "COAST", "FRAME", "OUTLINE", "PLACES", "UTC_OFFSET", "People", "ground", "people", "residents",
    "sites", "towers",
]  # fmt: skip
