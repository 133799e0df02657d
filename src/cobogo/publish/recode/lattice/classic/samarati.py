"""Samarati's algorithm (2001): the lowest height of the lattice at which some node satisfies the policy, by halving."""

from __future__ import annotations

from cobogo.floor.catalogue import card
from cobogo.floor.progress import Steps
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Solution
from cobogo.publish.recode.lattice.classic.tagging import TaggedSearch


@card("samarati", title="Samarati", group="lattice", guide="algorithms-lattice", recodings=("full-domain",))
def samarati(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Solution:
    r"""Finds the lowest height of the lattice at which a node satisfies the models, by halving; the metric chooses
    among the nodes of that height.

    Halving needs models that stay true upwards. Where they may not, heights are gone through one by one from below.

    Formula: $\min \{ h : \exists\, g \text{ with } \sum_A g_A = h \text{ that satisfies the policy} \}$
    Example: The lowest height is 2, which loses more here than the optimum at height 3.
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> anonymize_patients("samarati").levels
        {'age': 1, 'sex': 1}

    Guarantee: Every model of the policy holds, checked again on the written release; and no node of a lower height
        does. With the metric height the result is the optimum.
    Limits: Height adds up levels of hierarchies that may have nothing in common.
    Cost: $O(\log H)$ heights, all nodes of the last of them.
    Paper: P. Samarati, Protecting respondents' identities in microdata release, IEEE Transactions on Knowledge and Data
        Engineering, 2001.
    """
    survey = TaggedSearch(problem, "samarati", time_limit, progress)
    low, high = 0, survey.tags.height
    if survey.evaluator.closed_upwards:
        while low < high and not survey.cut_short:
            middle = (low + high) // 2
            survey.settle_height(middle, first=True)
            low, high = (low, middle) if survey.holds_at(middle) else (middle + 1, high)
    for height in range(low, high + 1):
        survey.settle_height(height)
        if survey.found or survey.cut_short:
            break
    least = min((sum(levels) for levels in survey.found), default=0)
    lowest = [checked for levels, checked in survey.found.items() if sum(levels) == least]
    return survey.answer(lowest, proven=problem.metric.name == "height")
