"""Verifying a randomized release, whatever its method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cobogo.data.policy import Role
from cobogo.errors import VerificationFailed
from cobogo.promises.guarantees import GUARANTEES
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.publish.randomize.make import METHODS, module_of
from cobogo.release.contract import CheckResult, Written


def check(written: Written) -> CheckResult:
    """Recompute the guarantees from the stated parameters, and test whether the rows can have been drawn by them."""
    name = written.statement["method"]
    METHODS.find(name, raising=VerificationFailed)
    if "entropy" not in written.statement:
        raise VerificationFailed("the manifest does not say where the randomness came from")
    found = module_of(name).check(written)
    assert isinstance(found, CheckResult)
    notes = found.notes if written.model_entries else (*found.notes, "no guarantee was asked for, and none is given")
    return replace(
        found, problems=(*found.problems, *_unmet_models(written), *_untouched_columns(written)), notes=notes
    )


def _untouched_columns(written: Written) -> Iterator[str]:
    """Sensitive columns that nothing was done to."""
    stated = written.statement
    drawn = {name for part in stated.get("drawn", ()) for name in part["attributes"]}
    drawn |= {stated.get("attribute"), *stated.get("domains", {})}
    for name in written.manifest.with_role(Role.SENSITIVE):
        if name not in drawn:
            yield f'the sensitive column "{name}" was released as it is'


def _unmet_models(written: Written) -> Iterator[str]:
    """Models that were asked for and are no guarantees: groups of at least k are all that can be answered for."""
    for entry in written.model_entries:
        name = entry.get("model")
        if name in GUARANTEES:
            continue
        grouped = name == KAnonymity.name and "k" in written.statement
        if not grouped or int(entry["k"]) > int(written.statement["k"]):
            yield f"{name} is asked for, and does not hold of a release whose values were drawn at random"
