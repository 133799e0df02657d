"""A pickle of a release is what is released, and nothing of the original."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.errors import OutputError

NAMES = [f"zqname{number:02d}" for number in range(13)]
PEOPLE = pa.table(
    {
        "name": NAMES,
        "city": ["Sobral"] * 6 + ["Crato"] * 6 + ["zqalone"],
        "ill": ["flu", "gout"] * 6 + ["zqrare"],
    }
)
ROLES = {"name": cb.identifier(), "city": cb.quasi(max_level=0), "ill": cb.sensitive()}
RECODING = cb.Policy(ROLES, [cb.KAnonymity(3)], recoding={"suppression-limit": 0.1})
SWAP = cb.Policy(ROLES, perturbation={"steps": [{"method": "swap", "attributes": ["ill"]}]})
BUCKETS = cb.Policy(ROLES, [cb.LDiversity("ill", 2)], recoding={"algorithm": "anatomy", "suppression-limit": 0.5})


def there_and_back(release: cb.Release) -> tuple[bytes, Any]:
    content = pickle.dumps(release)
    return content, pickle.loads(content)


def rows(release: cb.Release) -> list[Any]:
    return sorted(map(str, release.to_arrow().to_pylist()))


def test_a_recoding_comes_back_with_its_rows_and_figures_alone() -> None:
    release = cb.anonymize(PEOPLE, RECODING)
    content, found = there_and_back(release)
    assert not [value for value in (*NAMES, "zqalone", "zqrare") if value.encode() in content]
    assert isinstance(found, cb.Release)
    assert rows(found) == rows(release)
    assert (found.levels, found.suppressed, found.metrics) == (release.levels, 1, release.metrics)
    assert (found.columns, found.records, found.policy) == (release.columns, 12, release.policy)
    assert repr(found).removeprefix("Unpickled") == repr(release).removeprefix("Anonymized")
    assert found._repr_html_() == release._repr_html_()
    assert cb.risk(found).uniques == 0
    assert rows(pickle.loads(pickle.dumps(found))) == rows(release)


@pytest.mark.parametrize("make", [lambda: cb.perturb(PEOPLE, SWAP), lambda: cb.anonymize(PEOPLE, BUCKETS)])
def test_other_kinds_come_back_with_the_rows_that_were_drawn(make: Any) -> None:
    release = make()
    content, found = there_and_back(release)
    assert not [name for name in NAMES if name.encode() in content]
    assert rows(found) == rows(release)
    assert set(found.tables()) == set(release.tables())


def test_it_cannot_be_written(tmp_path: Path) -> None:
    _, found = there_and_back(cb.anonymize(PEOPLE, RECODING))
    with pytest.raises(OutputError, match="before it is pickled"):
        found.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()
