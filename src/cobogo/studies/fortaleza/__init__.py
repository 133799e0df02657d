"""Fortaleza, made up: its land, bairros and towers, and people who move about (`people`), for examples and tests."""

from __future__ import annotations

from cobogo.studies.fortaleza.land import FRAME, bairro_rings, city_land, city_layers, layers_below, residents, towers
from cobogo.studies.fortaleza.lives import sites
from cobogo.studies.fortaleza.people import UTC_OFFSET, CityPeople, people

__all__ = [
    "FRAME",
    "UTC_OFFSET",
    "CityPeople",
    "bairro_rings",
    "city_land",
    "city_layers",
    "layers_below",
    "people",
    "residents",
    "sites",
    "towers",
]
