"""An evaluation of location mechanisms as a picture and a page: what each costs, and what each attack finds."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.tell.report.canvas import BLUE, GREY, INK, LINE, MARGIN, MUTED, ORANGE, PALE, WIDTH, Sheet
from cobogo.tell.report.html import environment
from cobogo.tell.report.words import NOTHING, Words

if TYPE_CHECKING:
    from cobogo.studies.locations import Evaluation, Run

ACROSS = 3  # panels in a row
TALL = 1.75
GAP = 0.5
DOT = 0.1
COLORS = (BLUE, ORANGE, INK, GREY, PALE, MUTED)
LEAST = 1.0  # metres: what is below is drawn there


@dataclass(frozen=True)
class Dot:
    """One mechanism in one panel."""

    family: str
    loss: float
    value: float
    label: str


def fact(found: Evaluation, say: Words) -> str:
    """The headline: what the mechanism in the middle does to one report, and to many reports of a home."""
    told = [
        run
        for run in found.runs
        if run.quality_loss >= LEAST and all(name in run.findings for name in ("short-observation", "home-and-work"))
    ]
    if not told:
        return say("locating.fact.none")
    run = sorted(told, key=lambda run: run.quality_loss)[len(told) // 2]
    one, home = (float(run.findings[name].error.mean()) for name in ("short-observation", "home-and-work"))
    figures = {"loss": round(run.quality_loss), "one": round(one), "home": round(home)}
    return say("locating.fact", mechanism=run.label, **figures)


def draw(found: Evaluation, path: Path, *, say: Words) -> None:
    """The frontier: a panel for each attack, a dot for each mechanism, a line for each family of them."""
    sheet = Sheet(fact(found, say), say("locating.what"))
    families = list(dict.fromkeys(run.name for run in _protected(found)))
    colors = {name: COLORS[number % len(COLORS)] for number, name in enumerate(families)}
    _legend(sheet, colors)
    losses = [max(run.quality_loss, LEAST) for run in _protected(found)] or [LEAST]
    span = floor(log10(min(losses))), max(ceil(log10(max(losses))), floor(log10(min(losses))) + 1)
    wide = (WIDTH - 2 * MARGIN - (ACROSS - 1) * GAP) / ACROSS
    attacks = [name for name in found.attacks if any(name in run.findings for run in _protected(found))]
    for start in range(0, len(attacks), ACROSS):
        top = bottom = sheet.top
        for place, attack in enumerate(attacks[start : start + ACROSS]):
            sheet.top = top
            _panel(sheet, found, attack, colors, span, say, left=MARGIN + place * (wide + GAP), wide=wide)
            bottom = max(bottom, sheet.top)
        sheet.top = bottom + 0.25
    sheet.save(path, sheet.top)


def _protected(found: Evaluation) -> list[Run]:
    """All but the true positions. Sets that hold the truth lose nothing, and are drawn at the left."""
    return [run for run in found.runs if run.label != "none"]


def _legend(sheet: Sheet, colors: Mapping[str, str]) -> None:
    x = MARGIN
    for name, color in colors.items():
        long = 0.27 + sheet.measure(name, 9) + 0.25
        if x > MARGIN and x + long > WIDTH - MARGIN:
            x, sheet.top = MARGIN, sheet.top + 0.22
        sheet.pills([(x, sheet.top - 0.055, 0.2, 0.11)], fill=color, edge=color)
        sheet.text(x + 0.27, sheet.top, name, size=9)
        x += long
    sheet.top += 0.42


def _dots(found: Evaluation, attack: str, metres: bool) -> list[Dot]:
    dots = []
    for run in _protected(found):
        if attack in run.findings:
            finding = run.findings[attack]
            value = float(finding.error.mean()) if metres else finding.success
            dots.append(Dot(run.name, run.quality_loss, value, run.label))
    return sorted(dots, key=lambda dot: dot.loss)


def in_metres(found: Evaluation, attack: str) -> bool:
    """Whether an attack is told by how far it is off: not where guesses are only one part of it."""
    return all(len(run.findings[attack].error) > 0 for run in found.runs if attack in run.findings) and attack not in (
        "centre-of-cloak",
        "context-linking",
    )


def _panel(
    sheet: Sheet, found: Evaluation, attack: str, colors: Mapping[str, str], span: tuple[int, int], say: Words, *,
    left: float, wide: float,
) -> None:  # fmt: skip
    metres = in_metres(found, attack)
    dots = _dots(found, attack, metres)
    title = sheet.fit(say.name("attack", attack), wide, 10.5, bold=True)
    sheet.text(left, sheet.top, title, size=10.5, bold=True)
    sheet.text(left, sheet.top + 0.22, say("locating.error" if metres else "locating.success"), size=8.5, color=MUTED)
    floor_ = sheet.top + 0.45 + TALL
    bounds = _bounds([dot.value for dot in dots]) if metres else (0.0, 1.0)

    def x_of(loss: float) -> float:
        return left + 0.35 + (wide - 0.35) * (log10(max(loss, LEAST)) - span[0]) / (span[1] - span[0])

    def y_of(value: float) -> float:
        share = (log10(max(value, LEAST)) - bounds[0]) / (bounds[1] - bounds[0]) if metres else value
        return floor_ - TALL * min(max(share, 0.0), 1.0)

    ticks = [10.0**power for power in range(int(bounds[0]), int(bounds[1]) + 1)] if metres else [0.0, 0.5, 1.0]
    for tick in ticks:
        sheet.lines([((left + 0.35, y_of(tick)), (left + wide, y_of(tick)))], LINE)
        sheet.text(left + 0.3, y_of(tick), _short(tick, say, metres), size=7.5, color=MUTED, align="right")
    for power in range(span[0], span[1] + 1):
        sheet.text(
            x_of(10.0**power), floor_ + 0.13, _short(10.0**power, say, True), size=7.5, color=MUTED, align="center"
        )
    if metres:
        low, high = 10.0 ** max(bounds[0], span[0]), 10.0 ** min(bounds[1], span[1])
        if high > low:
            sheet.lines([((x_of(low), y_of(low)), (x_of(high), y_of(high)))], GREY, dashed=True)
    for family, color in colors.items():
        mine = [(x_of(dot.loss), y_of(dot.value)) for dot in dots if dot.family == family]
        sheet.lines(list(pairwise(mine)), color, thick=1.8)
        sheet.pills([(x - DOT / 2, y - DOT / 2, DOT, DOT) for x, y in mine], fill=color, edge="#ffffff", over=3)
    sheet.text(
        left + 0.35 + (wide - 0.35) / 2, floor_ + 0.32, say("locating.loss"), size=8, color=MUTED, align="center"
    )
    sheet.top = floor_ + 0.4


def _bounds(values: Sequence[float]) -> tuple[float, float]:
    known = [max(value, LEAST) for value in values] or [LEAST]
    low = floor(log10(min(known)))
    return float(low), float(max(ceil(log10(max(known))), low + 1))


def _short(value: float, say: Words, metres: bool) -> str:
    if not metres:
        return say.percent(value)
    return f"{say.number(value / 1000)} k" if value >= 1000 else say.number(value)


def render(found: Evaluation, pictures: Mapping[str, bytes], *, say: Words, wanted: float, asked: float) -> str:
    """The page: pictures, what each mechanism costs, what each attack finds and knows."""
    return (
        environment()
        .get_template("locating.html.j2")
        .render(
            say=say,
            found=found,
            fact=fact(found, say),
            pictures={name: b64encode(picture).decode() for name, picture in pictures.items()},
            costs=[_cost(run, say) for run in found.runs],
            table=[_found(found, run, say) for run in found.runs],
            attacks=found.attacks,
            untried=_untried(found, say),
            wanted=say.number(wanted),
            asked=say.number(asked),
            size=say.number(round(found.grid.size)),
        )
    )


def _name(run: Run, say: Words) -> str:
    return say("locating.none") if run.label == "none" else run.label


def _cost(run: Run, say: Words) -> dict[str, Any]:
    return {
        "name": _name(run, say),
        "guarantee": run.guarantee,
        "mean": say.number(round(run.quality_loss, 1)),
        "high": say.number(round(float(np.quantile(run.loss, 0.95)), 1)),
        "precision": say.percent(run.precision),
        "recall": say.percent(run.recall),
        "answered": say.percent(run.answered),
        "asks": _asks(run, say),
    }


def _asks(run: Run, say: Words) -> str:
    """What a service must answer about."""
    if run.area is not None:
        return f"{say.number(round(run.area / 1e6, 3))} km²"
    return say("locating.places", n=say.number(round(run.positions or 1)))


def _untried(found: Evaluation, say: Words) -> list[str]:
    """Which attacks could not be run on what, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for run in found.runs:
        for attack, why in run.skipped.items():
            reasons.setdefault((attack, why), []).append(_name(run, say))
    return [f"{say.name('attack', attack)}, {', '.join(runs)}: {why}" for (attack, why), runs in reasons.items()]


def _found(found: Evaluation, run: Run, say: Words) -> dict[str, Any]:
    cells = []
    for attack in found.attacks:
        finding = run.findings.get(attack)
        if finding is None:
            cells.append({"share": NOTHING, "error": "", "before": ""})
            continue
        error = finding.error[np.isfinite(finding.error)]
        cells.append(
            {
                "share": say.percent(finding.success),
                "error": f"{say.number(round(float(error.mean())))} m" if len(error) else "",
                "before": f"({say.percent(finding.baseline)})",
            }
        )
    return {"name": _name(run, say), "cells": cells}
