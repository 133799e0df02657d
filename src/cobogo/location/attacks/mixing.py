"""Who came out of the mix zone?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar

import numpy as np

from cobogo.location.attacks.base import Attack, Findings, Scene, share
from cobogo.location.geometry import Floats, distance
from cobogo.location.metrics import entropy
from cobogo.location.points import Ints, Points

EXACT = 8
"""People up to whom all ways to come out are counted: 40,320 of them."""


@dataclass(frozen=True, eq=False)
class Crossings:
    """People who entered a mix zone and people who left it, with times. ``match`` tells for each exit, truly, which
    entry it is; ``heading`` and ``leaving`` are bearings in radians, where they were seen."""

    entries: Points
    exits: Points
    match: Ints
    heading: Floats | None = None
    leaving: Floats | None = None


def log_chances(crossings: Crossings, speed: float, spread: float, turn: float) -> Floats:
    """log of how plausible it is that entry i is exit j: the speed it would take is log-normal about ``speed``, and
    turns are exponential about going straight on. −∞ for leaving before entering."""
    entries, exits = crossings.entries, crossings.exits
    assert entries.time is not None
    assert exits.time is not None
    metres = distance(entries.lon[:, None], entries.lat[:, None], exits.lon, exits.lat)
    seconds = exits.time - entries.time[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(np.maximum(metres, 1.0) / seconds / speed)
        logs = -0.5 * (ratio / spread) ** 2 - np.log(np.maximum(seconds, 1e-9))
    if crossings.heading is not None and crossings.leaving is not None:
        bend = crossings.leaving - crossings.heading[:, None]
        logs = logs - np.abs(np.arctan2(np.sin(bend), np.cos(bend))) / turn
    return np.where(seconds > 0, logs, -np.inf)


def assignment(logs: Floats) -> Ints:
    """For each exit the entry that it most plausibly is, all together: the likeliest matching (Hungarian method)."""
    from scipy.optimize import linear_sum_assignment

    cost = np.where(np.isfinite(logs), -logs, 1e12)
    rows, columns = linear_sum_assignment(cost)
    entry = np.full(logs.shape[1], -1)
    entry[columns] = rows
    return entry


def matchings(logs: Floats) -> Floats:
    """The probability of each way to come out, for as many entries as exits: all permutations."""
    count = len(logs)
    ways = np.array(list(permutations(range(count))))
    total = logs[ways, np.arange(count)].sum(axis=1)
    best = total.max()
    if not np.isfinite(best):
        return np.full(len(ways), 1 / len(ways))
    chances = np.exp(total - best)
    return np.asarray(chances / chances.sum())


@dataclass(frozen=True)
class MixZoneLinkage(Attack):
    """Which new pseudonym is which old one? Times and places of entering and leaving a mix zone are matched.

    The attacker knows how fast people go and that they tend to go straight on. Finds the likeliest matching of all
    entries with all exits; for up to eight people also the entropy over every matching, in bits (of log2 n! at most).
    Costs n³. Beresford & Stajano 2003; §3.6.2 of the guide.
    """

    speed: float = 1.4  # metres a second
    spread: float = 0.5  # of the logarithm of the speed
    turn: float = 0.8  # radians

    name: ClassVar[str] = "mix-zone-linkage"
    knows: ClassVar[str] = "how fast people go, and that they tend to go straight on"
    measures: ClassVar[str] = "pseudonyms linked rightly across the zone"
    needs: ClassVar[frozenset[str]] = frozenset({"crossings"})

    def run(self, scene: Scene) -> Findings:
        """Match the crossings of the scene."""
        assert scene.crossings is not None
        return self.link(scene.crossings)

    def link(self, crossings: Crossings) -> Findings:
        """Match them."""
        logs = log_chances(crossings, self.speed, self.spread, self.turn)
        linked = assignment(logs)
        count = len(linked)
        bits = None
        if 0 < count <= EXACT and logs.shape == (count, count):
            bits = float(entropy(matchings(logs)))
        return self.found(
            share(linked == crossings.match),
            count,
            baseline=1 / max(count, 1),
            figures={"entropy_bits": bits, "most_bits": float(np.log2(np.arange(1, count + 1)).sum())},
        )
