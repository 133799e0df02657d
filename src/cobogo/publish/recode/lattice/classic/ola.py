"""Optimal lattice anonymization (El Emam and others 2009): tag what follows from each check, keep the minimal nodes."""

from __future__ import annotations

from collections.abc import Iterator

from cobogo.floor.catalogue import card
from cobogo.floor.progress import Steps
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Solution
from cobogo.publish.recode.lattice.classic.tagging import TaggedSearch
from cobogo.publish.recode.lattice.evaluate import Evaluator

NOT_ALWAYS_BEST = (
    "the best of the minimal nodes was chosen. With suppression, a node above them may lose less: "
    'algorithm = "optimal" looks at those too'
)
UNTAGGED = "what satisfies this policy at one node need not at those above, so none was taken to hold unchecked"


@card("ola", title="OLA", group="lattice", guide="algorithms-lattice", recodings=("full-domain",))
def ola(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Solution:
    r"""Tags the lattice from the middle: what holds, holds above, and what fails, fails below; the metric chooses among
    the lowest nodes that hold.

    Formula: $g \text{ holds} \Rightarrow g' \ge g \text{ holds}$ and $g \text{ fails} \Rightarrow g' \le g \text{
        fails}$; of the minimal nodes that hold, $\arg\min m(g)$
    Example:
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> anonymize_patients("ola").levels
        {'age': 3, 'sex': 0}

    Guarantee: Every model of the policy holds, checked again on the written release. That node is the best of all where
        nothing may be suppressed.
    Limits: With suppression a node above a minimal one may lose less. Keeps the whole lattice in mind and refuses more
        than 16,777,216 nodes.
    Cost: $O(\prod_A (H_A + 1))$ tags; far fewer nodes are looked at.
    Paper: K. El Emam and others, A globally optimal k-anonymity method for the de-identification of health data,
        Journal of the American Medical Informatics Association, 2009.
    """
    survey = TaggedSearch(problem, "ola", time_limit, progress)
    for height in halved(0, survey.tags.height):
        survey.settle_height(height)
    return survey.answer(survey.minimal(), proven=survey.best_is_minimal, notes=caveats(survey.evaluator))


def caveats(evaluator: Evaluator) -> tuple[str, ...]:
    """What whoever asked for the best minimal node should know."""
    unsure = () if evaluator.strict else (NOT_ALWAYS_BEST,)
    return unsure if evaluator.closed_upwards else (*unsure, UNTAGGED)


def halved(low: int, high: int) -> Iterator[int]:
    """All numbers from one to another: the middle first, then the middles of both halves, and so on.

    >>> list(halved(0, 6))
    [3, 1, 5, 0, 2, 4, 6]
    """
    ranges = [(low, high)]
    for first, last in ranges:  # grows while it is gone through
        if first <= last:
            middle = (first + last) // 2
            yield middle
            ranges += [(first, middle - 1), (middle + 1, last)]
