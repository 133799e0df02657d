"""Types, guessed roles and distributions of the columns of a data set: computed once, and kept in its directory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from cobogo.data.engines.engine import Engine, literal, quote
from cobogo.data.policy import Data, Role
from cobogo.data.schema import inspection as inspecting
from cobogo.data.schema.profile import ColumnProfile, Type
from cobogo.data.schema.starter import starter_policy
from cobogo.data.schema.suggest import suggest
from cobogo.data.table.read import Table
from cobogo.faces.server import rows
from cobogo.faces.server.state import pack_texts, unpack_texts
from cobogo.floor.files import stage_file

FILE = "profile.json"
BARS = 24
"""Of a column of numbers or dates, at most."""
TOP = 8
"""Categories that are told apart."""
VALUES = ("shape", "sort")
"""What a profile says of the values of a column, for its steward's eyes."""


def profile(folder: Path, known: dict[str, Any]) -> dict[str, Any]:
    """The profile of every column with the suggestion for it and its ``shape``, and a policy to start from.

    A shape is made of counts: ``bars`` between a ``first`` and a ``last`` value, or the ``top`` categories and how many
    records have ``other`` ones. A column that seems to identify people has none.
    """
    file = folder / FILE
    if file.exists():
        found: dict[str, Any] = unpack_texts(json.loads(file.read_text(encoding="utf-8")))
        return found
    engine = rows.connect_bounded()
    with engine.guard("counting"):
        copy = engine.relation(f"SELECT * FROM {rows.source(folder)}")
        table = Table(engine, copy.drop(rows.NUMBER), "file")
        profiles = inspecting.profiles(table)
        suggested = [suggest(column) for column in profiles]
        shapes = [
            None if found.role is Role.IDENTIFIER else _shape(engine, folder, column)
            for column, found in zip(profiles, suggested, strict=True)
        ]
    decimal: Literal[".", ","] | None = known.get("decimal")
    policy = starter_policy(
        profiles,
        suggested,
        path=None,
        data=Data(separator=known["separator"], encoding=known["encoding"]),
        decimal=decimal,
    )
    columns = [
        told | {"shape": shape, "sort": value_expression(column)}
        for told, shape, column in zip(inspecting.as_json(profiles, suggested), shapes, profiles, strict=True)
    ]
    made = {"columns": columns, "policy": policy}
    with stage_file(file) as stage:
        stage.write_text(json.dumps(pack_texts(made), ensure_ascii=False), encoding="utf-8")
    return made


def value_expression(column: ColumnProfile) -> str | None:
    """An SQL expression, around the name of a column, for the numbers or dates that its texts mean; None for words."""
    kind = column.kind
    if kind.type is Type.DATE and kind.format is not None:
        return f"try_strptime({{}}, {literal(kind.format)})"
    if kind.type in (Type.INTEGER, Type.DECIMAL):
        plain = "replace(replace({}, '.', ''), ',', '.')" if kind.mark == "," else "{}"
        return f"try_cast({plain} AS DOUBLE)"
    return None


def _shape(engine: Engine, folder: Path, column: ColumnProfile) -> dict[str, Any] | None:
    if column.kind.type is Type.EMPTY:
        return None
    expression = value_expression(column)
    if expression is None or column.distinct <= TOP:
        top = column.values[:TOP]
        other = column.present - sum(count for _, count in top)
        return {"top": [list(pair) for pair in top], "other": other}  # lists, as the file has them
    if column.kind.type is not Type.DATE and not column.sampled:
        return _bars(column.numbers)
    said = expression.format(quote(column.name))
    if column.kind.type is Type.DATE:
        said = f"epoch({said}) / 86400"
    said_of_each = f"(SELECT {said} AS x FROM {rows.source(folder)})"
    low, high = engine.rows(f"SELECT min(x), max(x) FROM {said_of_each} WHERE isfinite(x)")[0]
    if low is None or low == high:
        return None
    bar = f"least(floor((x - {low!r}) / {(high - low) / BARS!r}), {BARS - 1})::INTEGER"
    counted = engine.rows(f"SELECT {bar}, count(*) FROM {said_of_each} WHERE isfinite(x) GROUP BY 1")
    heights = dict(counted)
    return _describe_bars([int(heights.get(bar, 0)) for bar in range(BARS)], *_ends(column, low, high))


def _ends(column: ColumnProfile, low: float, high: float) -> tuple[str, str]:
    if column.kind.type is not Type.DATE:
        return f"{low:.12g}", f"{high:.12g}"
    from datetime import UTC, datetime, timedelta

    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return tuple((epoch + timedelta(days=float(end))).strftime("%Y-%m-%d") for end in (low, high))  # type: ignore[return-value]


def _bars(numbers: Sequence[tuple[Decimal, int]]) -> dict[str, Any]:
    low, high = numbers[0][0], numbers[-1][0]
    bars = min(BARS, len(numbers))
    heights = [0] * bars
    for number, count in numbers:
        heights[min(int((number - low) * bars / (high - low)), bars - 1)] += count
    return _describe_bars(heights, f"{low:f}", f"{high:f}")


def _describe_bars(heights: list[int], first: str, last: str) -> dict[str, Any]:
    return {"bars": heights, "first": first, "last": last}
