"""The job behind `cobogo answer frequency-list`: a column of items, or of counts, in; a list of counts out.

The engine counts the items, and no item leaves it: what leaves is how many items occur how often.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.engines.engine import connect
from cobogo.data.files.encodings import detect_encoding
from cobogo.data.policy import Data, Role
from cobogo.data.table.read import Table, read
from cobogo.errors import DataError, PolicyError
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr
from cobogo.floor.randomness import source
from cobogo.promises.accounting import ATTO, NANO, Amount, exact_amount
from cobogo.promises.payer import Payer
from cobogo.publish.frequency_list.bounds import bounds
from cobogo.publish.frequency_list.mechanism import Counts, FrequencyList
from cobogo.publish.frequency_list.release import DrawnList
from cobogo.release.contract import Origin, Release

TEXTS = (".txt", ".lst")
"""Endings of the names of files that hold one item a line and no header."""


def choose_mechanism(epsilon: Amount, delta: Amount) -> FrequencyList:
    """Build the mechanism for a cost, rounded to the units that ledgers count in; refuse a cost that it cannot keep."""
    exact_epsilon, exact_delta = exact_amount(epsilon, "epsilon"), exact_amount(delta, "delta")
    mechanism = FrequencyList(Fraction(int(exact_epsilon * NANO), NANO), Fraction(int(exact_delta * ATTO), ATTO))
    bounds(mechanism.epsilon, mechanism.delta)
    return mechanism


@contextmanager
def frequency_list(
    data: Any,
    column: str | None = None,
    *,
    epsilon: Amount,
    delta: Amount,
    counts: bool = False,
    options: Data | None = None,
    engine: str | None = None,
    payer: Payer | None = None,
    seed: int | None = None,
    language: str = "en",
) -> Iterator[Release]:
    """The list of how often the items of a column occur, not yet drawn nor written, for as long as the block runs.

    ``data`` is a path (CSV, Parquet, or a text file of one item a line) or a frame. With ``counts`` the column has the
    count of one item in each row. A ``payer`` is charged before anything is counted.
    """
    start, mechanism, read_as = time.perf_counter(), choose_mechanism(epsilon, delta), options or Data()
    with ExitStack() as ending:
        if isinstance(data, str | Path) and Path(data).suffix.lower() in TEXTS:
            made_of_lines = ending.enter_context(convert_lines(Path(data), read_as.encoding))
            table = replace(read(made_of_lines, Data(), connect(engine)), name=str(data))
        else:
            table = read(data, read_as, connect(engine))
        chosen = _choose_column(table, column)
        origin = Origin(table.name, dict.fromkeys(table.columns, Role.IDENTIFIER), language=language)
        paid = {} if payer is None else _pay(payer, mechanism)
        with table.engine.guard("counting"):
            true = read_counts(table, chosen) if counts else count_items(table, chosen)
        made = DrawnList(true, mechanism, source(seed), seed, paid)
        yield Release(origin, table, made, (), {"read": time.perf_counter() - start})


def _pay(payer: Payer, mechanism: FrequencyList) -> dict[str, Any]:
    """Debit the cost before the data are counted; return what the evidence records of it."""
    question = f"frequency list (ε = {float(mechanism.epsilon):g}, δ = {float(mechanism.delta):g})"
    payer.pay(mechanism.loss, question)
    return {"dataset": payer.dataset, "analyst": payer.analyst}


def _choose_column(table: Table, asked: str | None) -> str:
    if asked is None and len(table.columns) == 1:
        return table.columns[0]
    if asked is None:
        raise PolicyError(
            tr("the data have {number} columns, and no column was chosen", number=len(table.columns)),
            where="--column",
            remedy=tr("Name the column with the items: --column."),
        )
    if asked not in table.columns:
        raise DataError(
            tr('does not have the column "{name}"', name=asked),
            where=table.name,
            remedy=tr("Name one of its columns: --column."),
        )
    return asked


LINE = "item"
"""The name given to the one column of a text file, which has no header."""

AT_ONCE = 1 << 24
"""Bytes of a text file that are read at a time."""


def count_items(table: Table, column: str) -> Counts:
    """Count how many items of a column occur how often. NULL counts as an item."""
    values = table.expression.select(value=table.text(column))
    each = values.group_by("value").aggregate(records=values.count())
    return _fetch_counts(table, each.group_by("records").aggregate(items=each.count()))


def read_counts(table: Table, column: str) -> Counts:
    """Read the same from a column that holds the count of one item in each row."""
    values = table.expression.select(records=table.expression[column])
    if not table.expression.schema()[column].is_integer():
        text = table.expression.select(text=table.text(column))
        wrong = text.filter(text["text"].isnull() | ~text["text"].re_search(r"^[0-9]{1,18}$"))
        found = int(table.engine.fetch(wrong.aggregate(found=wrong.count()))["found"][0].as_py())
        if found:
            raise DataError(
                tr('{found:,} rows of "{column}" do not have a whole number', found=found, column=column),
                where=table.name,
                remedy=tr("Name a column of counts, or leave out --counts to count the values of the column."),
            )
        values = text.select(records=text["text"].cast("int64"))
    return _fetch_counts(table, values.group_by("records").aggregate(items=values.count()))


def _fetch_counts(table: Table, pairs: Any) -> Counts:
    found = table.engine.fetch(pairs)
    counts = found["records"].to_numpy().astype(np.int64)
    items = found["items"].to_numpy().astype(np.int64)
    if (counts < 0).any():
        raise DataError(
            tr("has counts below 0"), where=table.name, remedy=tr("Correct them: a count is a whole number, 0 or more.")
        )
    order = np.argsort(-counts)
    there = order[counts[order] > 0]
    return Counts(counts[there], items[there])


@contextmanager
def convert_lines(path: Path, encoding: str) -> Iterator[Path]:
    """Convert a text file of one item a line to a Parquet file, which is removed when the block ends."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import csv

    home = create_scratch(Path(tempfile.gettempdir()), "cobogo-items-")
    try:
        file = home / "items.parquet"
        try:
            encoding = (detect_encoding(str(path)) or "utf-8") if encoding == "auto" else encoding
            reader = csv.open_csv(
                path,
                csv.ReadOptions(column_names=[LINE], encoding=encoding, block_size=AT_ONCE),
                csv.ParseOptions(delimiter="\x1f", quote_char=False, ignore_empty_lines=False),
                csv.ConvertOptions(column_types={LINE: pa.string()}, strings_can_be_null=False),
            )
            with pq.ParquetWriter(file, reader.schema, compression="lz4") as writer:
                for batch in reader:
                    writer.write_batch(batch)
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(
                tr("cannot be read as lines of text ({error})", error=type(error).__name__),
                where=str(path),
                remedy=tr("Check the path and the encoding; --encoding latin-1 reads any file."),
            ) from None
        yield file
    finally:
        remove_scratch(home)
