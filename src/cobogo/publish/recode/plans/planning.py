"""Turning a solution into a plan: what is released, what is suppressed, and what the steward should know."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes
from cobogo.data.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.examine.metrics import METRICS, Outcome
from cobogo.floor.arrays import Mask
from cobogo.floor.language import tr, trn
from cobogo.promises.models import Scope
from cobogo.promises.models.check import models_given_away
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import AnySolution, Assigned, Bucketed, Marginalized, Solution
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.tables import RolledTable
from cobogo.publish.recode.partition.condensation import Condensed
from cobogo.publish.recode.partition.counterfeits import Counterfeited
from cobogo.publish.recode.plans.base import FullDomainPlan, LocalPlan, RecodingPlan, free_name
from cobogo.publish.recode.plans.distort import Tuple, settle
from cobogo.publish.recode.plans.groups import BucketPlan, CondensedPlan, CounterfeitPlan
from cobogo.publish.recode.plans.marginals import MarginalPlan
from cobogo.release.margins import Marginal, Margins


def plan(
    problem: Problem,
    solution: AnySolution,
    *,
    star: bool,
    blank: Sequence[str] = (),
    taken: Sequence[str] = (),
    unit: str | None = None,
) -> RecodingPlan:
    """Turn a solution into a plan. Starring is given up, with a warning, if the starred class breaks a model.

    ``blank`` are the columns in which starred records have ``*`` beside their quasi-identifiers. ``taken`` are the
    columns that the table has, beside which the plan may need some of its own; ``unit`` is the one that identifies
    people, if there is one.
    """
    if isinstance(solution, Bucketed):
        return _bucket_plan(problem, solution, star=star, taken=taken)
    if isinstance(solution, Marginalized):
        return _marginal_plan(problem, solution, taken=taken)
    if isinstance(solution, Assigned) and isinstance(solution.assignment, Condensed):
        return _condensed_plan(problem, solution, solution.assignment, star=star, taken=taken)
    if isinstance(solution, Assigned) and isinstance(solution.assignment, Counterfeited):
        assert unit is not None
        return _counterfeit_plan(problem, solution, solution.assignment, star=star, taken=taken, unit=unit)
    if isinstance(solution, Assigned):
        planned, tuples = _local_plan(problem, solution, star=star, blank=tuple(blank))
    else:
        planned, tuples = _full_domain_plan(problem, solution, star=star, blank=tuple(blank))
    return _settle(problem, planned, tuples) if problem.blind else planned


def _settle(problem: Problem, planned: RecodingPlan, tuples: Sequence[Tuple]) -> RecodingPlan:
    """The plan with values distorted so that the blind models hold."""
    kept, distortions = settle(problem.blind, planned.kept, tuples)
    warnings = [
        trn(
            "{n:,} value of {attribute} was distorted: it is not the one collected",
            "{n:,} values of {attribute} were distorted: they are not those collected",
            n=len(d),
            attribute=d.attribute,
        )
        for d in distortions
    ]
    return replace(planned, kept=kept, distortions=distortions, warnings=(*planned.warnings, *warnings))


def _local_plan(
    problem: Problem, solution: Assigned, *, star: bool, blank: tuple[str, ...]
) -> tuple[RecodingPlan, list[Tuple]]:
    assignment = solution.assignment.allot_values()
    lost = assignment.suppressed
    starred_class = np.flatnonzero(np.logical_and.reduce([names == SUPPRESSED for names in assignment.names]))
    star, warnings = _starring(problem, lost, star=star)
    if star:
        owners = np.where(np.isin(assignment.owners, [-1, *starred_class.tolist()]), 0, -1)
        together = replace(
            assignment, levels=assignment.levels[:1], leaves=assignment.leaves[:1], owners=owners
        ).classes()
        star, warnings = _check_starred_class(problem, together, lost, blank, taken=bool(len(starred_class)))
    planned = LocalPlan(
        attributes=tuple(h.attribute for h in problem.hierarchies),
        assignment=assignment,
        suppressed_records=lost,
        kept=assignment.classes(),
        kept_records=assignment.sizes,
        records=problem.scale.records - (0 if star else lost),
        classes=len(assignment) + (star and not len(starred_class)),
        star=star,
        blank=blank if star else (),
        outcome=assignment.outcome(),
        aggregated=assignment.aggregated,
        ranged=assignment.ranged,
        warnings=(*solution.notes, *warnings),
    )
    return planned, [assignment.released_tuple(number) for number in range(len(assignment))] if problem.blind else []


def _bucket_plan(problem: Problem, solution: Bucketed, *, star: bool, taken: Sequence[str]) -> BucketPlan:
    buckets = solution.buckets
    lost = buckets.suppressed
    warnings = list(solution.notes)
    if star and lost:
        warnings.append(
            tr("buckets cannot contain starred records: the {lost:,} suppressed records were dropped", lost=lost)
        )
    return BucketPlan(
        attributes=problem.table.quasi_identifiers,
        suppressed_records=lost,
        kept=buckets.classes(),
        kept_records=buckets.sizes,
        records=problem.scale.records - lost,
        classes=len(buckets),
        star=False,
        outcome=buckets.outcome(),
        warnings=tuple(warnings),
        buckets=buckets,
        group=free_name("group", taken),
        count=free_name("count", taken),
        slices=(*solution.slices, (buckets.attribute,)) if solution.slices else (),
    )


def _condensed_plan(
    problem: Problem, solution: Assigned, condensed: Condensed, *, star: bool, taken: Sequence[str]
) -> CondensedPlan:
    lost = condensed.suppressed
    return CondensedPlan(
        attributes=problem.table.quasi_identifiers,
        suppressed_records=lost,
        kept=condensed.classes(),
        kept_records=condensed.sizes,
        records=problem.scale.records - lost,
        classes=len(condensed),
        star=False,
        outcome=condensed.outcome(),
        aggregated=condensed.aggregated,
        warnings=(*solution.notes, *_unstarred(lost, star=star)),
        assignment=condensed,
        group=free_name("group", taken),
    )


def _counterfeit_plan(
    problem: Problem, solution: Assigned, groups: Counterfeited, *, star: bool, taken: Sequence[str], unit: str
) -> CounterfeitPlan:
    invented = len(groups.invented)
    return CounterfeitPlan(
        attributes=problem.table.quasi_identifiers,
        suppressed_records=groups.suppressed,
        kept=groups.classes(),
        kept_records=groups.sizes,
        records=int(groups.sizes.sum()) + invented,
        classes=len(groups),
        star=False,
        outcome=groups.outcome(),
        warnings=(*solution.notes, *_unstarred(groups.suppressed, star=star), *_counterfeit_notes(invented)),
        assignment=groups,
        group=free_name("group", taken),
        unit=unit,
        tokens=np.array([*(secrets.token_hex(16) for _ in range(invented)), None], dtype=object)[:-1],
    )


def _counterfeit_notes(invented: int) -> list[str]:
    if not invented:
        return []
    return [
        trn(
            "{n:,} released record is a counterfeit: nobody stands behind it, and it is counted apart",
            "{n:,} released records are counterfeits: nobody stands behind them, and they are counted apart",
            n=invented,
        )
    ]


def _unstarred(lost: int, *, star: bool) -> list[str]:
    if not star or not lost:
        return []
    return [tr("groups cannot contain starred records: the {lost:,} suppressed records were dropped", lost=lost)]


def _marginal_plan(problem: Problem, solution: Marginalized, *, taken: Sequence[str]) -> MarginalPlan:
    margins = solution.margins
    classes = margins.classes(problem.scale.records, problem.table.domains[margins.sensitive])
    cells = np.concatenate([marginal.counts for marginal in margins.marginals])
    unknown = np.full(len(problem.hierarchies), np.nan)
    present = {name for marginal in margins.marginals for name in marginal.attributes}
    left_out = [h.attribute for h in problem.hierarchies if h.attribute not in present]
    warnings = [tr("no marginal contains {attributes}", attributes=", ".join(left_out))] if left_out else []
    return MarginalPlan(
        attributes=problem.table.quasi_identifiers,
        levels={name: level for name, level in solution.attribute_levels.items() if name in present},
        suppressed_records=0,
        kept=classes,
        kept_records=classes.sizes[: sum(len(m.sum_over(_quasi(m, margins)).counts) for m in margins.marginals)],
        records=problem.scale.records,
        classes=len(classes),
        star=False,
        outcome=Outcome(
            suppressed=0,
            classes=len(cells),
            squares=int((cells * cells).sum()),
            leaf_sums=unknown,
            level_sums=unknown,
            others={solution.metric: solution.value},
        ),
        warnings=(*solution.notes, *warnings),
        margins=margins,
        count=free_name("count", taken),
    )


def _quasi(marginal: Marginal, margins: Margins) -> tuple[str, ...]:
    return tuple(name for name in marginal.attributes if name != margins.sensitive)


def _starring(problem: Problem, lost: int, *, star: bool) -> tuple[bool, tuple[str, ...]]:
    """Whether suppressed records may be starred at all, and a warning where they may not."""
    if not star or not lost:
        return False, ()
    unfit = [model for model in problem.promised if model.populations or model.scope is Scope.TABLE or model.blind]
    if unfit:
        what = tr(
            "{model} cannot be measured on starred records: the {lost:,} suppressed records were dropped",
            model=str(unfit[0]),
            lost=lost,
        )
        return False, (what,)
    return True, ()


def _check_starred_class(
    problem: Problem, together: Classes, lost: int, blank: tuple[str, ...], *, taken: bool
) -> tuple[bool, tuple[str, ...]]:
    """Whether the starred records, as the one class they would be, satisfy every model; a warning where not. They do so
    with their values even where these are ``blank``: they follow from the totals of a column. ``taken``: records that
    are kept have ``*`` in all quasi-identifiers, too, and would lose their values with them."""
    if blank and taken:
        what = tr(
            "records that are kept have * in every quasi-identifier, as the {lost:,} suppressed records would: these "
            "were dropped",
            lost=lost,
        )
        return False, (what,)
    for model in problem.models:
        if model.scope is Scope.CLASS and not model.holds(together, model.measure(together)).all():
            what = tr(
                "the {lost:,} suppressed records, with * in every quasi-identifier, would form a class that breaks "
                "{model}: they were dropped",
                lost=lost,
                model=str(model),
            )
            return False, (what,)
    shown = {name: histogram for name, histogram in together.histograms.items() if name not in blank}
    alike = [name for name, histogram in shown.items() if (histogram.known.distinct == 1).any()]
    return True, tuple(
        tr(
            "the {lost:,} starred records keep their sensitive values, and all have the same value of {attribute}: "
            "with l-diversity they would be dropped",
            lost=lost,
            attribute=name,
        )
        for name in alike
    )


def _full_domain_plan(
    problem: Problem, solution: Solution, *, star: bool, blank: tuple[str, ...]
) -> tuple[RecodingPlan, list[Tuple]]:
    needs = {name for metric in METRICS.values() for name in metric.needs}
    evaluator = Evaluator(problem, histograms=tuple(problem.table.histograms), needs=needs)
    rolled = evaluator.table(solution.levels)
    failing, withheld = _failing(evaluator, rolled)
    labels = [h.labels[level] for h, level in zip(problem.hierarchies, solution.levels, strict=True)]
    classes, there = evaluator.classes(rolled), rolled.records > 0
    lost = int(rolled.records[failing].sum())
    released_as_stars = _all_star(rolled, labels)
    star, warnings = _starring(problem, lost, star=star)
    if star:
        together = rolled.merge_classes(failing | released_as_stars)
        taken = bool((released_as_stars & ~failing & (rolled.records > 0)).any())
        star, warnings = _check_starred_class(problem, evaluator.classes(together), lost, blank, taken=taken)
    chosen = ~failing & there
    kept = classes.withhold(withheld).where(chosen)
    if star and withheld:
        star, warnings = _check_withheld_values(problem, classes.withhold(withheld), released_as_stars, lost)
    planned = FullDomainPlan(
        attributes=tuple(h.attribute for h in problem.hierarchies),
        levels={h.attribute: level for h, level in zip(problem.hierarchies, solution.levels, strict=True)},
        recodings={
            h.attribute: _recoding(h, problem.table.values[h.attribute], level)
            for h, level in zip(problem.hierarchies, solution.levels, strict=True)
            if level
        },
        suppressed=tuple(_label_tuples(rolled.codes[failing], labels)),
        suppressed_records=lost,
        kept=kept,
        kept_records=rolled.records[chosen],
        records=problem.scale.records - (0 if star else lost),
        classes=int(chosen.sum()) + (star and not (released_as_stars & chosen).any()),
        star=star,
        blank=blank if star else (),
        outcome=evaluator.outcome(rolled, failing),
        withheld={name: tuple(_label_tuples(rolled.codes[hidden], labels)) for name, hidden in withheld.items()},
        warnings=(*solution.notes, *warnings, *_withheld_notes(kept)),
    )
    return planned, _label_tuples(rolled.codes[chosen], labels) if problem.blind else []


def _failing(evaluator: Evaluator, rolled: RolledTable) -> tuple[Mask, Mapping[str, Mask]]:
    """The classes that a release suppresses, and those whose values it withholds."""
    if not evaluator.problem.withholds or evaluator.strict:
        return evaluator.failing(rolled), {}
    settled = evaluator.withholding(rolled, evaluator.classes(rolled))
    assert settled is not None
    return settled.gone, settled.withheld


def _check_withheld_values(
    problem: Problem, classes: Classes, starred_class: Mask, lost: int
) -> tuple[bool, tuple[str, ...]]:
    """Whether records may be starred although values are withheld: starred records show their values, so the withheld
    ones must satisfy the models without them. A warning where they may not."""
    hidden = np.logical_or.reduce(list(classes.withheld.values()))
    if (hidden & starred_class).any() or models_given_away(problem.models, classes):
        what = tr(
            "the values of the {lost:,} suppressed records would help to deduce the withheld values: these records "
            "were dropped",
            lost=lost,
        )
        return False, (what,)
    return True, ()


def _withheld_notes(kept: Classes) -> list[str]:
    return [
        tr(
            "the values of {attribute} are withheld (*) in {classes} with {records}",
            attribute=name,
            classes=trn("{n:,} class", "{n:,} classes", n=int(hidden.sum())),
            records=trn("{n:,} record", "{n:,} records", n=int(kept.sizes[hidden].sum())),
        )
        for name, hidden in kept.withheld.items()
    ]


def _label_tuples(codes: NDArray[np.int32], labels: list[tuple[Label, ...]]) -> list[Tuple]:
    """Tuples of codes as the labels that are released."""
    return [tuple(labels[column][code] for column, code in enumerate(row)) for row in codes.tolist()]


def _recoding(hierarchy: Hierarchy, values: tuple[Label, ...], level: int) -> dict[Label, Label]:
    return {value: hierarchy.generalize(value, level) for value in values}


def _all_star(rolled: RolledTable, labels: list[tuple[Label, ...]]) -> Mask:
    """The class, if any, whose released values are all ``*`` by generalization alone."""
    if not all(SUPPRESSED in column for column in labels):
        return np.zeros(len(rolled), dtype=np.bool_)
    return np.asarray((rolled.codes == np.array([column.index(SUPPRESSED) for column in labels])).all(axis=1))
