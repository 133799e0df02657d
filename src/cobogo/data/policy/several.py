"""Policies that list several tables: each becomes a policy of its own, and the keys between them are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cobogo.data.policy.complaints import did_you_mean
from cobogo.data.policy.document import Policy
from cobogo.data.policy.toml_file import read_toml
from cobogo.errors import PolicyError
from cobogo.floor.language import tr
from cobogo.floor.language.errors import gather_errors

KEYS = ("data", "attributes", "columns", "key", "references")
"""What a table of ``[tables]`` may have."""


@dataclass(frozen=True)
class ForeignKey:
    """A foreign key: every value of ``table.column`` is one of ``to_table.to_column``."""

    table: str
    column: str
    to_table: str
    to_column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column} → {self.to_table}.{self.to_column}"


@dataclass(frozen=True)
class TablePolicies:
    """The policies of several tables, by name; the column that is unique in each, where one is said to be; and what
    refers to what."""

    name: str
    home: Path
    policies: dict[str, Policy]
    keys: dict[str, str]
    references: tuple[ForeignKey, ...]
    directory: str | None = None


def lists_tables(policy: object) -> bool:
    """Whether a policy, in any of the forms that functions accept, lists several tables."""
    if isinstance(policy, str | Path):
        return "tables" in read_toml(Path(policy))
    return isinstance(policy, Mapping) and "tables" in policy


def load_several(policy: str | Path | Mapping[str, Any]) -> TablePolicies:
    """Read a policy that lists tables. What is outside of ``[tables]`` is common to all."""
    path = None if isinstance(policy, Mapping) else Path(policy)
    content = dict(policy) if isinstance(policy, Mapping) else read_toml(Path(policy))
    home, name = (Path(), "policy") if path is None else (path.parent, str(path))
    tables = content.pop("tables")
    common = {part: _mapping(content.get(part, {}), f"{name}, {part}") for part in ("data", "masking")}
    rest = {part: value for part, value in content.items() if part not in common}
    if "attributes" in rest or "columns" in common["masking"]:
        given = "attributes" if "attributes" in rest else "masking.columns"
        raise PolicyError(
            tr("belongs to one of the tables"),
            where=f"{name}, {given}",
            remedy=tr("Write it under [tables.NAME]."),
            code="COBOGO-POLICY-KEY",
        )
    output = _mapping(rest.pop("output", {}), f"{name}, output")
    directory = output.pop("directory", None)
    policies, keys, references = {}, {}, []
    for table, given in _mapping(tables, f"{name}, tables").items():
        where = f"{name}, tables.{table}"
        entry = _mapping(given, where)
        unknown = [
            PolicyError(
                tr("unknown key"),
                where=f"tables.{table}.{key}",
                remedy=did_you_mean(key, KEYS) or tr("Known keys: {keys}.", keys=", ".join(KEYS)),
                code="COBOGO-POLICY-KEY",
            )
            for key in entry
            if key not in KEYS
        ]
        if unknown:
            raise gather_errors(unknown, name)
        if not table.replace("-", "").replace("_", "").isalnum():
            raise PolicyError(
                tr("a table's name may have letters, digits, hyphens and underscores"),
                where=where,
                remedy=tr("Rename it."),
                code="COBOGO-POLICY-VALUE",
            )
        masked = {"masking": common["masking"] | {"columns": entry["columns"]}} if "columns" in entry else {}
        whole = {
            **rest,
            **masked,
            "output": output,
            "data": common["data"] | _mapping(entry.get("data", {}), f"{where}.data"),
            "attributes": entry.get("attributes", {}),
        }
        policies[table] = Policy.of(whole, home=home, name=where)
        if "key" in entry:
            keys[table] = _column(str(entry["key"]), policies[table], f"{where}.key")
        for column, to in _mapping(entry.get("references", {}), f"{where}.references").items():
            to_table, _, to_column = str(to).partition(".")
            references.append(ForeignKey(table, _column(column, policies[table], where), to_table, to_column))
    for reference in references:
        where = f"{name}, tables.{reference.table}.references.{reference.column}"
        if reference.to_table not in policies:
            raise PolicyError(
                tr("there is no table {to_table!r}", to_table=reference.to_table),
                where=where,
                remedy=did_you_mean(reference.to_table, policies)
                or tr("The tables are: {tables}.", tables=", ".join(policies)),
                code="COBOGO-POLICY-VALUE",
            )
        _column(reference.to_column, policies[reference.to_table], where)
    return TablePolicies(name, home, policies, keys, tuple(references), None if directory is None else str(directory))


def _mapping(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise PolicyError(
            tr("must be a table"),
            where=where,
            remedy=tr("Write a table: {key} = {{ … }}.", key=where.rpartition(".")[2].rpartition(" ")[2]),
            code="COBOGO-POLICY-TYPE",
        )
    return dict(value)


def _column(name: str, policy: Policy, where: str) -> str:
    if name not in policy.attributes:
        raise PolicyError(
            tr("there is no attribute {name!r}", name=name),
            where=where,
            remedy=did_you_mean(name, policy.attributes) or tr("Name a column of the table."),
            code="COBOGO-POLICY-COLUMNS",
        )
    return name
