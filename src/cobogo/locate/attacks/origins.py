"""The same-origin attack: many trips that begin at one place, each with noise of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, get_args

import numpy as np

from cobogo.floor.arguments import choice, refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.locate.attacks.base import LocationAttack, LocationFindings, Scene, share
from cobogo.locate.attacks.hearing import points_of_people, rows_by_person
from cobogo.locate.attacks.inference import How, Likelihood, guess, likelihood_of
from cobogo.locate.attacks.observation import middle_of
from cobogo.locate.attacks.tracking import Markov, chain_of, track
from cobogo.locate.metrics import entropy
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.locate.trips.segments import SLOW

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
