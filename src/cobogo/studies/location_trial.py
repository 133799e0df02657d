"""One mechanism and one attack, tried on people who move: what a map plays moment by moment, and its figures.

It uses true positions, so all of it is evidence: for the data holder only, unless the people are made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cobogo.errors import DataError
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source
from cobogo.locate import spec as asking
from cobogo.locate.attacks import LocationFindings
from cobogo.locate.mechanisms.base import LocationGuarantee, Released
from cobogo.locate.places.points import Points
from cobogo.studies.locations import MechanismTrial, Sample, evaluate, ground_of, sample_points

MOST = 6_000
"""Points that are tried at once: a day of a few people, within seconds."""

CELLS = 900
"""Places that attackers consider."""

FRAMES = 288
"""Moments that are played at most: one every five minutes of a day."""

FROM_THESE = frozenset({"grid", "prior", "mass", "places", "area", "centre"})
"""Options that `build_mechanism` makes from the points where they are not given."""


@dataclass(frozen=True, eq=False)
class TrialGround:
    """People who move: the points that are attacked, and the moments that are played."""

    sample: Sample
    moments: Floats  # the clock: seconds since 1970
    hours_from_utc: float = 0.0

    @classmethod
    def from_points(cls, points: Points, *, hours_from_utc: float = 0.0, every: float = 60.0) -> TrialGround:
        """From points with times; more than `MOST` are thinned out."""
        if points.time is None:
            raise DataError(tr("have no times, so they cannot be replayed"), where="points")
        if points.user is None:
            points = Points(points.lon, points.lat, points.time, np.zeros(len(points), dtype=np.int64))
        sample = sample_points(points, every, MOST)
        few = sample.points
        if not len(few):
            raise DataError(tr("has no points"), where="points")
        assert few.time is not None
        moments = np.unique(few.time)
        if len(moments) > FRAMES:
            moments = np.linspace(moments[0], moments[-1], FRAMES)
        return cls(sample, moments, hours_from_utc)

    @property
    def truth(self) -> Points:
        """The points that are attacked."""
        return self.sample.points

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        return self.sample.notes

    @property
    def people(self) -> Ints:
        """The numbers of all people."""
        assert self.truth.user is not None
        return np.unique(self.truth.user)


@dataclass(frozen=True, eq=False)
class LocationTrial:
    """A mechanism's reports and an attack's findings. Reports are identified by their row: a cloak refuses some
    points."""

    ground: TrialGround
    label: str
    guarantee: LocationGuarantee
    run: MechanismTrial
    finding: LocationFindings | None
    skipped: str | None
    own_context: tuple[str, ...]  # what was made from these very points, and would have to be public
    _latest: dict[int, tuple[Floats, Ints]] = field(default_factory=dict, repr=False)

    @property
    def truth(self) -> Points:
        """Where people were at each report."""
        return self.run.truth

    @property
    def released(self) -> Released:
        """What was reported."""
        return self.run.released

    @property
    def highest_spending(self) -> float:
        """The highest sum of the costs of one person's reports, in ε per metre."""
        assert self.truth.user is not None
        return float(np.bincount(self.truth.user, self.released.cost).max(initial=0.0))

    @property
    def reports_each(self) -> int:
        """The largest number of reports of a person."""
        assert self.truth.user is not None
        return int(np.bincount(self.truth.user).max(initial=0))

    @property
    def error(self) -> float | None:
        """The mean error of the attacker's guesses, in metres."""
        if self.finding is None:
            return None
        error = self.finding.error[np.isfinite(self.finding.error)]
        return float(error.mean()) if len(error) else None

    def row(self, person: int, moment: float) -> int | None:
        """The person's latest report at a moment, by its number among all; None before the first."""
        if person not in self._latest:
            assert self.truth.user is not None
            assert self.truth.time is not None
            rows = np.flatnonzero(self.truth.user == person)
            rows = rows[np.argsort(self.truth.time[rows], kind="stable")]
            self._latest[person] = self.truth.time[rows], rows
        times, rows = self._latest[person]
        at = int(np.searchsorted(times, moment, side="right")) - 1
        return None if at < 0 else int(rows[at])

    def rows_until(self, person: int, moment: float) -> Ints:
        """All of the person's reports up to a moment, in the order of time."""
        self.row(person, moment)
        times, rows = self._latest[person]
        return rows[: int(np.searchsorted(times, moment, side="right"))]

    def guess(self, person: int, row: int) -> tuple[float, float] | None:
        """The attacker's guess of a person's position at a report or, where the attack finds one place for each person
        (such as a home), of that place."""
        guesses = None if self.finding is None else self.finding.guesses
        if guesses is None:
            return None
        if len(guesses) == len(self.truth):
            return float(guesses.lon[row]), float(guesses.lat[row])
        if guesses.user is None:
            return None
        mine = np.flatnonzero(guesses.user == person)
        return (float(guesses.lon[mine[0]]), float(guesses.lat[mine[0]])) if len(mine) else None

    @property
    def one_guess_each(self) -> bool:
        """Whether the attack finds one place for each person rather than one for each report."""
        guesses = None if self.finding is None else self.finding.guesses
        return guesses is not None and len(guesses) != len(self.truth)


def try_mechanism(
    ground: TrialGround, mechanism: str, options: Mapping[str, Any], attack: str | None, *, source: Source | None = None
) -> LocationTrial:
    """Try a mechanism with these options on all people, and an attack on what it releases.

    >>> from cobogo.studies.fortaleza import people
    >>> ground = TrialGround.from_points(people(3, days=1).trajectories(3600))
    >>> found = try_mechanism(ground, "planar-laplace", {"epsilon": 0.01}, "home-and-work")
    >>> found.guarantee.kind, found.reports_each, round(found.highest_spending, 6)
    ('geo-indistinguishability', 24, 0.24)
    """
    asked = asking.MechanismSpec(mechanism, {name: str(value) for name, value in options.items()})
    made = asking.build_mechanism(asked, ground.truth, where=mechanism)
    attacks = [] if attack is None else [asking.build_attack(asking.MechanismSpec(attack, {}), where=attack)]
    found = evaluate(
        ground.sample,
        {asked.label: made},
        attacks,
        grid=ground_of(ground.truth, None, CELLS),
        hours_from_utc=ground.hours_from_utc,
        raw=False,
        source=source,
    )
    run = found.runs[0]
    context = tuple(
        name
        for name, value in made.options().items()
        if name in FROM_THESE and value is not None and name not in options
    )
    return LocationTrial(
        ground,
        asked.label,
        made.guarantee,
        run,
        None if attack is None else run.findings.get(attack),
        None if attack is None else run.skipped.get(attack),
        context,
    )
