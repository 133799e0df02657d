"""A masked release: test data that look like the original. Masking gives no formal guarantee.

Whoever knows something of a person may still find them: by what was not masked, by how often a value occurs, by the
shape of what was. A masked table is for testing and training inside the house, or under a contract; a table for
anyone is made by recoding until a privacy model holds (`cobogo anonymize`) or by randomizing (`cobogo perturb`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.policy import Policy, Role
from cobogo.data.table.columns import choose_columns, read_times, replace_columns
from cobogo.data.table.read import Table
from cobogo.errors import VerificationFailed
from cobogo.floor.language import tr, trn
from cobogo.publish.mask.build import Shared, operators
from cobogo.publish.mask.fakes import fake
from cobogo.publish.mask.operators import MaskingOperator, distinct
from cobogo.release.contract import OUR_FAULT, CheckResult, Json, Meaning, Written
from cobogo.release.drawn import DrawnRows, Row, RowWise, Section, Story

if TYPE_CHECKING:
    from cobogo.floor.language import Speech

MASKING = {
    "column": tr("column"),
    "how": tr("how"),
    "before": tr("values before"),
    "after": tr("values after"),
    "both": tr("in both"),
}

NO_GUARANTEE = tr(
    "masking gives no formal guarantee: an attacker may find people by values that were not masked, or by how often "
    "values occur"
)


class Masked(DrawnRows):
    """A table whose columns are changed by operators.

    Identifiers without an operator are left out; other columns are released as they are.
    """

    kind = "masking"
    together = False  # what one record alone does not tell, an operator has in its dictionary; or it says why not

    def __init__(self, policy: Policy, table: Table, made: Sequence[MaskingOperator]) -> None:
        self._operators = tuple(made)
        masked = {operator.column for operator in made}
        gone = set(policy.with_role(Role.IDENTIFIER)) - masked
        self._columns = tuple(name for name in table.columns if name not in gone)
        self._bare = tuple(name for name in policy.quasi_identifiers if name not in masked)

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """All columns but the identifiers that are not masked."""
        return self._columns

    def row_wise(self, table: Table, columns: Sequence[str]) -> RowWise:
        """Mask batch by batch; only the dictionaries of distinct values are in memory."""
        for operator in self._operators:
            operator.begin()
        others = {name for operator in self._operators for name in operator.other_columns}
        texts = {operator.column for operator in self._operators} | others
        rows = choose_columns(table, [*columns, *sorted(others - set(columns))], texts)
        return RowWise(rows, partial(_mask, self._operators, list(columns)))

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        return {operator.column: Meaning(operator.meaning) for operator in self._operators}

    def statement(self) -> Json:
        """The operators, without the secret and what follows from it."""
        return {"columns": {operator.column: operator.stated for operator in self._operators}}

    def explanation(self) -> str:
        return tr("Masked values are not what was collected. Note: {note}.", note=NO_GUARANTEE)

    @property
    def warnings(self) -> tuple[str, ...]:
        bare = ", ".join(f'"{name}"' for name in self._bare)
        if not bare:
            return (NO_GUARANTEE,)
        return (NO_GUARANTEE, tr("these quasi-identifiers are released as collected: {columns}", columns=bare))

    def story(self, before: Table, after: Table, say: Speech) -> Story:
        rows: list[Row] = []
        summary = {}
        for operator in self._operators:
            name = operator.column
            old, new = {*distinct(before, name)}, {*distinct(after, name)}
            same = len(old & new)
            if wrong := operator.misfit(before, after):
                raise VerificationFailed(wrong, where=f'"{name}"', remedy=OUR_FAULT)
            rows.append([name, say(operator.meaning), len(old), len(new), same])
            summary[name] = {"before": len(old), "after": len(new), "in-both": same}
        section = Section(
            say("What was masked"),
            say(
                "How each column was changed, its distinct values before and after, and how many of those "
                "released are also among the original ones (of any record)."
            ),
            [say(MASKING[word]) for word in ("column", "how", "before", "after", "both")],
            rows,
        )
        headline = say("columns masked: {columns}; test data, with no formal guarantee", columns=len(self._operators))
        return Story({"masked": summary}, headline, sections=[section])


def _mask(made: Sequence[MaskingOperator], columns: list[str], batch: Any) -> Any:
    changed = {operator.column: operator.apply(batch) for operator in made}
    return replace_columns(batch, changed).select(columns)


def make(shared: Shared) -> Callable[[Policy, Table], Masked]:
    """The maker of the masked tables of one job."""
    return lambda policy, table: Masked(policy, table, operators(policy, table, shared))


def check(written: Written) -> CheckResult:
    """Check that the stated operator could have made every released value."""
    problems = []
    for name, stated in written.statement["columns"].items():
        values = distinct(written.rows, name)
        wrong = _misfits(values, stated)
        if wrong:
            problems.append(
                trn(
                    '{n:,} distinct value of "{name}" cannot be a result of its masking ({operator})',
                    '{n:,} distinct values of "{name}" cannot be results of its masking ({operator})',
                    n=wrong,
                    name=name,
                    operator=stated["operator"],
                )
            )
    return CheckResult(problems=tuple(problems), notes=(NO_GUARANTEE,))


def _misfits(values: Sequence[str], stated: Json) -> int:
    match stated["operator"]:
        case "fake":
            kind = fake(stated["fake"], stated["locale"])
            return kind.count_misfits(values)
        case "null":
            return len(values)
        case "truncate":
            return sum(len(value) > stated["characters"] for value in values)
        case "mask":
            mask, kept = stated["character"], stated["kept"]
            return sum(sum(c.isalnum() and c != mask for c in value) > kept for value in values)
        case "pseudonym":
            return sum(len(value) != stated["length"] or not set(value) <= set("0123456789abcdef") for value in values)
        case "days":
            return int(np.isnat(read_times(values, stated["format"])).sum())
        case "encrypt":
            return sum(re.fullmatch(r"[\w-]{38,}={0,2}", value, re.ASCII) is None for value in values)
        case "list" | "shuffle" | "blur" | "token":
            return 0
    raise ValueError(stated["operator"])
