"""Pictures of how near made-up movement is to the true, for the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.locate import maps
from cobogo.locate.mobility.bounded import Bounded, bounded
from cobogo.locate.mobility.calls import Calls
from cobogo.locate.mobility.fidelity import by_hour, daily_ranges
from cobogo.locate.mobility.space import Space
from cobogo.tell.report.canvas import BLUE, ORANGE
from cobogo.tell.report.curves import Axis, Curve
from cobogo.tell.report.curves import draw as draw_curves


def draw(true: Calls, made: Calls, space: Space, directory: Path, *, base: Sequence[maps.Layer] = ()) -> None:
    """Two PNGs: how far people range in a day, when they call; and a page with a map of where from, hour by hour, over
    the ``base`` layers."""
    records = [bounded(part, space) for part in (true, made)]
    if not all(len(part.user) for part in records):
        return
    ranges = [daily_ranges(part, space) / 1_000 for part in records]
    most = float(max(part.max() for part in ranges)) or 1.0
    names = ("true people", "made-up people")
    curves = [
        Curve(name, _cumulative(part, most), color, dashed)
        for name, part, color, dashed in zip(names, ranges, (BLUE, ORANGE), (False, True), strict=True)
    ]
    draw_curves(
        directory / "daily-range.png", "How far people range in a day", "Stays with the data holder: it is not private",
        curves, across=Axis("kilometres between the two farthest cells of a day", _ticks(most)),
        up=Axis("of all days, %", [0, 25, 50, 75, 100]),
    )  # fmt: skip
    hours = [np.bincount(part.hour, minlength=24) / len(part.hour) * 100 for part in records]
    highest = float(max(part.max() for part in hours))
    _map(records, space, directory / "map.html", base)
    curves = [
        Curve(name, [(hour + 0.5, float(share)) for hour, share in enumerate(part)], color, dashed)
        for name, part, color, dashed in zip(names, hours, (BLUE, ORANGE), (False, True), strict=True)
    ]
    draw_curves(
        directory / "hours.png", "When people call", "Stays with the data holder: it is not private",
        curves, across=Axis("hour of the day", list(range(0, 25, 3))), up=Axis("of all calls, %", _ticks(highest)),
    )  # fmt: skip


def _map(records: list[Bounded], space: Space, path: Path, base: Sequence[maps.Layer]) -> None:
    """Where calls come from in each hour: true and made up, as shares of the hour's calls."""
    cells = space.cells
    shares = [by_hour(part, space) for part in records]
    shares = [part / np.maximum(part.sum(axis=1, keepdims=True), 1) * 100 for part in shares]
    frames = [f"{hour:02}:00" for hour in range(24)]
    top = float(max(part.max() for part in shares))
    names = (("true calls, %", "chamadas reais, %"), ("made-up calls, %", "chamadas inventadas, %"))
    layers = [
        maps.bubbles(cells.lon, cells.lat, part, name, color=color, frames=frames, labels=cells.names, top=top)
        for part, name, color in zip(shares, names, ("blue", "orange"), strict=True)
    ]
    maps.map_page(
        [*base, *layers], path,
        title=("Where calls come from, hour by hour", "De onde vêm as chamadas, hora a hora"),
        what=("Stays with the data holder: it is not private", "Fica com o detentor dos dados: não é privado"),
    )  # fmt: skip


def _cumulative(values: Floats, most: float) -> list[tuple[float, float]]:
    points = np.linspace(0, most, 121)
    shares = np.searchsorted(np.sort(values), points, side="right") / len(values) * 100
    return list(zip(points.tolist(), shares.tolist(), strict=True))


def _ticks(most: float) -> list[float]:
    """Round numbers from 0 to at least the most."""
    step = 10.0 ** np.floor(np.log10(most / 2))
    step *= next(times for times in (1, 2, 5, 10) if most / (step * times) <= 6)
    return [float(step * number) for number in range(int(np.ceil(most / step)) + 1)]
