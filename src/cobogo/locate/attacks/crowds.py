"""Attacks on crowds: on cloaks, which hide people among k, and on mix zones, in which pseudonyms change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy
from cobogo.locate.attacks.base import LocationAttack, LocationFindings, Scene, share
from cobogo.locate.attacks.inference import metres_to
from cobogo.locate.attacks.tracking import stretches
from cobogo.locate.crowds.cells import is_within
from cobogo.locate.crowds.mix_quality import likeliest_exits, measure_mix, walking_weights
from cobogo.locate.mechanisms.base import Released
from cobogo.locate.metrics import region_area
from cobogo.locate.places.geometry import DEGREE, distance, wrap
from cobogo.locate.places.points import Points

SNAPPED = 2.0
"""Metres between a position and its cell of the public grid, at most, and a little more."""


def centres(released: Released) -> tuple[Floats, Floats]:
    """The middles of rectangles."""
    assert released.box is not None
    west, south, east, north = released.box
    return wrap(west + wrap(east - west) / 2), (south + north) / 2


def inside(released: Released, row: int, points: Points) -> np.ndarray:
    """Which points lie in a report: in its rectangle, in its disc, or within `SNAPPED` metres of a position of its
    set."""
    if released.box is not None:
        west, south, east, north = (float(side[row]) for side in released.box)
        return np.asarray(is_within(west, south, east, north, points.lon, points.lat))
    if released.radius is not None:
        middle = released.points
        return np.asarray(distance(middle.lon[row], middle.lat[row], points.lon, points.lat) <= released.radius[row])
    return np.asarray(metres_to(released, np.full(len(points), row), points) <= SNAPPED)


class CloakCrowd:
    """Who is in each cloak, among those who report in the same stretch of so many minutes."""

    def __init__(self, scene: Scene, minutes: float) -> None:
        self.released = scene.released
        self.everyone = scene.truth if scene.everyone is None else scene.everyone
        self.own = np.arange(len(scene.truth)) if scene.own is None else scene.own
        time = self.everyone.time
        slot = np.zeros(len(self.everyone)) if time is None else np.floor(time / (60 * minutes))
        self._order = np.argsort(slot, kind="stable")
        self._slot, self._line = slot, slot[self._order]

    def __call__(self, row: int) -> Ints:
        """The rows of all who were in the cloak of a report, its own row among them."""
        mine = self.own[row]
        first, last = (int(np.searchsorted(self._line, self._slot[mine], side)) for side in ("left", "right"))
        there = self._order[first:last]
        return np.asarray(there[inside(self.released, row, self.everyone.take(there)) | (there == mine)])

    def people(self, rows: Ints) -> Ints:
        """The people of some rows."""
        return rows if self.everyone.user is None else np.unique(self.everyone.user[rows])


@card(
    "centre-of-cloak",
    title="centre of cloak",
    knows="where all people are",
    finds="cloaks in which the person nearest to the middle is the one who asked",
)
@dataclass(frozen=True)
class CentreOfCloak(LocationAttack):
    r"""Is the person in the middle of the cloak? A cloak that is grown around the person who asks has them at its
    centre.

    The attacker sees where all people are and who may have asked (the k people of the cloak), and takes the person
    nearest to the middle of the rectangle. People who report within the same interval are there together; ``minutes``
    is its length.

    Formula: $\arg\min_{u \in C} d(x_u, \mathrm{middle}(C))$; a safe cloak lets it be right once in k times
    Example: Cloaks of five people, where the attack should be right one time in five.
        >>> from cobogo.locate.crowds import NearestNeighbours
        >>> from cobogo.studies.worked_examples import city, attack_city
        >>> found = attack_city(CentreOfCloak(), NearestNeighbours(k=5), city(30))
        >>> found.success > found.baseline
        True

    Guarantee: None: an attack finds people, it does not protect them. Reciprocal cloaks help: `hilbert`, and
        `quad-tree` with ``reciprocal``.
    Limits: The attacker needs to know where all people are.
    Cost: $O(n\,p)$ for n cloaks and p people.
    Paper: P. Kalnis, G. Ghinita, K. Mouratidis and D. Papadias, Preventing location-based identity inference in
        anonymous spatial queries, IEEE Transactions on Knowledge and Data Engineering, 2007.
    """

    minutes: float = 15.0

    knows: ClassVar[str] = "where all people are"
    measures: ClassVar[str] = "cloaks in which the person nearest to the middle is the one who asked"
    needs: ClassVar[frozenset[str]] = frozenset({"boxes"})

    def run(self, scene: Scene) -> LocationFindings:
        """Guess who asked, cloak by cloak."""
        lon, lat = centres(scene.released)
        truth, crowd = scene.truth, CloakCrowd(scene, self.minutes)
        hit, sizes = [], []
        for row in range(len(truth)):
            there = crowd(row)
            away = distance(lon[row], lat[row], crowd.everyone.lon[there], crowd.everyone.lat[there])
            nearest = away <= away.min() + 1e-6
            hit.append(float(nearest[there == crowd.own[row]][0]) / nearest.sum())
            sizes.append(len(crowd.people(there)))
        guesses = truth.move_to(lon, lat)
        return self.findings(
            share(hit),
            len(truth),
            error=truth.distance(guesses),
            guesses=guesses,
            baseline=share(1 / np.array(sizes)),
            figures={
                "smallest_crowd": min(sizes),
                "mean_crowd": share(sizes),
                "mean_area": float(region_area(scene.released).mean()),
            },
        )


@card(
    "intersection-of-cloaks",
    title="intersection of cloaks",
    knows="where all people are at each moment, and which cloaks belong to one pseudonym",
    finds="people who are the only ones in all of their cloaks",
)
@dataclass(frozen=True)
class IntersectionOfCloaks(LocationAttack):
    r"""Who was in all of the cloaks? The cloaks of one pseudonym have few people in common.

    The attacker sees where all people are at each moment and links the cloaks of a pseudonym. The attack keeps the
    people who were in every cloak: in the rectangle, in the disc, or at one of the positions of a set, in which dummies
    belong to no person. It succeeds if only the person is left. For a person who does not move it also says how small
    the common part of the rectangles is.

    Formula: $\bigcap_i \{u : x_u(t_i) \in C_i\}$ over the cloaks $C_i$ of a pseudonym
    Example: Cloaks of five people do not hide a person who is followed for two days.
        >>> from cobogo.locate.crowds import Hilbert
        >>> from cobogo.studies.worked_examples import city, attack_city
        >>> attack_city(IntersectionOfCloaks(), Hilbert(k=5), city(30)).success > 0.5
        True

    Guarantee: None: an attack finds people, it does not protect them. It helps to change pseudonyms, or to use no
        pseudonym: see `mix-zone`.
    Limits: The attacker needs to know where all people are, and that the cloaks belong to one pseudonym.
    Cost: $O(n\,p)$ for n cloaks and p people.
    Paper: C. Bettini, X. S. Wang and S. Jajodia, Protecting privacy against location-based personal identification,
        2005 (historical k-anonymity).
    """

    minutes: float = 15.0

    knows: ClassVar[str] = "where all people are at each moment, and which cloaks belong to one pseudonym"
    measures: ClassVar[str] = "people who are the only ones in all of their cloaks"
    needs: ClassVar[frozenset[str]] = frozenset({"regions or sets", "users", "times"})

    def run(self, scene: Scene) -> LocationFindings:
        """Intersect everybody's cloaks."""
        truth, crowd = scene.truth, CloakCrowd(scene, self.minutes)
        assert truth.user is not None
        assert truth.time is not None
        hit, left, areas = [], [], []
        for rows in stretches(truth.user, truth.time, longest=len(truth)):
            if len(rows) < 2:
                continue
            crowds = [crowd.people(crowd(int(row))) for row in rows]
            common = crowds[0]
            for other in crowds[1:]:
                common = np.intersect1d(common, other, assume_unique=True)
            left.append(len(common))
            hit.append(len(common) == 1)
            if scene.released.box is not None:
                areas.append(common_area(scene.released, rows))
        return self.findings(
            share(hit),
            len(hit),
            baseline=1 / max(len(crowd.people(np.arange(len(crowd.everyone)))), 1),
            figures={"people_left": share(left), "common_area": share(areas) if areas else None},
            notes=() if hit else (tr("no pseudonym has two cloaks"),),
        )


