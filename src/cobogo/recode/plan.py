"""The plan: what to do to each value and which classes to suppress, in a form that an engine applies by join."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.metrics import METRICS, Outcome
from cobogo.models import Scope
from cobogo.models.base import Classes, Ints, Mask
from cobogo.recode.distort import Distortion, settle
from cobogo.recode.evaluate import Evaluator
from cobogo.recode.problem import Problem
from cobogo.recode.rolled import Rolled
from cobogo.recode.solution import Solution


@dataclass(frozen=True, eq=False)
class Plan:
    """Of a full-domain recoding: a level per quasi-identifier, and the released tuples to be suppressed.

    ``star``: suppressed records are released with ``*`` in every quasi-identifier; otherwise they are dropped.
    """

    levels: Mapping[str, int]
    recodings: Mapping[str, Mapping[Label, Label]]  # original → released, for the attributes above level 0
    suppressed: tuple[tuple[Label, ...], ...]  # released tuples
    suppressed_records: int
    kept: Classes  # with the histograms of all sensitive attributes
    kept_records: Ints  # of each kept class: more than its people where those have several
    records: int  # that the release will have
    classes: int  # that the release will have: those kept, and that of starred records if it is one of its own
    star: bool
    outcome: Outcome  # with all that metrics look at
    distortions: tuple[Distortion, ...] = ()
    warnings: tuple[str, ...] = ()


def plan(problem: Problem, solution: Solution, *, star: bool) -> Plan:
    """Turn the chosen node into a plan. Starring is given up, with a warning, if the starred class breaks a model."""
    needs = {name for metric in METRICS.values() for name in metric.needs}
    evaluator = Evaluator(problem, histograms=tuple(problem.table.histograms), needs=needs)
    rolled = evaluator.table(solution.levels)
    failing = evaluator.failing(rolled)
    labels = [h.labels[level] for h, level in zip(problem.hierarchies, solution.levels, strict=True)]
    suppressed = tuple(_labelled(rolled.codes[failing], labels))
    classes, there = evaluator.classes(rolled), rolled.records > 0
    lost = int(rolled.records[failing].sum())
    released_as_stars = _all_star(rolled, labels)
    warnings = []
    star = star and bool(suppressed)
    unfit = [model for model in problem.promised if model.populations or model.scope is Scope.TABLE or model.blind]
    if star and unfit:
        star = False
        warnings.append(f"{unfit[0]} cannot be asked of starred records: the {lost:,} suppressed ones were dropped")
    if star:
        broken = _broken_by_starring(problem, evaluator, rolled, failing | released_as_stars)
        if broken:
            star = False
            warnings.append(
                f"the {lost:,} suppressed records, starred, would be a class that breaks {broken}: they were dropped"
            )
    chosen = ~failing & there
    tuples = _labelled(rolled.codes[chosen], labels) if problem.blind else []
    kept, distortions = settle(problem.blind, classes.where(chosen), tuples)
    for found in distortions:
        warnings.append(f"{len(found):,} values of {found.attribute} were distorted: they are not those collected")
    return Plan(
        levels={h.attribute: level for h, level in zip(problem.hierarchies, solution.levels, strict=True)},
        recodings={
            h.attribute: _recoding(h, problem.table.values[h.attribute], level)
            for h, level in zip(problem.hierarchies, solution.levels, strict=True)
            if level
        },
        suppressed=suppressed,
        suppressed_records=lost,
        kept=kept,
        kept_records=rolled.records[chosen],
        records=problem.scale.records - (0 if star else lost),
        classes=int(chosen.sum()) + (star and not (released_as_stars & chosen).any()),
        star=star,
        outcome=evaluator.outcome(rolled, failing),
        distortions=distortions,
        warnings=tuple(warnings),
    )


def _recoding(hierarchy: Hierarchy, values: tuple[Label, ...], level: int) -> dict[Label, Label]:
    return {value: hierarchy.generalize(value, level) for value in values}


def _labelled(codes: NDArray[np.int32], labels: list[tuple[Label, ...]]) -> list[tuple[Label, ...]]:
    """Tuples of codes as the labels that are released."""
    return [tuple(labels[column][code] for column, code in enumerate(row)) for row in codes.tolist()]


def _all_star(rolled: Rolled, labels: list[tuple[Label, ...]]) -> Mask:
    """The class, if there is one, whose released values are all ``*`` without any suppression."""
    if not all(SUPPRESSED in column for column in labels):
        return np.zeros(len(rolled), dtype=np.bool_)
    return np.asarray((rolled.codes == np.array([column.index(SUPPRESSED) for column in labels])).all(axis=1))


def _broken_by_starring(problem: Problem, evaluator: Evaluator, rolled: Rolled, starred: Mask) -> str | None:
    """The first model that the starred classes, taken together, would not satisfy."""
    together = evaluator.classes(rolled.together(starred))
    for model in problem.models:
        if model.scope is Scope.CLASS and not model.holds(together, model.measure(together)).all():
            return str(model)
    return None
