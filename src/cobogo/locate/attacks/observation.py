"""Attacks on places: where somebody is, from one report, from many of one place or origin, or from distances.

The same-origin attack has many trips that begin at one place, each with noise of its own. Trilateration has distances
that a service gives to several people.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, get_args

import numpy as np

from cobogo.floor.arguments import choice, refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, below
from cobogo.locate.attacks.base import LocationAttack, LocationFindings, Scene, share
from cobogo.locate.attacks.inference import (
    SPOT,
    How,
    Likelihood,
    beliefs,
    blocks,
    geometric_median,
    guess,
    likeliest_place,
    likelihood_of,
    points_of_people,
    rows_by_person,
    sent_positions,
)
from cobogo.locate.attacks.tracking import Markov, chain_of, track
from cobogo.locate.metrics import correctness, entropy
from cobogo.locate.places.geometry import Frame, distance
from cobogo.locate.places.points import Points
from cobogo.locate.trips.segments import SLOW


@card(
    "short-observation",
    title="short observation",
    knows="the mechanism and how often each place is visited; one report at a time",
    finds="guesses within 100 m",
)
@dataclass(frozen=True)
class ShortObservation(LocationAttack):
    r"""Where was a person when they sent one report? Bayes' rule over a grid of places.

    The attacker knows the mechanism and how often each place is visited. The guess is the place with the smallest
    expected distance to the true one (``median``), the most probable place (``map``) or the mean.

    Formula: $\Pr[x \mid z] \propto \pi(x)\,k(z \mid x)$; the guess is $\arg\min_y \sum_x \Pr[x \mid z]\,d(x, y)$
    Example: Reports that are two metres off.
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked_examples import attack_city
        >>> attack_city(ShortObservation(), PlanarLaplace(1.0)).success > 0.9
        True

    Guarantee: None: an attack finds people, it does not protect them. Geo-indistinguishability bounds what one report
        adds to what the attacker knows.
    Limits: The prior comes from the attacked people themselves unless another one is given: no attacker knows the city
        better. A guess is a cell, not a point.
    Cost: $O(n\,c)$ exponentials for n reports and c cells; for ``median``, one transform of the grid for each report.
    Paper: R. Shokri, G. Theodorakopoulos, J.-Y. Le Boudec and J.-P. Hubaux, Quantifying location privacy, IEEE
        Symposium on Security and Privacy, 2011.
    """

    how: How = "median"
    within: float = 100.0  # metres: a guess as near as this has found the person

    knows: ClassVar[str] = "the mechanism and how often each place is visited"
    measures: ClassVar[str] = "guesses within a hundred metres, or what `within` says"

    def __post_init__(self) -> None:
        choice(self.name, "how", self.how, get_args(How))

    def run(self, scene: Scene) -> LocationFindings:
        """Guess the place of every report on its own."""
        law = likelihood_of(scene.released, scene.grid, scene.mechanism, scene.known)
        count = len(scene.reports)
        lon, lat, unsure, off = np.empty(count), np.empty(count), np.empty(count), np.empty(count)
        for rows in blocks(count, scene.grid.cells):
            probabilities = beliefs(law, scene.probabilities, rows)
            lon[rows], lat[rows] = guess(probabilities, scene.grid, self.how)
            unsure[rows] = entropy(probabilities)
            off[rows] = correctness(probabilities, scene.grid, scene.truth.take(rows))
        guesses = scene.reports if scene.takes_reports_as_true else scene.truth.move_to(lon, lat)
        error = scene.truth.distance(guesses)
        return self.findings(
            share(error <= self.within),
            count,
            error=error,
            guesses=guesses,
            baseline=scene.blind_success(scene.truth, self.within),
            figures={
                "expected_error": float(off.mean()),
                "uncertainty_bits": float(unsure.mean()),
                "quality_loss": scene.quality_loss,
                "law_known": int(law.law != "learned"),
            },
        )


Way = Literal["frequency", "mean", "median"]


def middle_of(points: Points, how: Way = "mean") -> tuple[float, float]:
    """The middle of points: their mean, or their geometric median."""
    frame = Frame.from_points(points.lon, points.lat)
    east, north = frame.metres(points.lon, points.lat)
    x, y = geometric_median(east, north) if how == "median" else (float(east.mean()), float(north.mean()))
    lon, lat = frame.degrees([x], [y])
    return float(lon[0]), float(lat[0])


@card(
    "long-observation",
    title="long observation",
    knows="which reports were sent from the person’s most visited place, for example by the hour",
    finds="people whose most visited place is found within 100 m",
)
@dataclass(frozen=True)
class LongObservation(LocationAttack):
    r"""Where is the place from which a person reports again and again? Noise averages out, and dummies do not repeat.

    The attacker knows which reports a person sent from their most visited place (for example by the hour), but not
    where that place is. The attack finds the spot that most reports name, as wide as the mechanism's usual noise, and
    guesses the median of the positions that were sent around it. Of regions, it takes the part that most of them have
    in common. With ``how`` "mean" or "median" it takes the mean or the median of everything that was sent.

    Formula: $\arg\max_x \lvert\{i : x \text{ is among what report } i \text{ sent}\}\rvert$; the mean of $n$ planar
        Laplace reports is off by about $\frac{\sqrt{3 \pi / 2}}{\varepsilon \sqrt{n}}$ metres
    Example:
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked_examples import attack_city
        >>> attack_city(LongObservation(), PlanarLaplace(1.0)).success
        1.0

    Guarantee: None: an attack finds people, it does not protect them. If a device draws one noisy report of a place and
        sends that same report for ever, the noise does not average out.
    Limits: The attack assumes that the noise is drawn anew for each report.
    Cost: $O(n)$ for n reports.
    Paper: None in particular: the law of large numbers; described in the surveys of location privacy.
    """

    how: Way = "frequency"
    within: float = 100.0
    fewest: int = 2  # reports of a place, for it to count as one that is reported from again and again

    knows: ClassVar[str] = "which reports were sent from the person's most visited place, for example by the hour"
    measures: ClassVar[str] = "people whose most visited place is found within a hundred metres, or `within`"
    needs: ClassVar[frozenset[str]] = frozenset({"users"})

    def __post_init__(self) -> None:
        choice(self.name, "how", self.how, get_args(Way))

    def run(self, scene: Scene) -> LocationFindings:
        """Guess everybody's most visited place."""
        truth = scene.truth
        assert truth.user is not None
        cells = scene.grid.nearest_cell(truth.lon, truth.lat)
        found, real, numbers, people = [], [], [], []
        for rows in rows_by_person(truth.user):
            favourite = np.bincount(cells[rows]).argmax()
            there = rows[cells[rows] == favourite]
            if len(there) < self.fewest:
                continue
            found.append(self._place(scene, there))
            real.append(middle_of(truth.take(there)))
            numbers.append(len(there))
            people.append(int(truth.user[there[0]]))
        guesses, places = points_of_people(found, people, truth.names), points_of_people(real, people, truth.names)
        error = guesses.distance(places)
        return self.findings(
            share(error <= self.within),
            len(found),
            baseline=scene.blind_success(places, self.within),
            error=error,
            guesses=guesses,
            figures={"reports_of_a_place": share(numbers), "quality_loss": scene.quality_loss},
            notes=() if found else (tr("no person reports twice from the same place"),),
        )

    def _place(self, scene: Scene, rows: np.ndarray) -> tuple[float, float]:
        if self.how == "frequency":
            return likeliest_place(scene, rows, max(SPOT, scene.quality_loss))
        points, report = sent_positions(scene.released)
        return middle_of(points.take(np.isin(report, rows)), self.how)


