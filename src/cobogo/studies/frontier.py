"""The frontier: what more privacy costs. One table, counted once; one search for each choice of parameters."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.data.policy.tables import records_allowed
from cobogo.errors import NoSolution, PolicyError
from cobogo.floor.files import holds_only, staged_directory
from cobogo.floor.progress import Progress
from cobogo.promises.models import Model
from cobogo.publish import anonymize as job
from cobogo.publish.recode import story
from cobogo.publish.recode.contract.problem import Problem

LIMIT = "suppression-limit"
FILES = ("frontier.json", "frontier.png", "frontier.html")

Given = dict[str, float]
"""A choice of parameters, by the names that were asked for."""


@dataclass(frozen=True)
class Point:
    """The best release for one choice; without ``levels`` there is none, and ``why`` says why."""

    given: Given
    why: str | None = None
    levels: Mapping[str, int] | None = None
    value: float | None = None  # by the policy's metric
    optimal: bool = False  # proven
    suppressed: int = 0
    classes: int = 0
    smallest: int = 0
    inference: Mapping[str, float] | None = None  # of each sensitive attribute, the surest guess in any class
    risk: float | None = None  # of pointing at the right record of the most exposed person

    @property
    def worst_inference(self) -> float | None:
        """The surest guess of any sensitive attribute."""
        return max(self.inference.values(), default=None) if self.inference else None

    def as_dict(self) -> dict[str, Any]:
        """What ``frontier.json`` holds of it."""
        if self.levels is None:
            return {"given": self.given, "solution": None, "why": self.why}
        return {
            "given": self.given,
            "solution": {
                "levels": dict(self.levels),
                "value": self.value,
                "optimal": self.optimal,
                "suppressed": self.suppressed,
                "classes": self.classes,
                "smallest_class": self.smallest,
                "inference": dict(self.inference or {}),
                "worst_inference": self.worst_inference,
                "highest_risk": self.risk,
            },
        }


@dataclass(frozen=True)
class Frontier:
    """The points in the order asked for: the last parameter varies fastest."""

    source: str
    created: str
    records: int
    metric: str
    maximize: bool
    varied: Mapping[str, Sequence[float]]
    points: tuple[Point, ...]

    def as_dict(self) -> dict[str, Any]:
        """What ``frontier.json`` holds."""
        return {
            "source": self.source,
            "created": self.created,
            "records": self.records,
            "metric": self.metric,
            "varied": {name: list(values) for name, values in self.varied.items()},
            "points": [point.as_dict() for point in self.points],
        }


def frontier(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    vary: Mapping[str, Sequence[float]],
    engine: str | None = None,
    progress: Progress = lambda *_: None,
    each: Callable[[Point], None] = lambda _: None,
) -> Frontier:
    """The best release for each choice of parameters.

    ``vary`` gives values for ``k``, ``l`` or any numeric parameter of a model of the policy, for one of a model that is
    named (``t-closeness.t``), and for ``suppression-limit``. Data and policy are those of `cobogo.anonymize`.
    ``each`` is told of every point when it is found.
    """
    if not vary or not all(vary.values()):
        raise PolicyError("nothing is to be varied", where="--vary", remedy="Say what: --vary k=2,5,10,20.")
    prepared = job.prepare(data, policy, engine=engine, progress=progress)
    # What can be done with each release is not shown, so it need not be measured.
    prepared = replace(prepared, policy=prepared.policy.model_copy(update={"utility": None}))
    choices = [dict(zip(vary, values, strict=True)) for values in itertools.product(*vary.values())]
    problems = [_problem(prepared.problem, given) for given in choices]  # all, before the first search
    points = []
    for number, (given, problem) in enumerate(zip(choices, problems, strict=True)):
        progress("search", number, len(choices))
        points.append(_point(replace(prepared, problem=problem), given))
        each(points[-1])
    return Frontier(
        source=Path(prepared.table.name).name,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        records=prepared.problem.scale.records,
        metric=prepared.problem.metric.name,
        maximize=prepared.problem.metric.maximize,
        varied={name: tuple(values) for name, values in vary.items()},
        points=tuple(points),
    )


def write(found: Frontier, directory: str | Path, *, language: str = "en") -> None:
    """Write ``frontier.json``, ``frontier.png`` and ``frontier.html``, in place of an earlier one, at once."""
    from cobogo.tell.report.frontier import write as write_report

    with staged_directory(Path(directory), replaceable=holds_only(FILES)) as stage:
        write_report(found, stage, language=language)


def parsed(texts: Sequence[str]) -> dict[str, list[float]]:
    """What is to be varied, as the command line writes it.

    >>> parsed(["k=2,5,10", "t-closeness.t=0.1,0.2"])
    {'k': [2, 5, 10], 't-closeness.t': [0.1, 0.2]}
    """
    varied: dict[str, list[float]] = {}
    for text in texts:
        name, _, values = text.partition("=")
        name = name.strip()
        try:
            numbers = list(dict.fromkeys(_number(value) for value in values.split(",")))
        except ValueError:
            raise _wrong(f"{text!r} is not a name and numbers") from None
        if not name or name in varied:
            raise _wrong(f"{text!r} names nothing" if not name else f"{name} is varied twice")
        varied[name] = numbers
    return varied


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if not math.isfinite(number):
            raise
        return number


def _problem(problem: Problem, given: Given) -> Problem:
    """The same table with other models, or another limit."""
    models, limit = problem.promised, problem.limit
    for name, value in given.items():
        if name == LIMIT:
            if not 0 <= value <= 1:
                raise _wrong(f"{LIMIT} must be a number from 0 to 1. Got {value!r} instead")
            limit = records_allowed(value, problem.scale.records)
        else:
            models = _varied(models, name, value)
    for model in models:
        model.fits(problem.table.domains)
    return replace(problem.promising(models), limit=limit)


def _varied(models: Sequence[Model], name: str, value: float) -> tuple[Model, ...]:
    """The models with one parameter changed, in all that are meant."""
    wanted, _, parameter = name.rpartition(".")
    key = parameter.replace("-", "_")
    meant = [model for model in models if wanted in ("", model.name) and key in _numeric(model)]
    if len({model.name for model in meant}) != 1:
        known = sorted({f"{model.name}.{key.replace('_', '-')}" for model in models for key in _numeric(model)})
        what = "no model of the policy has it" if not meant else "several models of the policy have it"
        raise _wrong(f"{name} cannot be varied: {what}", f"Say one of: {', '.join([*known, LIMIT])}.")
    try:
        return tuple(replace(model, **{key: value}) if model in meant else model for model in models)  # type: ignore[type-var]
    except ValueError as error:
        raise _wrong(str(error)) from None


def _numeric(model: Model) -> list[str]:
    """The parameters of a model that are numbers."""
    values = {field.name: getattr(model, field.name) for field in fields(model)}  # type: ignore[arg-type]
    return [name for name, value in values.items() if isinstance(value, int | float) and not isinstance(value, bool)]


def _wrong(what: str, remedy: str = "Write it as in: --vary k=2,5,10,20.") -> PolicyError:
    return PolicyError(what, where="--vary", remedy=remedy)


def _point(prepared: job.Prepared, given: Given) -> Point:
    try:
        release = job.solve(prepared)
    except NoSolution as error:
        return Point(given, why=error.what)
    summary = story.expected(release)
    return Point(
        given=given,
        levels=release.levels,
        value=release.solution.value if math.isfinite(release.solution.value) else None,
        optimal=release.solution.optimal,
        suppressed=summary["suppressed"],
        classes=summary["classes"]["count"],
        smallest=summary["classes"]["min"],
        inference={name: chances["after"] for name, chances in summary["inference"].items()},
        risk=summary["risk"]["after"]["highest"],
    )
