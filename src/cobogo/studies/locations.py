"""Mechanisms × attacks: what each mechanism costs, and what each attacker still learns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from cobogo.errors import CobogoError, DataError, NoSolution
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source, below
from cobogo.locate.attacks import LocationAttack, LocationFindings, Scene
from cobogo.locate.attacks.base import Ground, Spots, brief_figure
from cobogo.locate.attacks.inference import prior_of
from cobogo.locate.crowds import CliqueCloak, CrowdPositions
from cobogo.locate.crowds.base import Cloak, cloak_by_span
from cobogo.locate.crowds.base import release_cloaks as cloaks_released
from cobogo.locate.mechanisms.base import Mechanism, Released, no_cost
from cobogo.locate.metrics import area_of_interest, crowd, quality_loss, region_area, used_positions
from cobogo.locate.places.points import Points
from cobogo.studies.study import Trial

CELLS = 2500
"""Cells that attackers consider: more are finer, and attacks take longer."""

WANTED, ASKED = 300.0, 600.0
"""Radii in metres, for precision and recall: of the area of interest, and of the area around the report that is asked
for."""

MOMENT = 900.0
"""Seconds of a stretch of time in which people are cloaked together."""

RAW = "none"
"""The name of true positions among the mechanisms."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MechanismTrial(Trial):
    """One mechanism, its loss, and the findings of every attack, or the reason why it was skipped.

    ``name`` is the text of its specification, ``given`` are its options.
    """

    mechanism: str
    guarantee: str
    loss: Floats = field(repr=False)  # metres, of each report
    precision: float
    recall: float
    area: float | None  # square metres, where regions are released
    positions: float | None  # of a report, where sets are released
    findings: Mapping[str, LocationFindings] = field(repr=False)
    skipped: Mapping[str, str]
    released: Released = field(repr=False)
    answered: float  # the share of reports that were not refused
    truth: Points = field(repr=False)  # where people were at the reports that were not

    @property
    def label(self) -> str:
        """The text of its specification."""
        return self.name

    @property
    def quality_loss(self) -> float:
        """The mean distance in metres from the truth to the nearest position of its report."""
        return float(self.loss.mean()) if len(self.loss) else 0.0

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "mechanism": self.label,
            "guarantee": self.guarantee,
            "answered": brief_figure(self.answered),
            "quality_loss_metres": {
                "mean": brief_figure(self.quality_loss),
                "median": brief_figure(float(np.median(self.loss))),
                "p95": brief_figure(float(np.quantile(self.loss, 0.95))),
            },
            "area_of_interest": {"precision": brief_figure(self.precision), "recall": brief_figure(self.recall)},
            "region_square_metres": brief_figure(self.area),
            "positions_of_a_report": brief_figure(self.positions),
            "attacks": [found.to_dict() for found in self.findings.values()],
            "skipped": dict(self.skipped),
        }


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Every mechanism against every attack, on the same points."""

    source: str
    truth: Points = field(repr=False)
    grid: Ground
    runs: tuple[MechanismTrial, ...]
    notes: tuple[str, ...] = ()
    hours_from_utc: float = 0.0
    everyone: int = 0  # people among whom cloaks are made
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def attacks(self) -> list[str]:
        """The attacks that could be run on anything."""
        return list(dict.fromkeys(name for run in self.runs for name in run.findings))

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``: figures, no positions."""
        return {
            "source": self.source,
            "points": len(self.truth),
            "people": self.truth.users,
            "people_cloaked": self.everyone,
            "cells": self.grid.cells,
            "cell_metres": brief_figure(self.grid.size),
            "mechanisms": [run.to_dict() for run in self.runs],
            "notes": list(self.notes),
        }


