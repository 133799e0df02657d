"""Algorithms that put records together: whatever they release is true, and satisfies every model that was asked for."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError
from cobogo.examine.metrics import METRICS
from cobogo.publish.anonymize import prepare, solve
from cobogo.publish.recode.algorithms import ALGORITHMS
from cobogo.publish.recode.partition.space import hilbert_keys
from support.partition_tables import MODELS, K, arrow, broken, classes, policy, tables, untrue

pytestmark = pytest.mark.slow

GENERALIZING = ["mondrian", "mondrian-relaxed", "k-member", "k-similar", "oka", "hilbert", "r-tree"]
STRICT = ["mondrian"]
AGGREGATING = ["mdav"]
ALL = [*GENERALIZING, *AGGREGATING]

some = settings(deadline=None, max_examples=8, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module", autouse=True)
def no_report() -> Any:
    """Releases are written without drawing their reports: they are not looked at here, and take longest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)
        yield


def released(release: cb.Release) -> list[dict[str, Any]]:
    return list(release.to_arrow().to_pylist())


@pytest.mark.parametrize("kind", MODELS)
@some
@given(rows=tables(), limit=st.sampled_from([0.0, 0.2]))
def test_what_is_released_is_true_and_protected(kind: str, rows: list[Any], limit: float) -> None:
    """By every algorithm, over a table that is read and counted once."""
    prepared = prepare(arrow(rows), policy(ALL[0], MODELS[kind], limit))
    for algorithm in ALL:
        note(algorithm)
        try:
            release = solve(prepared, algorithm=ALGORITHMS[algorithm])
        except NoSolution:
            whole = [dict.fromkeys(("place", "age", "sex"), "*") | {"disease": row["disease"]} for row in rows]
            assert broken(kind, rows, whole), "one class of all records would have been a solution"
            continue
        found = released(release)
        assert broken(kind, rows, found) == []
        assert algorithm in AGGREGATING or untrue(rows, found) == []
        assert release.suppressed == len(rows) - len(found) <= limit * len(rows)


@pytest.mark.parametrize("algorithm", STRICT)
@some
@given(rows=tables())
def test_strict_means_that_equal_tuples_stay_together(algorithm: str, rows: list[Any]) -> None:
    found = {row["number"]: row for row in released(cb.anonymize(arrow(rows), policy(algorithm, MODELS["k"])))}
    for together in classes(rows).values():
        assert len(classes([found[row["number"]] for row in together])) == 1


@pytest.mark.parametrize("algorithm", GENERALIZING)
def test_regions_that_cannot_be_joined_are_suppressed_or_in_the_way(algorithm: str) -> None:
    rows = [
        {"number": str(n), "place": "Pina" if n < 2 else "Junco", "age": "20", "sex": "f", "disease": "flu"}
        for n in range(20)
    ]
    bounds = {"place": {"max-level": 2}}
    release = cb.anonymize(arrow(rows), policy(algorithm, [K], 0.1, **bounds))
    assert release.suppressed == 2
    with pytest.raises(NoSolution, match='"place"'):
        cb.anonymize(arrow(rows), policy(algorithm, [K], 0.05, **bounds))


@pytest.mark.parametrize("algorithm", [*ALL, "condensation"])
def test_records_that_no_group_can_hold_are_suppressed_as_far_as_the_limit_goes(algorithm: str) -> None:
    diseases = ["flu"] * 18 + ["flu", "cold", "asthma", "hiv"]
    rows = [
        {"number": str(n), "place": "Pina" if n < 18 else "Junco", "age": "20", "sex": "f", "disease": disease}
        for n, disease in enumerate(diseases)
    ]
    diverse = {"model": "l-diversity", "kind": "recursive", "l": 2, "c": 1.0}
    release = cb.anonymize(arrow(rows), policy(algorithm, [diverse], 0.9))
    assert release.suppressed == 18
    assert sorted(row["disease"] for row in release.to_arrow().to_pylist()) == sorted(diseases[18:])
    with pytest.raises(NoSolution, match=r"smallest suppression-limit that works is 0\.82"):
        cb.anonymize(arrow(rows), policy(algorithm, [diverse], 0.8))


@pytest.mark.parametrize("algorithm", ALL)
def test_fewer_than_k_records_are_no_solution(algorithm: str) -> None:
    rows = [{"number": "1", "place": "Pina", "age": "20", "sex": "f", "disease": "flu"}] * 2
    with pytest.raises(NoSolution, match="2 records"):
        cb.anonymize(arrow(rows), policy(algorithm, [K]))


