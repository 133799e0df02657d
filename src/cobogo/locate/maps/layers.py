"""The layers of a map in degrees and metres, for pictures and pages alike, and the part of the world that they
cover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import Text, speech
from cobogo.locate.places.cells import Cells
from cobogo.locate.places.geometry import DEGREE, Frame
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from cobogo.tell.report.canvas import BLUE, GREY, INK, MUTED, ORANGE, PALE

Name = str | tuple[str, str]
"""A text, which is translated if it can be, or two: in English and in Portuguese."""

Kind = Literal["points", "paths", "discs", "polygons", "bubbles", "squares", "texts"]
Shape = Literal["dot", "ring", "square", "cross"]

COLORS = {
    "blue": BLUE, "orange": ORANGE, "green": "#2f7d5b", "purple": "#8a4f9e", "pale": PALE, "grey": GREY, "muted": MUTED,
    "ink": INK, "sea": "#e4eff5", "land": "#fbfaf6", "border": "#dcdad2", "coast": "#8aa0ad",
}  # fmt: skip
"""The colours by name. Blue and orange differ for every kind of colour vision; shapes help where there are more."""


@dataclass(frozen=True, eq=False, repr=False)
class Layer:
    """Marks of one kind. ``starts`` are where each path or ring begins among the points; ``times`` are those of points,
    or of whole rings; ``values`` are one for each mark, or a row of them for each of the ``frames``."""

    kind: Kind
    name: Name
    color: str
    lon: Floats
    lat: Floats
    starts: Ints | None = None
    times: Floats | None = None
    radius: Floats | None = None
    values: Floats | None = None
    frames: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    shape: Shape = "dot"
    size: float = 3.0
    filled: bool = True
    opacity: float = 0.8
    backdrop: bool = False
    top: float | None = None
    """The value that is drawn largest or deepest; the largest value, unless given."""
    window: float | None = None
    """Seconds for which a mark with a time is shown."""

    def __post_init__(self) -> None:
        if self.color not in COLORS:
            raise ValueError(f"The 'color' parameter of a layer must be one of {', '.join(COLORS)}. Got {self.color!r}")

    @property
    def largest(self) -> float:
        """The value that is drawn largest or deepest."""
        return self.top or (0.0 if self.values is None else float(self.values.max(initial=0.0))) or 1.0

    def name_in(self, language: str) -> str:
        """Its name in a language."""
        return say_name(self.name, language)


def say_name(name: Name, language: str) -> str:
    """A name in a language."""
    if isinstance(name, tuple):
        return name[language == "pt-BR"]
    return speech(language)(name) if isinstance(name, Text) else name


def points(
    where: Points, name: Name, *, color: str = "blue", shape: Shape = "dot", size: float = 3.0, opacity: float = 0.8,
    labels: Sequence[object] = (), timed: bool = True, window: float | None = None,
) -> Layer:  # fmt: skip
    """Positions. With times they play, each shown for ``window`` seconds, unless ``timed`` is false."""
    time = where.time if timed else None
    return Layer(
        "points", name, color, where.lon, where.lat, times=time, shape=shape, size=size, opacity=opacity,
        labels=tuple(map(str, labels)), window=window,
    )  # fmt: skip


def paths(
    where: Points, name: Name, *, color: str = "blue", size: float = 1.5, opacity: float = 0.7, timed: bool = True,
    window: float = 3_600.0,
) -> Layer:  # fmt: skip
    """Each person's path in the order of time. Played, it is a head and the ``window`` seconds behind it."""
    rows = where.sort()
    user = np.zeros(len(rows), np.int64) if rows.user is None else rows.user
    starts = np.flatnonzero(np.diff(user, prepend=-1))
    labels = tuple(rows.names[user[at]] for at in starts) if rows.names else ()
    time = rows.time if timed else None
    return Layer(
        "paths", name, color, rows.lon, rows.lat, starts=starts, times=time, size=size, opacity=opacity, labels=labels,
        filled=False, window=window,
    )  # fmt: skip


