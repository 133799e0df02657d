"""Replacing the values of a column by a null-safe join with a table of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from cobogo.data.hierarchy import Label
from cobogo.data.table.engine import Engine, Expression


def replace_values(engine: Engine, rows: Expression, attribute: str, recoding: Mapping[Label, Label]) -> Expression:
    """The rows with one column's values replaced; a value that is not among them becomes NULL."""
    import pyarrow as pa

    before, after = unused_names(rows.columns, 2)
    text = pa.string()
    mapping = engine.lookup(
        pa.table({before: pa.array(list(recoding), type=text), after: pa.array(list(recoding.values()), type=text)})
    )
    joined = rows.left_join(mapping, engine.same(engine.text(rows[attribute]), mapping[before]))
    return joined.select(**{name: joined[after] if name == attribute else joined[name] for name in rows.columns})


def unused_names(columns: Sequence[str], count: int) -> list[str]:
    """Names for columns of our own that no column of the data has, in any case of letters."""
    taken = {name.casefold() for name in columns}
    names = (f"cobogo_{number}" for number in itertools.count())
    return list(itertools.islice((name for name in names if name not in taken), count))
