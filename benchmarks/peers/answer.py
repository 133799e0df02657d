"""The curator's task by one peer, in its own environment: ``answer.py PEER TABLE`` prints what it took, as JSON.

The table has the columns person, place and worth. Counts and sums of worth by place, ε = 1, one person being in five
places at most. It is in memory, in the peer's own form, before the clock starts, as it is with ours.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

Task = Callable[[], int]
"""What is measured; how many places were told of."""

KEYS = 1000


def smartnoise(table: Path) -> Task:
    """SmartNoise SQL over SQLite in memory. It spends its ε once a column, so each gets half.

    It bounds a person by rows alone: five, at random, wherever they are.
    """
    import pandas as pd
    import snsql

    declared = {
        "row_privacy": False, "max_ids": 5, "censor_dims": False, "clamp_counts": False, "rows": 1_000_000,
        "person": {"type": "int", "private_id": True}, "place": {"type": "int"},
        "worth": {"type": "int", "lower": 0, "upper": 100},
    }  # fmt: skip
    privacy = snsql.Privacy(epsilon=0.5, delta=1e-9)
    reader = snsql.from_df(pd.read_csv(table), privacy=privacy, metadata={"": {"": {"d": declared}}})
    return lambda: len(reader.execute("SELECT place, COUNT(*) AS n, SUM(worth) AS s FROM d GROUP BY place")) - 1


def opendp(table: Path) -> Task:
    """OpenDP's Polars layer, with the same public keys and the same two bounds.

    Which of a person's places count is left to their order: its sample of them fails with the Polars that it pins.
    """
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib", "honest-but-curious")
    frame = pl.read_csv(table)
    keys = pl.LazyFrame({"place": list(range(KEYS))}, schema={"place": pl.Int64})

    def task() -> int:
        context = dp.Context.compositor(
            data=frame.lazy(),
            privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("person")),
            privacy_loss=dp.loss_of(epsilon=1.0),
            split_evenly_over=1,
            margins=[dp.polars.Margin(by=["place"], max_length=10**6, max_groups=KEYS)],
        )
        bounded = context.query().truncate_per_group(3, by=["place"])
        bounded = bounded.truncate_num_groups(5, by=["place"], keep="first")
        asked = bounded.group_by("place").agg(dp.len(), pl.col("worth").fill_null(0).dp.sum((0, 100)))
        return len(asked.with_keys(keys).release().collect())

    return task


def main(peer: str, table: Path) -> None:
    """The best of three, as ours is, after one that may load things."""
    warnings.simplefilter("ignore")
    task = {"smartnoise": smartnoise, "opendp": opendp}[peer](table)
    assert task() == KEYS, "some places are missing"
    found = []
    for _ in range(3):
        wall, cpu = time.perf_counter(), time.process_time()
        task()
        found.append({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu})
    print(json.dumps(min(found, key=lambda spent: spent["wall"])))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
