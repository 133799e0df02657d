"""Measures of location privacy and of its price.

The error and the uncertainty of an attacker (Shokri et al. 2011), what a user loses (quality loss; precision and recall
of an area of interest, Andrés et al. 2013), and the size and the evenness of a crowd.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.locate.mechanisms.base import Released
from cobogo.locate.places.geometry import DEGREE, distance, wrap
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points


def used_positions(truth: Points, released: Released) -> Points:
    """The position of each report whose answer its owner uses: of a set, the one nearest to the truth, which the device
    picks out; of a region, its middle."""
    members, report = released.members, released.report
    if members is None or report is None:
        return released.points
    away = distance(truth.lon[report], truth.lat[report], members.lon, members.lat)
    order = np.lexsort((away, report))
    return members.take(order[np.searchsorted(report[order], np.arange(len(truth)))])


def quality_loss(truth: Points, released: Released) -> Floats:
    """Metres from each true point to the position whose answer is used: the utility error. It is 0 for a set that holds
    the truth, whose price is that the service answers all of it. For a region it is the distance to the middle; whoever
    asks about the whole region pays with its area instead."""
    return truth.distance(used_positions(truth, released))


def correctness(probabilities: Floats, grid: Any, truth: Points) -> Floats:
    """Σ_x Pr(x | z) d(x, truth): the attacker's expected error over their whole belief."""
    east, north = grid.metres()
    there = grid.frame.metres(truth.lon, truth.lat)
    metres = np.hypot(there[0][:, None] - east, there[1][:, None] - north)
    return np.asarray((probabilities * metres).sum(axis=1))


def entropy(probabilities: Any) -> Floats:
    """−Σ p log2 p of each row, in bits: the attacker's uncertainty.

    >>> entropy([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]).tolist()
    [1.0, 0.0]
    """
    shares = np.asarray(probabilities, dtype=np.float64)
    logs = np.log2(np.where(shares > 0, shares, 1.0))
    return np.asarray(-(shares * logs).sum(axis=-1) + 0.0)


@dataclass(frozen=True, eq=False)
class Interest:
    """The share of the answers that was wanted, and the share of what was wanted that is among the answers."""

    precision: Floats
    recall: Floats


def area_of_interest(truth: Points, reported: Points, *, wanted: float, asked: float) -> Interest:
    """Precision and recall of answers within ``asked`` metres of the report, for one who wants those within ``wanted``
    metres of where they are: shares of the areas of the two discs.

    >>> here = Points.from_columns([0.0], [0.0])
    >>> found = area_of_interest(here, here, wanted=300, asked=600)
    >>> found.precision.tolist(), found.recall.tolist()
    ([0.25], [1.0])
    """
    common = overlap(truth.distance(reported), wanted, asked)
    return Interest(common / (np.pi * asked**2), common / (np.pi * wanted**2))


def overlap(apart: Floats, one: float, other: float) -> Floats:
    """The area that two discs have in common, in square metres."""
    apart = np.asarray(apart, dtype=np.float64)
    small = min(one, other)
    away = np.maximum(apart, 1e-6)
    first = np.arccos(np.clip((away**2 + one**2 - other**2) / (2 * away * one), -1, 1))
    second = np.arccos(np.clip((away**2 + other**2 - one**2) / (2 * away * other), -1, 1))
    kite = (-apart + one + other) * (apart + one - other) * (apart - one + other) * (apart + one + other)
    lens = one**2 * first + other**2 * second - np.sqrt(np.maximum(kite, 0)) / 2
    within = np.where(apart <= abs(one - other), np.pi * small**2, lens)
    return np.asarray(np.where(apart >= one + other, 0.0, within), dtype=np.float64)


def region_area(released: Released) -> Floats:
    """Square metres of each released region: a rectangle or a disc; 0 for a position."""
    if released.box is not None:
        west, south, east, north = released.box
        width = wrap(east - west) * DEGREE * np.cos(np.radians((south + north) / 2))
        return np.asarray(width * (north - south) * DEGREE)
    if released.radius is not None:
        return np.asarray(np.pi * released.radius**2)
    return np.zeros(len(released.points))


@dataclass(frozen=True, eq=False)
class Crowd:
    """The number of possible positions of each report, and the entropy among them in bits."""

    k: Floats
    entropy: Floats


def crowd(released: Released, grid: Grid | None = None, prior: Floats | None = None) -> Crowd:
    """The crowd of each report: the members of its set, weighed by the prior of their cells where one is given."""
    members, report, count = released.members, released.report, len(released.points)
    if members is None or report is None:
        return Crowd(np.ones(count), np.zeros(count))
    weight = np.ones(len(members))
    if grid is not None and prior is not None:
        weight = prior[grid.nearest_cell(members.lon, members.lat)]
    total = np.bincount(report, weights=weight, minlength=count)
    share = weight / np.where(total > 0, total, 1.0)[report]
    logs = np.log2(np.where(share > 0, share, 1.0))
    return Crowd(
        np.bincount(report, minlength=count).astype(np.float64),
        np.asarray(np.bincount(report, weights=-share * logs, minlength=count) + 0.0, dtype=np.float64),
    )