def discs(
    where: Points, radius: ArrayLike, name: Name, *, color: str = "orange", opacity: float = 0.25, timed: bool = True,
    window: float | None = None,
) -> Layer:  # fmt: skip
    """Discs of some metres about positions."""
    wide = np.broadcast_to(np.asarray(radius, np.float64), where.lon.shape)
    time = where.time if timed else None
    return Layer(
        "discs", name, color, where.lon, where.lat, times=time, radius=wide, opacity=opacity, window=window
    )  # fmt: skip


def boxes(
    west: ArrayLike, south: ArrayLike, east: ArrayLike, north: ArrayLike, name: Name, *, color: str = "orange",
    time: ArrayLike | None = None, opacity: float = 0.15, labels: Sequence[object] = (), window: float | None = None,
) -> Layer:  # fmt: skip
    """Rectangles of degrees, as cloaks are."""
    w, s, e, n = (np.atleast_1d(np.asarray(side, np.float64)) for side in (west, south, east, north))
    lon, lat = np.stack((w, e, e, w), axis=1).ravel(), np.stack((s, s, n, n), axis=1).ravel()
    times = None if time is None else np.asarray(time, np.float64)
    return Layer(
        "polygons", name, color, lon, lat, starts=np.arange(len(w)) * 4, times=times, opacity=opacity,
        labels=tuple(map(str, labels)), window=window,
    )  # fmt: skip


def polygons(
    rings: Sequence[ArrayLike], name: Name, *, color: str = "blue", values: ArrayLike | None = None,
    labels: Sequence[object] = (), opacity: float = 0.6, filled: bool = True, backdrop: bool = False, size: float = 1.0,
) -> Layer:  # fmt: skip
    """Rings of longitude and latitude; with ``values``, the deeper in colour the larger the value."""
    parts = [np.asarray(ring, np.float64).reshape(-1, 2) for ring in rings]
    flat = np.concatenate(parts) if parts else np.empty((0, 2))
    starts = np.cumsum([0, *(len(part) for part in parts)])[:-1].astype(np.int64)
    shown = None if values is None else np.asarray(values, np.float64)
    return Layer(
        "polygons", name, color, flat[:, 0], flat[:, 1], starts=starts, values=shown, labels=tuple(map(str, labels)),
        opacity=opacity, filled=filled, backdrop=backdrop, size=size,
    )  # fmt: skip


def bubbles(
    lon: ArrayLike, lat: ArrayLike, values: ArrayLike, name: Name, *, color: str = "blue",
    frames: Sequence[object] = (), labels: Sequence[object] = (), opacity: float = 0.55, size: float = 11.0,
    top: float | None = None,
) -> Layer:  # fmt: skip
    """Circles whose areas are proportional to the values; a row of values for each of the ``frames`` makes them play.

    ``size`` is the radius, in points, of the value ``top`` (the largest, unless given): give two layers the same to
    compare them.
    """
    east, north = np.asarray(lon, np.float64), np.asarray(lat, np.float64)
    return Layer(
        "bubbles", name, color, east, north, values=np.asarray(values, np.float64), frames=tuple(map(str, frames)),
        labels=tuple(map(str, labels)), opacity=opacity, size=size, top=top,
    )  # fmt: skip


def density(
    grid: Grid | Cells, values: ArrayLike, name: Name, *, color: str = "blue", frames: Sequence[object] = (),
    opacity: float = 0.85, side: float | None = None, top: float | None = None,
) -> Layer:  # fmt: skip
    """Squares of a grid, the deeper in colour the larger the value; cells of value 0 are left bare."""
    lon, lat = grid.centres() if isinstance(grid, Grid) else (grid.lon, grid.lat)
    wide = side or (grid.size if isinstance(grid, Grid) else float(np.sqrt(_spread(grid))))
    return Layer(
        "squares", name, color, lon, lat, values=np.asarray(values, np.float64), frames=tuple(map(str, frames)),
        opacity=opacity, radius=np.full(len(lon), wide / 2), top=top,
    )  # fmt: skip


def _spread(cells: Cells) -> float:
    """Square metres for each cell of their bounding box."""
    width, height = np.ptp(cells.metres, axis=0)
    return float(max(width * height, DEGREE) / len(cells))


