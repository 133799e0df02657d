"""Top-down specialization (Fung, Wang and Yu 2005): from the most general values down, by what a label gains."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from cobogo.publish.recode import lattice
from cobogo.publish.recode.classic.survey import none_found
from cobogo.publish.recode.cuts.specialize import Specialization
from cobogo.publish.recode.evaluate import Evaluator
from cobogo.publish.recode.problem import Problem, refuse_beyond_classes
from cobogo.publish.recode.solution import Assigned


def top_down(
    problem: Problem, *, time_limit: float | None = None, progress: Callable[[int, int], None] | None = None
) -> Assigned:
    r"""Starts with the most general values and specializes one at a time, by what it tells of recoding.label for what
    it costs in privacy.

    A value is specialized in all records or in none (subtree recoding). What says nothing of the label is specialized
    last, by how much detail it gives back; without a label, everything is. The policy's metric says where to stop, if
    detail is paid for with suppressed records.

    Formula: $\mathrm{IGPL}(v) = \frac{\mathrm{IG}(v)}{\mathrm{PL}(v) + 1}$ with $\mathrm{IG}(v)$ the information gained
        on the label, in bits, and $\mathrm{PL}(v)$ by how much the smallest class shrinks
    Example:
        >>> from cobogo.studies.worked import classes, released
        >>> classes(released("top-down"))
        {('30-39', '*'): 2, ('40-49', '*'): 2, ('50-59', '*'): 2, ('60-69', '*'): 2}

    Guarantee: Every model of the policy holds, checked again on the written release. Nothing is proven best.
    Limits: Greedy: a first step that tells much may bar better ones. Models that look at a population or at the tuples
        behind classes are refused.
    Cost: $O(s \cdot n)$ for s specializations and n distinct tuples at worst; scores of values that a step does not
        touch are kept.
    Paper: B. C. M. Fung, K. Wang and P. S. Yu, Top-down specialization for information and privacy preservation, ICDE
        2005.
    """
    refuse_beyond_classes(problem, "top-down")
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    top = tuple(
        np.full(len(h.leaves), high, dtype=np.int32)
        for h, high in zip(problem.hierarchies, problem.highest, strict=True)
    )
    search = Specialization(problem, top)
    assignment = search.descend(deadline, progress)
    if assignment is None:
        raise none_found(problem, Evaluator(problem), "top-down")
    value = float(problem.metric.value(assignment.outcome(), problem.scale))
    return Assigned("top-down", assignment, value, lattice.size(problem.lowest, problem.highest), search.checked)
