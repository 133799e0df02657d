"""The sheet that plots are drawn on: measured in inches, with one type face and few colours.

Plots draw every mark themselves on a bare figure. Matplotlib's axes, legends and layout engines take most of the time
of a small plot, and read labels as TeX, which data are not.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.transforms import Affine2D
from PIL import Image

# Blue and orange differ for every kind of colour vision, and in grey.
INK = "#1d2b36"
MUTED = "#64727d"
LINE = "#c9d1d7"
GREY = "#a9b4bc"
BLUE = "#1f6f96"
PALE = "#9cc3d5"
TINT = "#cfe1ea"
ORANGE = "#dd7a16"
PAPER = "#ffffff"

DPI = 150
WIDTH = 9.0
MARGIN = 0.3
FAMILY = "DejaVu Sans"  # comes with Matplotlib, so that a plot looks the same everywhere
LONGEST = 200  # characters of a label: no plot has room for more


@cache
def _font(size: float, bold: bool) -> Any:
    return FontProperties(family=FAMILY, size=size, weight="bold" if bold else "normal")


@cache
def _palette() -> Image.Image:
    """All colours and their blends with white: a palette takes a third of the bytes of true colour, and less time.

    Blends that are almost white are left out: Pillow takes a near colour, not the nearest, and white must stay white.
    """
    colors = [to_rgb(color) for color in (INK, MUTED, LINE, GREY, BLUE, PALE, TINT, ORANGE)]
    blends = [[1 + (part - 1) * step / 30 for part in color] for color in colors for step in range(1, 31)]
    entries = [[1.0, 1.0, 1.0], *(blend for blend in blends if max(blend) < 0.98)]
    palette = Image.new("P", (1, 1))
    palette.putpalette([round(255 * part) for entry in entries for part in entry])
    return palette


def _face(bold: bool) -> Any:
    """The type face of this thread: a face holds the glyph that it loaded last, so threads cannot share one."""
    return _face_of(threading.get_ident(), bold)


@cache
def _face_of(thread: int, bold: bool) -> Any:  # noqa: ARG001
    face = FT2Font(findfont(_font(10, bold)))
    face.set_size(10, 72)
    return face


@cache
def _glyphs() -> frozenset[int]:
    """The characters that the type face has, in both weights."""
    return frozenset(_face(False).get_charmap()) & frozenset(_face(True).get_charmap())


@cache
def _advance(letter: str, bold: bool) -> float:
    """The width of a character in inches at one point; summing these is far faster than laying out a line."""
    return float(_face(bold).load_char(ord(letter)).linearHoriAdvance) / 65536 / 10 / 72


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
        self.figure = Figure(figsize=(width, 1), dpi=DPI, facecolor=PAPER)
        self._canvas = FigureCanvasAgg(self.figure)
        self._space = Affine2D().scale(DPI, -DPI)  # moved down when the height is known
        self.top = MARGIN + 0.14  # y of the next mark
        for line in self.wrap(title.split(), width - 2 * MARGIN, 13.5, lines=3, bold=True):
            self.text(MARGIN, self.top, line, size=13.5, bold=True)
            self.top += 0.27
        for line in self.wrap(what.split(), width - 2 * MARGIN, 9.5, lines=2):
            self.text(MARGIN, self.top, line, size=9.5, color=MUTED)
            self.top += 0.2
        self.top += 0.18

    def text(
        self, x: float, y: float, text: str, *, size: float = 9.5, color: str = INK, bold: bool = False,
        align: str = "left",
    ) -> None:  # fmt: skip
        """Write one line, vertically centred on y."""
        self.figure.text(
            x, y, drawable(text), fontproperties=_font(size, bold), color=color, ha=align, va="center_baseline",
            transform=self._space, parse_math=False, usetex=False, zorder=5,
        )  # fmt: skip

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
        patches = [Rectangle((x, y), width, height) for x, y, width, height in boxes]
        self._add(PatchCollection(patches, facecolor=color, edgecolor="none"))

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
        patches = [
            FancyBboxPatch((x, y), width, height, boxstyle=f"round,pad=0,rounding_size={min(width, height) / 3}")
            for x, y, width, height in boxes
        ]
        self._add(PatchCollection(patches, facecolor=fill, edgecolor=edge, linewidth=thick, zorder=over))

    def lines(
        self, segments: Sequence[tuple[tuple[float, float], tuple[float, float]]], color: str = LINE, *,
        thick: float = 1.0, dashed: bool = False,
    ) -> None:  # fmt: skip
        """Draw straight lines, each between two points."""
        style = "dashed" if dashed else "solid"
        self._add(LineCollection(segments, colors=color, linewidths=thick, linestyles=style, zorder=1))

    def save(self, path: Path, bottom: float) -> None:
        """Write a PNG that ends a margin below ``bottom``."""
        height = bottom + MARGIN
        self.figure.set_size_inches(self.width, height)
        self._space.translate(0, height * DPI)
        self._canvas.draw()
        drawn = Image.fromarray(np.asarray(self._canvas.buffer_rgba())).convert("RGB")
        drawn = drawn.quantize(palette=_palette(), dither=Image.Dither.NONE)
        drawn.save(path, format="png", dpi=(DPI, DPI), compress_level=4)

    def _add(self, marks: Any) -> None:
        marks.set_transform(self._space)
        self.figure.add_artist(marks)


def _shorten(text: str, length: int) -> str:
    """The first two thirds and the last third of so many characters."""
    tail = length // 3
    return text[: length - tail].rstrip() + "…" + (text[-tail:].lstrip() if tail else "")
