"""The frontier: what more privacy costs. One table, counted once, and one search for each choice of parameters."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cobogo.data.policy import Policy
from cobogo.data.policy.tables import allowed_records
from cobogo.errors import PolicyError
from cobogo.floor.language import Speech, tr
from cobogo.floor.progress import Progress, show_in_notebook
from cobogo.promises.models import Model
from cobogo.publish import anonymize as job
from cobogo.publish.recode.contract.problem import Problem
from cobogo.studies.release_trial import (
    ReleaseStudy,
    ReleaseTrial,
    no_release,
    release_cells,
    release_fields,
    try_release,
)
from cobogo.tell.report.labels import metric_name
from cobogo.tell.report.page import Field, PageSection, Row, names, paragraph, picture, short, table

if TYPE_CHECKING:
    from cobogo.tell.report.canvas import Sheet

LIMIT = "suppression-limit"
GAP = 0.75  # inches between the two panels
DOT = 0.11
COLUMNS = 5  # quasi-identifiers whose levels have columns of their own: more do not fit the page
LINES = 6  # that can still be distinguished

AS_IN = tr("Write it as in: --vary k=2,5,10,20; in Python as in: vary={example}.", example='{"k": [2, 5, 10, 20]}')
"""How parameters to vary are given."""

Given = dict[str, float]
"""A choice of parameters, by the names in ``vary``."""

Measure = tuple[str, str, Callable[["ParameterTrial"], float | None]]
"""A figure of a release that a panel shows: its name, its colour, its value."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ParameterTrial(ReleaseTrial):
    """The best release for one choice of parameters; without ``levels`` there is none, and ``why`` says why."""

    def as_dict(self) -> dict[str, Any]:
        """What ``frontier.json`` holds of it."""
        if self.levels is None:
            return {"given": self.given, "solution": None, "why": self.why}
        return {
            "given": self.given,
            "solution": {
                "levels": dict(self.levels),
                **self.figures(),
                "inference": dict(self.inference),
                "worst_inference": self.worst_inference,
                "highest_risk": self.risk,
            },
        }


