"""A map of an evaluation: true points of a few people, what they reported, and what an attacker guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cobogo.locate import maps
from cobogo.locate.attacks.hearing import sent
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.studies.fortaleza.backdrop import city_layers
from cobogo.studies.locations import RAW, Evaluation, Run

PEOPLE = 3
POINTS = 400
"""People, and points of them, that a map can still show."""

CENTRO = (-38.527, -3.731)
NEAR = 40_000.0
"""Metres from the middle of Fortaleza within which its outline is drawn."""

TITLE = ("Where people were, what they reported, what was guessed", "Onde estavam, o que relataram, o que se adivinhou")


def draw(found: Evaluation, directory: Path, *, language: str) -> None:
    """``map.png`` and ``map.html``."""
    run = _shown(found)
    layers = [*_ground(found), *_layers(run)]
    what = (
        f"Evidence: true positions. {run.label}, {PEOPLE} people at most",
        f"Evidência: posições verdadeiras. {run.label}, {PEOPLE} pessoas no máximo",
    )
    maps.draw_map(layers, directory / "map.png", title=TITLE, what=what, language=language)
    hours = found.hours_from_utc
    maps.map_page(layers, directory / "map.html", title=TITLE, what=what, language=language, utc_offset=hours)


def _shown(found: Evaluation) -> Run:
    """The mechanism in the middle of those that were tried, by what they cost."""
    tried = sorted((run for run in found.runs if run.label != RAW), key=lambda run: run.quality_loss)
    return tried[len(tried) // 2] if tried else found.runs[0]


def _ground(found: Evaluation) -> list[Any]:
    frame = found.truth.frame
    return city_layers(names=False) if distance(*CENTRO, frame.lon, frame.lat) < NEAR else []


def _layers(run: Run) -> list[Any]:
    released, truth = run.released, run.truth
    rows = _rows(truth)
    layers = [maps.paths(truth.take(rows), ("true path", "caminho verdadeiro"), color="blue")]
    if released.box is not None:
        time = released.points.time
        when = None if time is None else time[rows]
        west, south, east, north = (side[rows] for side in released.box)
        layers.append(maps.boxes(west, south, east, north, ("cloaks", "regiões"), time=when, opacity=0.05))
    else:
        positions, report = sent(released)
        reports = positions.take(np.isin(report, rows))
        layers.append(maps.points(reports, ("reports", "relatos"), color="orange", shape="cross", size=1.8))
    for attack in ("tracking", "short-observation"):
        guesses = run.findings[attack].guesses if attack in run.findings else None
        if guesses is not None:
            layers.append(
                maps.points(guesses.take(rows), ("guesses", "palpites"), color="green", shape="ring", size=1.6)
            )
            break
    homes = run.findings["home-and-work"].guesses if "home-and-work" in run.findings else None
    if homes is not None and homes.user is not None and truth.user is not None:
        mine = homes.take(np.isin(homes.user, np.unique(truth.user[rows])))
        layers.append(
            maps.points(
                mine, ("homes guessed", "casas adivinhadas"), color="purple", shape="square", size=2.6, timed=False
            )
        )
    return layers


def _rows(points: Points) -> Any:
    """The first points of a few people."""
    if points.user is None:
        return np.arange(min(len(points), POINTS))
    people = np.unique(points.user)[:PEOPLE]
    each = POINTS // max(len(people), 1)
    return np.concatenate([np.flatnonzero(points.user == one)[:each] for one in people])
