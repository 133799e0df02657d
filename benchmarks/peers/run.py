"""One task of one peer, in their own environment: ``run.py PEER TABLE RELEASE WIDTH`` prints what it took, as JSON.

The tables are those of `benchmarks.tables`: semicolons, quasi-identifiers q0, q1, …, a hierarchy file for each.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pandas as pd


def anjana(table: Path, _: Path, quasi: list[str]) -> float:
    """k = 5 with at most 5 % suppressed, full-domain, with the same hierarchies."""
    from anjana.anonymity import k_anonymity

    data = pd.read_csv(table, sep=";", dtype=str)
    hierarchies = {}
    for name in quasi:
        levels = pd.read_csv(table.parent / f"{name}.csv", sep=";", header=None, dtype=str)
        hierarchies[name] = {level: levels[level].to_numpy() for level in levels.columns}
    start = time.perf_counter()
    found = k_anonymity(data, [], quasi, 5, 5, hierarchies)
    assert len(found), "nothing was found"
    return time.perf_counter() - start


def anonypy(table: Path, _: Path, quasi: list[str]) -> float:
    """k = 5 by Mondrian, which recodes locally: the values are numbered, for it wants numbers."""
    import anonypy as peer

    data = pd.read_csv(table, sep=";", dtype=str)
    for name in quasi:
        data[name] = data[name].str[1:].astype(int)
    start = time.perf_counter()
    found = peer.Preserver(data, quasi, "illness").anonymize_k_anonymity(k=5)
    assert len(found), "nothing was found"
    return time.perf_counter() - start


def pycanon(_: Path, release: Path, quasi: list[str]) -> float:
    """The k of a release, read from its file."""
    from pycanon.anonymity import k_anonymity

    start = time.perf_counter()
    assert k_anonymity(pd.read_csv(release, sep=";", dtype=str), quasi) >= 5
    return time.perf_counter() - start


if __name__ == "__main__":
    peer, table, release, width = sys.argv[1:]
    task = {"anjana": anjana, "anonypy": anonypy, "pycanon": pycanon}[peer]
    seconds = task(Path(table), Path(release), [f"q{number}" for number in range(int(width))])
    print(json.dumps({"peer": peer, "seconds": seconds}))
