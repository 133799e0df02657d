"""A comparison: one table, counted once, and what each of several algorithms makes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.errors import NoSolution, PolicyError, SearchTooLarge
from cobogo.floor.files import holds_only, staged_directory
from cobogo.floor.progress import Progress
from cobogo.publish import anonymize as job
from cobogo.publish.admission import check_bucketed
from cobogo.publish.recode import story
from cobogo.publish.recode.algorithms import ALGORITHMS, recodings, releases_one_table

FILES = ("comparison.json", "comparison.png", "comparison.html")


@dataclass(frozen=True)
class Run:
    """What one algorithm made of the table; ``why`` says why it made nothing."""

    algorithm: str
    why: str | None = None
    value: float | None = None  # by the policy's metric
    optimal: bool = False  # proven
    suppressed: int = 0
    classes: int = 0
    smallest: int = 0
    inference: float | None = None  # the surest guess of any sensitive attribute in any class
    risk: float | None = None  # of pointing at the right record of the most exposed person
    seconds: float = 0.0  # of the search
    notes: tuple[str, ...] = ()

    @property
    def solved(self) -> bool:
        """Whether there is a release."""
        return self.why is None

    def as_dict(self) -> dict[str, Any]:
        """What ``comparison.json`` holds of it."""
        if not self.solved:
            return {"algorithm": self.algorithm, "solution": None, "why": self.why}
        return {
            "algorithm": self.algorithm,
            "solution": {
                "value": self.value,
                "optimal": self.optimal,
                "suppressed": self.suppressed,
                "classes": self.classes,
                "smallest_class": self.smallest,
                "worst_inference": self.inference,
                "highest_risk": self.risk,
                "seconds": round(self.seconds, 4),
                "notes": list(self.notes),
            },
        }


@dataclass(frozen=True)
class Comparison:
    """The runs, in the order asked for."""

    source: str
    created: str
    records: int
    metric: str
    maximize: bool
    runs: tuple[Run, ...]

    @property
    def best(self) -> Run | None:
        """The run with the best value of the metric, the first of those that tie; None where none has one."""
        known = [run for run in self.runs if run.value is not None]
        sign = -1 if self.maximize else 1
        return min(known, key=lambda run: sign * (run.value or 0.0), default=None)

    def as_dict(self) -> dict[str, Any]:
        """What ``comparison.json`` holds."""
        return {
            "source": self.source,
            "created": self.created,
            "records": self.records,
            "metric": self.metric,
            "runs": [run.as_dict() for run in self.runs],
        }


def compare(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    algorithms: Sequence[str] = (),
    engine: str | None = None,
    progress: Progress = lambda *_: None,
    each: Callable[[Run], None] = lambda _: None,
) -> Comparison:
    """What each algorithm makes of a policy; all there are, if none is named. Data and policy: see `cobogo.anonymize`.

    One that cannot serve the policy says why, and the others run all the same. ``each`` is told of every run when it
    ends.
    """
    names = list(dict.fromkeys(algorithms)) or list(ALGORITHMS)
    for name in names:
        ALGORITHMS.find(name, "--algorithms")
    if policy is None:
        data, policy = None, data
    asked = Policy.given(policy)
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
        source=Path(prepared.table.name).name,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        records=prepared.problem.scale.records,
        metric=prepared.problem.metric.name,
        maximize=prepared.problem.metric.maximize,
        runs=tuple(runs),
    )


def write(found: Comparison, directory: str | Path, *, language: str = "en") -> None:
    """Write ``comparison.json``, ``comparison.png`` and ``comparison.html``, in place of an earlier one, at once."""
    from cobogo.tell.report.comparison import write as write_report

    with staged_directory(Path(directory), replaceable=holds_only(FILES)) as stage:
        write_report(found, stage, language=language)


def _needs_most(names: Sequence[str]) -> str:
    """Of some algorithms, one for which the table is counted so that all of them can use it."""
    by_record = [name for name in names if "cell" in recodings(name) and releases_one_table(name)]
    by_value = [name for name in names if recodings(name) != ("full-domain",) and releases_one_table(name)]
    return next(iter([*by_record, *by_value, *(name for name in names if releases_one_table(name))]), "local")


def _choosing(policy: Policy, algorithm: str) -> Policy:
    """The policy with another algorithm; the kind of recoding is left to it, if it cannot make the one asked for.

    What can be done with each release is not shown, so it need not be measured.
    """
    kind = policy.recoding.kind if policy.recoding.kind in recodings(algorithm) else None
    marginals = policy.recoding.marginals if algorithm == "marginals" else ()
    recoding = policy.recoding.model_copy(update={"algorithm": algorithm, "kind": kind, "marginals": marginals})
    return policy.model_copy(update={"recoding": recoding, "utility": None})


def _run(prepared: job.Prepared, asked: Policy, name: str) -> Run:
    rules = _choosing(asked, name)
    problem = replace(prepared.problem, kind=rules.recoding.kind, marginals=rules.recoding.marginals)
    try:
        if not releases_one_table(name):
            check_bucketed(rules, problem.promised)
        release = job.solve(replace(prepared, policy=rules, problem=problem))
    except (NoSolution, PolicyError, SearchTooLarge) as error:
        return Run(name, why=error.what)
    summary = story.expected(release)
    value, notes = release.solution.value, release.solution.notes
    if release.metric != problem.metric.name:
        notes = (*notes, f"{problem.metric.name} says nothing of it; its {release.metric} is {value:.4g}")
        value = math.nan
    return Run(
        algorithm=name,
        value=value if math.isfinite(value) else None,
        optimal=release.solution.optimal,
        suppressed=summary["suppressed"],
        classes=summary["classes"]["count"],
        smallest=summary["classes"]["min"],
        inference=max((chance["after"] for chance in summary["inference"].values()), default=None),
        risk=summary["risk"]["after"]["highest"],
        seconds=release.seconds["search"],
        notes=notes,
    )
