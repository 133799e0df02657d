"""Cells of files that are not text, as the texts that CSV would have: 1 and not 1.0, 2020-01-31, true."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any


def number_text(value: float) -> str:
    """A number with its fewest digits; a whole one without a point, as far as floating point holds whole numbers.

    >>> number_text(1.0), number_text(0.1), number_text(1e20), number_text(10**20)
    ('1', '0.1', '1e+20', '100000000000000000000')
    """
    whole = isinstance(value, int) or (value == value // 1 and abs(value) <= 2**53)
    return str(int(value)) if whole else repr(float(value))


def cell_text(value: Any, *, times: bool = False) -> str | None:
    """A cell as text. ``times``: a day is written with its midnight, since others of its column have a time.

    >>> cell_text(True), cell_text(dt.date(2020, 1, 31)), cell_text(dt.datetime(2020, 1, 31, 9, 5)), cell_text("")
    ('true', '2020-01-31', '2020-01-31 09:05:00', None)
    """
    if value is None or value == "" or value != value:  # noqa: PLR0124
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        return value.isoformat(" ")
    if isinstance(value, dt.date):
        return f"{value.isoformat()} 00:00:00" if times else value.isoformat()
    return number_text(value) if isinstance(value, int | float) else str(value)


def text_column(cells: Sequence[Any]) -> Any:
    """A column of cells as an Arrow array of text."""
    import pyarrow as pa

    times = any(isinstance(cell, dt.datetime) for cell in cells)
    return pa.array([cell_text(cell, times=times) for cell in cells], pa.string())


def is_numeric(column: Any) -> bool:
    """Whether every value of a column of texts is a number as a program writes it: 7 and not 007, 1.5 and not 1.50."""
    import pyarrow.compute as pc

    return all(map(_is_number, pc.unique(column).drop_null().to_pylist()))


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and cell_text(float(text)) == text


_NUMBER = re.compile(r"-?[0-9]{1,15}([.][0-9]{1,17})?")