LEAST = 1e-300
"""The likelihood of a trip from a place where the chain makes it impossible: other trips may still name the place."""


def trip_rows(points: Points, gap: float, along: int) -> list[Ints]:
    """The first ``along`` rows of each trip, in the order of time. A trip begins at the last point before a person
    moves, after a rest or after ``gap`` seconds without a point, and ends where the person rests."""
    assert points.user is not None
    assert points.time is not None
    order = np.lexsort((points.time, points.user))
    lon, lat, time, user = points.lon[order], points.lat[order], points.time[order], points.user[order]
    lasts = np.diff(time)
    together = (np.diff(user) == 0) & (lasts <= gap)
    moves = together & (distance(lon[:-1], lat[:-1], lon[1:], lat[1:]) > SLOW * lasts)
    begins = np.flatnonzero(moves & ~np.append(False, moves[:-1]))
    rests = np.flatnonzero(~np.append(moves, False))
    ends = rests[np.searchsorted(rests, begins)] + 1
    return [order[begin : min(end, begin + along)] for begin, end in zip(begins, ends, strict=True)]


@dataclass(frozen=True, eq=False)
class _OriginLaw:
    """How probable trips are from each place of a scene."""

    scene: Scene

    @cached_property
    def law(self) -> Likelihood:
        return likelihood_of(self.scene.released, self.scene.grid, self.scene.mechanism, self.scene.known)

    @cached_property
    def chain(self) -> Markov:
        return chain_of(self.scene)

    def logs(self, trips: list[Ints]) -> Floats:
        """log Pr(reports of a trip | its origin), up to a constant: a row for each trip, a column for each place."""
        if all(len(rows) == 1 for rows in trips):
            rows = np.concatenate(trips)
            logs = self.law.logs(rows)
            lost = ~np.isfinite(logs).any(axis=1)
            logs[lost] = self.law.nearness(rows[lost])
            return logs
        return np.stack([self._logs_along(rows) for rows in trips])

    def _logs_along(self, rows: Ints) -> Floats:
        assert self.scene.reports.time is not None
        even = np.full(self.scene.grid.cells, 1 / self.scene.grid.cells)
        found = track(self.law, self.chain, even, rows, self.scene.reports.time[rows])[0]
        return np.asarray(np.log(np.maximum(found, LEAST)))

    def beliefs(self, logs: Floats) -> Floats:
        """Pr(origin | all trips), for each place."""
        with np.errstate(divide="ignore"):
            whole = np.log(self.scene.probabilities) + logs.sum(axis=0)
        if not np.isfinite(whole).any():  # no place has all of them, such as regions that do not meet: most count
            whole = np.maximum(logs, np.log(LEAST)).sum(axis=0)
        weights = np.exp(whole - whole.max())
        return np.asarray(weights / weights.sum())


