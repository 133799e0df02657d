"""A plan as the registry keeps it: enough to do the same to other rows."""

from __future__ import annotations

from typing import Any

from cobogo.recode.plan import BucketPlan, LocalPlan, Plan


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """The levels of a full-domain recoding; of a local one, each class with its levels and a leaf under each value.

    Buckets are drawn from the rows that they hold: of them nothing can be used again.
    """
    if isinstance(plan, BucketPlan):
        return {"kind": "buckets", "star": False}
    if not isinstance(plan, LocalPlan):
        return {"kind": "full-domain", "levels": dict(plan.levels), "star": plan.star}
    assignment = plan.assignment
    trees = assignment.problem.hierarchies
    leaves = [[tree.leaves[code] for code in assignment.leaves[:, n].tolist()] for n, tree in enumerate(trees)]
    return {
        "kind": "local",
        "attributes": list(plan.attributes),
        "levels": assignment.levels.tolist(),
        "leaves": leaves,
        "aggregated": dict(plan.aggregated),
        "star": plan.star,
    }
