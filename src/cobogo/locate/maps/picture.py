"""A map as a PNG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import EllipseCollection, LineCollection, PathCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.markers import MarkerStyle
from matplotlib.transforms import Affine2D
from PIL import Image

from cobogo.floor.arrays import Floats
from cobogo.locate.maps.layers import COLORS, Layer, MapView, Name, scale_bar
from cobogo.tell.report.canvas import DPI, FINER, INK, LINE, MARGIN, MUTED, PAPER, WIDTH, Sheet

TALLEST = 8.0
"""Inches that the map itself takes at most."""

FINE = DPI * FINER
"""Pixels of an inch of the layers, which the sheet makes smaller together with its own marks."""

MARKS = {"dot": "o", "ring": "o", "square": "s", "cross": "x"}


def draw_map(
    layers: Sequence[Layer],
    path: str | Path,
    *,
    title: Name,
    what: Name = "",
    language: str = "en",
    frame: int | None = None,
    width: float = WIDTH,
) -> str:
    """Write a PNG. Layers with times are shown whole; of ``frames`` the one with a number is shown, or their mean."""
    view = MapView.fit(layers)
    sheet = Sheet(_text(title, language), _text(what, language), width=width)
    _legend(sheet, [layer for layer in layers if not layer.backdrop and layer.kind != "texts"], language)
    wide = width - 2 * MARGIN
    tall = min(TALLEST, wide * view.height / view.width)
    scale = min(wide / view.width, tall / view.height)
    space = _Space(view, scale, (width - view.width * scale) / 2, sheet.top)
    chart = _Chart(view.width * scale, view.height * scale)
    for layer in layers:
        if layer.kind == "texts":
            _write_names(sheet, layer, space)
        else:
            _draw(chart, layer, space, frame)
    sheet.picture(space.left, space.top, chart.width, chart.height, chart.image())
    _frame(sheet, space)
    return sheet.save(Path(path), space.bottom)


class _Chart:
    """The layers of a map, which blend: a figure of Matplotlib, in inches from its upper left corner."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.figure = Figure(figsize=(width, height), dpi=FINE, facecolor=PAPER)
        self._canvas = FigureCanvasAgg(self.figure)
        self._space = Affine2D().scale(FINE, -FINE).translate(0, height * FINE)

    def add(self, marks: Any, *, over: float) -> None:
        """Add marks in inches."""
        marks.set_zorder(over)
        marks.set_transform(self._space)
        self.figure.add_artist(marks)

    def stand(self, marks: Any, *, over: float) -> None:
        """Add marks whose places are in inches and whose sizes are in points."""
        marks.set_zorder(over)
        marks.set_offset_transform(self._space)
        self.figure.add_artist(marks)
        if not isinstance(marks, EllipseCollection):
            marks.set_transform(Affine2D().scale(FINE / 72))  # points

    def image(self) -> Image.Image:
        """What was drawn."""
        self._canvas.draw()
        return Image.fromarray(np.asarray(self._canvas.buffer_rgba())).convert("RGB")


class _Space:
    """From degrees to inches on the sheet."""

    def __init__(self, view: MapView, scale: float, left: float, top: float) -> None:
        self.view, self.scale, self.left, self.top = view, scale, left, top
        self.right, self.bottom = left + view.width * scale, top + view.height * scale

    def __call__(self, lon: Floats, lat: Floats) -> Floats:
        """Inches from the upper left corner of the map."""
        east, north = self.view.frame.metres(lon, lat)
        return np.column_stack(((east - self.view.west) * self.scale, (self.view.north - north) * self.scale))


def _write_names(sheet: Sheet, layer: Layer, space: _Space) -> None:
    for (x, y), label in zip(space(layer.lon, layer.lat).tolist(), layer.labels, strict=True):
        if 0 < x < space.right - space.left and 0 < y < space.bottom - space.top:
            where = (space.left + x, space.top + y)
            sheet.text(*where, label, size=layer.size, color=COLORS[layer.color], align="center")


