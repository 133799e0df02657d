"""Masking several tables whose keys must still fit together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.policy import Policy, Role
from cobogo.data.policy.masking import ShiftSpec
from cobogo.data.policy.several import ForeignKey, TablePolicies
from cobogo.data.table.columns import count_values, load_coded_columns, read_times
from cobogo.data.table.read import Table
from cobogo.errors import DataError, PolicyError
from cobogo.floor.files import stage_directory
from cobogo.floor.language import tr
from cobogo.floor.progress import Progress, silent
from cobogo.publish.mask.build import Shared
from cobogo.publish.mask.digits import canonical
from cobogo.publish.mask.operators import distinct, keeps_days
from cobogo.publish.mask.release import make
from cobogo.publish.transform import transform
from cobogo.release.contract import Release, Verdict
from cobogo.release.evidence import is_output
from cobogo.release.write import write_release


@dataclass(repr=False)
class MaskedTables:
    """Several masked tables, not yet written."""

    rules: TablePolicies
    tables: dict[str, Release]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all tables, each once."""
        return tuple(dict.fromkeys(text for table in self.tables.values() for text in table.warnings))

    def write(self, directory: str | Path, *, progress: Progress = silent) -> dict[str, Verdict]:
        """Write each table's release under its name, check the keys between them, and put all in place at once."""
        with stage_directory(Path(directory), replaceable=_is_output) as stage:
            verdicts = {
                name: write_release(table, stage / name, progress=progress) for name, table in self.tables.items()
            }
            for table, column in self.rules.keys.items():
                _check_key(self.tables[table], column)
            for reference in self.rules.references:
                tables = self.tables[reference.table], self.tables[reference.to_table]
                before = _orphans(reference, tables[0].table, tables[1].table)
                after = _orphans(reference, tables[0].drawn_table, tables[1].drawn_table)
                if before != after:
                    raise DataError(
                        tr(
                            "{before:,} records referred to no other record before masking, and {after:,} after it",
                            before=before,
                            after=after,
                        ),
                        where=f"{self.rules.name}, {reference}",
                        remedy=tr(
                            "Mask both columns in the same way: the same operator and group, consistent and "
                            "unique. Two spellings of one value get different tokens."
                        ),
                    )
                _check_days(reference, *tables, f"{self.rules.name}, {reference}")
        return verdicts


def mask_tables(rules: TablePolicies, *, engine: str | None = None, progress: Progress = silent) -> MaskedTables:
    """Prepare the masking of several tables, which share groups and secret."""
    shared = Shared()
    for reference in rules.references:
        for table, column in ((reference.table, reference.column), (reference.to_table, reference.to_column)):
            _check_released(rules.policies[table], column, f"{rules.name}, {reference}")
    made = {
        name: transform(None, policy, make(shared), engine=engine, progress=progress)
        for name, policy in rules.policies.items()
    }
    return MaskedTables(rules, made)


def _is_output(directory: Path) -> bool:
    """Whether a directory holds earlier outputs of tables, and nothing else."""
    return all(entry.is_dir() and is_output(entry) for entry in directory.iterdir())


def _check_released(policy: Policy, column: str, where: str) -> None:
    masked = () if policy.masking is None else policy.masking.columns
    if column in policy.with_role(Role.IDENTIFIER) and column not in masked:
        raise PolicyError(
            tr('"{column}" is an identifier that is left out, and other tables refer to it', column=column),
            where=where,
            remedy=tr("Mask it: the same operator and group on both sides keep the reference."),
        )


def _check_key(table: Release, column: str) -> None:
    """Refuse a masking that changed how many distinct keys a column has."""
    before, after = _keys(table.table, column), _keys(table.drawn_table, column)
    if len(before) != len(after):
        raise DataError(
            tr(
                'the key "{column}" had {before:,} distinct values before masking, and has {after:,} after it',
                column=column,
                before=len(before),
                after=len(after),
            ),
            where=f"{table.policy.name}.key",
            remedy=tr(
                "Choose an operator that gives different values different substitutes: numbers, "
                "e-mail, token, pseudonym, or unique = true."
            ),
        )


def _orphans(reference: ForeignKey, of: Table, to: Table) -> int:
    """How many records refer to a key that does not exist."""
    known = _keys(to, reference.to_column)
    labels, records = count_values(of, reference.column)
    keys = zip(canonical(labels), records.tolist(), strict=True)
    return sum(count for key, count in keys if key is not None and key not in known)


def _keys(table: Table, column: str) -> set[str]:
    """The distinct keys of a column, each once however it is written."""
    return set(canonical(distinct(table, column)).tolist())


def _check_days(reference: ForeignKey, of: Release, to: Release, where: str) -> None:
    """Refuse a masking that changed the days between the dates of a person, across tables, that move together."""
    for name, spec in _shifted_dates(of.policy, reference.column):
        for other, theirs in _shifted_dates(to.policy, reference.to_column):
            if spec.days != theirs.days:
                continue
            sides = ((reference.column, name, spec.format), (reference.to_column, other, theirs.format))
            before = _days_between(of.table, to.table, *sides)
            after = _days_between(of.drawn_table, to.drawn_table, *sides)
            if len(before) != len(after) or (before != after).any():
                raise DataError(
                    tr(
                        'the numbers of days between "{name}" and "{other}" of the same people changed',
                        name=name,
                        other=other,
                    ),
                    where=where,
                    remedy=tr(
                        "Write dates with a year of four digits, and mask both sides of the reference in the same way."
                    ),
                )


def _shifted_dates(policy: Policy, per: str) -> list[tuple[str, ShiftSpec]]:
    """The date columns of a table that move alike for equal keys, and whose format includes the day."""
    columns = {} if policy.masking is None else policy.masking.columns
    return [
        (name, spec)
        for name, spec in columns.items()
        if isinstance(spec, ShiftSpec) and spec.per == per and keeps_days(spec.format)
    ]


Side = tuple[str, str, str]
"""The name of a key column, that of a date column, and the format of its dates."""


def _days_between(of: Table, to: Table, side: Side, other: Side) -> NDArray[np.int64]:
    """The days from the first date of the person that a record refers to until the record's own date, sorted."""
    first = _read_dates(to, other).groupby("key")["day"].min()
    own = _read_dates(of, side)
    between = (own["day"] - own["key"].map(first)).dropna()
    return np.sort(between.dt.days.to_numpy(dtype=np.int64))


def _read_dates(table: Table, side: Side) -> Any:
    """The keys and dates of the records that have both."""
    import pandas as pd

    key, date, form = side
    found, labels = load_coded_columns(table, [key, date])
    days = read_times(labels[date], form).astype("datetime64[D]")
    return pd.DataFrame({"key": canonical(labels[key])[found[key]], "day": days[found[date]]}).dropna()