def common_area(released: Released, rows: Ints) -> float:
    """Square metres that some rectangles have in common."""
    assert released.box is not None
    west, south, east, north = (side[rows] for side in released.box)
    left = wrap(west - west[0]).max()
    right = (wrap(west - west[0]) + wrap(east - west)).min()
    bottom, top = south.max(), north.min()
    if right <= left or top <= bottom:
        return 0.0
    return float((right - left) * (top - bottom) * DEGREE**2 * np.cos(np.radians((bottom + top) / 2)))


@dataclass(frozen=True, eq=False)
class Crossings:
    """Entries into a mix zone and exits from it, with times. ``match`` is the true entry of each exit; ``heading`` and
    ``leaving`` are bearings in radians, where they are known."""

    entries: Points
    exits: Points
    match: Ints
    heading: Floats | None = None
    leaving: Floats | None = None


def weights_of(crossings: Crossings, speed: float, spread: float, turn: float) -> Floats:
    """How plausible an entry (row) is as an exit (column): by the speed that it takes and, where bearings are known, by
    the turn, whose weight falls off exponentially."""
    weights = walking_weights(crossings.entries, crossings.exits, speed=speed, spread=spread)
    if crossings.heading is not None and crossings.leaving is not None:
        bend = crossings.leaving - crossings.heading[:, None]
        weights = weights * np.exp(-np.abs(np.arctan2(np.sin(bend), np.cos(bend))) / turn)
    return np.asarray(weights, dtype=np.float64)


