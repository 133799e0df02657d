"""A lattice that is searched in parts has the same best node as one that is searched whole."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.data.engines.duck import DuckDB
from cobogo.data.table.rollup import LevelBox
from cobogo.errors import NoSolution, TableTooLarge
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.publish import anonymize as job
from cobogo.publish.recode import parts
from support.effort import examples

Rows = list[tuple[int, str, str, str]]

pytestmark = pytest.mark.slow


def policy(metric: str, k: int, limit: float, *, diverse: bool = False) -> dict[str, Any]:
    models = [{"model": "k-anonymity", "k": k}, *([{"model": "l-diversity", "l": 2}] if diverse else [])]
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [4, 8], "top": True}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "sex": {"role": "quasi-identifier"},
            "disease": {"role": "sensitive"},
        },
        "privacy": {"models": models},
        "recoding": {"suppression-limit": limit, "metric": metric},
    }


def search(rows: Rows, rules: dict[str, Any], most: int | None) -> Any:
    """The release of some people, where an engine hands over so many counts; None where there is none."""
    import pyarrow as pa

    columns = zip(("age", "zip", "sex", "disease"), zip(*rows, strict=True), strict=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DuckDB, "most_counts", most)
        try:
            return cb.anonymize(pa.table({name: list(values) for name, values in columns}), rules)
        except NoSolution:
            return None


def people(count: int) -> Rows:
    source = random.Random(count)
    ages = [min(source.randrange(16), source.randrange(16)) for _ in range(count)]
    return [(age, source.choice(["11", "12", "21"]), source.choice("fm"), source.choice("abc")) for age in ages]


person = st.tuples(
    st.integers(0, 9), st.sampled_from(["11", "12", "21", "22"]), st.sampled_from("fm"), st.sampled_from("abc")
)


@settings(deadline=None, max_examples=examples(20), suppress_health_check=list(HealthCheck))
@given(
    rows=st.lists(person, min_size=8, max_size=40),
    metric=st.sampled_from(["loss", "discernibility", "entropy", "aecs"]),
    k=st.integers(2, 4),
    limit=st.sampled_from([0.0, 0.1, 0.4]),
    diverse=st.booleans(),
    most=st.integers(4, 20),
)
def test_parts_together_have_the_best_node_of_the_whole(
    rows: Rows, metric: str, k: int, limit: float, diverse: bool, most: int
) -> None:
    rules = policy(metric, k, limit, diverse=diverse)
    whole = search(rows, rules, None)
    try:
        found = search(rows, rules, most)
    except TableTooLarge:
        return  # a single sensitive value more than fits, even at the top
    if found is None or whole is None:
        assert found is whole
    elif found.solution.optimal:
        assert (found.levels, found.suppressed) == (whole.levels, whole.suppressed)
        assert found.solution.nodes == whole.solution.nodes
        assert found.metrics == pytest.approx(whole.metrics)
    else:
        assert any("were not searched" in warning for warning in found.warnings)
        assert found.solution.bound is None


def test_what_is_ruled_out_is_counted_and_the_rest_is_searched() -> None:
    rows, rules = people(400), policy("loss", 5, 0.05)
    found = search(rows, rules, 150)
    assert found.solution.optimal
    assert found.levels == search(rows, rules, None).levels
    (said,) = [warning for warning in found.warnings if "ruled out" in warning]
    assert "more than 20 records in classes of fewer than 5" in said


def test_a_search_that_may_not_count_further_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_COUNTS", 1)
    found = search(people(400), policy("loss", 5, 0.05), 150)
    assert not found.solution.optimal
    assert found.solution.gap is None


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=4), st.data())
def test_the_parts_of_a_box_are_disjoint_and_make_it_up(ranges: list[tuple[int, int]], data: st.DataObject) -> None:
    box = LevelBox(tuple(map(min, ranges)), tuple(map(max, ranges)))
    if box.divisible:
        upper, lower = box.split(data.draw(st.sampled_from(box.divisible)))
        assert upper.nodes + lower.nodes == box.nodes
        assert not LevelBox(tuple(map(max, upper.lowest, lower.lowest)), lower.highest).nodes


def test_a_problem_that_was_changed_after_counting_is_searched_in_parts_as_it_is_now() -> None:
    """The frontier counts once, and searches under one k after the other."""
    import pyarrow as pa

    ages, zips, sexes, diseases = zip(*people(400), strict=True)
    table = pa.table({"age": ages, "zip": zips, "sex": sexes, "disease": diseases})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DuckDB, "most_counts", 150)
        prepared = job.prepare(table, policy("loss", 2, 0.05))
        strict = replace(prepared, problem=prepared.problem.replace_models([KAnonymity(12)]))
        found = job.solve(strict)
    assert found.levels == search(people(400), policy("loss", 12, 0.05), None).levels
    assert found.problem.models == (KAnonymity(12),)
