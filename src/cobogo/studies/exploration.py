"""An exploration: all nodes of a policy's lattice, not only the best.

```python
from cobogo.studies.exploration import explore

found = explore("policy.toml")
found.survey.explore()                       # every node; or up to a moment: explore(stop)
found.survey.ranking()[:10]                  # the ten best
found.view(found.survey.levels(0)).metrics   # one of them, as its report would describe it
```
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.classes import Classes
from cobogo.data.hierarchy import Label
from cobogo.data.policy import Policy
from cobogo.errors import NoSolution
from cobogo.examine.metrics import METRICS, measure
from cobogo.floor.arrays import Ints
from cobogo.floor.progress import Progress, show_in_notebook
from cobogo.floor.representation import brief
from cobogo.publish import anonymize as job
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.lattice.evaluate import EvaluatedNode, Evaluator
from cobogo.publish.recode.lattice.search import optimal
from cobogo.publish.recode.lattice.survey import MOST, Standing, Survey
from cobogo.tell.report.exposure import risk, worst_inference

PATIENCE = 8.0
"""Seconds after which the search stops with the best node found: the survey goes on from there, and people wait."""

STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000)
"""The least class sizes of the groups."""


@dataclass(frozen=True)
class SizeGroup:
    """The classes of a range of sizes: their number and their records."""

    first: int
    last: int | None
    classes: int
    records: int


@dataclass(frozen=True)
class ReleasedTuple:
    """A released tuple, how many records have it, and whether it is suppressed."""

    values: tuple[Label, ...]
    records: int
    suppressed: bool


@dataclass(frozen=True, eq=False, repr=False)
class NodeView:
    """What a node would release; classes that fail are suppressed."""

    levels: Mapping[str, int]
    satisfied: bool | None  # None for the original table
    suppressed: int
    classes: int
    smallest: int
    average: float | None
    largest: int
    metrics: Mapping[str, float | None]
    highest_risk: float | None
    average_risk: float | None
    inference: Mapping[str, float]  # of each sensitive attribute, the surest guess in any class
    sizes: tuple[SizeGroup, ...]
    combinations: tuple[ReleasedTuple, ...]  # the largest classes, then the smallest, then the largest suppressed


@dataclass(eq=False, repr=False)
class Exploration:
    """A policy with its data counted, the best node of its lattice, and a survey of the others."""

    prepared: job.Prepared
    survey: Survey
    optimum: Levels | None
    proven: bool
    why: NoSolution | None = None

    def __repr__(self) -> str:
        best = "no solution" if self.optimum is None else f"best node {tuple(self.optimum)}"
        return brief(self, f"{len(self.survey.nodes):,} nodes", best, "proven" if self.proven else None)

    @property
    def problem(self) -> Problem:
        """What the nodes are solutions of."""
        return self.prepared.problem

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of a node's levels."""
        return self.problem.table.quasi_identifiers

    def improve(self) -> bool:
        """Take the best node that the survey has found so far, unless the search has proven its own. A survey of the
        whole lattice is a proof. Returns whether anything is new."""
        survey = self.survey
        known = None if self.optimum is None else survey.number(self.optimum)
        if self.proven or (known is not None and survey.standing[known] == Standing.UNKNOWN):
            return False
        best = survey.best
        found = best is not None and best != self.optimum
        if best is not None:
            self.optimum, self.why = best, None
        self.proven = best is not None and survey.whole and survey.finished and self.prepared.whole
        return found or self.proven

    @cached_property
    def original(self) -> NodeView:
        """The table as it is, with nothing suppressed; metrics do not apply."""
        table = self.problem.table
        classes, there = table.classes(), table.counts > 0
        levels = dict.fromkeys(self.attributes, 0)
        return self._view_classes(levels, None, table.counts[there], classes.where(there), {}, 0, ())

    def view(self, levels: Levels, *, shown: int = 8) -> NodeView:
        """A node in full."""
        problem = self.problem
        needs = {name for metric in METRICS.values() for name in metric.needs}
        evaluator = Evaluator(problem, histograms=tuple(problem.table.histograms), needs=needs)
        found = evaluator.evaluate(levels)
        sizes = found.rolled.records[found.kept_classes]
        return self._view_classes(
            dict(zip(self.attributes, levels, strict=True)),
            found.satisfied,
            sizes,
            evaluator.classes(found.rolled).where(found.kept_classes),
            measure(found.outcome, problem.scale) if len(sizes) else {},
            int(found.outcome.suppressed),
            _combinations(problem, found, shown),
        )

    def _view_classes(
        self,
        levels: Mapping[str, int],
        satisfied: bool | None,
        sizes: Ints,
        kept: Classes,
        metrics: Mapping[str, float | None],
        suppressed: int,
        combinations: tuple[ReleasedTuple, ...],
    ) -> NodeView:
        policy = self.prepared.policy
        exposed = risk(kept.sizes, policy.risk.threshold, kept.total, None) if len(sizes) else None
        return NodeView(
            levels=levels,
            satisfied=satisfied,
            suppressed=suppressed,
            classes=len(sizes),
            smallest=int(sizes.min()) if len(sizes) else 0,
            average=float(sizes.mean()) if len(sizes) else None,
            largest=int(sizes.max()) if len(sizes) else 0,
            metrics={**dict.fromkeys(METRICS), **metrics},
            highest_risk=None if exposed is None else exposed.highest,
            average_risk=None if exposed is None else exposed.average,
            inference={name: worst_inference(name, kept) for name in policy.sensitive if exposed is not None},
            sizes=group_sizes(sizes),
            combinations=combinations,
        )


