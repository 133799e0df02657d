"""Releases side by side: one trial for each, and their tables. Studies of one release do without, and load no page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cobogo.errors import CobogoError, NoSolution
from cobogo.floor.language import Speech, join, tr
from cobogo.publish import anonymize as job
from cobogo.publish.recode import story
from cobogo.studies.study import Study, Trial, timestamp
from cobogo.tell.report.labels import metric_meaning, metric_name
from cobogo.tell.report.page import Cell, Field, PageSection, Row, origin, page, pairs, strong, verdict


@dataclass(frozen=True, kw_only=True, repr=False)
class ReleaseTrial(Trial):
    """Figures of the release of one algorithm or of one choice of parameters."""

    levels: Mapping[str, int] | None = None  # of a full-domain recoding
    value: float | None = None  # by the policy's metric
    optimal: bool = False  # proven
    suppressed: int = 0
    classes: int = 0
    smallest: int = 0
    inference: Mapping[str, float] = field(default_factory=dict)  # of each sensitive attribute, the surest guess
    risk: float | None = None  # the highest re-identification risk
    seconds: float = 0.0  # of the search

    @property
    def worst_inference(self) -> float | None:
        """The highest probability with which a sensitive value of a class is guessed."""
        return max(self.inference.values(), default=None)

    def figures(self) -> dict[str, Any]:
        """What a study's JSON holds of every release."""
        return {
            "value": self.value,
            "optimal": self.optimal,
            "suppressed": self.suppressed,
            "classes": self.classes,
            "smallest_class": self.smallest,
        }


@dataclass(frozen=True, repr=False)
class ReleaseStudy(Study):
    """Releases of one table side by side, by one metric: what their figures and their page begin and end with."""

    source: str
    created: str
    records: int
    metric: str
    maximize: bool

    @staticmethod
    def facts_of(prepared: job.Prepared) -> dict[str, Any]:
        """The fields of a study of a prepared job."""
        return {
            "source": Path(prepared.table.name).name,
            "created": timestamp(),
            "records": prepared.problem.scale.records,
            "metric": prepared.problem.metric.name,
            "maximize": prepared.problem.metric.maximize,
        }

    def as_dict(self) -> dict[str, Any]:
        """What the JSON file begins with."""
        return {"source": self.source, "created": self.created, "records": self.records, "metric": self.metric}

    def better(self, say: Speech) -> str:
        """Which values of the metric are better."""
        return say(tr("higher") if self.maximize else tr("lower"))

    def page(self, title: str, sections: Sequence[PageSection | None], say: Speech) -> str:
        """The page of these sections, with what the metric means below them."""
        return page(
            say,
            title,
            [*sections, meanings(self.metric, say)],
            created=self.created,
            source=self.source,
            about=origin(say, self.source, self.records),
            note=say(
                "This page shows no values of the data, but its figures describe the data. Decide who may see them."
            ),
        )


def try_release(
    prepared: job.Prepared, *, refusals: tuple[type[CobogoError], ...] = (NoSolution,), by: str | None = None
) -> dict[str, Any]:
    """Solve a prepared job. Returns the fields of a `ReleaseTrial`: figures of the release, or why there is none.

    Where all are compared ``by`` one metric, a release that it does not apply to has no value, and a note says so.
    """
    try:
        release = job.solve(prepared)
    except refusals as error:
        return {"why": error.what}
    summary = story.planned_summary(release)
    value, notes = release.solution.value, release.solution.notes
    if by is not None and release.metric != by:
        notes = (
            *notes,
            tr("{by} does not apply to it; its {metric} is {value:.4g}", by=by, metric=release.metric, value=value),
        )
        value = math.nan
    return {
        "levels": release.levels,
        "value": value if math.isfinite(value) else None,
        "optimal": release.solution.optimal,
        "suppressed": summary["suppressed"],
        "classes": summary["classes"]["count"],
        "smallest": summary["classes"]["min"],
        "inference": {name: chances["after"] for name, chances in summary["inference"].items()},
        "risk": summary["risk"]["after"]["highest"],
        "seconds": release.seconds["search"],
        "notes": notes,
    }


def release_fields(metric: str, say: Speech) -> list[Field]:
    """The columns of a table of releases."""
    return [
        Field(metric, "num"),
        Field(say("suppressed records"), "num"),
        Field(say("classes"), "num"),
        Field(say("smallest class"), "num"),
        Field(say("worst inference"), "num"),
        Field(say("highest risk"), "num"),
    ]


def release_cells(trial: ReleaseTrial, value: str, records: int, say: Speech, *, mark: str = "") -> list[str]:
    """The cells of one release in these columns; ``value`` is its metric, as its column writes it."""
    share = say.percent(trial.suppressed / records)
    return [
        strong(value, mark=mark),
        f"{say.number(trial.suppressed)} ({share})",
        say.number(trial.classes),
        say.number(trial.smallest),
        say.percent(trial.worst_inference),
        say.percent(trial.risk),
    ]


def no_release(say: Speech, span: int, why: str = "") -> Row:
    """The rest of a row that has no release."""
    return [Cell(verdict(say("no solution"), holds=False, more=say(why)), "why", span)]


def meanings(metric: str, say: Speech) -> PageSection:
    """What the columns of a table of releases mean."""
    risk = join(
        [
            tr(
                "The probability that an attacker who knows a person’s quasi-identifiers, and that the person is in "
                "the table, finds the person’s record."
            ),
            tr("One divided by the size of the smallest class: the person at the highest risk."),
        ]
    )
    return PageSection(
        say("What the columns mean"),
        parts=[
            pairs(
                [
                    (metric_name(metric, say), metric_meaning(metric, say)),
                    (say("smallest class"), say("This is the k of the release.")),
                    (
                        say("worst inference"),
                        say(
                            "An attacker who does not know which record belongs to a person can still guess the most "
                            "frequent sensitive value of the class. This is the share of correct guesses in the class "
                            "where the guess works best."
                        ),
                    ),
                    (say("highest risk"), say(risk)),
                ]
            )
        ],
    )
