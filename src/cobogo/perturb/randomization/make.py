"""From a policy's ``[randomization]`` to what will be done."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from cobogo.errors import PolicyError, nearest
from cobogo.perturb.randomization.asked import Asked, asked
from cobogo.policy import Policy
from cobogo.table.read import Table
from cobogo.transform.base import Transformation

_SETTLE = "cobogo.perturb.randomization.settle"

METHODS: dict[str, str] = {
    "uniform": _SETTLE,
    "warner": _SETTLE,
    "gamma-diagonal": _SETTLE,
    "fine-grain": _SETTLE,
    "value-dependent": _SETTLE,
    "small-domain": "cobogo.perturb.randomization.small_domain",
    "alpha-beta": "cobogo.perturb.randomization.alpha_beta",
    "perturbed-generalization": "cobogo.perturb.randomization.generalized",
}
"""Each method, and the module that makes (``make``) and verifies (``check``) it."""

ABOUT: dict[str, str] = {
    "uniform": "keep each sensitive value with one probability, else draw from the whole domain",
    "warner": "the same of values such as yes and no (Warner's randomized response)",
    "gamma-diagonal": "keep or draw whole records, over the cross product of all columns (FRAPP)",
    "fine-grain": "the operator that retains most for the table's own distribution, by a linear programme",
    "value-dependent": "each value with a retention of its own, for the table's own distribution",
    "small-domain": "part the table by its values, and perturb each part within its own few",
    "alpha-beta": "keep some distinct records and add made-up ones, as a set",
    "perturbed-generalization": "perturb, generalize to groups of k, release one record of each (PG)",
}
"""Each method in a line."""


def make(policy: Policy, table: Table) -> Transformation:
    """Settle a randomization."""
    wanted = asked(policy, table)
    name = wanted.table.method
    if name not in METHODS:
        raise PolicyError(
            f"there is no method {name!r}",
            where=f"{policy.name}, randomization.method",
            remedy=nearest(name, METHODS, "cobogo list mechanisms"),
        )
    maker: Callable[[Asked, Table], Transformation] = import_module(METHODS[name]).make
    return maker(wanted, table)
