"""A map as one HTML file: the script, the style and the layers are in it, and nothing is fetched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.floor.language import LANGUAGES, speech, tr
from cobogo.locate.maps.layers import COLORS, Layer, MapView, Name, say_name

MAP = {
    "layers": tr("Shown"),
    "play": tr("Play"),
    "pause": tr("Pause"),
    "slower": tr("Slower"),
    "faster": tr("Faster"),
    "all": tr("whole time"),
    "moment": tr("Moment"),
    "closer": tr("Closer"),
    "farther": tr("Farther"),
    "whole": tr("Whole map"),
    "help": tr("Arrow keys move the map, plus and minus enlarge and reduce it, 0 shows all, the space bar plays."),
    "language": tr("Português"),
}

MOST_MARKS = 400_000
"""Positions that a page holds at most: with more, a browser takes seconds to load and to move it."""


def map_page(
    layers: Sequence[Layer],
    path: str | Path,
    *,
    title: Name,
    what: Name = "",
    language: str = "en",
    utc_offset: float = 0.0,
    step: float | None = None,
) -> None:
    """Write a page on which a map can be moved, enlarged and, where layers have times or frames, played.

    ``step`` is the seconds from one moment of the player to the next; it follows from the layers unless given.
    """
    marks = sum(len(layer.lon) for layer in layers)
    if marks > MOST_MARKS:
        raise ValueError(f"A page of a map holds {MOST_MARKS:,} positions at most. Got {marks:,}: draw fewer people.")
    view = MapView.fit(layers)
    content = {
        "language": language,
        "title": _in_all(title),
        "what": _in_all(what),
        "words": {name: {word: speech(name)(text) for word, text in MAP.items()} for name in LANGUAGES},
        "view": [view.west, view.north, view.width, view.height],
        "centre": [view.frame.lon, view.frame.lat],
        "clock": _clock(layers, utc_offset, step),
        "layers": [_pack_layer(layer, view) for layer in layers],
    }
    page = _template()
    for mark, text in {
        "/*STYLE*/": _file("page.css"),
        "/*SCRIPT*/": _file("page.js"),
        "/*DATA*/": _inline_json(content),
        "<!--TITLE-->": _escape(_in_all(title)[language]),
        "<!--LANGUAGE-->": language,
    }.items():
        page = page.replace(mark, text, 1)
    Path(path).write_text(page, encoding="utf-8", newline="\n")


def _in_all(name: Name) -> dict[str, str]:
    return {language: say_name(name, language) for language in LANGUAGES}


def _clock(layers: Sequence[Layer], utc_offset: float, step: float | None) -> dict[str, Any] | None:
    """What the player steps through: times, or frames by name."""
    frames = next((layer.frames for layer in layers if layer.frames), ())
    if frames:
        return {"frames": list(frames), "start": 0, "end": len(frames) - 1, "step": 1, "offset": 0}
    times = [layer.times for layer in layers if layer.times is not None and len(layer.times)]
    if not times:
        return None
    start, end = float(min(part.min() for part in times)), float(max(part.max() for part in times))
    moves = step or max(60.0, float(np.ceil((end - start) / 600 / 60) * 60))
    return {"frames": [], "start": start, "end": max(end, start + moves), "step": moves, "offset": utc_offset}


def _pack_layer(layer: Layer, view: MapView) -> dict[str, Any]:
    """A layer as the page's script reads it: metres of the view's frame, rounded to tenths."""
    east, north = view.frame.metres(layer.lon, layer.lat)
    made: dict[str, Any] = {
        "kind": layer.kind, "name": _in_all(layer.name), "color": COLORS[layer.color], "x": _tenths(east),
        "y": _tenths(north), "shape": layer.shape, "size": layer.size, "filled": layer.filled,
        "opacity": layer.opacity, "backdrop": layer.backdrop, "labels": list(layer.labels), "window": layer.window,
    }  # fmt: skip
    if layer.starts is not None:
        made["starts"] = layer.starts.tolist()
    if layer.times is not None:
        made["times"] = np.round(layer.times).astype(np.int64).tolist()
    if layer.radius is not None:
        made["radius"] = _tenths(layer.radius)
    if layer.values is not None:
        values = np.atleast_2d(layer.values)
        made["values"] = [np.round(row / layer.largest, 4).tolist() for row in values]
        made["largest"] = layer.largest
    return made


def _tenths(values: Any) -> list[float]:
    return [round(value, 1) for value in np.asarray(values).tolist()]


def _inline_json(content: Any) -> str:
    """JSON that is safe within a script element, whatever texts it holds."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@cache
def _file(name: str) -> str:
    return resources.files("cobogo.locate.maps").joinpath(name).read_text(encoding="utf-8")


def _template() -> str:
    return _file("page.html")
