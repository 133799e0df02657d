"""Pictures of the page about how a city moves. The figures were measured by ``python -m benchmarks.where``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cobogo.locate import maps
from cobogo.studies import fortaleza
from cobogo.tell.report.canvas import BLUE, MUTED, ORANGE
from cobogo.tell.report.curves import Axis, Curve, decades, draw

POPULATION_BY_HOUR: dict[int, dict[float, float]] = {
    1_000: {0.1: 3_756, 0.5: 2_062, 1.0: 1_405, 10.0: 979},
    10_000: {0.1: 1_305, 0.5: 612, 1.0: 470, 10.0: 361},
    100_000: {0.1: 400, 0.5: 261, 1.0: 233, 10.0: 220},
}
"""Metres of earth mover's distance for so many people and ε, as in the table of docs/where.md."""

WITHOUT_NOISE: dict[int, float] = {1_000: 982, 10_000: 345, 100_000: 223}
"""And of the model without noise."""


def nearness(path: Path) -> None:
    """How far the made-up population is from the true one, against ε, for three sizes of the city."""
    colors = dict(zip(POPULATION_BY_HOUR, (MUTED, ORANGE, BLUE), strict=True))
    curves = []
    for people, found in POPULATION_BY_HOUR.items():
        curves.append(Curve(f"{people:,} people", sorted(found.items()), colors[people]))
        least = [(x, WITHOUT_NOISE[people]) for x in np.geomspace(0.1, 10, 60)]
        curves.append(Curve(f"{people:,}, no noise", least, colors[people], dashed=True))
    draw(
        path, "The more people, the less the noise matters",
        "How far the made-up population is from the true one, hour by hour: metres that each call would have to move",
        curves, across=Axis("ε", decades([0.1, 10]), logarithmic=True),
        up=Axis("metres", [100, 200, 500, 1_000, 2_000, 5_000], logarithmic=True),
    )  # fmt: skip


def city(path: Path) -> None:
    """Bairros by residents, and a few points of interest."""
    from cobogo.locate.places.points import Points

    rings = fortaleza.bairro_rings()
    area = np.array([len(squares) for squares in fortaleza.city_land().of_bairro]) / 100
    found = fortaleza.sites()
    chosen = found.numbers_of("university", "clinic", "shops", "beach", "park", "stadium", "culture")
    lon, lat = fortaleza.FRAME.degrees(*found.place[chosen].T)
    layers = [
        *fortaleza.city_layers(bairros=False, names=False),
        maps.polygons(
            list(rings.values()), "residents on a square kilometre", values=fortaleza.residents() / area, opacity=0.8
        ),
        maps.points(Points(lon, lat), "clinics, shops, universities, beaches, parks", color="orange", size=1.4),
        maps.points(Points(*_towers()), "towers", color="ink", shape="cross", size=1.0, opacity=0.5),
        *fortaleza.city_layers(bairros=False)[2:],
    ]
    maps.draw_map(
        layers, path, title="Fortaleza as the example knows it",
        what="An outline drawn by hand, and bairros as what is nearest to their centres",
    )  # fmt: skip


def _towers() -> tuple[np.ndarray, np.ndarray]:
    return fortaleza.towers().lon, fortaleza.towers().lat


FIGURES = {"where-fidelity.png": nearness, "fortaleza.png": city}
