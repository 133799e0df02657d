"""Who verifies what: every kind of release that can be made has a check that is found by its name."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import pytest

import cobogo
from cobogo.floor.catalogue import import_object
from cobogo.release.contract import Transformation
from cobogo.release.manifest import RECODING
from cobogo.release.verify import CHECKS

DOORS = ("publish", "locate")


@pytest.fixture(scope="module")
def kinds() -> set[str]:
    """The kinds of all transformations of the doors."""
    for door in DOORS:
        for module in walk_packages(import_module(f"cobogo.{door}").__path__, f"cobogo.{door}."):
            import_module(module.name)
    found, open_ = set(), [Transformation]
    while open_:
        kind = open_.pop()
        open_ += kind.__subclasses__()
        if not getattr(kind, "__abstractmethods__", None) and kind.__module__.startswith(f"{cobogo.__name__}."):
            found.add(getattr(kind, "kind", None))
    return {kind for kind in found if isinstance(kind, str)}  # a pickle's is that of what was pickled


def test_every_kind_that_can_be_made_can_be_verified(kinds: set[str]) -> None:
    assert kinds == {RECODING, *CHECKS}


@pytest.mark.parametrize("kind", CHECKS)
def test_a_check_is_a_function_of_what_was_written(kind: str) -> None:
    assert callable(import_object(CHECKS[kind]))
