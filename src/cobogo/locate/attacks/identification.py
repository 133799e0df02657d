"""Identification: a few known points single a person out, and link a pseudonym to a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.kernels import kernel
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source, below
from cobogo.locate.attacks.base import Ground, LocationAttack, LocationFindings, Scene, share
from cobogo.locate.attacks.inference import metres_to
from cobogo.locate.places.points import Points


@kernel()
def pair_risks(starts, places, here, people, order, risk, alone):  # type: ignore[no-untyped-def]
    """For each person, over all pairs of their places: the sum of 1 / (people with both), and the number of pairs that
    nobody else has. Person p has ``places[starts[p]:starts[p + 1]]``, ascending; place q has the people
    ``people[here[q]:here[q + 1]]``, in whose lists it stands at ``order``.

    This is B'B of the person–place matrix B one row at a time, so that memory is one number for each place."""
    count = np.zeros(len(here) - 1, dtype=np.int64)
    for place in range(len(here) - 1):
        first, last = here[place], here[place + 1]
        if last - first == 1:
            one = people[first]
            rest = starts[one + 1] - order[first] - 1
            risk[one] += rest
            alone[one] += rest
            continue
        for entry in range(first, last):
            one = people[entry]
            for other in range(order[entry] + 1, starts[one + 1]):
                count[places[other]] += 1
        for entry in range(first, last):
            one = people[entry]
            for other in range(order[entry] + 1, starts[one + 1]):
                both = count[places[other]]
                risk[one] += 1.0 / both
                alone[one] += both == 1
        for entry in range(first, last):
            one = people[entry]
            for other in range(order[entry] + 1, starts[one + 1]):
                count[places[other]] = 0


@kernel()
def _search_place(places, low, high, wanted):  # type: ignore[no-untyped-def]
    while low < high:
        middle = (low + high) // 2
        if places[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel()
def subset_sizes(starts, places, here, people, chosen):  # type: ignore[no-untyped-def]
    """How many people have all the places of each row of ``chosen``."""
    found = np.zeros(len(chosen), dtype=np.int64)
    for row in range(len(chosen)):
        rarest = chosen[row, 0]
        for place in chosen[row]:
            if here[place + 1] - here[place] < here[rarest + 1] - here[rarest]:
                rarest = place
        for entry in range(here[rarest], here[rarest + 1]):
            one = people[entry]
            has_all = True
            for place in chosen[row]:
                at = _search_place(places, starts[one], starts[one + 1], place)
                if at >= starts[one + 1] or places[at] != place:
                    has_all = False
                    break
            found[row] += has_all
    return found


TRIALS = 20
"""Sets of points drawn for each person, where there are too many to go through all: with 20 the mean over a thousand
people varies by less than one per cent."""


@dataclass(frozen=True, eq=False, repr=False)
class Visits:
    """The distinct places of each person, ascending, and the people of each place."""

    starts: Ints  # of people in ``places``
    places: Ints
    here: Ints  # of places in ``people``
    people: Ints
    order: Ints  # where each place's people have it in ``places``

    @classmethod
    def from_pairs(cls, user: Ints, place: Ints) -> Visits:
        """From a list of visits; people and places are numbered from 0."""
        count, width = (int(user.max()) + 1, int(place.max()) + 1) if len(user) else (0, 0)
        key = np.unique(user * np.int64(max(width, 1)) + place)
        who, where = np.divmod(key, max(width, 1))
        starts = np.searchsorted(who, np.arange(count + 1))
        order = np.argsort(where, kind="stable")
        here = np.searchsorted(where[order], np.arange(width + 1))
        return cls(starts.astype(np.int64), where, here.astype(np.int64), who[order], order)

    @property
    def number(self) -> Ints:
        """How many distinct places each person has."""
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False, repr=False)
class TraceUniqueness:
    """For each person, over the sets of ``h`` of their points: the mean of 1 / (people who have them all), and the
    share of sets that nobody else has. NaN for people with fewer points."""

    h: int
    risk: Floats
    alone: Floats
    exact: bool


