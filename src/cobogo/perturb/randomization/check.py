"""Verifying a randomized release, whatever its method."""

from __future__ import annotations

from importlib import import_module

from cobogo.errors import VerificationFailed
from cobogo.perturb.randomization.make import METHODS
from cobogo.transform.base import Findings, Written


def check(written: Written) -> Findings:
    """Recompute the guarantees from the stated parameters, and test whether the rows can have been drawn by them."""
    name = written.stated["method"]
    if name not in METHODS:
        raise VerificationFailed(f"there is no method of randomization {name!r}")
    if "entropy" not in written.stated:
        raise VerificationFailed("the manifest does not say where the randomness came from")
    found = import_module(METHODS[name]).check(written)
    assert isinstance(found, Findings)
    return found