@card(
    "mix-zone-linkage",
    title="mix-zone linkage",
    knows="how fast people walk, and that they tend to go straight on",
    finds="pseudonyms that are linked correctly across the zone",
)
@dataclass(frozen=True)
class MixZoneLinkage(LocationAttack):
    r"""Which new pseudonym belongs to which old one? The times and places at which people enter and leave a mix zone
    are matched.

    The attacker knows how fast people walk and that they tend to go straight on. The attack finds the most probable
    matching of all entries with all exits, and reports the entropy over all matchings, in bits.

    Formula: $\hat{\sigma} = \arg\max_{\sigma} \prod_i w(i, \sigma(i))$ with $w$ how plausible speed and turn are; the
        entropy is $-\sum_{\sigma} p_{\sigma} \log_2 p_{\sigma} \le \log_2 n!$
    Example: Two people walk through a square one after the other, each at an ordinary pace.
        >>> entries = Points.from_columns([-38.530, -38.530], [-3.73, -3.73], time=[0.0, 400.0])
        >>> exits = Points.from_columns([-38.528, -38.528], [-3.73, -3.73], time=[160.0, 560.0])
        >>> MixZoneLinkage().link(Crossings(entries, exits, np.array([0, 1]))).success
        1.0

    Guarantee: None: an attack finds people, it does not protect them. More people in the zone at the same time help,
        and so do exits that are alike.
    Limits: The attack has one model of walking for all people.
    Cost: $O(n^3)$ for n people; the entropy takes $O(2^n n)$ for up to fourteen people, and is estimated from random
        draws above that.
    Paper: A. R. Beresford and F. Stajano, Location privacy in pervasive computing, IEEE Pervasive Computing, 2003.
    """

    speed: float = 1.4  # metres a second
    spread: float = 0.5  # of the logarithm of the speed
    turn: float = 0.8  # radians

    knows: ClassVar[str] = "how fast people walk, and that they tend to go straight on"
    measures: ClassVar[str] = "pseudonyms that are linked correctly across the zone"
    needs: ClassVar[frozenset[str]] = frozenset({"crossings"})

    def run(self, scene: Scene) -> LocationFindings:
        """Match the crossings of the scene."""
        assert scene.crossings is not None
        return self.link(scene.crossings)

    def link(self, crossings: Crossings) -> LocationFindings:
        """Match entries with exits."""
        weights = weights_of(crossings, self.speed, self.spread, self.turn)
        chosen = likeliest_exits(weights)  # the exit of each entry
        linked = np.full(weights.shape[1], -1)
        linked[chosen] = np.arange(len(chosen))
        count = len(linked)
        try:
            mixed = measure_mix(weights, Entropy())
        except ValueError:  # no one walks that fast: the attacker's model does not fit
            mixed = None
        return self.findings(
            share(linked == crossings.match),
            count,
            baseline=1 / max(count, 1),
            figures={
                "entropy_bits": None if mixed is None else mixed.entropy,
                "most_bits": float(np.log2(np.arange(1, count + 1)).sum()),
                "surest": None if mixed is None else mixed.surest,
            },
        )
