"""How near made-up movement is to the true: earth mover's distances in metres, for the data holder only.

These figures are computed from the true records without noise. They belong into the evidence: publishing them reveals
more than ε allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.floor.language import speech, tr
from cobogo.locate import maps
from cobogo.locate.mobility.counts import BoundedCalls, Space, bound_calls, habits
from cobogo.locate.places.cells import Calls
from cobogo.tell.report.canvas import BLUE, ORANGE
from cobogo.tell.report.curves import Axis, Curve
from cobogo.tell.report.curves import draw as draw_curves

NOT_PRIVATE = tr("Keep it with the data holder: it is not private")


def daily_ranges(records: BoundedCalls, space: Space) -> Floats:
    """For each person and day with a call, the metres between the two farthest cells they called from."""
    key = records.user * space.days + records.day
    pair = np.unique(key * len(space.cells) + records.cell)
    whose, cell = np.divmod(pair, len(space.cells))
    _, start, size = np.unique(whose, return_index=True, return_counts=True)
    left = np.repeat(np.arange(len(pair)), np.repeat(size, size))
    first = np.repeat(start, size * size)
    inner = np.arange(len(left)) - np.repeat(np.cumsum(size * size) - size * size, size * size)
    right = first + inner % np.repeat(size, size * size)
    apart = np.linalg.norm(space.cells.metres[cell[left]] - space.cells.metres[cell[right]], axis=1)
    return np.asarray(np.maximum.reduceat(apart, np.cumsum(size * size) - size * size)) if len(pair) else np.empty(0)


def line_distance(one: Floats, other: Floats) -> float:
    """The earth mover's distance between two samples of numbers: the area between their distributions.

    >>> line_distance(np.array([0.0, 2.0]), np.array([1.0, 3.0]))
    1.0
    """
    points = np.sort(np.concatenate((one, other)))
    shares = [np.searchsorted(np.sort(part), points[:-1], side="right") / len(part) for part in (one, other)]
    return float((np.abs(shares[0] - shares[1]) * np.diff(points)).sum())


def map_distance(one: Floats, other: Floats, place: Floats) -> float:
    """The earth mover's distance between two distributions over places: the least mean distance in metres that turns
    one into the other. Exact, by a linear program over what the two do not share.

    >>> map_distance(np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([[0.0, 0.0], [3.0, 4.0]]))
    5.0
    """
    from scipy.optimize import linprog
    from scipy.sparse import eye, kron, vstack

    gap = one / one.sum() - other / other.sum()
    much, little = np.flatnonzero(gap > 1e-12), np.flatnonzero(gap < -1e-12)
    if not len(much) or not len(little):
        return 0.0
    cost = np.linalg.norm(place[much][:, np.newaxis] - place[little][np.newaxis], axis=2)
    out = kron(eye(len(much)), np.ones((1, len(little))))
    into = kron(np.ones((1, len(much))), eye(len(little)))
    given, taken = gap[much], -gap[little]
    # The last equation is left out: it follows from the others, and rounding would make it contradict them.
    rows, right = vstack([out, into]).tocsr()[:-1], np.concatenate((given, taken * given.sum() / taken.sum()))[:-1]
    found = linprog(cost.ravel(), A_eq=rows, b_eq=right, method="highs-ds")
    return float(found.fun)


def calls_by_hour(records: BoundedCalls, space: Space) -> Floats:
    """Calls in each hour of the day (rows) from each cell (columns)."""
    cells = len(space.cells)
    return np.bincount(records.hour * cells + records.cell, minlength=24 * cells).reshape(24, cells).astype(np.float64)


def fidelity(true: Calls | BoundedCalls, made: Calls | BoundedCalls, space: Space) -> dict[str, Any]:
    """How far made-up records are from the true ones and, for scale, how far calls from anywhere are."""
    real, drawn = (part if isinstance(part, BoundedCalls) else bound_calls(part, space) for part in (true, made))
    if not len(real.user) or not len(drawn.user):
        return {
            "daily range": None,
            "population by hour": None,
            "note": tr("one of the two has no records on these days"),
        }
    ranges = [daily_ranges(part, space) for part in (real, drawn)]
    hours = [calls_by_hour(part, space) for part in (real, drawn)]
    place, even = space.cells.metres, np.ones(len(space.cells))
    both = [hour for hour in range(24) if hours[0][hour].sum() and hours[1][hour].sum()]
    apart = {hour: map_distance(hours[0][hour], hours[1][hour], place) for hour in both}
    homes, works = zip(*(_homes_and_works(part, space) for part in (real, drawn)), strict=True)
    return {
        "daily range": {
            "earth mover's metres": line_distance(*ranges),
            "mean metres": [float(part.mean()) for part in ranges],
            "median metres": [float(np.median(part)) for part in ranges],
        },
        "population by hour": {
            "earth mover's metres": apart,
            "mean": float(np.mean(list(apart.values()))) if apart else None,
            "of calls from anywhere": map_distance(hours[0].sum(axis=0), even, place),
        },
        "home": map_distance(homes[0], homes[1], place) if all(part.sum() for part in homes) else None,
        "work": map_distance(works[0], works[1], place) if all(part.sum() for part in works) else None,
        "calls a person and day": [len(part.user) / part.people / space.days for part in (real, drawn)],
    }


def _homes_and_works(records: BoundedCalls, space: Space) -> tuple[Floats, Floats]:
    found = habits(records, space)
    return tuple(np.bincount(part, minlength=len(space.cells)).astype(np.float64) for part in (found.home, found.work))  # type: ignore[return-value]


def draw_fidelity(
    true: Calls,
    made: Calls,
    space: Space,
    directory: Path,
    *,
    base: Sequence[maps.Layer] = (),
    language: str = "en",
) -> None:
    """Write two PNGs (how far people range in a day, when they call) and a page with a map of calls hour by hour over
    the ``base`` layers, in a language."""
    say = speech(language)
    records = [bound_calls(part, space) for part in (true, made)]
    if not all(len(part.user) for part in records):
        return
    ranges = [daily_ranges(part, space) / 1_000 for part in records]
    most = float(max(part.max() for part in ranges)) or 1.0
    names = (say("true people"), say("invented people"))
    curves = [
        Curve(name, _cumulative(part, most), color, dashed)
        for name, part, color, dashed in zip(names, ranges, (BLUE, ORANGE), (False, True), strict=True)
    ]
    draw_curves(
        directory / "daily-range.png", say("How far people move in a day"), say(NOT_PRIVATE),
        curves, across=Axis(say("kilometres between the two farthest cells of a day"), _ticks(most)),
        up=Axis(say("of all days, %"), [0, 25, 50, 75, 100]),
    )  # fmt: skip
    hours = [np.bincount(part.hour, minlength=24) / len(part.hour) * 100 for part in records]
    highest = float(max(part.max() for part in hours))
    _map(records, space, directory / "map.html", base, language)
    curves = [
        Curve(name, [(hour + 0.5, float(share)) for hour, share in enumerate(part)], color, dashed)
        for name, part, color, dashed in zip(names, hours, (BLUE, ORANGE), (False, True), strict=True)
    ]
    draw_curves(
        directory / "hours.png", say("When people call"), say(NOT_PRIVATE), curves,
        across=Axis(say("hour of the day"), list(range(0, 25, 3))), up=Axis(say("of all calls, %"), _ticks(highest)),
    )  # fmt: skip


def _map(records: list[BoundedCalls], space: Space, path: Path, base: Sequence[maps.Layer], language: str) -> None:
    """Where calls come from in each hour: true and made up, as shares of the hour's calls."""
    cells = space.cells
    shares = [calls_by_hour(part, space) for part in records]
    shares = [part / np.maximum(part.sum(axis=1, keepdims=True), 1) * 100 for part in shares]
    frames = [f"{hour:02}:00" for hour in range(24)]
    top = float(max(part.max() for part in shares))
    names = (tr("true calls, %"), tr("invented calls, %"))
    layers = [
        maps.bubbles(cells.lon, cells.lat, part, name, color=color, frames=frames, labels=cells.names, top=top)
        for part, name, color in zip(shares, names, ("blue", "orange"), strict=True)
    ]
    maps.map_page(
        [*base, *layers], path,
        title=tr("Where calls come from, hour by hour"), what=NOT_PRIVATE, language=language,
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
