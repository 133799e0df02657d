"""Was somebody at a sensitive place: a clinic, a place of worship, a party's office?

`LocationPresence` asks it of every report. `log_evidence` weighs what a service learns: it knows where such places are,
where people of the city are in general, and how reports are made. A report weighs by how much likelier it is from
somebody at such a place than from anybody in the city (a Bayes factor); reports under one name are weighed together,
reports under no name one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import ClassVar

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.locate.attacks.base import LocationAttack, LocationFindings, Scene, share
from cobogo.locate.attacks.inference import beliefs, blocks, likelihood_of
from cobogo.locate.attacks.spots import Ground
from cobogo.locate.crowds.cells import inside
from cobogo.locate.device.reports import Report
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points


@card("presence-absence", title="presence and absence")
@dataclass(frozen=True)
class LocationPresence(LocationAttack):
    r"""Was somebody at a sensitive place when they reported? The belief that falls within a radius of it.

    The attacker knows the mechanism and how often places are visited. Says yes where the belief is above one half. The
    places are those of the scene, or its most visited cell.

    Formula: $\Pr[d(x, s) \le r \mid z] = \sum_{x : d(x, s) \le r} \Pr[x \mid z]$; success is the area under the ROC
        curve, one half where nothing is told
    Example:
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked import observed
        >>> observed(LocationPresence(), PlanarLaplace(1.0)).success > 0.9
        True

    Guarantee: None: an attack finds, it does not protect. Noise much wider than the radius helps, and cloaks with
        people who are elsewhere.
    Limits: As of short-observation.
    Cost: $O(n\,c)$ exponentials for n reports and c cells.
    Paper: R. Shokri, G. Theodorakopoulos, J.-Y. Le Boudec and J.-P. Hubaux, Quantifying location privacy, IEEE
        Symposium on Security and Privacy, 2011.
    """

    radius: float = 200.0  # metres

    knows: ClassVar[str] = "the mechanism, how often each place is visited, and a place of interest"
    measures: ClassVar[str] = "the area under the ROC curve (one half: nothing is told)"

    def run(self, scene: Scene) -> LocationFindings:
        """Ask it of every report."""
        law = likelihood_of(scene.released, scene.grid, scene.mechanism, scene.known)
        places = scene.places if scene.places is not None else _busiest(scene)
        near = _nearest(scene.truth, places) <= self.radius
        target = _shares(scene.grid, places, self.radius)
        belief = np.empty(len(scene.truth))
        for rows in blocks(len(scene.truth), scene.grid.cells):
            belief[rows] = beliefs(law, scene.chances, rows) @ target
        said = belief > 0.5
        return self.findings(
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


NEAR = 75.0
"""Metres within which a precise position is taken to be at a place."""


def log_evidence(report: Report, places: Points, everybody: Points, *, epsilon: float | None = None) -> float:
    """The logarithm of how much likelier a report is from somebody at one of ``places``, any of them alike, than from
    one of ``everybody``, who are about at that time, the one who reports among them.

    A rectangle could come from anybody in it, a set from anybody near one of its members, a noisy position (planar
    Laplace of ``epsilon``) from anywhere, e times less likely for every 1/ε metres; any other from who is near.
    """
    theirs, all_ = (_likelihood(report, points, epsilon).mean() for points in (places, everybody))
    if not theirs:
        return -inf
    return log(theirs) - log(all_) if all_ else inf


def probability(prior: float, evidence: Sequence[float]) -> float:
    """What the attacker believes after reports that are known to be of one person.

    >>> probability(0.5, []), round(probability(0.5, [log(3)]), 6)
    (0.5, 0.75)
    """
    total = log(prior / (1 - prior)) + sum(evidence)
    return 1 / (1 + exp(-total)) if total > -700 else 0.0


def _likelihood(report: Report, points: Points, epsilon: float | None) -> Floats:
    if report.box is not None:
        west, south, east, north = (np.asarray(edge) for edge in report.box)
        return inside((west, south, east, north), points.lon, points.lat).astype(np.float64)
    away = np.stack([distance(lon, lat, points.lon, points.lat) for lon, lat in report.positions])
    if epsilon is not None:
        return np.asarray(np.exp(-epsilon * away).sum(axis=0))
    return np.asarray((away <= max(report.radius, NEAR)).sum(axis=0, dtype=np.float64))