def evaluate(
    truth: Points | Sample,
    mechanisms: Mapping[str, Mechanism],
    attacks: Sequence[LocationAttack],
    *,
    name: str = "points",
    grid: Ground | None = None,
    background: Points | None = None,
    places: Points | None = None,
    hours_from_utc: float = 0.0,
    raw: bool = True,
    notes: tuple[str, ...] = (),
    source: Source | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """Try every mechanism on the points, and every attack on what it releases.

    Attackers know the mechanism and the movements of ``background`` or, without one, how often each place of these very
    points is visited, the most that anybody can know of the city. ``raw`` adds the true positions for comparison. Where
    ``truth`` is a `Sample`, cloaks are made from everybody, and attackers who know where everybody is know it of all.
    """
    sample = truth if isinstance(truth, Sample) else Sample(truth, truth, np.arange(len(truth)))
    truth, notes = sample.points, (*sample.notes, *notes)
    if not len(truth):
        raise DataError(tr("has no points"), where=name)
    grid = grid or ground_of(truth, background, CELLS)
    prior = prior_of(truth if background is None else background, grid)
    source = source or Entropy()
    todo: dict[str, Mechanism | None] = ({RAW: None} if raw else {}) | dict(mechanisms)
    runs = []
    for done, (label, mechanism) in enumerate(todo.items()):
        if progress is not None:
            progress("attack", done, len(todo))
        rows, released = _release_sample(sample, mechanism, source)
        scene = Scene(
            truth.take(rows), released, grid, mechanism, prior, background, places, hours_from_utc=hours_from_utc,
            everyone=sample.everyone, own=sample.rows[rows],
        )  # fmt: skip
        runs.append(_run(label, mechanism, scene, attacks, len(rows) / len(truth)))
    if background is None:
        notes = (*notes, tr("attackers know how often each place is visited, from the same points"))
    return Evaluation(name, truth, grid, tuple(runs), notes, hours_from_utc, sample.everyone.users)


def ground_of(truth: Points, background: Points | None, most: int) -> Spots:
    """The places that attackers consider: where people were seen and, where these are other people, some all over the
    area."""
    if background is None:
        return Spots.from_visits(truth, most)
    return Spots.from_visits(background, most, elsewhere=most // 4)


def _release_sample(sample: Sample, mechanism: Mechanism | None, source: Source) -> tuple[Ints, Released]:
    """Apply a mechanism to a sample. Returns the rows of the sample that have a report, and the reports: an anonymizer
    refuses points with too few people near. Cloaks are made from everybody; a request that waits reports later."""
    truth, everyone = sample.points, sample.everyone
    if mechanism is None:
        return np.arange(len(truth)), Released(truth, no_cost(truth))
    if isinstance(mechanism, CrowdPositions):
        return mechanism.apply_by_span(everyone, sample.rows, source, every=MOMENT)
    if not isinstance(mechanism, Cloak):
        return np.arange(len(truth)), mechanism.apply(truth, source)
    whole = (
        mechanism.apply(everyone, source)
        if everyone.time is None or isinstance(mechanism, CliqueCloak)
        else cloaks_released(everyone, cloak_by_span(mechanism, everyone, every=MOMENT))
    )
    assert whole.box is not None
    answered = np.flatnonzero(np.isfinite(whole.box[0][sample.rows]))
    rows = sample.rows[answered]
    west, south, east, north = (side[rows] for side in whole.box)
    middles, when = truth.take(answered), whole.points.time
    middles = Points(whole.points.lon[rows], whole.points.lat[rows], when if when is None else when[rows], middles.user,
                     middles.names)  # fmt: skip
    return answered, Released(middles, whole.cost[rows], box=(west, south, east, north))


def _run(
    label: str, mechanism: Mechanism | None, scene: Scene, attacks: Sequence[LocationAttack], answered: float
) -> MechanismTrial:
    if not len(scene.truth):
        raise NoSolution(tr("there are too few people at every moment"), where=label, remedy=tr("Ask for a smaller k."))
    findings: dict[str, LocationFindings] = {}
    skipped: dict[str, str] = {}
    for attack in attacks:
        lack = attack.lacks(scene)
        if lack is not None:
            skipped[attack.name] = lack
            continue
        try:
            found = attack.run(scene)
        except CobogoError as error:
            skipped[attack.name] = error.what
            continue
        if found.attacked:
            findings[attack.name] = found
        else:
            skipped[attack.name] = found.notes[0] if found.notes else tr("there was no person to attack")
    released = scene.released
    positions = crowd(released).k
    interest = area_of_interest(scene.truth, used_positions(scene.truth, released), wanted=WANTED, asked=ASKED)
    regions = released.box is not None or released.radius is not None
    return MechanismTrial(
        name=label,
        given={} if mechanism is None else mechanism.options(),
        mechanism=RAW if mechanism is None else mechanism.name,
        guarantee=tr("no guarantee: true positions") if mechanism is None else str(mechanism.guarantee),
        loss=quality_loss(scene.truth, released),
        precision=float((interest.precision / positions).mean()),
        recall=float(interest.recall.mean()),
        area=float(region_area(released).mean()) if regions else None,
        positions=float(positions.mean()) if released.members is not None else None,
        findings=findings,
        skipped=skipped,
        released=released,
        answered=answered,
        truth=scene.truth,
    )


@dataclass(frozen=True, eq=False)
class Sample:
    """Points that are attacked, and the points of everybody, among whom cloaks are made."""

    points: Points
    everyone: Points = field(repr=False)
    rows: Ints = field(repr=False)  # of everybody's points: those that are attacked
    notes: tuple[str, ...] = ()


def sample_points(points: Points, every: float, most: int, source: Source | None = None) -> Sample:
    """At most one point of a person in each stretch of ``every`` seconds, and of these at most ``most`` to be attacked,
    of whole people chosen at random; notes say what was left out."""
    everyone = points.sort()
    notes = []
    if everyone.time is not None and every > 0:
        slot = np.floor(everyone.time / every).astype(np.int64)
        person = np.zeros(len(everyone), dtype=np.int64) if everyone.user is None else everyone.user
        first = (np.diff(slot, prepend=-1) != 0) | (np.diff(person, prepend=-1) != 0)
        if not first.all():
            notes.append(
                tr(
                    "{some:,} of {all:,} points: at most one of a person every {every:g} s",
                    some=int(first.sum()),
                    all=len(first),
                    every=every,
                )
            )
        everyone = everyone.take(first)
    if len(everyone) <= most:
        return Sample(everyone, everyone, np.arange(len(everyone)), tuple(notes))
    rows, note = _choose_rows(everyone, most, source or Entropy())
    few = everyone.take(rows)
    if few.user is not None:
        among, user = np.unique(few.user, return_inverse=True)
        names = tuple(few.names[one] for one in among) if few.names else ()
        few = Points(few.lon, few.lat, few.time, user.ravel(), names)
    return Sample(few, everyone, rows, (*notes, note))


def _choose_rows(points: Points, most: int, source: Source) -> tuple[Ints, str]:
    """The rows of at most ``most`` points, of whole people, and a note."""
    if points.user is None:
        some = np.argsort(below(2**62, len(points), source))[:most]
        return np.sort(some), tr("{most:,} of the points, chosen at random", most=most)
    people, counts = np.unique(points.user, return_counts=True)
    order = np.argsort(below(2**62, len(people), source))
    chosen = people[order[np.cumsum(counts[order]) <= most]]
    if not len(chosen):  # one person alone has more
        mine = np.flatnonzero(points.user == people[order[0]])[:most]
        return mine, tr("the first {most:,} points of one person", most=most)
    note = tr(
        "{some:,} of {all:,} people are attacked; cloaks are made from all of them", some=len(chosen), all=len(people)
    )
    return np.flatnonzero(np.isin(points.user, chosen)), note
