"""The k-anonymity paper's tables through the command line: GT3 after GT1 is refused, GT1 with new rows is not.

The history of a data set: who stayed, came and left with each release, what was new, and what it exposes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.publish.registry import store
from cobogo.publish.registry.adopt import adopt
from cobogo.publish.registry.check import history
from support.paths import ROOT
from support.physician_tables import COLUMNS, GT1, GT1_AND_NEW, GT3, GT3_AND_NEW, Row
from support.registry_commands import command

DOCS = (ROOT / "docs" / "registry.md").read_text(encoding="utf-8")
TREES = {  # what is coarser in one release than in the other is a value of its own here, under which the others lie
    "race": "black,person\nwhite,person\nperson,person\n",
    "birth": "1964,1960-69\n1965,1960-69\n1967,1960-69\n1960-69,1960-69\n",
    "sex": "male,human\nfemale,human\nhuman,human\n",
    "zip": "02138,0213*\n02139,0213*\n02141,0214*\n0213*,0213*\n0214*,0214*\n",
}
POLICY = "\n".join(
    [
        '[data]\npath = "NAME.csv"\nunit = "who"\n[attributes]\nwho = { role = "identifier" }',
        *(f'{name} = {{ role = "quasi-identifier", hierarchy = {{ csv = "{name}.tree" }} }}' for name in TREES),
        'problem = { role = "sensitive" }\n[privacy]\nmodels = [{ model = "k-anonymity", k = 2 }]',
        '[registry]\npath = "registry.db"\ndataset = "physicians"\n',
    ]
)


def release(home: Path, name: str, rows: Sequence[Row]) -> int:
    lines = [",".join(("who", *COLUMNS)), *(",".join((str(who), *row)) for who, row in enumerate(rows))]
    (home / f"{name}.csv").write_text("\n".join(lines) + "\n")
    (home / f"{name}.toml").write_text(POLICY.replace("NAME", name))
    return command("anonymize", f"{name}.toml", "--out", name, "--quiet")


def test_gt3_after_gt1_is_refused_and_gt1_with_new_rows_is_not(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, tree in TREES.items():
        (workplace / f"{name}.tree").write_text(tree)
    assert command("registry", "init") == 0
    assert release(workplace, "gt1", GT1) == 0
    assert (workplace / "gt1/public/release.csv").read_text().count("person,1965,female,0213*") == 3
    for name, rows, attack in (("gt3", GT3, "complementary"), ("gt3new", GT3_AND_NEW, "temporal")):
        capsys.readouterr()
        assert release(workplace, name, rows) == 1
        said = capsys.readouterr().err
        assert f"{attack} with physicians-1: exposes 2 people (in both releases); broken: k-anonymity (k = 2)" in said
        assert not (workplace / name).exists()
        assert name != "gt3" or f"```text\n{said}```" in DOCS, "the page shows what is said"
    assert release(workplace, "gt1new", GT1_AND_NEW) == 0
    with store.open_registry("registry.db", None).transaction() as book:
        assert [entry.id for entry in book.entries()] == ["physicians-1", "physicians-2"]


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
