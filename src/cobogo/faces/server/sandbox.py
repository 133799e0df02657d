"""Policies that come from outside: they may name files of their data set, and nothing else of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.data.policy.toml_file import parse_toml
from cobogo.errors import PolicyError
from cobogo.floor.language import Text, tr

_DATA = tr("Remove it: the server reads the data of the data set.")
_OUTPUT = tr("Remove it: the server keeps the release, and you can download it.")
_REGISTRY = tr("Remove it: the server uses its own registry. Give only the name of the data set.")

FORBIDDEN: Mapping[tuple[str, ...], Text] = {
    ("data", "path"): _DATA,
    ("data", "table"): _DATA,
    ("data", "engine"): tr("Remove it: the server chooses the engine."),
    ("output", "directory"): _OUTPUT,
    ("output", "evidence"): _OUTPUT,
    ("output", "table"): _OUTPUT,
    ("synthesis", "curator"): tr("Remove it: its file would name paths of the server. The cost is in the manifest."),
    ("registry", "path"): _REGISTRY,
    ("registry", "key"): _REGISTRY,
}
"""What a policy must not contain on a server, and what to do instead."""


def confine_policy(text: str, home: Path, *, owner: str, registry: str | None = None) -> Policy:
    """The policy of a text, whose paths are plain names of files in ``home``.

    ``registry`` is the server's own, in which the data sets of each owner have names of their own: what is released of
    somebody's data is held against nobody else's.
    """
    content = parse_toml(text, "policy")
    tables = {name: dict(table) if isinstance(table, Mapping) else table for name, table in content.items()}
    for (table, key), why in FORBIDDEN.items():
        part = tables.get(table)
        if isinstance(part, dict) and key in part:
            raise PolicyError(tr("is not allowed on a server"), where=f"policy, {table}.{key}", remedy=why)
    _refuse_addresses(tables.get("masking"), "policy, masking")
    if "registry" in tables:
        if registry is None:
            raise PolicyError(
                tr("this server has no registry"),
                where="policy, registry",
                remedy=tr("Remove it, or ask the server's administrator for a registry."),
            )
        if isinstance(tables["registry"], dict):
            name = tables["registry"].get("dataset")
            tables["registry"] |= {"path": registry, "dataset": f"{owner} {name}" if isinstance(name, str) else name}
    return Policy.of(tables, home=home, name="policy", trusted=() if registry is None else (registry,))


def _refuse_addresses(part: Any, where: str) -> None:
    """Refuse addresses (``scheme://``) of vaults and secrets, which no other rule covers."""
    if isinstance(part, Mapping):
        for name, value in part.items():
            _refuse_addresses(value, f"{where}.{name}")
    elif isinstance(part, list | tuple):
        for value in part:
            _refuse_addresses(value, where)
    elif isinstance(part, str) and "://" in part:
        raise PolicyError(
            tr("must not name an address on a server"), where=where, remedy=tr("Name a file of the data set instead.")
        )
