"""The sheet that plots are drawn on: measured in inches, with one type face and few colours.

Plots place every mark themselves. A sheet keeps the marks and writes them as SVG, which a page shows in the colours of
its theme, or as PNG. Both are drawn here: Matplotlib needs more time to be imported than a release needs for all else.
"""

from __future__ import annotations

import struct
import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape
from importlib.util import find_spec
from io import BytesIO
from math import hypot
from pathlib import Path
from typing import Any

from PIL import Image, ImageColor, ImageDraw, ImageFont

# Blue and orange differ for every kind of colour vision, and in grey. Red is never the only sign of a thing.
INK = "#1d2b36"
MUTED = "#64727d"
LINE = "#c9d1d7"
GREY = "#a9b4bc"
BLUE = "#1f6f96"
PALE = "#9cc3d5"
TINT = "#cfe1ea"
ORANGE = "#dd7a16"
RED = "#a3261b"
PAPER = "#ffffff"
WHITE = "white"  # on blue and orange, in the light as in the dark

THEMED = {INK: "ink", MUTED: "muted", LINE: "line", PAPER: "paper", TINT: "tint"}
"""Colours that a page may replace by its own, as ``--plot-ink`` and so on: those that would vanish in the dark."""

DPI = 150
WIDTH = 9.0
MARGIN = 0.3
FAMILY = "DejaVu Sans"  # comes with Matplotlib, so that a plot looks the same everywhere
LONGEST = 200  # characters of a label: no plot has room for more
NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'  # which a file needs, and a drawing inside of a page does not
FINER = 2  # shapes are drawn so many times larger and made smaller, which smooths their edges