@dataclass(frozen=True, repr=False)
class Frontier(ReleaseStudy):
    """The best release for each choice of parameters, in the order of the choices: the last parameter varies
    fastest."""

    varied: Mapping[str, Sequence[float]]
    points: tuple[ParameterTrial, ...]

    stem: ClassVar[str] = "frontier"

    def summary(self) -> tuple[str, ...]:
        """What was varied, and by what the releases were chosen."""
        varied = [f"{name} = {', '.join(f'{value:g}' for value in values)}" for name, values in self.varied.items()]
        solved = sum(point.solved for point in self.points)
        return (*varied, self.metric, f"{solved} of {len(self.points)} choices have a solution")

    def as_dict(self) -> dict[str, Any]:
        """What ``frontier.json`` holds."""
        return {
            **super().as_dict(),
            "varied": {name: list(values) for name, values in self.varied.items()},
            "points": [point.as_dict() for point in self.points],
        }

    def render(self, svg: str, *, say: Speech) -> str:
        """The picture, and a table of every point."""
        metric, varied = metric_name(self.metric, say), [_parameter(name, say) for name in self.varied]
        solved = [point for point in self.points if point.levels is not None]
        attributes = list(solved[0].levels or ()) if solved else []
        columns = [
            *(Field(name, "row num") for name in varied),
            *_level_fields(attributes, say),
            *release_fields(metric, say),
        ]
        unproven = any(not point.optimal for point in solved)
        sections = [
            PageSection(
                lead=say(
                    "For each value of {names}, the release that is best by “{metric}”: what it costs, and what an "
                    "attacker could still learn from it.",
                    names=", ".join(varied),
                    metric=metric,
                ),
                parts=[picture(svg, self._fact(say))],
            ),
            PageSection(
                say("Every choice"),
                say("The levels are those of the quasi-identifiers: 0 is the original value."),
                [
                    table(columns, self._rows(attributes, say)),
                    *(
                        [paragraph(say("* the best solution that was found; not proven to be the best"))]
                        if unproven
                        else []
                    ),
                ],
            ),
        ]
        return self.page(say("What privacy costs"), sections, say)

    def _rows(self, attributes: Sequence[str], say: Speech) -> list[Row]:
        values = iter(say.column([point.value for point in self.points if point.levels is not None]))
        rows: list[Row] = []
        for point in self.points:
            given = [say.number(value) for value in point.given.values()]
            if point.levels is None:
                rows.append([*given, *no_release(say, len(_level_fields(attributes, say)) + 6)])
            else:
                levels = [say.number(level) for level in point.levels.values()]
                levels = levels if len(levels) <= COLUMNS else [", ".join(levels)]
                mark = "" if point.optimal else "*"
                rows.append([*given, *levels, *release_cells(point, next(values), self.records, say, mark=mark)])
        return rows

    def _fact(self, say: Speech) -> str:
        """The headline: the metric at the first and the last point with a solution, or its range where there are
        several lines."""
        solved = [point for point in self.points if point.value is not None]
        metric = metric_name(self.metric, say)
        if not solved:
            return say("No release satisfies the policy with any of these values")
        values = [point.value for point in solved if point.value is not None]
        low, high = say.column([min(values), max(values)])
        if low == high:
            return say("“{metric}” of the best release is always {value}", metric=metric, value=low)
        if len(self.varied) > 1:
            return say("“{metric}” of the best release is between {low} and {high}", metric=metric, low=low, high=high)
        before, after = say.column([values[0], values[-1]])
        first, last = (_choice(point, list(self.varied), say) for point in (solved[0], solved[-1]))
        return say(
            "With {last} instead of {first}, “{metric}” goes from {before} to {after}",
            metric=metric,
            before=before,
            after=after,
            first=first,
            last=last,
        )

    def draw(self, path: Path, *, say: Speech) -> str:
        """Draw two panels over the first parameter: the metric, and an attacker's probabilities."""
        from cobogo.tell.report.canvas import BLUE, MARGIN, WIDTH, Sheet

        metric = metric_name(self.metric, say)
        sheet = Sheet(
            self._fact(say),
            say(
                "Left: “{metric}” of the best release ({better} is better). Right: what an attacker can still do.",
                metric=metric,
                better=self.better(say),
            ),
        )
        wide, top = (WIDTH - 2 * MARGIN - GAP) / 2, sheet.top
        values = [point.value for point in self.points if point.value is not None]
        written = dict(zip(values, say.column(values), strict=True))
        self._panel(sheet, metric, [("", BLUE, lambda point: point.value)], written.__getitem__, say, MARGIN, wide)
        bottom, sheet.top = sheet.top, top
        chances = self._chances(say)
        title = say("an attacker’s probabilities") if len(self._lines()) == 1 else chances[0][0]
        self._panel(sheet, title, chances, say.percent, say, MARGIN + wide + GAP, wide)
        return sheet.save(path, max(bottom, sheet.top))

    def _chances(self, say: Speech) -> list[Measure]:
        """An attacker's probabilities: the worst inference where something is sensitive, and the highest risk where the
        panel has room for both."""
        from cobogo.tell.report.canvas import BLUE, ORANGE

        if not any(point.worst_inference is not None for point in self.points):
            return [(say("highest risk"), ORANGE, lambda point: point.risk)]
        inference: Measure = (say("worst inference"), ORANGE, lambda point: point.worst_inference)
        risk: Measure = (say("highest risk"), BLUE, lambda point: point.risk)
        return [inference, risk] if len(self._lines()) == 1 else [inference]

    def _lines(self) -> list[list[ParameterTrial]]:
        """The points of each line: those that differ in the first parameter only."""
        rest = list(self.varied)[1:]
        lines: dict[tuple[float, ...], list[ParameterTrial]] = {}
        for point in self.points:
            lines.setdefault(tuple(point.given[name] for name in rest), []).append(point)
        return list(lines.values())[:LINES]

    def _panel(
        self, sheet: Sheet, title: str, measures: Sequence[Measure], written: Callable[[float], str],
        say: Speech, left: float, wide: float,
    ) -> None:  # fmt: skip
        """Draw lines over the values of the first parameter: one for each measure and each choice of the other
        parameters."""
        from cobogo.tell.report.canvas import BLUE, GREY, INK, MUTED, ORANGE, PALE
        from cobogo.tell.report.curves import Axis, Curve, axes, legend, scatter

        (first, values), *rest = self.varied.items()
        lines, several = self._lines(), len(self._lines()) > 1
        series = [
            (_choice(points[0], [name for name, _ in rest], say) if several else name, [measure(one) for one in points])
            for name, _, measure in measures
            for points in lines
        ]
        colors = (BLUE, ORANGE, INK, PALE, MUTED, GREY) if several else [color for _, color, _ in measures]
        most = max((value for _, numbers in series for value in numbers if value is not None), default=1.0) or 1.0
        curves = [
            Curve(name, [(x + 0.5, y) for x, y in enumerate(numbers) if y is not None], color, _has_gap(numbers))
            for (name, numbers), color in zip(series, colors, strict=False)
        ]
        sheet.text(left, sheet.top, sheet.fit(title, wide, 10.5, bold=True), size=10.5, bold=True)
        sheet.top += 0.34
        legend(sheet, curves, left, wide, dots=True)
        sheet.top += 0.1
        places = [number + 0.5 for number in range(len(values))]
        texts = [say.number(value) for value in values]
        across = Axis(_parameter(first, say), places, texts=texts, bounds=(0, len(values)))
        plane = axes(sheet, across, Axis("", [], bounds=(0, most)), left=left, wide=wide)
        scatter(sheet, plane, reversed(curves), dot=DOT)
        slot = wide / len(values)
        for number, place in enumerate(places):
            column = [numbers[number] for _, numbers in series]
            dots = [(plane.position(place, value), written(value)) for value in column if value is not None]
            _write_numbers(sheet, dots, slot)
            if not dots:
                x, floor = plane.position(place, 0)
                none = sheet.wrap(say("no solution").split(), slot, 8, lines=2)
                for line, word in enumerate(reversed(none)):
                    sheet.text(x, floor - 0.14 - 0.15 * line, word, size=8, color=MUTED, align="center")


