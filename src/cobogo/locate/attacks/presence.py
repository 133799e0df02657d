"""Was somebody there?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.locate.attacks.base import Attack, Findings, Scene, share
from cobogo.locate.attacks.likelihood import likelihood_of
from cobogo.locate.attacks.posterior import beliefs, blocks
from cobogo.locate.attacks.spots import Ground
from cobogo.locate.places.points import Points


@dataclass(frozen=True)
class Presence(Attack):
    r"""Was somebody at a sensitive place when they reported? The belief that falls within a radius of it.

    The attacker knows the mechanism and how often places are visited. Says yes where the belief is above one half. The
    places are those of the scene, or its most visited cell.

    Formula: $\Pr[d(x, s) \le r \mid z] = \sum_{x : d(x, s) \le r} \Pr[x \mid z]$; success is the area under the ROC
        curve, one half where nothing is told
    Example:
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked import observed
        >>> observed(Presence(), PlanarLaplace(1.0)).success > 0.9
        True

    Guarantee: None: an attack finds, it does not protect. Noise much wider than the radius helps, and cloaks with
        people who are elsewhere.
    Limits: As of short-observation.
    Cost: $O(n\,c)$ exponentials for n reports and c cells.
    Paper: R. Shokri, G. Theodorakopoulos, J.-Y. Le Boudec and J.-P. Hubaux, Quantifying location privacy, IEEE
        Symposium on Security and Privacy, 2011.
    """

    radius: float = 200.0  # metres

    name: ClassVar[str] = "presence-absence"
    knows: ClassVar[str] = "the mechanism, how often each place is visited, and a place of interest"
    measures: ClassVar[str] = "the area under the ROC curve (one half: nothing is told)"

    def run(self, scene: Scene) -> Findings:
        """Ask it of every report."""
        law = likelihood_of(scene.released, scene.grid, scene.mechanism, scene.known)
        places = scene.places if scene.places is not None else _busiest(scene)
        near = _nearest(scene.truth, places) <= self.radius
        target = _shares(scene.grid, places, self.radius)
        belief = np.empty(len(scene.truth))
        for rows in blocks(len(scene.truth), scene.grid.cells):
            belief[rows] = beliefs(law, scene.chances, rows) @ target
        said = belief > 0.5
        return self.found(
            auc(belief, near),
            len(near),
            baseline=0.5,
            figures={
                "present": share(near),
                "accuracy": share(said == near),
                "precision": share(near[said]),
                "recall": share(said[near]),
                "absence_told": share(~near[belief < 0.05]) if (belief < 0.05).any() else None,
                "prior_belief": float(scene.chances @ target),
            },
        )


def auc(score: Floats, positive: np.ndarray) -> float:
    """The chance that one who is positive scores higher than one who is not, ties counting half.

    >>> auc(np.array([0.1, 0.9, 0.5, 0.5]), np.array([False, True, True, False]))
    0.875
    """
    ordered = np.sort(score)
    rank = (np.searchsorted(ordered, score, "left") + np.searchsorted(ordered, score, "right") + 1) / 2
    yes = int(positive.sum())
    no = len(score) - yes
    if not yes or not no:
        return 0.5
    return float((rank[positive].sum() - yes * (yes + 1) / 2) / (yes * no))


def _busiest(scene: Scene) -> Points:
    cell = scene.grid.nearest_cell(scene.truth.lon, scene.truth.lat)
    return Points(*scene.grid.centres([np.bincount(cell).argmax()]))


def _shares(grid: Ground, places: Points, radius: float) -> Floats:
    """The share of each cell that lies within a radius of some place, as five by five points of it tell."""
    steps = (np.arange(5) - 2) / 5 * grid.size
    east, north = grid.metres()
    spots = (east[:, None, None] + steps, north[:, None, None] + steps[:, None])
    lon, lat = grid.frame.degrees(*(np.broadcast_to(spot, (grid.cells, 5, 5)).ravel() for spot in spots))
    near = _nearest(Points(lon, lat), places) <= radius
    return np.asarray(near.reshape(grid.cells, 25).mean(axis=1), dtype=np.float64)


def _nearest(points: Points, places: Points) -> Floats:
    """Metres to the nearest of some places, in a flat frame."""
    from scipy.spatial import cKDTree

    frame = places.frame
    tree = cKDTree(np.column_stack(frame.metres(places.lon, places.lat)))
    return np.asarray(tree.query(np.column_stack(frame.metres(points.lon, points.lat)))[0])
