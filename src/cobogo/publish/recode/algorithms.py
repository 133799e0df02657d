"""Every recoding algorithm, by the name that a policy gives it.

An algorithm takes a problem and returns a solution (`publish.recode.contract.solution`). The first sentence of its
docstring is what `cobogo list algorithms` prints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from cobogo.floor.catalogue import Registry
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import AnySolution


class Algorithm(Protocol):
    """Raises `NoSolution` where nothing satisfies the problem, and `PolicyError` where it cannot serve its models."""

    def __call__(
        self, problem: Problem, *, time_limit: float | None = None, progress: Callable[[int, int], None] | None = None
    ) -> AnySolution:
        """The best recoding found within the time limit, in seconds; ``progress`` gets the steps done and their
        number."""
        ...


ALGORITHMS: Registry[Algorithm] = Registry(
    "algorithm",
    {
        "optimal": ".lattice.search:optimal",
        "datafly": ".lattice.classic.datafly:datafly",
        "samarati": ".lattice.classic.tagging:samarati",
        "incognito": ".lattice.classic.incognito:incognito",
        "ola": ".lattice.classic.tagging:ola",
        "genetic": ".lattice.classic.genetic:genetic",
        "top-down": ".cuts.top_down:top_down",
        "bottom-up": ".cuts.bottom_up:bottom_up",
        "mu-argus": ".cells.mu_argus:mu_argus",
        "local": ".local.search:local",
        "mondrian": ".partition.mondrian:mondrian",
        "mondrian-relaxed": ".partition.mondrian:mondrian_relaxed",
        "k-member": ".partition.similar:k_member",
        "k-similar": ".partition.similar:k_similar",
        "oka": ".partition.similar:oka",
        "hilbert": ".partition.similar:hilbert",
        "r-tree": ".partition.similar:r_tree",
        "mdav": ".partition.mdav:mdav",
        "counterfeits": ".partition.counterfeits:counterfeits",
        "condensation": ".partition.condensation:condensation",
        "anatomy": ".buckets.anatomy:anatomy",
        "bucketization": ".buckets.bucketization:bucketization",
        "slicing": ".buckets.slicing:slicing",
        "marginals": ".marginals:marginals",
    },
    home="cobogo.publish.recode",
    listed="algorithms",
    guide="algorithms-partition",
    plugins="cobogo.algorithms",
)
"""A new algorithm is registered here.

Its card has the ``recodings`` that it can make, its own choice first; by default it treats each record by itself. With
``one_table=False`` it separates the sensitive values from the rest: its release is not one table of records. With
``invents=True`` it may add records that nobody stands behind.
"""


def recodings(name: str) -> tuple[str, ...]:
    """The kinds of recoding that an algorithm can make."""
    ALGORITHMS.find(name)
    able: tuple[str, ...] = ALGORITHMS.card(name).facts.get("recodings", ("cell",))
    return able


def releases_one_table(name: str) -> bool:
    """Whether an algorithm releases one table of records."""
    ALGORITHMS.find(name)
    return bool(ALGORITHMS.card(name).facts.get("one_table", True))


def invents_records(name: str) -> bool:
    """Whether an algorithm may add records that nobody stands behind."""
    ALGORITHMS.find(name)
    return bool(ALGORITHMS.card(name).facts.get("invents", False))
