"""Frequency lists: drawing one of seventy million accounts, beside counting them; and how far off it is.

``python -m benchmarks.frequency_lists`` prints the table of docs/frequency-list.md as Markdown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import Result, of_call
from cobogo.data.policy import Data
from cobogo.data.table.read import read
from cobogo.promises.mechanisms.frequency_list import Counts, FrequencyList
from cobogo.publish.frequency_list import count_items

ACCOUNTS = 70_000_000
DELTA = Fraction(1, 10**9)
PART = 10_000_000


def passwords(accounts: int) -> Counts:
    """A made-up list: half of the accounts by Zipf's law, and as many items again that one account has alone."""
    ranks = np.arange(1, int(0.6 * accounts) + 1)
    return Counts.from_each(np.maximum(1, 0.5 * accounts / (math.log(len(ranks)) * ranks)).astype(np.int64))


def with_laplace(true: Counts, epsilon: float, seed: int = 0) -> int:
    """The L1 error of noise on every count, put in order again (Hay et al. 2009): floats, for comparison only."""
    from sklearn.isotonic import isotonic_regression

    listed = np.repeat(true.counts, true.items)
    noisy = listed + np.random.default_rng(seed).laplace(0, 1 / epsilon, len(listed))
    fitted = np.maximum(0, np.rint(isotonic_regression(noisy, increasing=False)))
    return int(np.abs(fitted - listed).sum())


def lists(directory: Path, accounts: int = ACCOUNTS) -> Iterator[Result]:
    """The draw, of the list and of its items, beside the engine's counting of them."""
    true = passwords(accounts)
    file = directory / "accounts.parquet"
    listed = np.repeat(np.arange(true.distinct, dtype=np.int32), np.repeat(true.counts, true.items))
    with pq.ParquetWriter(file, pa.schema([("item", pa.int32())])) as writer:
        for start in range(0, len(listed), PART):
            writer.write_table(pa.table({"item": listed[start : start + PART]}))
    del listed
    table = read(file, Data())
    counting = of_call(lambda: count_items(table, "item"), times=1)
    for epsilon in ("1", "0.1", "0.01"):
        made = FrequencyList(Fraction(epsilon), DELTA)
        off: list[int] = []
        spent = of_call(lambda made=made, off=off: off.append(true.distance(made.draw(true))))
        bound = math.sqrt(true.accounts / float(epsilon))
        note = f"L1 error {np.mean(off):,.0f}, {np.mean(off) / bound:.2f} × √(N/ε)"
        yield Result(f"frequency list, {true.accounts:,} accounts, ε = {epsilon}", spent, "counting", counting, note)


def table() -> None:
    """Markdown: errors over N and ε."""
    print("| accounts N | ε | L1 error | of N | √(N/ε) | √N/ε | Laplace and order |")
    print("|---|---|---|---|---|---|---|")
    for accounts in (10_000, 1_000_000, ACCOUNTS):
        true = passwords(accounts)
        for epsilon in ("0.01", "0.1", "1"):
            made, share = FrequencyList(Fraction(epsilon), DELTA), float(epsilon)
            off = np.mean([true.distance(made.draw(true)) for _ in range(5)])
            rival = f"{with_laplace(true, share):,}" if accounts <= 1_000_000 else ""
            cells = [f"{true.accounts:,}", epsilon, f"{off:,.0f}", f"{off / true.accounts:.2g}"]
            cells += [f"{math.sqrt(true.accounts / share):,.0f}", f"{math.sqrt(true.accounts) / share:,.0f}", rival]
            print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    table()
