"""Datafly (Sweeney 1998): raise the attribute with most distinct values until little enough is left to suppress."""

from __future__ import annotations

from collections.abc import Callable

from cobogo.floor.catalogue import card
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import Solution
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.explain import search_failure
from cobogo.publish.recode.lattice.walk import node_count


@card("datafly", title="Datafly", group="lattice", guide="algorithms-lattice", recodings=("full-domain",))
def datafly(
    problem: Problem, *, time_limit: float | None = None, progress: Callable[[int, int], None] | None = None
) -> Solution:
    r"""Raises the level of the attribute with most distinct values, again and again, until the models hold: quick, but
    often more general than necessary.

    The number of distinct values of an attribute is divided by its weight, so attributes with more weight are raised
    later. The policy's metric is measured, but does not guide the search. There are no more steps than levels, so a
    time limit is not needed.

    Formula: $g_{i+1} = g_i + e_A$ with $A = \arg\max_A \frac{\text{distinct values of } A \text{ at } g_i}{w_A}$, until
        at most $\lfloor \ell N \rfloor$ records fail
    Example:
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> anonymize_patients("datafly").levels
        {'age': 3, 'sex': 0}

    Guarantee: Every model of the policy holds, and is checked again on the written release. How much is lost is not
        bounded.
    Limits: It does not consider what a step costs. If merging classes can break a model, it may not find a solution
        although there is one; it then says so.
    Cost: $O(\sum_A H_A)$ roll-ups of n distinct tuples.
    Paper: L. Sweeney, Datafly: a system for providing anonymity in medical data, 1998.
    """
    del time_limit
    evaluator = Evaluator(problem)
    levels, steps = problem.lowest, sum(problem.highest) - sum(problem.lowest)
    checked = evaluator.check(levels)
    while not checked.satisfied and levels != problem.highest:
        if progress is not None:
            progress(evaluator.checked, steps + 1)
        levels = raise_most_distinct(problem, levels)
        checked = evaluator.check(levels)
    if not checked.satisfied:
        raise search_failure(problem, evaluator, "datafly")
    nodes = node_count(problem.lowest, problem.highest)
    return Solution("datafly", checked, nodes == 1, nodes, evaluator.checked, ())


def raise_most_distinct(problem: Problem, levels: Levels) -> Levels:
    """One step up: of the attributes that may rise, the one with most distinct values now; the first of those that
    tie."""
    free = [column for column, level in enumerate(levels) if level < problem.highest[column]]
    chosen = max(free, key=lambda column: problem.distinct[column][levels[column]] / problem.weights[column])
    return tuple(level + (column == chosen) for column, level in enumerate(levels))
