"""The job behind `cobogo answer frequency-list`: a column in, a list of counts out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from cobogo.data.policy import Data, Role
from cobogo.data.table.connect import connect
from cobogo.data.table.read import Table, read
from cobogo.errors import DataError, PolicyError
from cobogo.floor.randomness import source
from cobogo.promises.accounting import ATTO, NANO, Amount, exact_amount
from cobogo.promises.payer import Payer
from cobogo.publish.frequency_list import counted
from cobogo.publish.frequency_list.bounds import bounds
from cobogo.publish.frequency_list.mechanism import FrequencyList
from cobogo.publish.frequency_list.release import DrawnList
from cobogo.release.release import Origin, Release

TEXTS = (".txt", ".lst")
"""How the names of files end that have one item a line, and no header."""


def settled(epsilon: Amount, delta: Amount) -> FrequencyList:
    """The mechanism for what may be spent, in the units that ledgers count in; refused if there is none."""
    amount, chance = exact_amount(epsilon, "epsilon"), exact_amount(delta, "delta")
    mechanism = FrequencyList(Fraction(int(amount * NANO), NANO), Fraction(int(chance * ATTO), ATTO))
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
    start, mechanism, read_as = time.perf_counter(), settled(epsilon, delta), options or Data()
    with ExitStack() as ending:
        if isinstance(data, str | Path) and Path(data).suffix.lower() in TEXTS:
            made_of_lines = ending.enter_context(counted.lines(Path(data), read_as.encoding))
            table = replace(read(made_of_lines, Data(), connect(engine)), name=str(data))
        else:
            table = read(data, read_as, connect(engine))
        chosen = _column(table, column)
        origin = Origin(table.name, dict.fromkeys(table.columns, Role.IDENTIFIER), language=language)
        paid = {} if payer is None else _paid(payer, mechanism)
        with table.engine.guarded("counting"):
            true = counted.of_counts(table, chosen) if counts else counted.of_items(table, chosen)
        made = DrawnList(true, mechanism, source(seed), seed, paid)
        yield Release(origin, table, made, (), {"read": time.perf_counter() - start})


def _paid(payer: Payer, mechanism: FrequencyList) -> dict[str, Any]:
    """Debit, before the data are counted; what the evidence keeps of it."""
    question = f"frequency list (ε = {float(mechanism.epsilon):g}, δ = {float(mechanism.delta):g})"
    payer.pay(mechanism.loss, question)
    return {"dataset": payer.dataset, "analyst": payer.analyst}


def _column(table: Table, asked: str | None) -> str:
    if asked is None and len(table.columns) == 1:
        return table.columns[0]
    if asked is None:
        raise PolicyError(
            f"the data have {len(table.columns)} columns",
            where="--column",
            remedy="Say which one holds the items.",
        )
    if asked not in table.columns:
        raise DataError(f'has no column "{asked}"', where=table.name, remedy="Name one of its columns: --column.")
    return asked
