"""Whatever the algorithm: what it releases is written, read back, and verified by the models' plain checks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import NoSolution
from cobogo.recode.algorithms import ALGORITHMS
from random_tasks import as_built, frame_of, policy_of, tasks
from reference import Task

OURS = ["datafly", "samarati", "incognito", "ola", "genetic", "top-down", "bottom-up", "mu-argus"]

few = settings(deadline=None, max_examples=6, suppress_health_check=list(HealthCheck))


def with_label(frame: pa.Table) -> pa.Table:
    return frame.append_column("label", pa.array([("yes", "no")[n % 2] for n in range(len(frame))]))


@pytest.mark.parametrize("algorithm", OURS)
@few
@given(task=tasks(), extra=st.sampled_from(["none", "t", "entropy"]), star=st.booleans())
def test_its_release_holds(
    algorithm: str, task: Task, extra: str, star: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("release")
    task = as_built(replace(task, metric="loss"))
    policy: dict[str, Any] = policy_of(task, place)
    policy["attributes"]["label"] = {"role": "non-sensitive"}
    policy["recoding"] |= {"algorithm": algorithm, "label": "label"}
    policy["output"] = {"suppressed": "star" if star else "drop"}
    if task.sensitive and extra == "t":
        policy["privacy"]["models"].append({"model": "t-closeness", "attribute": "s", "distance": "equal", "t": 0.4})
    if task.sensitive and extra == "entropy":
        policy["privacy"]["models"].append({"model": "l-diversity", "attribute": "s", "kind": "entropy", "l": 2})
    try:
        release = cb.anonymize(with_label(frame_of(task)), policy)
    except NoSolution:
        return
    assert release.write(place / "out")
    verdict = cb.verify(place / "out")
    assert verdict
    assert release.suppressed <= task.allowed
    assert verdict.records in (task.records, task.records - release.suppressed)


ANY_MODEL: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20], "top": True}},
        "city": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    },
    "privacy": {"models": [{"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "l": 2}]},
}


@pytest.mark.parametrize("algorithm", OURS)
def test_fewer_records_than_k_have_no_solution_and_it_says_why(algorithm: str) -> None:
    people = pa.table({"age": ["20", "30"], "city": ["Sobral", None], "ill": ["flu", "gout"]})
    with pytest.raises(NoSolution) as refused:
        cb.anonymize(people, ANY_MODEL | {"recoding": {"algorithm": algorithm, "label": "ill"}})
    assert "even the most general one has 2 of 2 records" in str(refused.value)
    assert "no suppression limit would help" in str(refused.value)


@pytest.mark.parametrize("algorithm", OURS)
def test_one_distinct_tuple_stays_as_it_is(algorithm: str, tmp_path: Path) -> None:
    people = pa.table({"age": ["20"] * 4, "city": ["Sobral"] * 4, "ill": ["flu", "gout"] * 2})
    release = cb.anonymize(people, ANY_MODEL | {"recoding": {"algorithm": algorithm, "label": "ill"}})
    assert {tuple(row.values())[:2] for row in release.to_arrow().to_pylist()} == {("20", "Sobral")}
    assert release.metrics["loss"] == 0
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")


@pytest.mark.parametrize("algorithm", OURS)
def test_people_are_counted_where_some_have_several_records(algorithm: str, tmp_path: Path) -> None:
    people = pa.table(
        {
            "who": [str(n // 2) for n in range(24)],
            "age": [str(20 + n // 2) for n in range(24)],
            "city": ["Sobral", "Crato"] * 12,
            "ill": ["flu", "flu", "gout", "gout"] * 6,
        }
    )
    policy = ANY_MODEL | {
        "data": {"unit": "who"},
        "attributes": {"who": {"role": "identifier"}, **ANY_MODEL["attributes"]},
        "recoding": {"algorithm": algorithm, "label": "ill"},
    }
    release = cb.anonymize(people, policy)
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    assert release.plan.kept.sizes.min() >= 3


@pytest.mark.parametrize("model", [{"model": "delta-presence", "min": 0.1, "max": 0.7}, {"model": "k-map", "k": 8}])
def test_full_domain_algorithms_serve_models_on_a_population(model: dict[str, Any], tmp_path: Path) -> None:
    cities = ["Sobral", "Crato", "Iguatu", "Sobral", "Crato"]
    rows = [f"{20 + n % 17},{cities[n % 5]},{'flu' if n % 3 else 'gout'}" for n in range(120)]
    (tmp_path / "everybody.csv").write_text("\n".join(["age,city,ill", *rows]) + "\n")
    (tmp_path / "some.csv").write_text("\n".join(["age,city,ill", *rows[::2]]) + "\n")
    policy = ANY_MODEL | {
        "data": {"path": "some.csv"},
        "privacy": {"models": [{**model, "population": "everybody.csv"}, {"model": "k-anonymity", "k": 2}]},
    }
    found = {}
    for algorithm in ("optimal", "datafly", "samarati", "incognito", "ola", "genetic"):
        asked = cb.Policy.of(policy | {"recoding": {"algorithm": algorithm}}, home=tmp_path)
        release = cb.anonymize(asked)
        found[algorithm] = release.levels
        assert release.write(tmp_path / "out")
        assert cb.verify(tmp_path / "out", policy=asked)
    assert found["incognito"] == found["ola"] == found["optimal"]


def test_all_of_them_are_there() -> None:
    assert set(OURS) <= ALGORITHMS.keys()
