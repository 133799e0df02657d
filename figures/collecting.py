"""RAPPOR's experiment, drawn and tabulated: true against estimated shares. Seeded, so that figures stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from cobogo.collect.rappor.simulation import DEMO, PAPER, Simulation, simulate
from cobogo.floor.randomness import Seeded
from cobogo.tell.report.canvas import BLUE, GREY, LINE, MARGIN, MUTED, ORANGE, Sheet

LAWS = {"normal": "normal", "exponential": "exponential", "zipf": "Zipf"}
SIZES = (10_000, 100_000, 1_000_000)
SEED = 2014
TALL = 1.5


@cache
def of_the_paper(law: str, clients: int) -> Simulation:
    """The paper's parameters; as many candidates again that nobody holds."""
    return simulate(law, clients, PAPER, Seeded(SEED), extra=100)


@cache
def of_the_demo(law: str) -> Simulation:
    """The demonstration of the authors' code."""
    return simulate(law, 100_000, DEMO, Seeded(SEED), missing=10, extra=10)


def paper_row(law: str, clients: int) -> str:
    """A line of the page's first table."""
    found = of_the_paper(law, clients)
    seen = [share for name, share in zip(found.names, found.shares, strict=True) if name in found.found.strings]
    rarest = f"{100 * min(seen):.1f} %" if seen else "–"
    figures = (LAWS[law], f"{clients:,}", found.detected, found.invented, rarest, f"{found.total_variation:.2f}")
    return f"| {' | '.join(map(str, figures))} |"


def demo_row(law: str) -> str:
    """A line of the second."""
    found = of_the_demo(law)
    return f"| {LAWS.get(law, law)} | {found.detected} | {found.invented} | {found.total_variation:.2f} |"


def simulation(path: Path) -> None:
    """True and estimated shares of a million reports, a panel for each law."""
    sheet = Sheet(
        "RAPPOR traces a distribution and loses its tail",
        "A million reports each; lines over dots are intervals of 95 %",
    )
    x = MARGIN
    for name, color in (("true share", GREY), ("estimate", BLUE), ("not found", ORANGE)):
        sheet.bars([(x, sheet.top - 0.06, 0.2, 0.12)], color)
        sheet.text(x + 0.28, sheet.top, name, size=9)
        x += 0.5 + sheet.measure(name, 9)
    sheet.top += 0.3
    for law, name in LAWS.items():
        _panel(sheet, name, of_the_paper(law, SIZES[-1]))
    sheet.save(path, sheet.top)


def _panel(sheet: Sheet, name: str, found: Simulation) -> None:
    left = MARGIN + 0.55
    wide = sheet.width - MARGIN - left
    high = 1.02 * max(found.shares.max(), found.estimated.max() + 1.96 * found.found.errors.max() / found.found.users)
    step = wide / len(found.names)
    floor = sheet.top + TALL
    errors = dict(zip(found.found.strings, (found.found.errors / found.found.users).tolist(), strict=True))

    def level(share: float) -> float:
        return floor - TALL * min(max(share / high, 0), 1)

    for tick in _ticks(high):
        sheet.lines([((left, level(tick)), (left + wide, level(tick)))], LINE, thick=0.7)
        sheet.text(left - 0.08, level(tick), f"{100 * tick:g} %", size=8, color=MUTED, align="right")
    bars: dict[str, list[tuple[float, float, float, float]]] = {GREY: [], ORANGE: [], BLUE: []}
    lines = []
    for number, (string, true, share) in enumerate(zip(found.names, found.shares, found.estimated, strict=True)):
        x = left + step * number
        bars[GREY if string in errors else ORANGE].append(
            (x + 0.1 * step, level(true), 0.8 * step, floor - level(true))
        )
        if string in errors:
            middle = x + step / 2
            bars[BLUE].append((middle - 0.025, level(share) - 0.025, 0.05, 0.05))
            low, up = share - 1.96 * errors[string], share + 1.96 * errors[string]
            lines.append(((middle, level(low)), (middle, level(up))))
    for color, boxes in bars.items():
        if color != BLUE and boxes:
            sheet.bars(boxes, color)
    sheet.lines(lines, BLUE, thick=1.2)
    if bars[BLUE]:
        sheet.bars(bars[BLUE], BLUE)
    sheet.lines([((left, floor), (left + wide, floor))], MUTED)
    what = f"{name}: {found.detected} of 100 found, total variation {found.total_variation:.2f}"
    sheet.text(left + wide, sheet.top - 0.12, what, size=9, align="right")
    sheet.top = floor + 0.35


def _ticks(high: float) -> Sequence[float]:
    step = next(step for step in (0.005, 0.01, 0.02, 0.05, 0.1) if high / step <= 4)
    return [round(step * number, 4) for number in range(int(high / step) + 1)]


FIGURES = {"rappor-simulation.png": simulation}
