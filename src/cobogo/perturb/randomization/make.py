"""From a policy's ``[randomization]`` to what will be done."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from cobogo.errors import PolicyError, nearest
from cobogo.perturb.randomization.asked import Asked, asked
from cobogo.policy import Policy
from cobogo.table.read import Table
from cobogo.transform.base import Transformation

METHODS: dict[str, str] = {
    "uniform": "cobogo.perturb.randomization.columns",
}
"""Each method, and the module that makes (``make``) and verifies (``check``) it."""

ABOUT: dict[str, str] = {
    "uniform": "keep each sensitive value with one probability, else draw from the whole domain",
}


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
