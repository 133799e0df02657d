"""Who came out of the mix zone?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Entropy
from cobogo.locate.attacks.base import Attack, Findings, Scene, share
from cobogo.locate.crowds.mix_quality import best, mix, walking
from cobogo.locate.places.points import Points


@dataclass(frozen=True, eq=False)
class Crossings:
    """People who entered a mix zone and people who left it, with times. ``match`` tells for each exit, truly, which
    entry it is; ``heading`` and ``leaving`` are bearings in radians, where they were seen."""

    entries: Points
    exits: Points
    match: Ints
    heading: Floats | None = None
    leaving: Floats | None = None


def weights_of(crossings: Crossings, speed: float, spread: float, turn: float) -> Floats:
    """How plausible it is that an entry (row) is an exit (column): by the speed that it would take and, where headings
    were seen, by the turn, exponential about going straight on."""
    weights = walking(crossings.entries, crossings.exits, speed=speed, spread=spread)
    if crossings.heading is not None and crossings.leaving is not None:
        bend = crossings.leaving - crossings.heading[:, None]
        weights = weights * np.exp(-np.abs(np.arctan2(np.sin(bend), np.cos(bend))) / turn)
    return np.asarray(weights, dtype=np.float64)


@dataclass(frozen=True)
class MixZoneLinkage(Attack):
    r"""Which new pseudonym is which old one? Times and places of entering and leaving a mix zone are matched.

    The attacker knows how fast people go and that they tend to go straight on. Finds the likeliest matching of all
    entries with all exits, and tells the entropy over every matching, in bits.

    Formula: $\hat{\sigma} = \arg\max_{\sigma} \prod_i w(i, \sigma(i))$ with $w$ how plausible speed and turn are; the
        entropy is $-\sum_{\sigma} p_{\sigma} \log_2 p_{\sigma} \le \log_2 n!$
    Example: Two walk through a square one after the other, each at an ordinary pace.
        >>> entries = Points.of([-38.530, -38.530], [-3.73, -3.73], time=[0.0, 400.0])
        >>> exits = Points.of([-38.528, -38.528], [-3.73, -3.73], time=[160.0, 560.0])
        >>> MixZoneLinkage().link(Crossings(entries, exits, np.array([0, 1]))).success
        1.0

    Guarantee: None: an attack finds, it does not protect. More people in the zone at once, and exits that are alike,
        help.
    Limits: The model of walking is one for all.
    Cost: $O(n^3)$ for n people; the entropy $O(2^n n)$ up to fourteen, above that it is drawn.
    Paper: A. R. Beresford and F. Stajano, Location privacy in pervasive computing, IEEE Pervasive Computing, 2003.
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
        weights = weights_of(crossings, self.speed, self.spread, self.turn)
        chosen = best(weights)  # the exit of each entry
        linked = np.full(weights.shape[1], -1)
        linked[chosen] = np.arange(len(chosen))
        count = len(linked)
        try:
            mixed = mix(weights, Entropy())
        except ValueError:  # nobody can have come out so fast: the attacker's model does not fit
            mixed = None
        return self.found(
            share(linked == crossings.match),
            count,
            baseline=1 / max(count, 1),
            figures={
                "entropy_bits": None if mixed is None else mixed.entropy,
                "most_bits": float(np.log2(np.arange(1, count + 1)).sum()),
                "surest": None if mixed is None else mixed.surest,
            },
        )