@card(
    "same-origin",
    title="same origin",
    knows="the mechanism, how often each place is visited, and which trips of a person began at the same place",
    finds="origins found within 100 m",
)
@dataclass(frozen=True)
class SameOrigin(LocationAttack):
    r"""Where do the trips of a person begin? The reports of all trips from one origin are multiplied by Bayes' rule.

    The attacker knows which trips of a person began at the same place (every morning at home), but not where it is.
    Each trip has its own noise, so each narrows the place down further. The attack takes the place from which most of a
    person's trips began. With ``along`` above 1 it also uses later reports of each trip, over the chain of `tracking`:
    what a trip shows of its way shows where it came from.

    Formula: $\Pr[x \mid z_1 \ldots z_n] \propto \pi(x) \prod_{i=1}^{n} k(z_i \mid x)$, with $z_i$ what trip $i$ sent
    Example:
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked_examples import attack_city
        >>> attack_city(SameOrigin(), PlanarLaplace(0.05)).success > 0.8
        True

    Guarantee: None: an attack finds people, it does not protect them. Of n trips with noise of ε the origin has
        $n\,\varepsilon$-geo-indistinguishability, and no more. It helps to draw the noise of a place once: see
        `eclipse`, and the memory of the device.
    Limits: The attack is told which trips share their origin; a mechanism that reuses its noise is attacked as if each
        report were drawn anew.
    Cost: $O(t\,c)$ for t trips and c places; with ``along``, the transitions of the chain for each report.
    Paper: G. Theodorakopoulos, The same-origin attack against location privacy, WPES 2015.
    """

    how: How = "median"
    trips: int | None = None  # how many trips of a person the attacker sees; all, unless said
    along: int = 1  # reports of each trip, from its first
    gap: float = 7200.0  # seconds without a report after which another trip begins
    within: float = 100.0
    fewest: int = 2  # trips from one place

    knows: ClassVar[str] = (
        "the mechanism, how often each place is visited, and which trips of a person began at the same place"
    )
    measures: ClassVar[str] = "origins found within a hundred metres, or `within`"
    needs: ClassVar[frozenset[str]] = frozenset({"users", "times"})

    def __post_init__(self) -> None:
        choice(self.name, "how", self.how, get_args(How))
        if self.along < 1:
            raise ValueError(refusal(self.name, "along", tr("1 or more"), self.along))
        if self.trips is not None and self.trips < 1:
            raise ValueError(refusal(self.name, "trips", tr("1 or more"), self.trips))

    def run(self, scene: Scene) -> LocationFindings:
        """Guess the place from which most trips of each person began."""
        truth, law = scene.truth, _OriginLaw(scene)
        known = self._shared_origins(scene)
        people = list(known)
        real = points_of_people(
            [middle_of(truth.take([rows[0] for rows in trips])) for trips in known.values()], people, truth.names
        )
        seen = [trips[: self.trips] for trips in known.values()]
        beliefs, alone = np.empty((2, len(seen), scene.grid.cells))
        for number, trips in enumerate(seen):
            logs = law.logs(trips)
            beliefs[number], alone[number] = law.beliefs(logs), law.beliefs(logs[:1])
        guesses = real.move_to(*guess(beliefs, scene.grid, self.how))
        error = guesses.distance(real)
        first = real.move_to(*guess(alone, scene.grid, self.how)).distance(real)
        return self.findings(
            share(error <= self.within),
            len(people),
            baseline=scene.blind_success(real, self.within),
            error=error,
            guesses=guesses,
            figures={
                "trips_of_an_origin": share([len(trips) for trips in seen]),
                "error_of_one_trip": float(first.mean()) if len(first) else None,
                "uncertainty_bits": float(entropy(beliefs).mean()) if len(beliefs) else None,
                "quality_loss": scene.quality_loss,
            },
            notes=() if people else (tr("no person begins two trips at the same place"),),
        )

    def _shared_origins(self, scene: Scene) -> dict[int, list[Ints]]:
        """The trips of each person from the place where most of them begin."""
        truth = scene.truth
        assert truth.user is not None
        trips = trip_rows(truth, self.gap, self.along)
        first = np.array([rows[0] for rows in trips], dtype=np.int64)
        cells = scene.grid.nearest_cell(truth.lon[first], truth.lat[first]) if len(first) else first
        found = {}
        for mine in rows_by_person(truth.user[first]):
            shared = mine[cells[mine] == np.bincount(cells[mine]).argmax()]
            if len(shared) >= self.fewest:
                found[int(truth.user[first[mine[0]]])] = [trips[number] for number in shared]
        return found