def _write_numbers(sheet: Sheet, dots: Sequence[tuple[tuple[float, float], str]], slot: float) -> None:
    """Write each dot's number above it, unless it would cover another."""
    from cobogo.tell.report.canvas import INK, PAPER

    taken: list[float] = []
    for (x, dot), text in sorted(dots, key=lambda dot: dot[0][1]):
        y, long = dot - 0.15, sheet.measure(text, 9)
        if all(abs(y - other) > 0.16 for other in taken) and long < slot:
            sheet.pills([(x - long / 2, y - 0.07, long, 0.12)], fill=PAPER, edge=PAPER)  # lines stay behind it
            sheet.text(x, y, text, size=9, color=INK, align="center")
            taken.append(y)


def _has_gap(numbers: Sequence[float | None]) -> bool:
    """Whether a value is missing between two others."""
    there = [number for number, known in enumerate(numbers) if known is not None]
    return bool(there) and there[-1] - there[0] + 1 != len(there)


def _level_fields(attributes: Sequence[str], say: Speech) -> list[Field]:
    """A column for the level of each quasi-identifier, or one for all where they are many."""
    if len(attributes) <= COLUMNS:
        return [Field(names([name]), "num") for name in attributes]
    return [Field(say("levels ({names})", names=", ".join(map(short, attributes))))]


def _parameter(name: str, say: Speech) -> str:
    """The name of a varied parameter in the language, without its model."""
    return say("suppression limit") if name == LIMIT else name.rpartition(".")[2]


def _choice(point: ParameterTrial, shown: Sequence[str], say: Speech) -> str:
    return ", ".join(f"{_parameter(name, say)} = {say.number(point.given[name])}" for name in shown)


