"""Every recoding algorithm, by the name that a policy gives it.

An algorithm takes a problem and answers with a node of the lattice (`Solution`) or with an assignment of records to
generalized tuples (`Assigned`). The first sentence of its docstring is what `cobogo list algorithms` says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from cobogo.recode.buckets.anatomy import anatomy
from cobogo.recode.buckets.slicing import slicing
from cobogo.recode.local.search import local
from cobogo.recode.partition import mondrian, similar
from cobogo.recode.partition.mdav import mdav
from cobogo.recode.problem import Problem
from cobogo.recode.search import optimal
from cobogo.recode.solution import AnySolution


class Algorithm(Protocol):
    """Raises `NoSolution` where nothing satisfies the problem, and `PolicyError` where it cannot serve its models."""

    def __call__(
        self, problem: Problem, *, time_limit: float | None = None, progress: Callable[[int, int], None] | None = None
    ) -> AnySolution:
        """The best recoding found within the time limit, in seconds; ``progress`` is told what is done of what."""
        ...


ALGORITHMS: dict[str, Algorithm] = {
    "optimal": optimal,
    "local": local,
    "mondrian": mondrian.strict,
    "mondrian-relaxed": mondrian.relaxed,
    "k-member": similar.k_member,
    "oka": similar.oka,
    "hilbert": similar.hilbert,
    "r-tree": similar.r_tree,
    "mdav": mdav,
    "anatomy": anatomy,
    "slicing": slicing,
}
"""A new one is registered here."""

BUCKETIZING = frozenset({"anatomy", "slicing"})
"""Those that part the sensitive values from the rest: what they release is not one table."""