@pytest.mark.parametrize("algorithm", ALL)
def test_a_model_of_the_whole_table_makes_groups_larger(algorithm: str) -> None:
    rows = [
        {"number": str(n), "place": place, "age": age, "sex": "f", "disease": "flu"}
        for n, (place, age) in enumerate([("Pina", "20"), ("Junco", "33"), ("Centro", "40"), ("Olinda", "39")] * 3)
    ]
    risk = {"model": "average-risk", "max": 0.2}
    found = released(cb.anonymize(arrow(rows), policy(algorithm, [K, risk])))
    assert 1 < len(classes(rows)) == 4
    assert len(classes(found)) / len(found) <= 0.2


@pytest.mark.parametrize("algorithm", ALL)
def test_models_that_look_at_a_population_are_refused(algorithm: str, tmp_path: Path) -> None:
    rows = [{"number": str(n), "place": "Pina", "age": "20", "sex": "f", "disease": "flu"} for n in range(4)]
    population = tmp_path / "everybody.csv"
    population.write_text("place,age,sex\n" + "Pina,20,f\n" * 9, encoding="utf-8")
    asked = {"model": "k-map", "k": 2, "population": str(population)}
    with pytest.raises(PolicyError, match="population"):
        cb.anonymize(arrow(rows), policy(algorithm, [asked]))


@pytest.mark.parametrize("algorithm", GENERALIZING)
def test_people_with_several_records_are_counted_once(algorithm: str) -> None:
    """Six records of two people are no 3-anonymous class."""
    rows = [
        {"number": str(n % 2 if n < 6 else n), "place": "Pina", "age": "20", "sex": "f" if n < 6 else "m",
         "disease": "flu"}
        for n in range(10)
    ]  # fmt: skip
    asked = policy(algorithm, [K], number={"role": "identifier", "publish-unique": False})
    found = released(cb.anonymize(arrow(rows), {**asked, "data": {"unit": "number"}}))
    assert {row["sex"] for row in found} == {"*"}


@pytest.mark.parametrize(("width", "bits"), [(1, 4), (2, 4), (3, 3), (5, 2)])
def test_the_hilbert_curve_visits_every_cell_once_and_steps_to_a_neighbour(width: int, bits: int) -> None:
    cells = np.array(list(itertools.product(range(1 << bits), repeat=width)))
    keys = hilbert_keys(cells, bits)
    assert sorted(keys.tolist()) == list(range(len(cells)))
    along = cells[np.argsort(keys)]
    assert (np.abs(np.diff(along, axis=0)).sum(axis=1) == 1).all()


@given(rows=tables(least=4, most=9))
@settings(some, max_examples=10)
def test_the_runs_of_an_order_are_the_cheapest_there_are(rows: list[Any]) -> None:
    """Against every way to cut the order that the algorithm chose, tried one by one."""
    asked = policy("hilbert", [K])
    asked["attributes"] = {name: a for name, a in asked["attributes"].items() if name in ("number", "age")}
    data = arrow(rows).select(["number", "age"])
    release = cb.anonymize(data, asked)
    order = sorted(rows, key=lambda row: (row["age"] is None, row["age"]))

    def cost(part: list[Any]) -> float:
        ages = {row["age"] for row in part}
        if len(ages) == 1:
            return 0.0
        known = {None if age is None else int(age) // 10 for age in ages}
        everything = {row["age"] for row in rows}
        under = [age for age in everything if len(known) > 1 or (None if age is None else int(age) // 10) in known]
        return len(part) * (len(under) - 1) / max(len(everything) - 1, 1)

    cheapest = min(
        sum(cost(order[a:b]) for a, b in itertools.pairwise([0, *cuts, len(order)]))
        for number in range(3)
        for cuts in itertools.combinations(range(3, len(order) - 2), number)
        if all(b - a >= 3 for a, b in itertools.pairwise([0, *cuts, len(order)]))
    )
    assert release.metrics["loss"] == pytest.approx(cheapest / len(rows))


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "classification"])
def test_every_metric_can_be_asked_for(metric: str) -> None:
    rows = [
        {"number": str(n), "place": place, "age": age, "sex": "f", "disease": "flu"}
        for n, (place, age) in enumerate([("Pina", "20"), ("Pina", "21"), ("Centro", "40"), ("Olinda", "39")] * 2)
    ]
    asked = policy("mondrian-relaxed", [K])
    release = cb.anonymize(arrow(rows), {**asked, "recoding": {**asked["recoding"], "metric": metric}})
    assert release.metrics[release.metric] == release.solution.value
