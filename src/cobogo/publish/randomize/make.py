"""From a policy's ``[randomization]`` to what will be done."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from cobogo.data.policy import Policy
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError, nearest
from cobogo.publish.randomize.asked import Asked, asked
from cobogo.release.drawn import DrawnRows

_SETTLE = "cobogo.publish.randomize.settle"

METHODS: dict[str, str] = {
    "uniform": _SETTLE,
    "warner": _SETTLE,
    "gamma-diagonal": _SETTLE,
    "fine-grain": _SETTLE,
    "value-dependent": _SETTLE,
    "small-domain": "cobogo.publish.randomize.small_domain",
    "alpha-beta": "cobogo.publish.randomize.alpha_beta",
    "perturbed-generalization": "cobogo.publish.randomize.generalized",
}
"""Each method, and the module that makes (``make``) and verifies (``check``) it."""


def make(policy: Policy, table: Table) -> DrawnRows:
    """Settle a randomization."""
    wanted = asked(policy, table)
    name = wanted.table.method
    if name not in METHODS:
        raise PolicyError(
            f"there is no method {name!r}",
            where=f"{policy.name}, randomization.method",
            remedy=nearest(name, METHODS, "cobogo list mechanisms"),
        )
    maker: Callable[[Asked, Table], DrawnRows] = import_module(METHODS[name]).make
    return maker(wanted, table)
