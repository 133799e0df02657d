"""Condensation: groups of at least k similar records, each released as records drawn from the group's statistics."""

from __future__ import annotations

from cobogo.errors import PolicyError
from cobogo.examine.metrics import AGGREGATED
from cobogo.floor.progress import Steps
from cobogo.publish.recode.aggregate import aggregated, hows
from cobogo.publish.recode.assignment import Assignment
from cobogo.publish.recode.condensed import condensed
from cobogo.publish.recode.partition.groups import Groups, generalized, solved, suppressing
from cobogo.publish.recode.partition.mdav import grouping
from cobogo.publish.recode.problem import Problem
from cobogo.publish.recode.solution import Assigned

NOTE = (
    "numbers were drawn from the mean and covariance of groups, and are nobody's; the models hold for the groups, "
    "which the release names"
)
NO_NUMBERS = "no quasi-identifier is a number that may change: nothing was drawn, and groups are released as ancestors"


@suppressing
def condensation(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:  # noqa: ARG001
    r"""Puts at least k similar records together, keeps of their numbers the mean and covariance alone, and releases
    records drawn from those: correlations stay, single values are nobody's.

    Groups are those of mdav. What is no number is released as the lowest value of its hierarchy that stands for the
    whole group. Which group a record is of is released, too: it is what the models are measured on.

    Formula: $x = \mu_G + \sum_i u_i \sqrt{\lambda_i}\, v_i$ with $u_i$ uniform of variance 1, and $\lambda_i$, $v_i$
        the eigenvalues and eigenvectors of the covariance of the group $G$
    Example: Every row names its group, and every group has at least two.
        >>> from collections import Counter
        >>> from cobogo.studies.worked import released
        >>> rows = released("condensation").to_arrow().to_pylist()
        >>> sorted(Counter(row["group"] for row in rows).values())
        [2, 2, 2, 2]

    Guarantee: Every group stands for at least k people and its sensitive values satisfy the models. Not differential
        privacy: no budget bounds the draws.
    Limits: Rows with equal quasi-identifiers are not k; most tuples are unique, and nobody's. A released value may
        happen to be somebody's. One person far from the rest makes a group wide, which can be seen.
    Cost: $O(n^2 / k + n\,a^3)$ for n distinct tuples and a numbers.
    Paper: C. C. Aggarwal and P. S. Yu, A condensation approach to privacy preserving data mining, EDBT 2004.
    """
    if problem.blind:
        raise PolicyError(
            f"{problem.blind[0]} exchanges values within classes of equal tuples, and condensation has none",
            where="recoding.algorithm",
            remedy='Choose another algorithm, such as "mdav".',
        )
    chosen = _chosen(problem)
    stand_in = tuple("mode" if how == "drawn" else how for how in chosen)

    def publish(groups: Groups) -> Assignment:
        assignment = generalized(groups, joined=False)
        return condensed(assignment, chosen, aggregated(assignment, stand_in).errors)

    return solved(
        problem,
        "condensation",
        grouping(problem, chosen),
        publish=publish,
        measured=(AGGREGATED, lambda assignment: assignment.outcome().others[AGGREGATED]),
        notes=(NOTE if "drawn" in chosen else NO_NUMBERS,),
    )


def _chosen(problem: Problem) -> tuple[str, ...]:
    """Numbers are drawn, unless the policy binds their levels or asks for an ancestor; the rest are ancestors."""
    found = []
    for h, how, asked in zip(
        problem.hierarchies, hows(problem), problem.aggregates or (None,) * len(problem.hierarchies), strict=True
    ):
        if asked in ("median", "mode", "range"):
            raise PolicyError(
                f"condensation draws numbers from a group's mean and covariance, and releases no {asked}",
                where=f'attribute "{h.attribute}", aggregate',
                remedy='Say "mean" (the numbers are then drawn around it) or "ancestor".',
            )
        found.append("drawn" if how == "mean" else "ancestor")
    return tuple(found)
