"""Errors of searches without a solution: what blocks it, and the smallest suppression limit that would work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cobogo.data.policy.tables import allowed_records
from cobogo.errors import NoSolution
from cobogo.floor.language import join, tr, trn
from cobogo.promises.models import Monotone, Scope
from cobogo.promises.models.check import check, failing_classes
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.tables import RolledTable
from cobogo.publish.recode.lattice.walk import predecessors

NODES_TRIED = 2000
"""Nodes that are looked at for the smallest limit that works: a hint in an error must not take longer than the
search."""


def no_solution(problem: Problem, evaluator: Evaluator) -> NoSolution:
    """The error where no node satisfies the policy: what fails at the most general node, and the smallest suppression
    limit that works there (or elsewhere, where models are not monotone)."""
    records = problem.scale.records
    top = evaluator.table(problem.highest)
    lost = _failing_records(evaluator, top)
    what = trn(
        "no recoding within the allowed levels satisfies the policy: even the most general one leaves {lost:,} of "
        "{n:,} record ({percent:.1f} %) in classes that fail",
        "no recoding within the allowed levels satisfies the policy: even the most general one leaves {lost:,} of "
        "{n:,} records ({percent:.1f} %) in classes that fail",
        n=records,
        lost=lost,
        percent=100 * lost / records if records else 0.0,
    )
    attribute = _blocking_attribute(problem, evaluator, lost)
    hints: list[str] = [_blocking_model(problem, evaluator, top, lost), attribute]
    hints += _too_few_values(problem)
    fewest = _fewest_suppressed(problem)
    every = next((model for model in problem.models if model.needs_every_class), None)
    if every is not None:
        hints.append(tr("{model} does not allow classes to be suppressed.", model=str(every)))
    elif fewest is None:
        hints.append(tr("All records fail at every level: no suppression limit would help."))
        hints.append("" if attribute else tr("Ask less of the models, or give more records."))
    else:
        hints.append(
            tr(
                "The smallest suppression-limit that works is {limit} ({fewest:,} of {records:,} records).",
                limit=_limit_for(fewest, records),
                fewest=fewest,
                records=records,
            )
        )
    if any(model.needs_people for model in problem.models):
        hints.append(tr('Set algorithm = "counterfeits": it finds a release even where a value died out.'))
    return NoSolution(what, remedy=join(hints))


def search_failure(problem: Problem, evaluator: Evaluator, algorithm: str, *, cut_short: bool = False) -> NoSolution:
    """The error of an algorithm that found no solution: that there is none, or that it may have missed one."""
    if cut_short:
        return NoSolution(
            tr("no solution was found within the time limit"),
            remedy=tr("Raise time-limit, or make the policy easier to satisfy."),
        )
    if evaluator.closed_upwards or evaluator.check(problem.highest).hopeless:
        return no_solution(problem, evaluator)
    return NoSolution(
        tr(
            "{algorithm} found no recoding that satisfies the policy, but one may exist",
            algorithm=algorithm,
        ),
        remedy=tr('Set algorithm = "optimal", which examines all recodings.'),
    )


def _too_few_values(problem: Problem) -> Iterator[str]:
    """The sensitive attributes that have fewer values than their diversity asks for, in the whole table."""
    for model in problem.models:
        if isinstance(model, LDiversity) and model.attribute in problem.table.domains:
            values = sum(label is not None for label in problem.table.domains[model.attribute].labels)
            if values < model.l:
                yield tr(
                    '"{name}" has only {n:,} values: no class can have {l}.', name=model.attribute, n=values, l=model.l
                )


def _failing_records(evaluator: Evaluator, rolled: RolledTable) -> int:
    """The records that a node would have to suppress."""
    return int(rolled.records[evaluator.failing(rolled)].sum())


def _blocking_model(problem: Problem, evaluator: Evaluator, top: RolledTable, lost: int) -> str:
    """The model that most records fail at the most general node, where there are several."""
    classes = evaluator.classes(top)
    kept = classes.where(~evaluator.failing(top) & (classes.sizes > 0))
    for verdict in check([model for model in problem.models if model.scope is Scope.TABLE], kept):
        if not verdict.satisfied:
            return tr(
                "The whole table does not satisfy {model}: measured {measured:.4g}.",
                model=str(verdict.model),
                measured=verdict.measured,
            )
    if len(problem.models) < 2 or not lost:
        return ""
    alone = {str(model): int(top.records[failing_classes([model], classes)].sum()) for model in problem.models}
    worst = max(alone, key=lambda name: alone[name])
    return trn(
        "The model that blocks most is {model}: {n:,} record would have to be suppressed for it.",
        "The model that blocks most is {model}: {n:,} records would have to be suppressed for it.",
        n=alone[worst],
        model=worst,
    )


def _blocking_attribute(problem: Problem, evaluator: Evaluator, lost: int) -> str:
    """The attribute whose removal would rescue most records."""
    top = evaluator.table(problem.highest)
    best, least = None, lost
    for column, hierarchy in enumerate(problem.hierarchies):
        if len(np.unique(top.codes[:, column])) < 2:
            continue
        still = _failing_records(evaluator, top.drop_columns([column]))
        if still < least:
            best, least = hierarchy, still
    if best is None:
        return ""
    column = problem.hierarchies.index(best)
    how = (
        tr("its max-level is below the top of its hierarchy")
        if problem.highest[column] < best.height
        else tr("its hierarchy has no top level *")
    )
    return trn(
        'The attribute that blocks most is "{attribute}" ({how}): if it were fully generalized, {n:,} record would '
        "still fail.",
        'The attribute that blocks most is "{attribute}" ({how}): if it were fully generalized, {n:,} records would '
        "still fail.",
        n=least,
        attribute=best.attribute,
        how=how,
    )


def _fewest_suppressed(problem: Problem) -> int | None:
    """The fewest records that any node has to suppress, were there no limit; None where every node fails."""
    relaxed = Evaluator(replace(problem, limit=problem.scale.records))
    nodes = [problem.highest]
    seen = set(nodes)
    fewest = None
    for node in nodes:  # grows while it is gone through
        checked = relaxed.check(node)
        if checked.satisfied and (fewest is None or checked.failing_records < fewest):
            fewest = checked.failing_records
        if not problem.withholds and all(m.monotone is Monotone.EVEN_WITH_SUPPRESSION for m in problem.models):
            break  # no node does better than the most general one
        below = [step for step in predecessors(node, problem.lowest) if step not in seen]
        nodes += below[: max(0, NODES_TRIED - len(nodes))]
        seen.update(below)
    return fewest


def _limit_for(suppressed: int, records: int) -> str:
    """The shortest share that allows exactly so many records.

    >>> _limit_for(1346, 30162)
    '0.04463'
    """
    suppressed, records = int(suppressed), int(records)
    for digits in range(2, 16):
        scaled = -(-suppressed * 10**digits // records)
        if allowed_records(scaled / 10**digits, records) == suppressed:
            return f"{scaled / 10**digits:.{digits}f}"
    return repr(suppressed / records)
