"""Policies that come from outside: they may name files of their data set, and nothing else of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.data.policy.toml_file import parse_toml
from cobogo.errors import PolicyError
from cobogo.floor.language import tr

FORBIDDEN: Mapping[tuple[str, ...], str] = {
    ("data", "path"): "The data are those of the data set.",
    ("data", "table"): "The data are those of the data set.",
    ("data", "engine"): "The server chooses the engine.",
    ("output", "directory"): "The server keeps the release; download it.",
    ("output", "table"): "The server keeps the release; download it.",
    (
        "synthesis",
        "curator",
    ): "Its file would name places of the machine. Leave it out: the cost stands in the manifest.",
    ("registry", "path"): "The server's registry is used: give the data set's name only.",
    ("registry", "key"): "The server's registry is used: give the data set's name only.",
}
"""What a policy may not say on a server, and why."""


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
            raise PolicyError(tr("cannot be said on a server"), where=f"policy, {table}.{key}", remedy=why)
    _refuse_addresses(tables.get("masking"), "policy, masking")
    if "registry" in tables:
        if registry is None:
            raise PolicyError(
                tr("this server keeps no registry"),
                where="policy, registry",
                remedy=tr("Leave it out, or ask the server's administrator for one."),
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
        raise PolicyError(tr("may not name an address on a server"), where=where)
