"""Every recoding algorithm, by the name that a policy gives it.

An algorithm takes a problem and answers with a node of the lattice (`Solution`) or with an assignment of records to
generalized tuples (`Assigned`). The first sentence of its docstring is what `cobogo list algorithms` says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from cobogo.publish.recode.buckets.anatomy import anatomy
from cobogo.publish.recode.buckets.bucketization import bucketization
from cobogo.publish.recode.buckets.slicing import slicing
from cobogo.publish.recode.cells.mu_argus import mu_argus
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import AnySolution
from cobogo.publish.recode.cuts.bottom_up import bottom_up
from cobogo.publish.recode.cuts.top_down import top_down
from cobogo.publish.recode.lattice.classic.datafly import datafly
from cobogo.publish.recode.lattice.classic.genetic import genetic
from cobogo.publish.recode.lattice.classic.incognito import incognito
from cobogo.publish.recode.lattice.classic.ola import ola
from cobogo.publish.recode.lattice.classic.samarati import samarati
from cobogo.publish.recode.lattice.search import optimal
from cobogo.publish.recode.local.search import local
from cobogo.publish.recode.marginals.algorithm import marginals
from cobogo.publish.recode.partition import mondrian, similar
from cobogo.publish.recode.partition.condensation import condensation
from cobogo.publish.recode.partition.mdav import mdav


class Algorithm(Protocol):
    """Raises `NoSolution` where nothing satisfies the problem, and `PolicyError` where it cannot serve its models."""

    def __call__(
        self, problem: Problem, *, time_limit: float | None = None, progress: Callable[[int, int], None] | None = None
    ) -> AnySolution:
        """The best recoding found within the time limit, in seconds; ``progress`` is told what is done of what."""
        ...


ALGORITHMS: dict[str, Algorithm] = {
    "optimal": optimal,
    "datafly": datafly,
    "samarati": samarati,
    "incognito": incognito,
    "ola": ola,
    "genetic": genetic,
    "top-down": top_down,
    "bottom-up": bottom_up,
    "mu-argus": mu_argus,
    "local": local,
    "mondrian": mondrian.strict,
    "mondrian-relaxed": mondrian.relaxed,
    "k-member": similar.k_member,
    "k-similar": similar.k_similar,
    "oka": similar.oka,
    "hilbert": similar.hilbert,
    "r-tree": similar.r_tree,
    "mdav": mdav,
    "condensation": condensation,
    "anatomy": anatomy,
    "bucketization": bucketization,
    "slicing": slicing,
    "marginals": marginals,
}
"""A new one is registered here."""

BUCKETIZING = frozenset({"anatomy", "bucketization", "slicing", "marginals"})
"""Those that part the sensitive values from the rest: what they release is not one table of records."""

_NODES = ("optimal", "datafly", "samarati", "incognito", "ola", "genetic")

KINDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_NODES, ("full-domain",)),
    "top-down": ("subtree",),
    "bottom-up": ("subtree", "sibling", "value"),
}
"""The kinds of recoding that each can make, its own choice first; one that is not here treats each record by itself."""


def kinds(name: str) -> tuple[str, ...]:
    """The kinds of recoding that an algorithm can make."""
    return KINDS.get(name, ("cell",))
