"""Collecting without trusting the collector: each client randomizes its answer, and many tell the shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cobogo.ldp.aggregate import Aggregate as Aggregate
    from cobogo.ldp.association import associate as associate
    from cobogo.ldp.client import Client as Client
    from cobogo.ldp.collection import Collection as Collection

_HOMES = {
    "Aggregate": "cobogo.ldp.aggregate",
    "Client": "cobogo.ldp.client",
    "Collection": "cobogo.ldp.collection",
    "associate": "cobogo.ldp.association",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: the oracles alone need neither a database nor pydantic."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cobogo.ldp' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