@dataclass(frozen=True)
class Box:
    """A filled rectangle; with an edge and round corners, a pill."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: str | None = None
    thick: float = 0.0
    round: float = 0.0


@dataclass(frozen=True)
class Stroke:
    """A straight line between two points."""

    start: tuple[float, float]
    end: tuple[float, float]
    color: str
    thick: float
    dashed: bool


@dataclass(frozen=True)
class Label:
    """One line of text, vertically centred on y."""

    x: float
    y: float
    text: str
    size: float
    color: str
    bold: bool
    align: str


@dataclass(frozen=True)
class Raster:
    """A picture made elsewhere."""

    x: float
    y: float
    width: float
    height: float
    image: Any


Mark = Box | Stroke | Label | Raster


@cache
def _font_file(bold: bool) -> str:
    found = find_spec("matplotlib")
    assert found is not None
    assert found.submodule_search_locations is not None
    home = Path(found.submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf"
    return str(home / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"))


@cache
def _font(pixels: float, bold: bool) -> Any:
    return ImageFont.truetype(_font_file(bold), pixels, layout_engine=ImageFont.Layout.BASIC)


@cache
def _glyphs() -> frozenset[int]:
    """The characters that the type face has, in both weights."""
    return frozenset(_characters(_font_file(False))) & frozenset(_characters(_font_file(True)))


def _characters(file: str) -> set[int]:
    """The characters of a TrueType font: the segments of its table ``cmap``, in format 4 (Unicode's first plane)."""
    content = Path(file).read_bytes()
    tables = struct.unpack_from(">H", content, 4)[0]
    entries = (struct.unpack_from(">4sLLL", content, 12 + 16 * number) for number in range(tables))
    start = next(offset for tag, _, offset, _ in entries if tag == b"cmap")
    count = struct.unpack_from(">H", content, start + 2)[0]
    offsets = (struct.unpack_from(">HHL", content, start + 4 + 8 * number)[2] for number in range(count))
    table = next(start + one for one in offsets if struct.unpack_from(">H", content, start + one)[0] == 4)
    segments = struct.unpack_from(">H", content, table + 6)[0] // 2
    ends = struct.unpack_from(f">{segments}H", content, table + 14)
    starts = struct.unpack_from(f">{segments}H", content, table + 16 + 2 * segments)
    return {letter for first, last in zip(starts, ends, strict=True) for letter in range(first, last + 1)} - {0xFFFF}


@cache
def _advance(letter: str, bold: bool) -> float:
    """The width of a character in inches at one point; summing these is far faster than laying out a line."""
    return float(_font(100, bold).getlength(letter)) / 100 / 72


@cache
def _palette() -> Image.Image:
    """All colours and their blends with white: a palette takes a third of the bytes of true colour, and less time.

    Blends that are almost white are left out: Pillow takes a near colour, not the nearest, and white must stay white.
    """
    colors = [ImageColor.getrgb(color) for color in (INK, MUTED, LINE, GREY, BLUE, PALE, TINT, ORANGE, RED)]
    blends = [[255 + (part - 255) * step / 30 for part in color] for color in colors for step in range(1, 31)]
    entries = [[255.0, 255.0, 255.0], *(blend for blend in blends if max(blend) < 250)]
    palette = Image.new("P", (1, 1))
    palette.putpalette([round(part) for entry in entries for part in entry])
    return palette


@lru_cache(10_000)  # a label is measured several times before it is written
def drawable(text: str) -> str:
    """A label as one line, without control characters, and with a box for each glyph that the type face lacks.

    >>> drawable("a\\tb\\nc\\u202e"), drawable("年"), drawable("x" * 1000) == "x" * 200
    ('a b c', '□', True)
    """
    line = " ".join(text[: 4 * LONGEST].split())[:LONGEST]
    seen = (letter for letter in line if unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Co", "Cn"))
    return "".join(letter if ord(letter) in _glyphs() else "□" for letter in seen)


class Sheet:
    """A drawing below a headline: x grows to the right, y downwards, both in inches."""

    def __init__(self, title: str, what: str, *, width: float = WIDTH) -> None:
        self.width = width
        self._marks: list[tuple[int, Mark]] = []
        self.top = MARGIN + 0.14  # y of the next mark
        for line in self.wrap(title.split(), width - 2 * MARGIN, 13.5, lines=3, bold=True):
            self.text(MARGIN, self.top, line, size=13.5, bold=True)
            self.top += 0.27
        for line in self.wrap(what.split(), width - 2 * MARGIN, 9.5, lines=2):
            self.text(MARGIN, self.top, line, size=9.5, color=MUTED)
            self.top += 0.2
        self.top += 0.18

    @property
    def texts(self) -> list[Label]:
        """Every line of text on the sheet."""
        return [mark for _, mark in self._marks if isinstance(mark, Label)]

    def text(
        self, x: float, y: float, text: str, *, size: float = 9.5, color: str = INK, bold: bool = False,
        align: str = "left",
    ) -> None:  # fmt: skip
        """Write one line, vertically centred on y."""
        self._marks.append((5, Label(x, y, drawable(text), size, color, bold, align)))

    def measure(self, text: str, size: float = 9.5, *, bold: bool = False) -> float:
        """The width of a line."""
        return size * sum(_advance(letter, bold) for letter in drawable(text))

    def fit(self, text: str, room: float, size: float = 9.5, *, bold: bool = False) -> str:
        """Shorten a line in its middle until it fits: values often differ at their ends only."""
        text = drawable(text)
        if self.measure(text, size, bold=bold) <= room:
            return text
        least, most = 0, len(text)
        while most - least > 1:
            length = (least + most) // 2
            fits = self.measure(_shorten(text, length), size, bold=bold) <= room
            least, most = (length, most) if fits else (least, length)
        return _shorten(text, least)

    def wrap(
        self, parts: Sequence[str], room: float, size: float, *, lines: int, glue: str = " ", bold: bool = False
    ) -> list[str]:
        """Wrap parts onto at most ``lines`` lines; the end counts the parts that do not fit."""

        def wide(line: Sequence[str], end: str = "") -> float:
            return self.measure(glue.join(line) + end, size, bold=bold)

        out: list[list[str]] = [[]]
        for number, part in enumerate(parts):
            piece = self.fit(part, room, size, bold=bold)
            if out[-1] and wide([*out[-1], piece]) > room:
                if len(out) == lines:
                    left = len(parts) - number
                    end = self._left_out(left, glue)
                    while len(out[-1]) > 1 and wide(out[-1], end) > room:
                        out[-1].pop()
                        left += 1
                        end = self._left_out(left, glue)
                    out[-1] = [
                        self.fit(glue.join(out[-1]), room - self.measure(end, size, bold=bold), size, bold=bold) + end
                    ]
                    break
                out.append([])
            out[-1].append(piece)
        return [glue.join(line) for line in out]

    @staticmethod
    def _left_out(count: int, glue: str) -> str:
        return f"{glue}… +{count}" if glue.strip() else "…"

    def bars(self, boxes: Sequence[tuple[float, float, float, float]], color: str) -> None:
        """Fill rectangles given as x, y, width, height."""
        self._marks += [(1, Box(float(x), float(y), float(wide), float(tall), color)) for x, y, wide, tall in boxes]

    def pills(
        self,
        boxes: Sequence[tuple[float, float, float, float]],
        *,
        fill: str,
        edge: str,
        thick: float = 1.0,
        over: int = 2,
    ) -> None:
        """Draw boxes with round corners, given as x, y, width, height."""
        for x, y, width, height in boxes:
            corner = min(width, height) / 3
            self._marks.append((over, Box(float(x), float(y), float(width), float(height), fill, edge, thick, corner)))

    def lines(
        self, segments: Sequence[tuple[tuple[float, float], tuple[float, float]]], color: str = LINE, *,
        thick: float = 1.0, dashed: bool = False,
    ) -> None:  # fmt: skip
        """Draw straight lines, each between two points."""
        self._marks += [(1, Stroke(start, end, color, thick, dashed)) for start, end in segments]

    def picture(self, x: float, y: float, width: float, height: float, image: Image.Image) -> None:
        """Place a picture that was made elsewhere, below all marks."""
        self._marks.append((0, Raster(x, y, width, height, image)))

    def save(self, path: Path, bottom: float) -> str:
        """Write a PNG (by the ending of its name, an SVG) that ends a margin below ``bottom``. Returns the SVG."""
        marks = [mark for _, mark in sorted(self._marks, key=lambda pair: pair[0])]
        drawn = _svg(marks, self.width, bottom + MARGIN)
        if path.suffix == ".svg":
            path.write_text(drawn.replace("<svg", f"<svg {NAMESPACE}", 1), encoding="utf-8", newline="\n")
        else:
            _png(marks, self.width, bottom + MARGIN).save(path, format="png", dpi=(DPI, DPI), compress_level=4)
        return drawn


# SVG, in points


def _svg(marks: Sequence[Mark], width: float, height: float) -> str:
    size = f"{72 * width:.0f} {72 * height:.0f}"
    body = "\n".join(map(_element, marks))
    return (
        f'<svg viewBox="0 0 {size}" font-family="{FAMILY}, Verdana, sans-serif">\n'
        f'<rect width="100%" height="100%" fill="{_themed(PAPER)}"/>\n{body}\n</svg>\n'
    )


def _themed(color: str) -> str:
    return f"var(--plot-{THEMED[color]}, {color})" if color in THEMED else color


def _points(inches: float) -> str:
    return f"{72 * inches:.2f}".rstrip("0").rstrip(".")


def _element(mark: Mark) -> str:
    match mark:
        case Box():
            place = " ".join(f'{name}="{_points(getattr(mark, name))}"' for name in ("x", "y", "width", "height"))
            edge = f' stroke="{_themed(mark.edge)}" stroke-width="{mark.thick:g}"' if mark.edge else ""
            corner = f' rx="{_points(mark.round)}"' if mark.round else ""
            return f'<rect {place} fill="{_themed(mark.fill)}"{edge}{corner}/>'
        case Stroke():
            (x, y), (u, v) = mark.start, mark.end
            ends = f'x1="{_points(x)}" y1="{_points(y)}" x2="{_points(u)}" y2="{_points(v)}"'
            dashes = f' stroke-dasharray="{3.7 * mark.thick:g} {1.6 * mark.thick:g}"' if mark.dashed else ""
            return f'<line {ends} stroke="{_themed(mark.color)}" stroke-width="{mark.thick:g}"{dashes}/>'
        case Label():
            return _text_element(mark)
        case Raster():
            stream = BytesIO()
            mark.image.save(stream, format="png")
            place = " ".join(f'{name}="{_points(getattr(mark, name))}"' for name in ("x", "y", "width", "height"))
            return f'<image {place} href="data:image/png;base64,{b64encode(stream.getvalue()).decode()}"/>'


def _text_element(mark: Label) -> str:
    """A text as wide as it was measured, whatever type face the reader has."""
    wide = mark.size * sum(_advance(letter, mark.bold) for letter in mark.text)
    anchor = {"left": "", "center": ' text-anchor="middle"', "right": ' text-anchor="end"'}[mark.align]
    weight = ' font-weight="bold"' if mark.bold else ""
    place = f'x="{_points(mark.x)}" y="{_points(mark.y + _drop(mark.size))}" font-size="{mark.size:g}"'
    fitted = f' textLength="{_points(wide)}" lengthAdjust="spacingAndGlyphs"' if mark.text else ""
    return f'<text {place} fill="{_themed(mark.color)}"{anchor}{weight}{fitted}>{escape(mark.text)}</text>'


def _drop(size: float) -> float:
    """Inches from the middle of a line down to its baseline: half the height of its capitals."""
    return 0.365 * size / 72


# PNG, in pixels


def _png(marks: Sequence[Mark], width: float, height: float) -> Image.Image:
    """Shapes are drawn large and made smaller; text is written at its size, over them."""
    wide, tall = round(DPI * width), round(DPI * height)
    large = Image.new("RGB", (FINER * wide, FINER * tall), PAPER)
    pen = ImageDraw.Draw(large)
    for mark in marks:
        if isinstance(mark, Box):
            _draw_box(pen, mark)
        elif isinstance(mark, Stroke):
            _draw_stroke(pen, mark)
        elif isinstance(mark, Raster):
            scale = FINER * DPI
            room = (round(scale * mark.width), round(scale * mark.height))
            large.paste(mark.image.resize(room), (round(scale * mark.x), round(scale * mark.y)))
    drawn = large.reduce(FINER)
    pen = ImageDraw.Draw(drawn)
    for mark in marks:
        if isinstance(mark, Label):
            font = _font(mark.size * DPI / 72, mark.bold)
            anchor = {"left": "ls", "center": "ms", "right": "rs"}[mark.align]
            pen.text((DPI * mark.x, DPI * (mark.y + _drop(mark.size))), mark.text, mark.color, font, anchor)
    coloured = any(isinstance(mark, Raster) for mark in marks)
    return drawn if coloured else drawn.quantize(palette=_palette(), dither=Image.Dither.NONE)


def _draw_box(pen: Any, mark: Box) -> None:
    scale = FINER * DPI
    left, top = scale * mark.x, scale * mark.y
    right, bottom = left + scale * mark.width, top + scale * mark.height
    if mark.edge is None:
        corner = (round(left), round(top))
        other = (max(round(right) - 1, corner[0]), max(round(bottom) - 1, corner[1]))  # at least a pixel
        pen.rectangle((corner, other), mark.fill)
        return
    thick = round(mark.thick * scale / 72)
    corners = (left - thick / 2, top - thick / 2, right + thick / 2, bottom + thick / 2)
    pen.rounded_rectangle(corners, scale * mark.round + thick / 2, mark.fill, mark.edge, max(thick, 1))


def _draw_stroke(pen: Any, mark: Stroke) -> None:
    scale = FINER * DPI
    thick = max(round(mark.thick * scale / 72), 1)
    (x, y), (u, v) = mark.start, mark.end
    for start, end in _dashes(hypot(u - x, v - y), mark) if mark.dashed else [(0.0, 1.0)]:
        ends = [(scale * (x + part * (u - x)), scale * (y + part * (v - y))) for part in (start, end)]
        pen.line(ends, mark.color, thick)


def _dashes(length: float, mark: Stroke) -> list[tuple[float, float]]:
    """The dashes of a line, each as the shares of the line at which it begins and ends."""
    dash, step = 3.7 * mark.thick / 72, 5.3 * mark.thick / 72
    return [(at * step / length, min((at * step + dash) / length, 1.0)) for at in range(int(length / step) + 1)]


def _shorten(text: str, length: int) -> str:
    """The first two thirds and the last third of so many characters."""
    tail = length // 3
    return text[: length - tail].rstrip() + "…" + (text[-tail:].lstrip() if tail else "")