def _draw(chart: _Chart, layer: Layer, space: _Space, frame: int | None) -> None:
    color = COLORS[layer.color]
    over = 1.0 if layer.backdrop else 2.0
    place = space(layer.lon, layer.lat)
    if not len(place):
        return
    if layer.kind in ("paths", "polygons"):
        assert layer.starts is not None
        parts = np.split(place, layer.starts[1:])
        if layer.kind == "paths":
            lines = LineCollection(parts, colors=[to_rgba(color, layer.opacity)], linewidths=layer.size)
            chart.add(lines, over=over)
            return
        faces = _faces(layer, _values(layer, frame))
        edge = to_rgba(color, 1.0 if not layer.filled else min(1.0, 2 * layer.opacity))
        edge = (
            edge if layer.values is None else to_rgba(PAPER, 0.9)
        )  # the colours show the values, so that borders are pale
        width = 0.0 if layer.backdrop and layer.filled else layer.size
        rings = PolyCollection(parts, facecolors=faces, edgecolors=[edge], linewidths=width)
        chart.add(rings, over=over)
    elif layer.kind == "squares":
        assert layer.radius is not None
        half = layer.radius * space.scale
        offsets = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        corners = place[:, np.newaxis] + offsets[np.newaxis] * half[:, np.newaxis, np.newaxis]
        values = _values(layer, frame)
        chart.add(PolyCollection(list(corners), facecolors=_faces(layer, values), linewidths=0), over=over)
    elif layer.kind == "discs":
        assert layer.radius is not None
        wide = 2 * layer.radius * space.scale * FINE
        face, edge = to_rgba(color, layer.opacity), to_rgba(color, min(1.0, 2 * layer.opacity))
        marks = EllipseCollection(wide, wide, 0, units="dots", offsets=place, facecolors=[face], edgecolors=[edge])
        chart.stand(marks, over=over)
    else:
        chart.stand(_marks(layer, place, color, frame), over=over)


def _marks(layer: Layer, place: Floats, color: str, frame: int | None) -> Any:
    """Points and bubbles: of a size in points, at places."""
    if layer.kind == "bubbles":
        values = _values(layer, frame)
        assert values is not None
        areas = np.pi * layer.size**2 * np.maximum(values, 0) / layer.largest
        edge, shape = to_rgba(color, 0.9), "dot"
    else:
        areas, edge, shape = np.full(len(place), np.pi * layer.size**2), to_rgba(PAPER, 0.8), layer.shape
    marker = MarkerStyle(MARKS[shape])
    outline = marker.get_path().transformed(marker.get_transform())
    hollow = shape in ("ring", "cross")
    own = to_rgba(color, layer.opacity)
    return PathCollection(
        [outline], areas, offsets=place, facecolors=["none" if hollow else own], edgecolors=[own if hollow else edge],
        linewidths=1.4 if hollow else 0.4,
    )  # fmt: skip


def _values(layer: Layer, frame: int | None) -> Floats | None:
    """The values of one frame, or their mean over all."""
    if layer.values is None or layer.values.ndim == 1:
        return layer.values
    return np.asarray(layer.values.mean(axis=0) if frame is None else layer.values[frame])


def _faces(layer: Layer, values: Floats | None) -> list[Any]:
    color = COLORS[layer.color]
    if not layer.filled:
        return ["none"]
    if values is None:
        return [to_rgba(color, layer.opacity)]
    share = np.sqrt(np.clip(values / layer.largest, 0, 1)) * layer.opacity
    return [to_rgba(color, alpha) for alpha in share.tolist()]


def _legend(sheet: Sheet, layers: Sequence[Layer], language: str) -> None:
    x, room = MARGIN, sheet.width - MARGIN
    for layer in layers:
        name = sheet.fit(layer.name_in(language), room - MARGIN - 0.3, 9)
        if x > MARGIN and x + 0.22 + sheet.measure(name, 9) > room:
            x, sheet.top = MARGIN, sheet.top + 0.22
        color = COLORS[layer.color]
        if layer.kind == "paths":
            sheet.lines([((x, sheet.top), (x + 0.16, sheet.top))], color, thick=2)
        elif layer.shape == "cross":
            for sign in (-1, 1):
                ends = ((x + 0.03, sheet.top - 0.05 * sign), (x + 0.13, sheet.top + 0.05 * sign))
                sheet.lines([ends], color, thick=1.6)
        elif layer.kind in ("squares", "polygons") or (layer.kind == "points" and layer.shape == "square"):
            sheet.bars([(x + 0.02, sheet.top - 0.06, 0.12, 0.12)], color)
        else:
            hollow = layer.shape == "ring"
            box = [(x + 0.02, sheet.top - 0.06, 0.12, 0.12)]
            sheet.pills(box, fill=PAPER if hollow else color, edge=color, thick=1.4 if hollow else 0.5)
        sheet.text(x + 0.22, sheet.top, name, size=9)
        x += 0.22 + sheet.measure(name, 9) + 0.25
    if layers:
        sheet.top += 0.24


def _frame(sheet: Sheet, space: _Space) -> None:
    """The edge of the map, and a scale bar."""
    corners = [
        (space.left, space.top),
        (space.right, space.top),
        (space.right, space.bottom),
        (space.left, space.bottom),
    ]
    sheet.lines(list(zip(corners, corners[1:] + corners[:1], strict=True)), LINE)
    metres, label = scale_bar(space.view.width / 5)
    x, y = space.left + 0.15, space.bottom - 0.18
    sheet.lines([((x, y), (x + metres * space.scale, y))], INK, thick=2)
    sheet.text(x, y - 0.13, label, size=8, color=MUTED)


def _text(name: Name, language: str) -> str:
    return name if isinstance(name, str) else name[language != "en"]