def texts(lon: ArrayLike, lat: ArrayLike, labels: Sequence[object], name: Name, *, backdrop: bool = False) -> Layer:
    """Texts at places."""
    east, north = np.asarray(lon, np.float64), np.asarray(lat, np.float64)
    return Layer("texts", name, "muted", east, north, labels=tuple(map(str, labels)), size=7.5, backdrop=backdrop)


def geojson(collection: Mapping[str, Any], name: Name, *, color: str = "blue", opacity: float = 0.6) -> Layer:
    """A layer of GeoJSON: points, or else lines, or else the outer rings of polygons; a property "name" labels each."""
    features = collection["features"] if collection.get("type") == "FeatureCollection" else [collection]
    found: dict[str, list[tuple[Any, str]]] = {"Point": [], "LineString": [], "Polygon": []}
    for feature in features:
        shape = feature.get("geometry", feature) or {}
        label = str((feature.get("properties") or {}).get("name", ""))
        kind = str(shape.get("type", ""))
        single = kind.removeprefix("Multi")
        if single not in found:
            raise ValueError(f"GeoJSON of type {kind!r} cannot be drawn")
        parts = shape["coordinates"] if kind.startswith("Multi") else [shape["coordinates"]]
        found[single] += [(part, label) for part in parts]
    kind = next((kind for kind, marks in found.items() if marks), "Point")
    labels = tuple(label for _, label in found[kind])
    if kind == "Point":
        place = np.array([part[:2] for part, _ in found[kind]], np.float64).reshape(-1, 2)
        return Layer("points", name, color, place[:, 0], place[:, 1], labels=labels, opacity=opacity)
    rings = [np.array(part if kind == "LineString" else part[0], np.float64)[:, :2] for part, _ in found[kind]]
    made = polygons(rings, name, color=color, labels=labels, opacity=opacity)
    if kind == "Polygon":
        return made
    return Layer("paths", name, color, made.lon, made.lat, starts=made.starts, labels=labels, filled=False, size=1.5)


EDGE = 0.04
"""The share of the map that is left free around what it shows."""

SMALLEST = 200.0
"""Metres that a map shows at least."""


@dataclass(frozen=True)
class MapView:
    """A rectangle of metres on a frame: its western and northern edges, its width and height."""

    frame: Frame
    west: float
    north: float
    width: float
    height: float

    @classmethod
    def fit(cls, layers: Sequence[Layer]) -> MapView:
        """The view that shows all marks and the backdrop, except its sea."""
        shown = [layer for layer in layers if not layer.backdrop and len(layer.lon)]
        drawn = [layer for layer in layers if layer.backdrop and layer.color != "sea"]
        lon, lat = (
            np.concatenate([np.empty(0), *(getattr(layer, part) for layer in (*shown, *drawn))])
            for part in ("lon", "lat")
        )
        if not len(lon):
            return cls(Frame(0.0, 0.0), -500.0, 500.0, 1_000.0, 1_000.0)
        frame = Frame.from_points(lon, lat)
        east, north = frame.metres(lon, lat)
        reach = [np.zeros(len(lon))]
        if any(layer.radius is not None for layer in shown):
            reach = [np.zeros(len(layer.lon)) if layer.radius is None else layer.radius for layer in (*shown, *drawn)]
        far = np.concatenate(reach)
        low_x, high_x = float((east - far).min()), float((east + far).max())
        low_y, high_y = float((north - far).min()), float((north + far).max())
        edge = max(EDGE * max(high_x - low_x, high_y - low_y), SMALLEST / 2)
        return cls(frame, low_x - edge, high_y + edge, high_x - low_x + 2 * edge, high_y - low_y + 2 * edge)


def scale_bar(most: float) -> tuple[float, str]:
    """A round length of so many metres at most, and its label.

    >>> scale_bar(2_700), scale_bar(180)
    ((2000.0, '2 km'), (100.0, '100 m'))
    """
    power = 10.0 ** np.floor(np.log10(most))
    metres = float(next(power * times for times in (5, 2, 1) if power * times <= most))
    return metres, f"{metres / 1_000:g} km" if metres >= 1_000 else f"{metres:g} m"