def frontier(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    vary: Mapping[str, Sequence[float]],
    engine: str | None = None,
    progress: Progress = show_in_notebook,
    each: Callable[[ParameterTrial], None] = lambda _: None,
) -> Frontier:
    """The best release for each choice of parameters.

    ``vary`` gives values for ``k``, ``l`` or any numeric parameter of a model of the policy, for one of a model that is
    named (``t-closeness.t``), and for ``suppression-limit``. Data and policy are those of `cobogo.anonymize`. ``each``
    is called with every point when it is found.
    """
    if not vary or not all(vary.values()):
        raise PolicyError(tr("no parameter to vary was given"), where="--vary", remedy=AS_IN)
    prepared = job.prepare(data, policy, engine=engine, progress=progress)
    # Utility is not measured: a frontier does not show it.
    prepared = replace(prepared, policy=prepared.policy.model_copy(update={"utility": None}))
    choices = [dict(zip(vary, values, strict=True)) for values in itertools.product(*vary.values())]
    problems = [_problem(prepared.problem, given) for given in choices]  # all, before the first search
    points = []
    for number, (given, problem) in enumerate(zip(choices, problems, strict=True)):
        progress("search", number, len(choices))
        points.append(ParameterTrial(given=given, **try_release(replace(prepared, problem=problem))))
        each(points[-1])
    return Frontier(
        **ReleaseStudy.facts_of(prepared),
        varied={name: tuple(values) for name, values in vary.items()},
        points=tuple(points),
    )


def parse_varied(texts: Sequence[str]) -> dict[str, list[float]]:
    """The values of ``vary`` from texts of the command line.

    >>> parse_varied(["k=2,5,10", "t-closeness.t=0.1,0.2"])
    {'k': [2, 5, 10], 't-closeness.t': [0.1, 0.2]}
    """
    varied: dict[str, list[float]] = {}
    for text in texts:
        name, _, values = text.partition("=")
        name = name.strip()
        try:
            numbers = list(dict.fromkeys(_number(value) for value in values.split(",")))
        except ValueError:
            raise _wrong(tr("{text!r} is not a name and numbers", text=text)) from None
        if not name or name in varied:
            raise _wrong(
                tr("{name} appears twice", name=name) if name else tr("{text!r} has no name before “=”", text=text)
            )
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
    """The problem with other models or another limit."""
    models, limit = problem.promised, problem.limit
    for name, value in given.items():
        if name == LIMIT:
            if not 0 <= value <= 1:
                raise _wrong(tr("{name} must be a number from 0 to 1. Got {value!r} instead", name=LIMIT, value=value))
            limit = allowed_records(value, problem.scale.records)
        else:
            models = _vary_models(models, name, value)
    for model in models:
        model.check_domains(problem.table.domains)
    return replace(problem.replace_models(models), limit=limit)


def _vary_models(models: Sequence[Model], name: str, value: float) -> tuple[Model, ...]:
    """The models with one parameter changed, in every model that is meant."""
    wanted, _, parameter = name.rpartition(".")
    key = parameter.replace("-", "_")
    meant = [model for model in models if wanted in ("", model.name) and key in _numeric(model)]
    if len({model.name for model in meant}) != 1:
        known = sorted({f"{model.name}.{key.replace('_', '-')}" for model in models for key in _numeric(model)})
        what = (
            tr("{name} cannot be varied: several models of the policy have it", name=name)
            if meant
            else tr("{name} cannot be varied: no model of the policy has it", name=name)
        )
        raise _wrong(what, tr("Write one of: {names}.", names=", ".join([*known, LIMIT])))
    try:
        return tuple(replace(model, **{key: value}) if model in meant else model for model in models)  # type: ignore[type-var]
    except ValueError as error:
        raise _wrong(str(error)) from None


def _numeric(model: Model) -> list[str]:
    """The parameters of a model that are numbers."""
    values = {field.name: getattr(model, field.name) for field in fields(model)}  # type: ignore[arg-type]
    return [name for name, value in values.items() if isinstance(value, int | float) and not isinstance(value, bool)]


def _wrong(what: str, remedy: str = AS_IN) -> PolicyError:
    return PolicyError(what, where="--vary", remedy=remedy)
