"""What a choice gives away: against the exact beliefs of all tables, on small ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.promises.models.m_confidentiality import beliefs

pytestmark = pytest.mark.slow

HALF = {"model": "alpha-k-anonymity", "attribute": "d", "alpha": 0.5, "k": 1}
TREE = {"tree": {"Q": ["q1", "q2"]}}


def rules(*models: dict[str, Any], algorithm: str = "optimal") -> dict[str, Any]:
    return {
        "attributes": {"q": {"role": "quasi-identifier", "hierarchy": TREE}, "d": {"role": "sensitive"}},
        "privacy": {"models": list(models)},
        "recoding": {"algorithm": algorithm},
    }


def half(values: Any) -> bool:
    return all(2 * list(values).count(value) <= len(values) for value in set(values))


@pytest.mark.parametrize(
    ("people", "values"),
    [
        (["q1"] * 2 + ["q2"] * 5, ["HIV", "HIV", "flu", "flu", "flu", "a", "b"]),
        (["q1"] * 3 + ["q2"] * 5, ["HIV", "HIV", "a", "flu", "flu", "b", "c", "c"]),
        (["q1"] * 4 + ["q2"] * 4, ["HIV", "HIV", "HIV", "a", "flu", "flu", "b", "c"]),
    ],
    ids=["pair", "three", "four"],
)
def test_it_believes_what_all_tables_together_tell(people: list[str], values: list[str]) -> None:
    table = pa.table({"q": people, "d": values})
    release = cb.anonymize(table, rules(HALF))
    assert release.levels == {"q": 1}
    exact = beliefs(people, values, [{"q1": "q1", "q2": "q2"}, {"q1": "Q", "q2": "Q"}], half)
    found = cb.attack("minimality", release, knowledge=table.select(["q"]), worlds=20_000)
    before = {value: values.count(value) / len(values) for value in values}
    gains = [max(float(person.get(value, 0)) - before[value] for value in before) for person in exact]
    assert found.score.tolist() == pytest.approx(gains, abs=0.05)
    assert found.measures["choices that tell something"] == 1


def test_a_choice_by_sizes_alone_tells_nothing() -> None:
    table = pa.table({"q": ["q1"] * 2 + ["q2"] * 5, "d": ["HIV", "HIV", "flu", "flu", "flu", "a", "b"]})
    release = cb.anonymize(table, rules({"model": "k-anonymity", "k": 3}))
    found = cb.attack("minimality", release, knowledge=table.select(["q"]))
    assert not found.succeeded
    assert found.measures["choices that values may have made"] == 0


def test_nor_does_m_confidentiality() -> None:
    table = pa.table({"q": ["q1"] * 3 + ["q2"] * 3, "d": ["a", "b", "c"] * 2})
    asked = rules({"model": "k-anonymity", "k": 4}, {"model": "m-confidentiality", "m": 3})
    found = cb.attack("minimality", cb.anonymize(table, asked), knowledge=table.select(["q"]))
    assert not found.succeeded


def test_a_local_release_gives_its_choices_away_class_by_class(tmp_path: Path) -> None:
    """Two doctors of one town share a disease: whoever sees them with the others knows why."""
    people = ["q1"] * 2 + ["q2"] * 4
    table = pa.table({"q": people, "d": ["HIV", "HIV", "a", "b", "c", "flu"]})
    cb.anonymize(table, rules(HALF, algorithm="local")).write(tmp_path / "out")
    found = cb.attack("minimality", tmp_path / "out", knowledge=table.select(["q"]), worlds=10_000)
    assert found.measures["people whose class is certain"] == 6
    exact = beliefs(people, table["d"].to_pylist(), [{"q1": "q1", "q2": "q2"}, {"q1": "Q", "q2": "Q"}], half)
    assert float(exact[0]["HIV"]) == 1.0
    assert found.exposed.tolist()[:2] == [1, 2]
    assert found.confidence[:2].tolist() == pytest.approx([1.0, 1.0])


def test_the_models_must_be_known() -> None:
    table = pa.table({"q": ["Q"], "d": ["a"]})
    with pytest.raises(cb.CobogoError, match="needs the models"):
        cb.attack("minimality", table, knowledge=table)