ROUNDS = 50
"""Steps of the descent at most; ten are usual."""


def trilaterate(anchors: Points, distances: Floats, frame: Frame | None = None) -> Points:
    """The places at given distances from some anchors: one row of distances for each victim, one column for each
    anchor.

    Damped Gauss–Newton on the sum of squares, for all victims at once, started at the nearest anchor and in the middle
    of all: where anchors lie nearly on a line, the first start may end at the mirror image.
    """
    frame = frame or anchors.frame
    ax, ay = frame.metres(anchors.lon, anchors.lat)
    nearest = distances.argmin(axis=1)
    middle = np.full(len(distances), ax.mean()), np.full(len(distances), ay.mean())
    one = _descend(ax[nearest] + 1.0, ay[nearest] + 1.0, ax, ay, distances)
    other = _descend(*middle, ax, ay, distances)
    better = one[2] <= other[2]
    return Points(*frame.degrees(np.where(better, one[0], other[0]), np.where(better, one[1], other[1])))


def _descend(x: Floats, y: Floats, ax: Floats, ay: Floats, distances: Floats) -> tuple[Floats, Floats, Floats]:
    """The end of the descent from some places, and the sum of squares there."""
    damping = np.full(len(x), 1e-3)
    cost = _cost(x, y, ax, ay, distances)
    for _ in range(ROUNDS):
        dx, dy = x[:, None] - ax, y[:, None] - ay
        far = np.maximum(np.hypot(dx, dy), 1e-6)
        ux, uy, miss = dx / far, dy / far, far - distances
        gx, gy = (ux * miss).sum(axis=1), (uy * miss).sum(axis=1)
        many = damping * len(ax)
        hxx, hyy, hxy = (ux**2).sum(axis=1) + many, (uy**2).sum(axis=1) + many, (ux * uy).sum(axis=1)
        determinant = hxx * hyy - hxy**2
        step_x, step_y = (hyy * gx - hxy * gy) / determinant, (hxx * gy - hxy * gx) / determinant
        tried = _cost(x - step_x, y - step_y, ax, ay, distances)
        better = tried <= cost
        x, y = np.where(better, x - step_x, x), np.where(better, y - step_y, y)
        cost = np.where(better, tried, cost)
        damping = np.clip(np.where(better, damping / 3, damping * 4), 1e-9, 1e6)
        if np.all(np.hypot(step_x, step_y) < 1e-4):
            break
    return x, y, cost


