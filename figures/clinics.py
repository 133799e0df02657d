"""Four requests near clinics, as the service sees them without protection and under cloaks. Everybody is made up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from cobogo.examples.places import OUTLINE
from cobogo.floor.arrays import Floats
from cobogo.floor.randomness import Seeded
from cobogo.locate.places.geometry import Frame
from cobogo.studies.fortaleza.clinics import beliefs, bob, clinics, crowds, endings
from cobogo.tell.report.canvas import BLUE, GREY, INK, LINE, MARGIN, MUTED, ORANGE, PALE, TINT, WIDTH, Sheet

MIDDLE = Frame(-38.517, -3.742)
ACROSS, UP = 6_600.0, 5_400.0
SEED = 7


def story(path: Path) -> None:
    """Two maps, and below them what the service believes in the end."""
    told = endings(Seeded(SEED))
    sheet = Sheet(
        "Four requests near clinics, and what they tell",
        "Made-up people in Fortaleza. A service believes that 2 % of people go from clinic to clinic; then Bob asks it "
        "for something else, four times",
    )
    wide = (WIDTH - 3 * MARGIN) / 2
    high = wide * UP / ACROSS
    for number, title in enumerate(("Precise positions: one is enough for a guess", "Cloaks of 20 people")):
        left = MARGIN + number * (wide + MARGIN)
        sheet.text(left, sheet.top, title, bold=True)
        _map(sheet, left, sheet.top + 0.2, wide, high, told[0].reports if number == 0 else told[1].reports)
    top = sheet.top + high + 0.5
    sheet.text(MARGIN, top, "What the service believes in the end: that he goes from clinic to clinic", bold=True)
    sheet.text(MARGIN + 3.3, top + 0.28, "all four under one name", size=8.5, color=ORANGE)
    sheet.text(MARGIN + 5.3, top + 0.28, "no name: the most telling one", size=8.5, color=BLUE)
    top += 0.58
    room = WIDTH - 2 * MARGIN - 2.6 - 0.5
    for name, (linked, unlinked) in beliefs(Seeded(SEED)).items():
        sheet.text(MARGIN, top, name)
        for row, (share, color) in enumerate(((linked, ORANGE), (unlinked, BLUE))):
            y = top - 0.11 + 0.12 * row
            sheet.bars([(MARGIN + 2.6, y, max(share * room, 0.01), 0.1)], color)
            sheet.text(MARGIN + 2.66 + share * room, y + 0.05, f"{100 * share:.1f} %", size=7.5, color=MUTED)
        top += 0.36
    sheet.save(path, top - 0.1)


def _map(sheet: Sheet, left: float, top: float, wide: float, high: float, reports: Sequence) -> None:  # type: ignore[type-arg]
    def placed(lon: Floats, lat: Floats) -> list[tuple[float, float]]:
        east, north = MIDDLE.metres(lon, lat)
        x, y = left + (east / ACROSS + 0.5) * wide, top + (0.5 - north / UP) * high
        return [(float(a), float(b)) for a, b in zip(x.ravel(), y.ravel(), strict=True)]

    def within(x: float, y: float) -> bool:
        return left <= x <= left + wide and top <= y <= top + high

    ring = placed(*_fine(OUTLINE))
    boxes = [report.box for report in reports if report.box is not None]
    corners = [placed(*_columns([(west, north), (east, south)])) for west, south, east, north in boxes]
    sheet.bars([(a[0], a[1], b[0] - a[0], b[1] - a[1]) for a, b in corners], TINT)
    sheet.lines([(a, b) for a, b in pairwise(ring) if within(*a) and within(*b)], GREY, thick=1.2)
    crowd = crowds()[0]
    sheet.bars([(x - 0.008, y - 0.008, 0.016, 0.016) for x, y in placed(crowd.lon, crowd.lat) if within(x, y)], LINE)
    doors = clinics()
    for x, y in placed(doors.lon, doors.lat):
        if within(x, y):
            sheet.bars([(x - 0.045, y - 0.014, 0.09, 0.028), (x - 0.014, y - 0.045, 0.028, 0.09)], MUTED)
    if corners:
        for number, (a, b) in enumerate(corners):
            sheet.lines(_frame(a[0], a[1], b[0] - a[0], b[1] - a[1]), BLUE, thick=1.3)
            sheet.text(a[0] + 0.04, a[1] + 0.1, str(number + 1), size=8, color=BLUE, bold=True)
    else:
        him = bob()
        dots = placed(him.lon, him.lat)
        for number, (x, door) in enumerate(dots):
            y = door - 0.09 * (number == 3)  # the fourth is at the door of the first
            sheet.pills([(x - 0.085, y - 0.085, 0.17, 0.17)], fill=ORANGE, edge=ORANGE, over=3)
            sheet.text(x, y, str(number + 1), size=7.5, color="#ffffff", bold=True, align="center")
    sheet.lines(_frame(left, top, wide, high), PALE)
    sheet.text(left + wide - 0.08, top + high - 0.12, "+ clinic   · somebody", size=7.5, color=INK, align="right")


def _frame(x: float, y: float, wide: float, high: float) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    corners = [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)]
    return list(zip(corners, corners[1:] + corners[:1], strict=True))


def _columns(points: Sequence[tuple[float, float]]) -> tuple[Floats, Floats]:
    found = np.array(points, dtype=np.float64)
    return found[:, 0], found[:, 1]


def _fine(ring: Sequence[tuple[float, float]]) -> tuple[Floats, Floats]:
    """A ring in short steps, so that it can be cut off at the edge of a map."""
    lon, lat = _columns([*ring, ring[0]])
    steps = np.linspace(0, len(ring), 40 * len(ring) + 1)
    return np.interp(steps, np.arange(len(lon)), lon), np.interp(steps, np.arange(len(lat)), lat)


FIGURES = {"location-clinics.png": story}
