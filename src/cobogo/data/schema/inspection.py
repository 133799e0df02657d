"""Looking at a table before there is a policy: what its columns are, and which roles they might have."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cobogo.data.files.formats import ValueLabels
from cobogo.data.files.settle import label_tree, reading_options, settle
from cobogo.data.policy import Data, Policy, Role
from cobogo.data.policy.columns import SEPARATORS, quote_names
from cobogo.data.policy.complaints import did_you_mean
from cobogo.data.schema.profile import MOST_VALUES, ColumnProfile, decimal_mark, profile
from cobogo.data.schema.starter import starting_models
from cobogo.data.schema.suggest import Suggestion, suggest, unit_column
from cobogo.data.table.read import Table, read
from cobogo.errors import PolicyError
from cobogo.floor.language import tr, trn
from cobogo.floor.representation import brief, table


@dataclass(frozen=True, eq=False, repr=False)
class Inspection:
    """The columns of a table, with a role and a hierarchy suggested for each and the reason; no value of the data.

    >>> import pandas as pd
    >>> found = inspect(pd.DataFrame({"sexo": ["F", "M"] * 50, "cidade": ["Crato", "Sobral"] * 50}))
    >>> found
    Inspection(2 columns, 100 records, 2 quasi-identifier)
    >>> found.policy(k=3).privacy.models
    ({'model': 'k-anonymity', 'k': 3},)
    """

    path: str | None  # None of a frame
    options: Data
    columns: tuple[ColumnProfile, ...]
    suggestions: tuple[Suggestion, ...]
    notes: tuple[str, ...] = ()  # what was detected or left out while it was read

    def __repr__(self) -> str:
        roles = [f"{number} {role}" for role in Role if (number := len(self._with_role(role)))]
        guessed = f"{len(self.guesses)} guessed" if self.guesses else None
        records = self.columns[0].records if self.columns else 0
        return brief(self, f"{len(self.columns)} columns", f"{records:,} records", *roles, guessed)

    def _repr_html_(self) -> str:
        """A row a column, for a notebook."""
        header = [tr("column"), tr("type"), tr("distinct"), tr("missing"), tr("suggested role"), tr("hierarchy"),
                  tr("because")]  # fmt: skip
        rows = [
            [one.name, str(one.kind), f"{one.distinct:,}", f"{one.missing:,}",
             f"{found.role}{'' if found.certain else ' ?'}", next(iter(found.hierarchy or {""})), found.reason]
            for one, found in zip(self.columns, self.suggestions, strict=True)
        ]  # fmt: skip
        doubt = [tr("? The role is a guess: look at the column and decide.")] if self.guesses else []
        return table(repr(self), header, rows, doubt)

    @property
    def guesses(self) -> dict[str, Role]:
        """The columns whose role is a guess, with this role."""
        pairs = zip(self.columns, self.suggestions, strict=True)
        return {one.name: found.role for one, found in pairs if not found.certain}

    def policy(
        self,
        k: int = 5,
        l: int | None = 2,
        *,
        roles: Mapping[str, Role | str] | None = None,
        recoding: Mapping[str, Any] | None = None,
    ) -> Policy:
        """A policy with these roles and hierarchies that asks for k-anonymity and, for sensitive columns, l-diversity.

        ``roles`` decides the roles of some columns; it warns of guesses that nobody decided. ``recoding`` is the
        policy's table of this name, such as ``{"algorithm": "local"}``.
        """
        roles = roles or {}
        decided = self._decide(roles)
        guessed = [f'"{name}": "{role}"' for name, role in self.guesses.items() if name not in roles]
        if guessed:
            said = trn(
                "One role is a guess. Look at the column and decide: policy(roles={{{guessed}}})",
                "{n} roles are guesses. Look at the columns and decide: policy(roles={{{guessed}}})",
                n=len(guessed),
                guessed=", ".join(guessed),
            )
            warnings.warn(said, UserWarning, stacklevel=2)
        sensitive = [one for one in self.columns if decided[one.name]["role"] == Role.SENSITIVE]
        chosen = {"suppression-limit": 0.05, **(recoding or {})}
        return Policy(decided, starting_models(sensitive, k, l), data=self._data(), recoding=chosen)

    def _with_role(self, role: Role) -> list[Suggestion]:
        return [found for found in self.suggestions if found.role is role]

    def _data(self) -> dict[str, Any]:
        """How the data are read, as a policy says it."""
        placeholders = sorted({value for one in self.columns for value in one.placeholders})
        known: dict[str, Any] = {}
        if self.path is not None:
            known |= {"path": self.path, **self.options.model_dump(exclude_unset=True)}
        known["decimal"] = decimal_mark(self.columns)
        if (unit := unit_column(self.columns, self.suggestions)) is not None:
            known["unit"] = unit.name
        return known | ({"missing": ["", *placeholders]} if placeholders else {})

    def _decide(self, roles: Mapping[str, Role | str]) -> dict[str, dict[str, Any]]:
        """What a policy says of each column; one whose role was decided otherwise loses its hierarchy."""
        suggested = {one.name: found for one, found in zip(self.columns, self.suggestions, strict=True)}
        titles = {one.name: one.titles for one in self.columns}
        names = quote_names(list(suggested))
        for name in roles:
            if name not in suggested:
                raise PolicyError(
                    tr("the table has no column {name!r}", name=name),
                    where="roles",
                    remedy=did_you_mean(name, suggested) or tr("Its columns: {names}.", names=names),
                    code="COBOGO-POLICY-COLUMNS",
                )
        decided = {}
        for name, found in suggested.items():
            role = str(roles.get(name, found.role))
            decided[name] = {"role": role} | titles[name] | (found.recoding if role == found.role else {})
        return decided


def inspect(
    data: Any,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    range: str | None = None,
    table: str | None = None,
    labels: str | None = None,
) -> Inspection:
    """Profile every column of a file or a frame, and suggest a role for it with the reason. Shows no values.

    The options say how a file is read, as the keys of ``[data]`` do; what is not given is detected.
    """
    given = {"sheet": sheet, "range": range, "table": table, "labels": labels}
    return inspect_as(data, reading_options(separator=separator, encoding=encoding, **given))


def inspect_as(data: Any, options: Data) -> Inspection:
    """The same of data that are read as a policy would read them."""
    known = settle(data, options)
    rows = read(data, known)
    found, labels = profiles(rows), rows.labels if known.labels == "hierarchy" else {}
    suggestions = tuple(_with_labels(suggest(column), column, labels) for column in found)
    path = str(data) if isinstance(data, str | Path) else None
    unit = unit_column(found, suggestions)
    repeats = [] if unit is None else [tr(
        '"{name}" has {distinct:,} values in {records:,} records: a person may have several, and the policy counts '
        "people (unit)", name=unit.name, distinct=unit.distinct, records=unit.records,
    )]  # fmt: skip
    if unit is not None and unit.missing:
        repeats += [tr(
            'the {missing:,} records without "{name}" count as one person together', name=unit.name,
            missing=unit.missing,
        )]  # fmt: skip
    if len(found) == 1 and (mark := next((mark for mark in SEPARATORS if mark in found[0].name), None)):
        repeats += [tr('there is one column, with "{mark}" in its name: is that the separator?', mark=mark)]
    return Inspection(path, known.settle((), **rows.keys), tuple(found), suggestions, (*rows.notes, *repeats))


def _with_labels(suggestion: Suggestion, column: ColumnProfile, labels: ValueLabels) -> Suggestion:
    """A suggestion; where codes have labels that are to be a hierarchy, with that."""
    if column.name not in labels or suggestion.role is not Role.QUASI_IDENTIFIER:
        return suggestion
    tree = label_tree(labels[column.name], [value for value, _ in column.values])
    return replace(suggestion, hierarchy=tree.model_dump(exclude_unset=True))


def profiles(table: Table) -> list[ColumnProfile]:
    """The profile of every column of a table."""
    records = table.rows()
    return [_profile(table, name, records) for name in table.columns]


def _profile(table: Table, name: str, records: int) -> ColumnProfile:
    counts = table.value_counts(name, MOST_VALUES)
    return profile(
        name, records, counts.missing, counts.distinct, counts.unique, counts.most_frequent, table.titles.get(name, "")
    )


def as_json(columns: Sequence[ColumnProfile], suggestions: Sequence[Suggestion]) -> list[dict[str, Any]]:
    """For programs: the same. Types and reasons are texts, for pages that translate them."""
    return [
        {
            "column": column.name,
            "type": column.kind.words,
            "records": column.records,
            "missing": column.missing,
            "distinct": column.distinct,
            "unique": column.unique,
            "role": str(found.role),
            "confidence": found.confidence,
            "reason": found.reason,
            "hierarchy": found.hierarchy,
            "normalize": list(found.normalize),
        }
        for column, found in zip(columns, suggestions, strict=True)
    ]
