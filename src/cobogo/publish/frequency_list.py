"""A frequency list as a release, and the job behind `cobogo answer frequency-list`: how often items occur, not which.

The engine counts the items of a column, and no item leaves it: what leaves is how many items occur how often. A list of
frequencies is an integer partition; the exponential mechanism draws another one near it (Blocki, Datta & Bonneau 2016).
`cobogo.promises.mechanisms.frequency_list` has the mechanism and the proof of what it costs.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.engines.engine import connect
from cobogo.data.files.encodings import detect_encoding
from cobogo.data.policy import Data, Role
from cobogo.data.table.read import Table, read
from cobogo.errors import DataError, PolicyError
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source, source
from cobogo.floor.untrusted import fraction
from cobogo.promises.accounting import ATTO, NANO, Amount, exact_amount
from cobogo.promises.mechanisms.frequency_list import Counts, FrequencyList, bounds
from cobogo.promises.models.differential_privacy import DifferentialPrivacy
from cobogo.promises.payer import Payer
from cobogo.release.contract import ENTROPY, SEED, CheckResult, Json, Meaning, Origin, Release, Written
from cobogo.release.drawn import Bars, DrawnRows, Section, Story

if TYPE_CHECKING:
    from cobogo.floor.language import Speech


LIST = {
    "accounts": tr("records (accounts)"),
    "items": tr("different items"),
    "counts": tr("different counts"),
}

KIND = "frequency-list"
COUNT, ITEMS = "count", "items"
COLUMNS = (COUNT, ITEMS)
RANKS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)

PROCEDURE = tr(
    "differential privacy depends on how the list was drawn, and the list cannot show it. What was checked: the stated "
    "procedure keeps its promise, and the file is such a list"
)


class DrawnList(DrawnRows):
    """The list of a column, drawn by the mechanism: in place of every row, one row for each count."""

    kind = KIND
    sorted_by = COUNT

    def __init__(self, true: Counts, mechanism: FrequencyList, source: Source, seed: int | None, paid: Json) -> None:
        self._true, self._mechanism, self._source = true, mechanism, source
        self._seed, self._paid = seed, paid

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        return COLUMNS

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:  # noqa: ARG002
        import pyarrow as pa

        drawn = self._mechanism.draw(self._true, self._source)
        yield pa.RecordBatch.from_arrays([pa.array(drawn.counts), pa.array(drawn.items)], names=list(COLUMNS))

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        return {
            COUNT: Meaning(tr("a number of records (accounts) that share one item (password), after noise")),
            ITEMS: Meaning(tr("how many items have that count, after noise")),
        }

    def statement(self) -> Json:
        """The mechanism and its parameters, which do not depend on the data."""
        found = self._mechanism.bounds
        return {
            "mechanism": "exponential, over integer partitions",
            "epsilon": str(self._mechanism.epsilon),
            "delta": str(self._mechanism.delta),
            "neighbours": "one record more or less",
            "q": found.q,
            "band": found.band,
            "run": found.run,
            "entropy": ENTROPY if self._source.safe else SEED,
        }

    def explanation(self) -> str:
        epsilon, delta = float(self._mechanism.epsilon), float(self._mechanism.delta)
        return tr(
            "Each row says how many items occur `{count}` times; together the rows are the sorted list of how often "
            "items occur. The list was drawn with (ε, δ)-differential privacy, ε = {epsilon:g} and δ = {delta:g}, "
            "for one record more or less, from the lists near the true one: P ∝ exp(−ε·L1 distance / 2). The "
            "numbers of records and of items follow from the list, and are noisy too: with N records, the list is "
            "off by about √(N/ε) + {more:,.0f} records in all. The items themselves are not released.",
            count=COUNT,
            epsilon=epsilon,
            delta=delta,
            more=6.6 / epsilon**2,
        )

    def private_statement(self) -> Json:
        return {"seed": self._seed, "paid": self._paid, "accounts": self._true.accounts}

    @property
    def model_entries(self) -> tuple[Json, ...]:
        promise = DifferentialPrivacy(float(self._mechanism.epsilon), float(self._mechanism.delta))
        return ({"model": promise.name, "epsilon": promise.epsilon, "delta": promise.delta},)

    def story(self, before: Table, after: Table, say: Speech) -> Story:  # noqa: ARG002
        """How far the drawn list is from the true one, for the data holder only."""
        true, drawn = self._true, read_list(after)
        distance = true.distance(drawn)
        scale = float(np.sqrt(max(true.accounts, 1) / float(self._mechanism.epsilon)))
        summary = {
            "accounts": {"true": true.accounts, "released": drawn.accounts},
            "items": {"true": true.distinct, "released": drawn.distinct},
            "counts": {"true": len(true.counts), "released": len(drawn.counts)},
            "distance": distance,
            "relative_distance": distance / max(true.accounts, 1),
            "sqrt_accounts_over_epsilon": scale,
        }
        names = ("accounts", "items", "counts")
        rows: list[list[str | float | None]] = [
            [say(LIST[name]), summary[name]["true"], summary[name]["released"]]  # type: ignore[index]
            for name in names
        ]
        ranks = [rank for rank in RANKS if rank <= max(true.distinct, drawn.distinct)]
        rows += [
            [say("count of the item of rank {n}", n=rank), count_at_rank(true, rank), count_at_rank(drawn, rank)]
            for rank in ranks
        ]
        header = [say("what"), say("true"), say("released")]
        section = Section(
            say("The list that was drawn, beside the true one"),
            say("The true column stays with the data holder: what is given away is the released one."),
            header,
            rows,
        )
        shares = {
            say("true"): [_share_of_first(true, rank) for rank in ranks],
            say("released"): [_share_of_first(drawn, rank) for rank in ranks],
        }
        plot = Bars(
            "heads",
            say("How much the most frequent items cover"),
            say("The share of all records that have one of the first 1, 10, 100, … items."),
            [say.number(rank) for rank in ranks],
            shares,
        )
        keys = [
            (say("L1 distance"), say.number(distance), say("by how much the two sorted lists differ, in all")),
            (say("of all records"), say.percent(summary["relative_distance"]), say("the same as a share")),  # type: ignore[arg-type]
            (
                say("√(N/ε)"),
                say.number(round(scale)),
                say("what no such mechanism can be better than, but for a constant"),
            ),
        ]
        headline = say(
            "a list of {counts} counts, drawn with ε = {epsilon}",
            epsilon=float(self._mechanism.epsilon),
            counts=len(drawn.counts),
        )
        return Story(summary, headline, keys, [section], [plot] if ranks else [])


def count_at_rank(counts: Counts, rank: int) -> int:
    """The count of the item of a rank, or 0 where there are fewer items."""
    place = int(np.searchsorted(np.cumsum(counts.items), rank))
    return int(counts.counts[place]) if place < len(counts.counts) else 0


def _share_of_first(counts: Counts, rank: int) -> float:
    """The share of all accounts that the items up to a rank have."""
    upto = np.cumsum(counts.items)
    taken = np.diff(np.minimum(upto, rank), prepend=0)
    return float(taken @ counts.counts) / max(counts.accounts, 1)


def read_list(rows: Table) -> Counts:
    """Read a released list back; raise `ValueError` where the rows are no such list."""
    found = rows.engine.fetch(rows.expression)
    counts, items = (np.array([int(value) for value in found[name].to_pylist()], dtype=np.int64) for name in COLUMNS)
    order = np.argsort(-counts)
    return Counts(counts[order], items[order])


def check(written: Written) -> CheckResult:
    """Recompute the mechanism from what is stated, and check that the rows are a list of counts."""
    stated = written.statement
    epsilon, delta = fraction(stated["epsilon"]), fraction(stated["delta"])
    problems: list[str] = []
    try:
        found = bounds(epsilon, delta)
        same = (found.q, found.band, found.run) == (stated["q"], stated["band"], stated["run"])
    except PolicyError:
        same = False
    if not same:
        problems.append(tr("the stated mechanism does not keep the stated ε and δ"))
    try:
        read_list(written.rows)
    except (ValueError, TypeError):
        problems.append(tr("the file is not a list of decreasing counts, each with a number of items"))
    verdicts = []
    for entry in written.model_entries:
        if entry.get("model") != DifferentialPrivacy.name:
            problems.append(tr("{model} is requested, and cannot hold for a list of counts", model=entry.get("model")))
            continue
        promise = DifferentialPrivacy(entry["epsilon"], entry.get("delta", 0.0))
        verdicts.append(promise.verdict(float(epsilon), float(delta)))
    return CheckResult(tuple(verdicts), tuple(problems), (PROCEDURE,))


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