def places_of(points: Points, grid: Ground, hours: float | None = None) -> Ints:
    """The number of each point's place: its cell or, with ``hours``, its cell and its stretch of so many hours."""
    cells = grid.nearest_cell(points.lon, points.lat)
    if hours is None or points.time is None:
        return np.unique(cells, return_inverse=True)[1].astype(np.int64)
    slot = np.floor((points.time - points.time.min()) / (hours * 3600)).astype(np.int64)
    return np.unique(slot * grid.cells + cells, return_inverse=True)[1].astype(np.int64)


def uniqueness(visits: Visits, h: int, *, trials: int = TRIALS, source: Source | None = None) -> TraceUniqueness:
    """How unique h points make each person.

    Exact for one and for two points: B'B of the person–place matrix, one row at a time in a compiled kernel. For more,
    ``trials`` sets are drawn for each person and the people who have them all are counted exactly.
    """
    if h < 1:
        raise ValueError(f"The 'h' parameter of uniqueness must be 1 or more. Got {h!r} instead")
    number = visits.number
    enough = number >= h
    risk, alone = np.full(len(number), np.nan), np.full(len(number), np.nan)
    total, single = np.zeros(len(number)), np.zeros(len(number))
    if h == 1:
        shared = np.diff(visits.here)[visits.places]
        who = np.repeat(np.arange(len(number)), number)
        total += np.bincount(who, 1 / shared, minlength=len(number))
        single += np.bincount(who, shared == 1, minlength=len(number))
        risk[enough], alone[enough] = total[enough] / number[enough], single[enough] / number[enough]
    elif h == 2:
        pair_risks(visits.starts, visits.places, visits.here, visits.people, visits.order, total, single)
        sets = number * (number - 1) / 2
        risk[enough], alone[enough] = total[enough] / sets[enough], single[enough] / sets[enough]
    else:
        owners = np.repeat(np.flatnonzero(enough), trials)
        chosen = _draw_place_sets(visits, owners, h, source or Entropy())
        sizes = subset_sizes(visits.starts, visits.places, visits.here, visits.people, chosen)
        many = np.bincount(owners, minlength=len(number))[enough]
        risk[enough] = np.bincount(owners, 1 / sizes, minlength=len(number))[enough] / many
        alone[enough] = np.bincount(owners, sizes == 1, minlength=len(number))[enough] / many
    return TraceUniqueness(h, risk, alone, h <= 2)


def _draw_place_sets(visits: Visits, owners: Ints, h: int, source: Source) -> Ints:
    """h distinct places of each owner, all sets equally likely (Floyd's algorithm: each draw is from one more
    place)."""
    number = visits.number[owners]
    chosen = np.empty((len(owners), h), dtype=np.int64)
    for step in range(h):
        top = number - h + step  # draw in 0 … top; a place that is taken already is replaced by top
        draw = below(2**61, len(owners), source) % (top + 1)
        taken = (chosen[:, :step] == draw[:, None]).any(axis=1)
        chosen[:, step] = np.where(taken, top, draw)
    return np.asarray(visits.places[visits.starts[owners][:, None] + chosen])


