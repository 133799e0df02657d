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
