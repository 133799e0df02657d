"""The history of a data set: who stayed, came and left with each release, what was new, and what it exposes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

import cobogo as cb
from cobogo.publish.registry import store
from cobogo.publish.registry.adopt import adopt
from cobogo.publish.registry.history import history

AGES = ["21", "22", "31", "32"]


def table(people: range, *, more: bool = False) -> pa.Table:
    columns = {
        "who": [f"p{n}" for n in people],
        "age": [AGES[n % 4] for n in people],
        "illness": ["flu" if n % 3 else "cold" for n in people],
    }
    return pa.table(columns | ({"town": ["Crato"] * len(people)} if more else {}))


def policy(home: Path, *, level: int = 1, more: bool = False, registered: bool = True) -> dict[str, Any]:
    place = {"registry": {"path": str(home / "registry.db"), "dataset": "clinic"}} if registered else {}
    fixed = {"min-level": level, "max-level": level}
    return {
        "data": {"unit": "who"},
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 100]}} | fixed,
            "illness": {"role": "sensitive"},
            **({"town": {"role": "non-sensitive"}} if more else {}),
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 3}]},
        **place,
    }


def test_each_release_is_told_by_those_before_it(tmp_path) -> None:
    store.create(str(tmp_path / "registry.db"), None).close()
    cb.anonymize(table(range(40)), policy(tmp_path)).write(tmp_path / "one")
    cb.anonymize(table(range(20, 80), more=True), policy(tmp_path, more=True)).write(tmp_path / "two")
    rows = table(range(41, 81))
    (tmp_path / "people.csv").write_text(rows.to_pandas().to_csv(index=False))
    alone = policy(tmp_path, registered=False) | {"data": {"unit": "who", "path": str(tmp_path / "people.csv")}}
    cb.anonymize(alone).write(tmp_path / "three")
    adopt(tmp_path / "three", str(tmp_path / "registry.db"), None, "clinic")
    registry = store.open_registry(str(tmp_path / "registry.db"), None)
    with registry.transaction() as book:
        first, second, third = history(book, "clinic")
        assert history(book, "elsewhere") == []
    registry.close()
    assert (first.stayed, first.came, first.left, first.breaches) == (None, None, None, ())
    assert set(first.new) == {"age", "illness"}
    assert (second.stayed, second.came, second.left) == (20, 40, 20)
    assert (second.new, second.breaches) == (("town",), ())
    assert (third.stayed, third.came, third.left) == (39, 1, 21)
    assert third.breaches
    assert {breach.attack for breach in third.breaches} >= {"differencing"}
    assert third.as_dict()["left"] == 21
    assert "p41" not in str([one.as_dict() for one in (first, second, third)])
