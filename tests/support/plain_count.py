"""What a written release holds, counted by pandas and plain Python: nothing here is Cobogó's own way of verifying.

A class is what the files make it: rows with equal quasi-identifiers or, where the manifest names a column for the
group or bucket, rows with the same one.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

Label = str | None


@dataclass(frozen=True)
class Found:
    """The classes of a release: records and sensitive values of each, and the released rows."""

    sizes: dict[Any, int]
    values: dict[Any, Counter[Label]]
    rows: pd.DataFrame


def read_csv(path: Path, separator: str = ",") -> pd.DataFrame:
    """A CSV file as text; an empty field is None."""
    frame = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False, na_values=[""])
    return frame.astype(object).where(frame.notna(), None)


def counted(public: Path, sensitive: str) -> Found:
    """The classes in a directory that may leave the house."""
    manifest = json.loads((public / "manifest.json").read_text(encoding="utf-8"))
    separator = manifest["data"]["separator"]
    if manifest["marginals"]:
        return _counted_marginals(public, manifest, sensitive)
    rows = read_csv(public / manifest["data"]["file"], separator)
    buckets = manifest.get("buckets")
    by = [c["name"] for c in manifest["columns"] if c["role"] == "quasi-identifier" and c["file"] is None]
    if buckets is not None:
        by = [buckets["group"]]
    keys = [tuple(row) for row in rows[by].itertuples(index=False)]
    values: dict[Any, Counter[Label]] = {key: Counter() for key in keys}
    if buckets is not None and buckets["file"] is not None:
        beside = read_csv(public / buckets["file"], separator)
        for group, value, count in beside[[buckets["group"], sensitive, buckets["count"]]].itertuples(index=False):
            values[(group,)][value] += int(count)
    elif sensitive in rows:
        for key, value in zip(keys, rows[sensitive].tolist(), strict=True):
            values[key][value] += 1
    return Found(dict(Counter(keys)), values, rows)


def _counted_marginals(public: Path, manifest: dict[str, Any], sensitive: str) -> Found:
    """Tables of counts: a class is a combination of the quasi-identifiers of any of them. The rows are the records of
    the first, as far as it tells them."""
    quasi = {column["name"] for column in manifest["columns"] if column["role"] == "quasi-identifier"}
    sizes: Counter[Any] = Counter()
    values: dict[Any, Counter[Label]] = {}
    frames = []
    for entry in manifest["marginals"]:
        table = read_csv(public / entry["file"], manifest["data"]["separator"])
        frames.append(table.loc[table.index.repeat(table[entry["count"]].astype(int))])
        for cells in table.itertuples(index=False):
            row = dict(zip(table.columns, cells, strict=True))
            key = (entry["file"], *(row[name] for name in table.columns if name in quasi))
            sizes[key] += int(row[entry["count"]])
            if sensitive in row:
                values.setdefault(key, Counter())[row[sensitive]] += int(row[entry["count"]])
    assert len({len(frame) for frame in frames}) == 1, "the tables count different numbers of records"
    return Found(dict(sizes), values, frames[0])


def broken(models: list[dict[str, Any]], found: Found, before: Counter[Label]) -> list[str]:
    """Which of k-anonymity, distinct l-diversity and t-closeness by equal distance a release breaks, and where."""
    problems = [] if found.sizes else ["nothing was released"]
    before = Counter({value: count for value, count in before.items() if value is not None})
    total = sum(before.values())
    for key, size in found.sizes.items():
        here = found.values.get(key)
        for model in models:
            if model["model"] == "k-anonymity" and size < model["k"]:
                problems.append(f"{key} has {size} records")
            if here is None:
                continue
            known = Counter({value: count for value, count in here.items() if value is not None})
            if model["model"] == "l-diversity" and len(known) < model["l"]:
                problems.append(f"{key} has {len(known)} values")
            if model["model"] == "t-closeness" and known:
                there = sum(known.values())
                apart = sum(abs(known[value] / there - count / total) for value, count in before.items()) / 2
                if apart > model["t"] + 1e-9 or set(known) - set(before):
                    problems.append(f"{key} is {apart} away")
        if here and sum(here.values()) != size:
            problems.append(f"{key} has {size} records and {sum(here.values())} values")
    return problems
