"""One task of one peer, in their own environment: ``run.py PEER TABLE RELEASE WIDTH`` prints what it took, as JSON.

The tables are those of `benchmarks.tables`: semicolons, quasi-identifiers q0, q1, …, a hierarchy file for each.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

Task = Callable[[], bool]
"""What is measured; True when it came to the right end."""


def anjana(table: Path, _: Path, quasi: list[str]) -> Task:
    """k = 5 with at most 5 % suppressed, full-domain, with the same hierarchies."""
    from anjana.anonymity import k_anonymity

    data = pd.read_csv(table, sep=";", dtype=str)
    hierarchies = {}
    for name in quasi:
        levels = pd.read_csv(table.parent / f"{name}.csv", sep=";", header=None, dtype=str)
        hierarchies[name] = {level: levels[level].to_numpy() for level in levels.columns}
    return lambda: len(k_anonymity(data, [], quasi, 5, 5, hierarchies)) > 0


def anonypy(table: Path, _: Path, quasi: list[str]) -> Task:
    """k = 5 by Mondrian, which recodes locally: the values are numbered, for it wants numbers."""
    import anonypy as peer

    data = pd.read_csv(table, sep=";", dtype=str)
    for name in quasi:
        data[name] = data[name].str[1:].astype(int)
    return lambda: len(peer.Preserver(data, quasi, "illness").anonymize_k_anonymity(k=5)) > 0


def pycanon(_: Path, release: Path, quasi: list[str]) -> Task:
    """The k of a release, read from its file."""
    from pycanon.anonymity import k_anonymity

    return lambda: k_anonymity(pd.read_csv(release, sep=";", dtype=str), quasi) >= 5


if __name__ == "__main__":
    peer, table, release, width = sys.argv[1:]
    prepare = {"anjana": anjana, "anonypy": anonypy, "pycanon": pycanon}[peer]
    task = prepare(Path(table), Path(release), [f"q{number}" for number in range(int(width))])
    wall, cpu = time.perf_counter(), time.process_time()
    assert task(), "nothing was found"
    print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
