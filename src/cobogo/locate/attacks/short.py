"""One report, seen alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.locate.attacks.base import Attack, Findings, Scene, share
from cobogo.locate.attacks.likelihood import likelihood_of
from cobogo.locate.attacks.posterior import How, beliefs, blocks, guess
from cobogo.locate.metrics import correctness, entropy


@dataclass(frozen=True)
class ShortObservation(Attack):
    r"""Where was somebody, from one report and what is usual? Bayes' rule over a grid of places.

    The attacker knows the mechanism and how often places are visited. Guesses the place from which the expected
    distance is least (``median``), the likeliest one (``map``) or the mean.

    Formula: $\Pr[x \mid z] \propto \pi(x)\,k(z \mid x)$; the guess is $\arg\min_y \sum_x \Pr[x \mid z]\,d(x, y)$
    Example: Reports that are off by two metres.
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked import observed
        >>> observed(ShortObservation(), PlanarLaplace(1.0)).success > 0.9
        True

    Guarantee: None: an attack finds, it does not protect. Geo-indistinguishability bounds what one report adds to what
        is known.
    Limits: The prior is that of the attacked people themselves unless another is given: no attacker knows the city
        better. Guesses are cells.
    Cost: $O(n\,c)$ exponentials for n reports and c cells; for ``median`` one transform of the grid a report.
    Paper: R. Shokri, G. Theodorakopoulos, J.-Y. Le Boudec and J.-P. Hubaux, Quantifying location privacy, IEEE
        Symposium on Security and Privacy, 2011.
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
        return self.found(
            share(error <= self.within),
            count,
            error=error,
            guesses=guesses,
            baseline=scene.blind(scene.truth, self.within),
            figures={
                "expected_error": float(off.mean()),
                "uncertainty_bits": float(unsure.mean()),
                "quality_loss": scene.quality_loss,
                "law_known": int(law.law != "learned"),
            },
        )
