"""What mechanisms cost and what attacks find, on made-up people of Fortaleza: the pictures of the page on attacks."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from cobogo.floor.language import speech
from cobogo.floor.randomness import Seeded
from cobogo.locate.attacks import HomeAndWork, LocationPresence, LongObservation, ShortObservation, Tracking
from cobogo.locate.spec import build_mechanism, parse_specs
from cobogo.studies.fortaleza import UTC_OFFSET, people
from cobogo.studies.location_page import draw, draw_map
from cobogo.studies.locations import Evaluation, evaluate, sample_points

PEOPLE, DAYS, POINTS = 60, 3, 1_500
ASKED = (
    "planar-laplace:epsilon=0.05|0.02|0.005|0.002|0.001",
    "disc:radius=100|300|1000|3000",
    "adaptive:epsilon=0.05|0.01|0.003",
)


@cache
def evaluation() -> Evaluation:
    """A few people of three days, one report every quarter of an hour."""
    points = sample_points(people(PEOPLE, days=DAYS).trajectories(900), 60, POINTS, Seeded(1)).points
    made = {one.label: build_mechanism(one, points) for text in ASKED for one in parse_specs(text, "--mechanism")}
    attacks = [ShortObservation(), LongObservation(), Tracking(), HomeAndWork(), LocationPresence()]
    return evaluate(points, made, attacks, hours_from_utc=UTC_OFFSET, name="Fortaleza", source=Seeded(2))


def frontier(path: Path) -> None:
    """A panel for each attack."""
    draw(evaluation(), path, say=speech("en"))


def guesses(path: Path) -> None:
    """The map of the evaluation."""
    with tempfile.TemporaryDirectory() as directory:
        draw_map(evaluation(), Path(directory), language="en")
        path.write_bytes((Path(directory) / "map.png").read_bytes())


FIGURES = {"location-frontier.png": frontier, "location-guesses.png": guesses}