def _cost(x: Floats, y: Floats, ax: Floats, ay: Floats, distances: Floats) -> Floats:
    return np.asarray(((np.hypot(x[:, None] - ax, y[:, None] - ay) - distances) ** 2).sum(axis=1))


@card("trilateration", knows="rounded distances to the person from several places", finds="people found within 100 m")
@dataclass(frozen=True)
class Trilateration(LocationAttack):
    r"""Where is a person whose distance a service reveals? Colluding users ask from several places and intersect the
    answers.

    The attackers are at several places around the area; ``users`` is how many. From the service they learn the distance
    to the victim's reported position, rounded to ``rounding`` metres. If the victim sent a set of positions, they learn
    the distance to each of them, and guess that the victim is at any one of those.

    Formula: $\arg\min_x \sum_i (d(x, a_i) - r_i)^2$ with the rounded distances $r_i$ from the places $a_i$
    Example: Distances are rounded to 500 m, and yet most people are found within 100 m.
        >>> from cobogo.studies.worked_examples import attack_city
        >>> attack_city(Trilateration(users=20, rounding=500.0)).success > 0.5
        True

    Guarantee: None: an attack finds people, it does not protect them. Rounding alone does not help. Noise in the
        reports helps, by as much as it moves them.
    Limits: The attack finds the position that the victim reported: if a mechanism moved it, the attack finds the moved
        one.
    Cost: $O(v\,a)$ for v victims and a colluders, with a few steps for each.
    Paper: None in particular: described in the surveys of location privacy as collusion.
    """

    users: int = 20
    rounding: float = 500.0  # metres
    within: float = 100.0
    most: int = 5000  # victims

    knows: ClassVar[str] = "rounded distances to the person from several places"
    measures: ClassVar[str] = "people found within a hundred metres, or `within`"
    needs: ClassVar[frozenset[str]] = frozenset({"positions"})

    def run(self, scene: Scene) -> LocationFindings:
        """Ask for everybody's distances and solve."""
        source, grid = Entropy(), scene.grid
        drawn = below(1 << 30, 2 * self.users, source).reshape(2, -1) / float(1 << 30)
        sides = [(side.min(), side.max() + 1.0) for side in grid.metres()]
        placed = [low + part * (high - low) for (low, high), part in zip(sides, drawn, strict=True)]
        anchors = Points(*grid.frame.degrees(*placed))
        positions, report = sent_positions(scene.released)
        positions, report = positions.take(report < self.most), report[report < self.most]
        truth = scene.truth.take(slice(0, self.most))
        ax, ay = grid.frame.metres(anchors.lon, anchors.lat)
        x, y = grid.frame.metres(positions.lon, positions.lat)
        told = np.hypot(x[:, None] - ax, y[:, None] - ay)
        if self.rounding > 0:
            told = np.round(told / self.rounding) * self.rounding
        solved = trilaterate(anchors, told, grid.frame)
        away = distance(truth.lon[report], truth.lat[report], solved.lon, solved.lat)
        each = np.bincount(report, minlength=len(truth))
        any_one = np.searchsorted(report, np.arange(len(truth)))  # the positions of a set are in random order
        return self.findings(
            share(np.bincount(report, away <= self.within, minlength=len(truth)) / each),
            len(truth),
            baseline=scene.blind_success(truth, self.within),
            error=np.bincount(report, away, minlength=len(truth)) / each,
            guesses=truth.move_to(solved.lon[any_one], solved.lat[any_one]),
            figures={
                "error_to_report": float(positions.distance(solved).mean()),
                "quality_loss": scene.quality_loss,
            },
        )
