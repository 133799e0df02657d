"""One report, seen alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.location.attacks.base import Attack, Findings, Scene, share
from cobogo.location.attacks.likelihood import likelihood_of
from cobogo.location.attacks.posterior import How, beliefs, blocks, guess
from cobogo.location.metrics import correctness, entropy


@dataclass(frozen=True)
class ShortObservation(Attack):
    """Where was somebody, from one report and what is usual? Bayes' rule over a grid of places.

    The attacker knows the mechanism and how often places are visited. Guesses the place from which the expected
    distance is least (``median``), the likeliest one (``map``) or the mean. Costs one exponential for each report and
    cell, and for ``median`` one transform of the grid a report. Shokri et al. 2011; §3.5.3.1 of the guide.
    """

    how: How = "median"
    within: float = 100.0  # metres: a guess as near as this has found the person

    name: ClassVar[str] = "short-observation"
    knows: ClassVar[str] = "the mechanism and how often each place is visited"
    measures: ClassVar[str] = "guesses within a hundred metres, or what `within` says"

    def run(self, scene: Scene) -> Findings:
        """Guess every report on its own."""
        law = likelihood_of(scene.released, scene.grid, scene.mechanism, scene.known)
        count = len(scene.reports)
        lon, lat, unsure, off = np.empty(count), np.empty(count), np.empty(count), np.empty(count)
        for rows in blocks(count, scene.grid.cells):
            chances = beliefs(law, scene.chances, rows)
            lon[rows], lat[rows] = guess(chances, scene.grid, self.how)
            unsure[rows] = entropy(chances)
            off[rows] = correctness(chances, scene.grid, scene.truth.take(rows))
        guesses = scene.reports if scene.at_their_word else scene.truth.at(lon, lat)
        error = scene.truth.distance(guesses)
        blind = guess(scene.chances[None, :], scene.grid, self.how)
        return self.found(
            share(error <= self.within),
            count,
            error=error,
            guesses=guesses,
            baseline=share(
                scene.truth.distance(scene.truth.at(np.full(count, blind[0][0]), np.full(count, blind[1][0])))
                <= self.within
            ),
            figures={
                "expected_error": float(off.mean()),
                "uncertainty_bits": float(unsure.mean()),
                "quality_loss": scene.quality_loss,
                "law_known": int(law.law != "learned"),
            },
        )
