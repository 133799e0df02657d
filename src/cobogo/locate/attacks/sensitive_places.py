"""What reports tell of whether somebody goes to places of a kind: clinics, places of worship, a party's office.

The attacker is the service: it knows where such places are, where people of the city are in general, and how reports
are made. Each report weighs by how much likelier it is from somebody at such a place than from anybody in the city
(a Bayes factor); reports under one name are weighed together, reports under no name one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.locate.crowds.cells import inside
from cobogo.locate.device.reports import Report
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points

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
