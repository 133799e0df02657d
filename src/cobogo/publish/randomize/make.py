"""From a policy's ``[randomization]`` to a release, and the verification of one, whatever its method."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

from cobogo.data.policy import Policy, Role
from cobogo.data.table.read import Table
from cobogo.errors import VerificationFailed
from cobogo.floor.catalogue import Registry
from cobogo.floor.language import tr
from cobogo.promises.guarantees import GUARANTEES
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.publish.randomize.request import RandomizationRequest, read_request
from cobogo.release.contract import CheckResult, Written
from cobogo.release.drawn import DrawnRows

METHODS: Registry[Any] = Registry(
    "method of randomization",
    {
        "uniform": "cobogo.promises.operators:Uniform",
        "warner": "cobogo.promises.operators:warner",
        "gamma-diagonal": "cobogo.promises.operators:gamma_diagonal",
        "fine-grain": ".optimal_operators:linear_programme",
        "value-dependent": ".optimal_operators:value_dependent",
        "small-domain": ".small_domain:partition_domain",
        "alpha-beta": ".alpha_beta:AlphaBeta",
        "perturbed-generalization": ".perturbed_generalization:PerturbedGeneralization",
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
    "perturbed-generalization": "cobogo.publish.randomize.perturbed_generalization",
}
"""Methods that change more than the values of a column, with the modules that prepare and verify them."""


def module_of(name: str) -> Any:
    """The module that prepares (``make``) and verifies (``check``) a method."""
    return import_module(OF_THEIR_OWN.get(name, "cobogo.publish.randomize.choose"))


def make(policy: Policy, table: Table) -> DrawnRows:
    """Prepare a randomization."""
    wanted = read_request(policy, table)
    METHODS.find(wanted.table.method, f"{policy.name}, randomization.method")
    maker: Callable[[RandomizationRequest, Table], DrawnRows] = module_of(wanted.table.method).make
    return maker(wanted, table)


def check(written: Written) -> CheckResult:
    """Recompute the guarantees from the stated parameters, and test whether the rows can have been drawn by them."""
    name = written.statement["method"]
    METHODS.find(name, raising=VerificationFailed)
    if "entropy" not in written.statement:
        raise VerificationFailed(tr("the manifest does not state the source of the randomness"))
    found = module_of(name).check(written)
    assert isinstance(found, CheckResult)
    notes = (
        found.notes if written.model_entries else (*found.notes, tr("no guarantee was requested, and none is given"))
    )
    return replace(
        found, problems=(*found.problems, *_unmet_models(written), *_untouched_columns(written)), notes=notes
    )


def _untouched_columns(written: Written) -> Iterator[str]:
    """Sensitive columns that were not randomized."""
    stated = written.statement
    drawn = {name for part in stated.get("drawn", ()) for name in part["attributes"]}
    drawn |= {stated.get("attribute"), *stated.get("domains", {})}
    for name in written.manifest.with_role(Role.SENSITIVE):
        if name not in drawn:
            yield tr('the sensitive column "{name}" was released unchanged', name=name)


def _unmet_models(written: Written) -> Iterator[str]:
    """Models that the policy asks for and that a randomization cannot meet; it can meet k-anonymity of its groups."""
    for entry in written.model_entries:
        name = entry.get("model")
        if name in GUARANTEES:
            continue
        grouped = name == KAnonymity.name and "k" in written.statement
        if not grouped or int(entry["k"]) > int(written.statement["k"]):
            yield tr(
                "{model} is requested, and cannot hold for a release whose values were drawn at random", model=name
            )
