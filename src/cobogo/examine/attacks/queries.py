"""Queries that were answered: counts of rows, and sums of a column over rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import parse_number
from cobogo.errors import DataError
from cobogo.examine.attacks.rows import Rows
from cobogo.floor.arrays import Mask
from cobogo.floor.language import tr

_WHOLE = re.compile(r"\s*(count|sum\s+(?P<column>.+?))\s*(\bwhere\b(?P<where>.*))?", re.IGNORECASE | re.DOTALL)
_TERM = re.compile(r"\s*(?P<column>.+?)\s*(?P<sign>!=|<=|>=|=|<|>)\s*(?P<value>.*?)\s*", re.DOTALL)


@dataclass(frozen=True)
class Term:
    """A condition on one column."""

    column: str
    sign: str
    value: str

    def holds(self, rows: Rows) -> Mask:
        """Which rows satisfy the condition; NULL satisfies only ``!=``."""
        codes, labels = rows.columns[self.column]
        if self.sign in ("=", "!="):
            fits = np.array([(label == self.value) == (self.sign == "=") for label in labels], dtype=np.bool_)
            return np.append(fits, False)[codes]
        known = np.array([parse_number(label, ".") for label in labels] + [np.nan])
        bound = parse_number(self.value, ".")
        compared: dict[str, NDArray[np.bool_]] = {
            "<": known < bound, "<=": known <= bound, ">": known > bound, ">=": known >= bound
        }  # fmt: skip
        return compared[self.sign][codes]


@dataclass(frozen=True)
class AnsweredQuery:
    """A count of rows, or a sum of a column over them: ``count where sex = F and age < 40``, ``sum salary``."""

    terms: tuple[Term, ...]
    column: str | None = None  # the column that is summed; None where rows are counted
    line: int = 0  # of the file

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the query is about."""
        own = () if self.column is None else (self.column,)
        return (*(term.column for term in self.terms), *own)

    def selects(self, rows: Rows) -> Mask:
        """Which rows the query counts or sums."""
        chosen = np.ones(rows.count, dtype=np.bool_)
        for term in self.terms:
            chosen &= term.holds(rows)
        return chosen


FORM = tr("`count where COLUMN = VALUE and …` or `sum COLUMN where …`; the signs are = != < <= > >=")


def load_queries(source: str | Path | Sequence[str]) -> tuple[AnsweredQuery, ...]:
    """Parse queries, one a line, of a text file or of a list. Empty lines and comments (#) are skipped.

    >>> load_queries(["count where sex = F", "sum salary where sex = F and age >= 40"])[1].column
    'salary'
    """
    where = "queries"
    if isinstance(source, str | Path):
        where = str(source)
        try:
            source = Path(source).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError):
            raise DataError(
                tr("cannot be read as a UTF-8 text file"),
                where=where,
                remedy=tr("Check the path and the encoding of the file."),
            ) from None
    found = [
        _parse_query(line, number, where)
        for number, line in enumerate(source, start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not found:
        raise DataError(tr("has no queries"), where=where, remedy=tr("Write one query a line: {form}.", form=FORM))
    return tuple(found)


def _parse_query(line: str, number: int, where: str) -> AnsweredQuery:
    whole = _WHOLE.fullmatch(line)
    terms = [] if whole is None or whole["where"] is None else re.split(r"\band\b", whole["where"], flags=re.IGNORECASE)
    parts = [_TERM.fullmatch(term) for term in terms]
    if whole is None or None in parts:
        raise DataError(
            tr("is not a query"),
            where=tr("{where}, line {number}", where=where, number=number),
            remedy=tr("Write one query a line: {form}.", form=FORM),
        )
    conditions = tuple(Term(part["column"], part["sign"], part["value"]) for part in parts if part is not None)
    return AnsweredQuery(conditions, whole["column"], number)
