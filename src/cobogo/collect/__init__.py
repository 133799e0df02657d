"""Collecting without a trusted collector: each client randomizes its answer; many answers reveal the shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cobogo.collect.aggregate import Aggregate as Aggregate
    from cobogo.collect.association import associate as associate
    from cobogo.collect.client import Client as Client
    from cobogo.collect.collection import Collection as Collection

_HOMES = {
    "Aggregate": "cobogo.collect.aggregate",
    "Client": "cobogo.collect.client",
    "Collection": "cobogo.collect.collection",
    "associate": "cobogo.collect.association",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: the oracles alone need neither a database nor pydantic."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cobogo.collect' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