def explore(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    engine: str | None = None,
    most: int = MOST,
    progress: Progress = show_in_notebook,
) -> Exploration:
    """Count a policy's data, find the best node, and open a survey around it. Data and policy: see `cobogo.anonymize`.

    Whatever the policy's algorithm, the nodes are full-domain recodings. Where none satisfies the policy, the survey is
    around the highest node. It covers at most ``most`` nodes.
    """
    if policy is None:
        data, policy = None, data
    rules = _use_full_domain(Policy.from_any(policy))
    prepared = job.prepare(
        rules if data is None else data, None if data is None else rules, engine=engine, progress=progress
    )
    problem = prepared.problem
    try:
        solution = optimal(
            problem, time_limit=rules.recoding.time_limit or PATIENCE, progress=lambda a, b: progress("search", a, b)
        )
    except NoSolution as error:
        return Exploration(prepared, Survey(problem, problem.highest, most=most), None, False, error)
    proven = solution.optimal and prepared.whole
    return Exploration(prepared, Survey(problem, solution.levels, most=most), solution.levels, proven)


def group_sizes(sizes: Ints) -> tuple[SizeGroup, ...]:
    """Class sizes in groups, the smallest first; empty groups at the end are left out.

    >>> [(g.first, g.last, g.classes, g.records) for g in group_sizes(np.array([1, 1, 3, 4, 7]))]
    [(1, 1, 2, 2), (2, 2, 0, 0), (3, 4, 2, 7), (5, 9, 1, 7)]
    """
    places = np.searchsorted(STEPS, sizes, side="right") - 1
    classes = np.bincount(places, minlength=len(STEPS))
    records = np.bincount(places, weights=sizes, minlength=len(STEPS))
    ends = [*(step - 1 for step in STEPS[1:]), None]
    last = int(places.max(initial=-1))
    return tuple(
        SizeGroup(first, end, int(count), int(total))
        for first, end, count, total in list(zip(STEPS, ends, classes, records, strict=True))[: last + 1]
    )


def _use_full_domain(policy: Policy) -> Policy:
    recoding = policy.recoding.model_copy(update={"algorithm": "optimal", "kind": None, "marginals": ()})
    return policy.model_copy(update={"recoding": recoding, "utility": None})


def _combinations(problem: Problem, found: EvaluatedNode, shown: int) -> tuple[ReleasedTuple, ...]:
    rolled = found.rolled
    labels = [h.labels[level] for h, level in zip(problem.hierarchies, rolled.levels, strict=True)]
    kept = np.flatnonzero(found.kept_classes)
    kept = kept[np.argsort(-rolled.records[kept], kind="stable")]
    gone = np.flatnonzero(found.gone & (rolled.records > 0))
    gone = gone[np.argsort(-rolled.records[gone], kind="stable")]
    chosen = np.unique(np.concatenate([np.arange(len(kept))[:shown], np.arange(len(kept))[-shown:]]))
    return tuple(
        ReleasedTuple(
            tuple(labels[column][code] for column, code in enumerate(rolled.codes[number].tolist())),
            int(rolled.records[number]),
            bool(found.gone[number]),
        )
        for number in [*kept[chosen].tolist(), *gone[:shown].tolist()]
    )
