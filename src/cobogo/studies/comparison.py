"""A comparison: one table, counted once, anonymized by several algorithms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from cobogo.data.files.settle import settle_policy
from cobogo.data.policy import Policy
from cobogo.errors import NoSolution, PolicyError, SearchTooLarge
from cobogo.floor.language import Speech
from cobogo.floor.progress import Progress, show_in_notebook
from cobogo.publish import anonymize as job
from cobogo.publish.admission import check_buckets, check_inventions
from cobogo.publish.recode.algorithms import ALGORITHMS, invents_records, recodings, releases_one_table
from cobogo.studies.release_trial import (
    ReleaseStudy,
    ReleaseTrial,
    no_release,
    release_cells,
    release_fields,
    try_release,
)
from cobogo.tell.report.labels import metric_name
from cobogo.tell.report.page import Field, PageSection, Row, pairs, paragraph, picture, table

NAMES = 1.25  # inches of the algorithms' names in the picture
GAP = 0.18  # between two columns of bars

Number = Callable[["AlgorithmTrial"], float | None]
Texts = Callable[[list[float | None]], list[str]]
"""A figure of each run, and how a column of them is written."""


@dataclass(frozen=True, kw_only=True, repr=False)
class AlgorithmTrial(ReleaseTrial):
    """The release of one algorithm; ``why`` says why there is none."""

    @property
    def algorithm(self) -> str:
        """Its name."""
        return self.name

    def as_dict(self) -> dict[str, Any]:
        """What ``comparison.json`` holds of it."""
        if not self.solved:
            return {"algorithm": self.name, "solution": None, "why": self.why}
        return {
            "algorithm": self.name,
            "solution": {
                **self.figures(),
                "worst_inference": self.worst_inference,
                "highest_risk": self.risk,
                "seconds": round(self.seconds, 4),
                "notes": list(self.notes),
            },
        }


@dataclass(frozen=True, repr=False)
class Comparison(ReleaseStudy):
    """The runs, in the order asked for."""

    runs: tuple[AlgorithmTrial, ...]

    stem: ClassVar[str] = "comparison"

    def summary(self) -> tuple[str, ...]:
        """What each algorithm lost."""
        lost = [f"{run.algorithm} {'no solution' if run.value is None else f'{run.value:.4g}'}" for run in self.runs]
        return (self.metric, *lost)

    @property
    def best(self) -> AlgorithmTrial | None:
        """The run with the best value of the metric, the first of those that tie; None where none has one."""
        known = [run for run in self.runs if run.value is not None]
        sign = -1 if self.maximize else 1
        return min(known, key=lambda run: sign * (run.value or 0.0), default=None)

    def as_dict(self) -> dict[str, Any]:
        """What ``comparison.json`` holds."""
        return {
            **super().as_dict(),
            "runs": [run.as_dict() for run in self.runs],
        }

    def draw(self, path: Path, *, say: Speech) -> str:
        """A row for each algorithm, a column of bars for each figure."""
        from cobogo.tell.report.bars import Bar, bar_panel
        from cobogo.tell.report.canvas import BLUE, MARGIN, MUTED, ORANGE, PALE, WIDTH, Sheet

        def panel(title: str, number: Number, texts: Texts, color: str) -> tuple[str, list[Bar]]:
            lengths = [number(run) if run.solved else None for run in self.runs]
            return title, [Bar(*bar, color) for bar in zip(lengths, texts(lengths), strict=True)]

        def each(form: Callable[[Any], str]) -> Texts:
            return lambda lengths: [form(length) for length in lengths]

        panels = [
            panel(metric_name(self.metric, say), lambda run: run.value, say.column, BLUE),
            panel(say("search time"), lambda run: run.seconds, each(say.seconds), PALE),
            panel(say("suppressed"), lambda run: run.suppressed, each(say.number), PALE),
            panel(say("classes"), lambda run: run.classes, each(say.number), PALE),
            panel(say("highest risk"), lambda run: run.risk, each(say.percent), ORANGE),
        ]
        sheet = Sheet(self._fact(say), say("One row for each algorithm; each column has its own scale"))
        wide = (WIDTH - 2 * MARGIN - NAMES - GAP * len(panels)) / len(panels)
        top, middles = sheet.top, []
        for number, (title, bars) in enumerate(panels):
            sheet.top, left = top, MARGIN + NAMES + GAP + number * (wide + GAP)
            middles = bar_panel(sheet, title, bars, left=left, wide=wide, size=9.5)
        for y, run in zip(middles, self.runs, strict=True):
            sheet.text(MARGIN, y, sheet.fit(run.name, NAMES, 9.5))
            if not run.solved:
                sheet.text(MARGIN + NAMES + GAP + 0.06, y, say("no solution"), size=9, color=MUTED)
        return sheet.save(path, sheet.top - 0.08)

    def render(self, svg: str, *, say: Speech) -> str:
        """The picture, a table of every run, and what was noted."""
        metric = metric_name(self.metric, say)
        fields = [
            Field(say("algorithm"), "row"),
            *release_fields(metric, say),
            Field(say("search time"), "num"),
        ]
        proven = (
            [paragraph(say("* proven to be the best full-domain recoding by this metric"))]
            if any(run.optimal for run in self.runs)
            else []
        )
        notes = [(run.name, say(note)) for run in self.runs for note in run.notes]
        sections = [
            PageSection(
                lead=say(
                    "One table, one policy, several algorithms. “{metric}” says how much each release loses "
                    "({better} is better). The other columns say what it costs and what an attacker could still "
                    "learn.",
                    metric=metric,
                    better=self.better(say),
                ),
                parts=[picture(svg, self._fact(say))],
            ),
            PageSection(say("Every algorithm"), parts=[table(fields, self._rows(say)), *proven]),
            PageSection(say("Notes on the results"), parts=[pairs(notes)]) if notes else None,
        ]
        return self.page(say("The algorithms compared"), sections, say)

    def _rows(self, say: Speech) -> list[Row]:
        rows: list[Row] = []
        for run, value in zip(self.runs, say.column([run.value for run in self.runs]), strict=True):
            if run.solved:
                cells = release_cells(run, value, self.records, say, mark="*" if run.optimal else "")
                rows.append([run.name, *cells, say.seconds(run.seconds)])
            else:
                rows.append([run.name, *no_release(say, 7, run.why or "")])
        return rows

    def _fact(self, say: Speech) -> str:
        """The headline: which algorithm is best."""
        metric, best = metric_name(self.metric, say), self.best
        if best is None:
            return say("No algorithm found a release that satisfies the policy")
        shown = dict(zip((run.name for run in self.runs), say.column([run.value for run in self.runs]), strict=True))
        several = [run.name for run in self.runs if run.value is not None]
        if len(several) > 1 and len({shown[name] for name in several}) == 1:
            return say("All algorithms reach the same “{metric}”: {value}", metric=metric, value=shown[best.name])
        return say(
            "“{algorithm}” is best by “{metric}”: {value}", algorithm=best.name, metric=metric, value=shown[best.name]
        )


def compare(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    algorithms: Sequence[str] = (),
    engine: str | None = None,
    progress: Progress = show_in_notebook,
    each: Callable[[AlgorithmTrial], None] = lambda _: None,
) -> Comparison:
    """Run each algorithm on a policy; all of them unless named. Data and policy: see `cobogo.anonymize`.

    Where an algorithm cannot serve the policy its trial says why. ``each`` is called with every trial when it ends.
    """
    names = list(dict.fromkeys(algorithms)) or list(ALGORITHMS)
    for name in names:
        ALGORITHMS.find(name, "--algorithms")
    if policy is None:
        data, policy = None, data
    asked = settle_policy(Policy.from_any(policy), data)
    rules = _choosing(asked, _needs_most(names))
    prepared = job.prepare(
        rules if data is None else data, None if data is None else rules, engine=engine, progress=progress
    )
    runs = []
    for number, name in enumerate(names):
        progress("search", number, len(names))
        runs.append(_run(prepared, asked, name))
        each(runs[-1])
    return Comparison(
        **ReleaseStudy.facts_of(prepared),
        runs=tuple(runs),
    )


def _needs_most(names: Sequence[str]) -> str:
    """The algorithm whose count of the table serves all of some algorithms."""
    by_record = [name for name in names if "cell" in recodings(name) and releases_one_table(name)]
    by_value = [name for name in names if recodings(name) != ("full-domain",) and releases_one_table(name)]
    return next(iter([*by_record, *by_value, *(name for name in names if releases_one_table(name))]), "local")


def _choosing(policy: Policy, algorithm: str) -> Policy:
    """The policy with another algorithm, and with its own kind of recoding where it cannot make the policy's.

    Utility is not measured: a comparison does not show it.
    """
    kind = policy.recoding.kind if policy.recoding.kind in recodings(algorithm) else None
    marginals = policy.recoding.marginals if algorithm == "marginals" else ()
    recoding = policy.recoding.model_copy(update={"algorithm": algorithm, "kind": kind, "marginals": marginals})
    return policy.model_copy(update={"recoding": recoding, "utility": None})


def _run(prepared: job.Prepared, asked: Policy, name: str) -> AlgorithmTrial:
    rules = _choosing(asked, name)
    problem = replace(prepared.problem, kind=rules.recoding.kind, marginals=rules.recoding.marginals)
    try:
        if not releases_one_table(name):
            check_buckets(rules, problem.promised)
        if invents_records(name):
            check_inventions(rules)
    except PolicyError as error:
        return AlgorithmTrial(name=name, why=error.what)
    refusals = (NoSolution, PolicyError, SearchTooLarge)
    fields = try_release(replace(prepared, policy=rules, problem=problem), refusals=refusals, by=problem.metric.name)
    return AlgorithmTrial(name=name, **fields)