@card(
    "identification",
    knows="a few true places of a person, with the times",
    finds="people whose pseudonym is found by a few known points",
)
@dataclass(frozen=True)
class Identification(LocationAttack):
    r"""Which pseudonym belongs to a person who was seen a few times? Points with known times are compared with every
    trace.

    The attacker saw the person at some of their true places and times; ``points`` is how many. The attack looks at what
    each pseudonym sent at those times (any of its positions, or its region) and takes the pseudonym that was nearest.
    ``unique`` says how many people the points would single out in the raw data.

    Formula: $\arg\min_p \sum_i d(x_i, z_p(t_i))$ over the pseudonyms $p$: the likeliest, for planar Laplace
    Example:
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked_examples import attack_city
        >>> attack_city(Identification(points=4), PlanarLaplace(1.0)).success > 0.9
        True

    Guarantee: None: an attack finds people, it does not protect them. (k, δ)-anonymity helps, and so does a new
        pseudonym for each report.
    Limits: Noise of a kilometre hardly helps: four points are enough to find most people.
    Cost: $O(p^2 m)$ for p people and m known points.
    Paper: Y.-A. de Montjoye, C. A. Hidalgo, M. Verleysen and V. D. Blondel, Unique in the crowd: the privacy bounds of
        human mobility, Scientific Reports, 2013; J. Krumm 2007.
    """

    points: int = 4
    tries: int = 3  # sets of points for each person

    knows: ClassVar[str] = "a few true places of a person, with the times"
    measures: ClassVar[str] = "people whose pseudonym is found by a few known points"
    needs: ClassVar[frozenset[str]] = frozenset({"users", "times"})

    def run(self, scene: Scene) -> LocationFindings:
        """Link everybody."""
        truth = scene.truth
        assert truth.user is not None
        source = Entropy()
        people, first, count = _runs(scene)
        enough = np.flatnonzero(count >= self.points)
        hits, ranks = [], []
        for _ in range(self.tries if len(enough) else 0):
            draws = np.stack([below(2**61, len(enough), source) % count[enough] for _ in range(self.points)], axis=1)
            scores = self._scores(scene, people, first, count, first[enough][:, None] + draws)
            own = scores[np.arange(len(enough)), enough]
            better = (scores < own[:, None] - 1e-9).sum(axis=1)
            level = (np.abs(scores - own[:, None]) <= 1e-9).sum(axis=1)
            hits.append((better == 0) / level)
            ranks.append(better + (level + 1) / 2)
        found = np.mean(hits, axis=0) if hits else np.empty(0)
        cells = places_of(truth, scene.grid, hours=1.0)
        raw = uniqueness(Visits.from_pairs(truth.user, cells), self.points)
        return self.findings(
            share(found),
            len(enough),
            baseline=1 / max(len(count), 1),
            figures={
                "people": len(count),
                "mean_rank": share(np.mean(ranks, axis=0)) if ranks else None,
                "unique": float(np.nanmean(raw.alone)) if np.isfinite(raw.alone).any() else None,
            },
            notes=() if len(enough) else (tr("no person has {points:,} points", points=self.points),),
        )

    def _scores(self, scene: Scene, order: Ints, first: Ints, count: Ints, rows: Ints) -> Floats:
        """For each person (row) and pseudonym (column), the sum of metres from the known points to the pseudonym's
        reports at those times."""
        reports, truth = scene.reports.take(order), scene.truth.take(order)
        assert reports.time is not None
        known = truth.take(rows.ravel())
        assert known.time is not None
        total = np.empty((len(rows), len(first)))
        for other, (start, many) in enumerate(zip(first, count, strict=True)):
            clock = reports.time[start : start + many]
            after = np.clip(np.searchsorted(clock, known.time), 0, many - 1)
            before = np.maximum(after - 1, 0)
            nearer = np.abs(clock[before] - known.time) < np.abs(clock[after] - known.time)
            at = start + np.where(nearer, before, after)
            metres = metres_to(scene.released, order[at], known)
            total[:, other] = metres.reshape(rows.shape).sum(axis=1)
        return total


def _runs(scene: Scene) -> tuple[Ints, Ints, Ints]:
    """The rows person by person in the order of the reports' times; where each person's rows begin, and their
    number."""
    reports = scene.reports
    assert reports.user is not None
    assert reports.time is not None
    order = np.lexsort((reports.time, reports.user))
    first = np.flatnonzero(np.diff(reports.user[order], prepend=-1))
    return order, first, np.diff(np.append(first, len(order)))
