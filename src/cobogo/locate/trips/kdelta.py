"""(k, δ)-anonymity: every released trajectory has at least k − 1 others within δ metres of it at all times.

Two ways, after Abul, Bonchi & Nanni. *Never Walk Alone* (2008) keeps times: trips are cut to the same periods, put into
clusters and moved in space alone. *Wait for Me* (2010) also moves them in time: trips of any span are compared stage by
stage (the linear spatio-temporal distance), and those of a cluster take the times of its pivot. Both release whole
clusters only, of at least k people each; what fits nowhere is suppressed, up to a quota.

The papers move trips as little as possible, which keeps the shape of the truth: an attacker who knows one true place
nearly always picks the right trip of a cluster (Trujillo-Rasua & Domingo-Ferrer 2013). Here each trip is placed in the
tube of its cluster at a random spot that does not depend on the truth, so that the k cannot be told apart; it costs a
little more distance. An attacker who can link many trips of a person learns more, so each trip has a number of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from cobogo.errors import DataError, NoSolution, VerificationFailed
from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import join, tr
from cobogo.floor.randomness import Entropy, Source, below, keys
from cobogo.locate.mechanisms.planar_laplace import bearings, uniforms
from cobogo.locate.places.geometry import DEGREE, RADIUS, distance, wrap
from cobogo.locate.places.points import Points
from cobogo.locate.trips.kernels import cluster_greedily
from cobogo.locate.trips.segments import Trips, resample_to_clock, split_trips

SLACK = 1e-6
"""Metres that the rounding of floats may add."""


@dataclass(frozen=True, eq=False)
class Closeness:
    """For each released trajectory, the number of those within δ of it at all times, itself included."""

    delta: float
    crowd: Ints

    @property
    def k(self) -> int:
        """The least of these numbers; 0 where nothing was released."""
        return int(self.crowd.min(initial=np.iinfo(np.int64).max)) if len(self.crowd) else 0

    def holds(self, k: int) -> bool:
        """Whether every trajectory has at least k − 1 others."""
        return not len(self.crowd) or self.k >= k


def closeness(released: Points, delta: float) -> Closeness:
    """For each trajectory (``user``), count those with the same times that are never more than δ metres away.

    Two trajectories with straight lines between the same moments are farthest apart at one of these moments, so that no
    others need to be checked.
    """
    assert released.user is not None
    assert released.time is not None
    order = np.lexsort((released.time, released.user))
    user, time = released.user[order], released.time[order]
    lon, lat = released.lon[order], released.lat[order]
    starts = np.append(np.flatnonzero(np.diff(user, prepend=-1)), len(user))
    groups: dict[bytes, list[int]] = {}
    for number in range(len(starts) - 1):
        groups.setdefault(time[starts[number] : starts[number + 1]].tobytes(), []).append(number)
    crowd = np.ones(len(starts) - 1, dtype=np.int64)
    for members in groups.values():
        some = np.array(members)
        rows = starts[some][:, None] + np.arange(starts[some[0] + 1] - starts[some[0]])
        crowd[some] += _neighbours(lon[rows], lat[rows], delta)
    return Closeness(delta, crowd)


def _neighbours(lon: Floats, lat: Floats, delta: float) -> Ints:
    """For each row, the number of other rows within δ in every column."""
    from scipy.spatial import cKDTree

    up, east = np.radians(lat[:, 0]), np.radians(lon[:, 0])
    globe = RADIUS * np.column_stack([np.cos(up) * np.cos(east), np.cos(up) * np.sin(east), np.sin(up)])
    pairs = cKDTree(globe).query_pairs(delta + 1.0, output_type="ndarray")  # a chord is no longer than its arc
    for moment in range(lon.shape[1]):
        if not len(pairs):
            break
        one, other = pairs[:, 0], pairs[:, 1]
        away = distance(lon[one, moment], lat[one, moment], lon[other, moment], lat[other, moment])
        pairs = pairs[away <= delta + SLACK]
    return np.asarray(np.bincount(pairs.ravel(), minlength=len(lon)), dtype=np.int64)


Method = Literal["nwa", "w4m"]

STAGES = 24
"""Stages at which trips of different spans are compared: more follow bends more closely, and take longer."""

DIGITS = 6
"""Digits of released degrees: 11 centimetres."""

MARGIN = 0.15
"""Metres by which tubes are narrower than δ allows, for rounding to `DIGITS`; `tube` takes off a thousandth more, for
the bend of the globe."""

GROWTH = 1.5
"""By which the radius of clusters grows from round to round: smaller moves trips less, and takes more rounds."""

ROUNDS = 40
"""Rounds at most: the radius then has grown beyond any city."""


@card("k-delta-anonymity", title="(k,δ)-anonymity")
@dataclass(frozen=True)
class KDelta:
    r"""(k, δ)-anonymity: every released trajectory has at least k − 1 others within δ metres of it at all times.

    ``nwa`` (Never Walk Alone) cuts trips to full periods and puts those of the same time span into clusters. It moves
    each trip in space only, into a tube of width δ around the mean of its cluster, to a random spot of the tube that
    does not depend on where the trip was. ``w4m`` (Wait for Me) compares trips of any time span stage by stage, and all
    trips of a cluster take the times of one of them; it suppresses far fewer trips. Clusters are built greedily and
    have k people, not only k trips. A trip that fits into no cluster is suppressed, up to the share ``trash``.

    Formula: $\lvert\{v : d(x_u(t), x_v(t)) \le \delta \text{ for all } t\}\rvert \ge k$ for every released trajectory
        $u$, itself among them
    Example:
        >>> from cobogo.studies.worked_examples import city
        >>> found = anonymize_trips(city(40), KDelta(k=3, delta=2000, trash=0.5, gap=7200, daily=True))
        >>> found.measured.k >= 3, found.trips > found.suppressed
        (True, True)

    Guarantee: Each released trip has k − 1 others within δ of it at all times, and they belong to k people; this is
        checked on the released rows before they are written. Which trip of a cluster is whose is decided at random, so
        an attacker who knows a person's true trip finds it among the k with probability $1/k$.
    Limits: All trips of a cluster follow its mean, which all of its people know: in a cluster of two, each person can
        work out the other's trip to about δ. An attacker who knows several trips of a person learns the cluster of
        each. Where few people go the same way, clusters move people far: the report says how far.
    Cost: $O(n^2)$ for n trips, for each radius that is tried.
    Paper: O. Abul, F. Bonchi and M. Nanni, Never walk alone: uncertainty for anonymity in moving objects databases,
        ICDE 2008; O. Abul, F. Bonchi and M. Nanni, Anonymization of moving objects databases by clustering and
        perturbation, Information Systems, 2010. On its limits: R. Trujillo-Rasua and J. Domingo-Ferrer 2013.
    """

    k: int
    delta: float  # metres
    method: Method = "w4m"
    trash: float = 0.1  # the share of trips that may be suppressed
    step: float = 60.0  # seconds between released points
    period: float = 900.0  # nwa: trips are cut to full periods of so many seconds
    gap: float = 1800.0  # seconds without a point end a trip
    stay: float = 1200.0  # and so many seconds at one place, unless 0
    pace: float = 1.0  # w4m: a second's difference counts as so many metres
    daily: bool = False  # forget dates

    def __post_init__(self) -> None:
        for name, least in (
            ("k", 2),
            ("delta", 1.0),
            ("step", 1.0),
            ("period", 1.0),
            ("gap", 1.0),
            ("stay", 0.0),
            ("pace", 0.0),
        ):
            value = getattr(self, name)
            if not value >= least or not np.isfinite(value):
                raise ValueError(refusal("(k, δ)-anonymity", name, tr("{least:g} or more", least=least), value))
        if not 0 <= self.trash < 1:
            raise ValueError(refusal("(k, δ)-anonymity", "trash", tr("from 0 to below 1"), self.trash))
        if self.method not in ("nwa", "w4m"):
            raise ValueError(refusal("(k, δ)-anonymity", "method", tr("one of {known}", known="nwa, w4m"), self.method))


@dataclass(frozen=True, eq=False, repr=False)
class AnonymizedTrips:
    """Trajectories that may be released, and figures for the evidence: only ``points`` are released."""

    asked: KDelta
    points: Points  # user: a number of its own for each trip, in random order
    measured: Closeness
    trips: int
    suppressed: int
    clusters: Ints = field(repr=False)  # people of each
    moved: Floats = field(repr=False)  # metres, of each released point

    def figures(self) -> dict[str, float | int]:
        """What it cost, for the evidence."""
        return {
            "trips": self.trips,
            "released": self.trips - self.suppressed,
            "suppressed": self.suppressed,
            "clusters": len(self.clusters),
            "fewest_people_of_a_cluster": int(self.clusters.min()) if len(self.clusters) else 0,
            "mean_people_of_a_cluster": float(self.clusters.mean()) if len(self.clusters) else 0.0,
            "points": len(self.points),
            "mean_metres_moved": float(self.moved.mean()) if len(self.moved) else 0.0,
            "median_metres_moved": float(np.median(self.moved)) if len(self.moved) else 0.0,
            "most_metres_moved": float(self.moved.max(initial=0.0)),
            "smallest_crowd": self.measured.k,
        }


def anonymize_trips(points: Points, asked: KDelta, source: Source | None = None) -> AnonymizedTrips:
    """Cluster trips, move them into tubes, suppress the rest, and check what is to be released."""
    trips = split_trips(points, gap=asked.gap, stay=asked.stay, daily=asked.daily)
    if not len(trips):
        raise DataError(
            tr("there are no trips"),
            where="trajectories",
            remedy=tr(
                "A trip has at least two points that are not a stay (--stay) and not too far apart in time (--gap)."
            ),
        )
    clocked = resample_to_clock(trips, asked.step, asked.period if asked.method == "nwa" else None)
    pools = list(_pools(clocked, asked))
    allowed = int(asked.trash * len(trips) + 1e-9)
    source = source or Entropy()
    found = _cluster_pools(pools, clocked, asked, len(trips), allowed, source)
    lon, lat, time, trip, moved, crowds = [], [], [], [], [], []
    number = 0
    for pool, (cluster, pivots) in zip(pools, found, strict=True):
        for group, pivot in enumerate(pivots):
            members = pool.trips[cluster == group]
            east, north, when = _align_to_pivot(clocked, members, int(pool.trips[pivot]), asked)
            crowds.append(len(np.unique(clocked.person[members])))
            placed = tube(*clocked.frame.degrees(east, north), asked.delta, source)
            real = clocked.frame.degrees(east, north)
            moved.append(Points(*real).distance(Points(*placed)).ravel())
            lon.append(placed[0].ravel())
            lat.append(placed[1].ravel())
            time.append(np.tile(when, len(members)))
            trip.append(np.repeat(np.arange(number, number + len(members)), len(when)))
            number += len(members)
    names = np.argsort(keys(number))
    parts: list[Floats] = [np.concatenate([np.empty(0), *part]) for part in (lon, lat, time, trip, moved)]
    released = Points(parts[0], parts[1], parts[2], names[parts[3].astype(np.int64)]).sort()
    measured = closeness(released, asked.delta)
    people = np.array(crowds, dtype=np.int64)
    if not measured.holds(asked.k) or (len(people) and people.min() < asked.k):
        raise VerificationFailed(
            tr(
                "only {found} trajectories are within {delta:g} m of each other, and not {k}",
                found=measured.k,
                delta=asked.delta,
                k=asked.k,
            ),
            where="(k, δ)-anonymity",
            remedy=tr("Nothing was released. This is an error of Cobogó: please report it."),
        )
    return AnonymizedTrips(asked, released, measured, len(trips), len(trips) - number, people, parts[4])


@dataclass(frozen=True, eq=False, repr=False)
class _Pool:
    """Trips that may be clustered with each other: their numbers, their places at equal stages, their first and last
    times."""

    trips: Ints
    east: Floats
    north: Floats
    span: Floats


def _pools(clocked: Trips, asked: KDelta) -> Iterator[_Pool]:
    """Trips of the same span (nwa), or all of them (w4m)."""
    if not len(clocked):
        return
    span = np.column_stack([clocked.begins, clocked.ends])
    if asked.method == "w4m":
        everyone = np.arange(len(clocked))
        stages = np.linspace(0, 1, STAGES)
        when = (span[:, :1] + stages * (span[:, 1:] - span[:, :1])).ravel()
        at = clocked.resample(when, np.full(len(clocked), STAGES))
        yield _Pool(everyone, at.east.reshape(-1, STAGES), at.north.reshape(-1, STAGES), span)
        return
    _, which = np.unique(span, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    for some in np.split(order, np.flatnonzero(np.diff(which.ravel()[order])) + 1):
        rows = clocked.starts[some][:, None] + np.arange(clocked.number[some[0]])
        yield _Pool(some, clocked.east[rows], clocked.north[rows], span[some])


PoolClusters = list[tuple[Ints, Ints]]


def _cluster_pools(
    pools: list[_Pool], clocked: Trips, asked: KDelta, trips: int, allowed: int, source: Source
) -> PoolClusters:
    """Clusters of every pool, with the least radius tried that suppresses no more than allowed."""
    extent = max(float(np.ptp(clocked.east)), float(np.ptp(clocked.north)), 1.0) if len(clocked.time) else 1.0
    radius, last = max(asked.delta / 2, extent / 1000), extent * 4 + asked.pace * 1e6
    firsts = [int(below(len(pool.trips), 1, source)[0]) for pool in pools]
    best = trips
    for _ in range(ROUNDS):
        found = [_cluster(pool, clocked, asked, radius, first) for pool, first in zip(pools, firsts, strict=True)]
        lost = trips - sum(int((cluster >= 0).sum()) for cluster, _ in found)
        best = min(best, lost)
        if lost <= allowed:
            return found
        if radius > last:
            break
        radius *= GROWTH
    raise NoSolution(
        tr(
            "{alone:,} of {trips:,} trips fit into no group of {k} people, and at most {allowed:,} may be suppressed",
            alone=best,
            trips=trips,
            k=asked.k,
            allowed=allowed,
        ),
        where=tr("(k, δ)-anonymity with {method}", method=asked.method),
        remedy=join(
            [
                tr("Ask for a smaller k or a larger δ, or allow more trips to be suppressed (--trash)."),
                "" if asked.daily else tr("Group trips of different days (--daily)."),
                tr("Or move trips in time, too (--method w4m).") if asked.method == "nwa" else "",
            ]
        ),
    )


def _cluster(pool: _Pool, clocked: Trips, asked: KDelta, radius: float, first: int) -> tuple[Ints, Ints]:
    weight = asked.pace if asked.method == "w4m" else 0.0
    person = np.unique(clocked.person[pool.trips], return_inverse=True)[1].ravel()
    if len(np.unique(person)) < asked.k:
        return np.full(len(pool.trips), -1), np.empty(0, dtype=np.int64)
    found: tuple[Ints, Ints] = cluster_greedily(
        pool.east, pool.north, pool.span, weight, person, asked.k, radius, first
    )
    return found


def _align_to_pivot(clocked: Trips, members: Ints, pivot: int, asked: KDelta) -> tuple[Floats, Floats, Floats]:
    """The members of a cluster at the times of its pivot: one row each."""
    when = clocked.time[clocked.starts[pivot] : clocked.starts[pivot + 1]]
    some = clocked.take(members)
    if asked.method == "w4m":
        stage = (when - when[0]) / (when[-1] - when[0])
        own = some.begins[:, None] + stage * (some.ends - some.begins)[:, None]
        some = some.resample(own.ravel(), np.full(len(members), len(when)))
    return some.east.reshape(len(members), -1), some.north.reshape(len(members), -1), when


def tube(lon: Floats, lat: Floats, delta: float, source: Source) -> tuple[Floats, Floats]:
    """Place trajectories side by side in a tube of diameter δ around their mean, each at a random spot of the tube's
    disc: a spot that depended on the true place would reveal whose trajectory it is."""
    middle_lat = lat.mean(axis=0)
    middle_lon = lon[0] + wrap(lon - lon[0]).mean(axis=0)
    wide = DEGREE * np.maximum(np.cos(np.radians(middle_lat)), 1e-6)
    far = (delta / 2 * 0.999 - MARGIN) * np.sqrt(uniforms(len(lon), source))[:, None]
    angle = bearings(source.words(len(lon)))[:, None]
    placed = wrap(middle_lon + far * np.sin(angle) / wide), middle_lat + far * np.cos(angle) / DEGREE
    return np.round(placed[0], DIGITS), np.round(placed[1], DIGITS)
