"""From a policy's ``[randomization]`` to what will be done."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from cobogo.data.policy import Policy
from cobogo.data.table.read import Table
from cobogo.floor.catalogue import Registry
from cobogo.publish.randomize.request import RandomizationRequest, read_request
from cobogo.release.drawn import DrawnRows

METHODS: Registry[Any] = Registry(
    "method of randomization",
    {
        "uniform": "cobogo.promises.operators.uniform:Uniform",
        "warner": "cobogo.promises.operators.matrix:warner",
        "gamma-diagonal": "cobogo.promises.operators.uniform:gamma_diagonal",
        "fine-grain": ".optimal.fine_grain:linear_programme",
        "value-dependent": ".optimal.fine_grain:value_dependent",
        "small-domain": ".optimal.parts:partition_domain",
        "alpha-beta": ".alpha_beta:AlphaBeta",
        "perturbed-generalization": ".generalized:Generalized",
    },
    home="cobogo.publish.randomize",
    listed="mechanisms",
    guide="randomization",
    remark="randomization",
)
"""Every method by its name in ``randomization.method``."""

OF_THEIR_OWN = {
    "small-domain": "cobogo.publish.randomize.small_domain",
    "alpha-beta": "cobogo.publish.randomize.alpha_beta",
    "perturbed-generalization": "cobogo.publish.randomize.generalized",
}
"""Methods that change more than the values of a column, each with the module that makes and verifies it."""


def module_of(name: str) -> Any:
    """The module that makes (``make``) and verifies (``check``) a method."""
    return import_module(OF_THEIR_OWN.get(name, "cobogo.publish.randomize.choose"))


def make(policy: Policy, table: Table) -> DrawnRows:
    """Settle a randomization."""
    wanted = read_request(policy, table)
    METHODS.find(wanted.table.method, f"{policy.name}, randomization.method")
    maker: Callable[[RandomizationRequest, Table], DrawnRows] = module_of(wanted.table.method).make
    return maker(wanted, table)
