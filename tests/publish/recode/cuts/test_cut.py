"""Subtree and sibling recodings: what may rise, what it stands for, and which values a search chooses to specialize."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError
from cobogo.examine.metrics import METRICS, measure
from cobogo.examine.metrics.classes import igpl, information_gain
from cobogo.promises.models import Domain, Histogram, Model
from cobogo.promises.models.check import check
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.t_closeness import TCloseness
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.cuts.bottom_up import bottom_up
from cobogo.publish.recode.cuts.cut import CutAssignment, assign_cut
from cobogo.publish.recode.cuts.top_down import top_down
from cobogo.publish.recode.lattice.classic.datafly import datafly
from cobogo.publish.recode.lattice.classic.tagging import samarati
from cobogo.publish.recode.lattice.evaluate import Evaluator
from support.effort import examples
from support.random_tasks import problem_of, tasks
from support.reference import Task

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(100), suppress_health_check=list(HealthCheck))


def labelled(problem: Problem) -> Problem:
    """A label that each tuple has by its first value."""
    table = problem.table
    codes = (table.codes[:, 0] % 2).astype(np.int32)
    domain = Domain("label", ("no", "yes"), np.bincount(codes, table.counts, 2).astype(np.int64))
    histogram = Histogram(np.arange(len(codes) + 1), codes, table.counts, domain)
    return replace(problem, table=replace(table, label=histogram))


def solved(problem: Problem, algorithm: str) -> Assigned | None:
    try:
        if algorithm == "top-down":
            return top_down(labelled(problem))
        return bottom_up(replace(problem, kind=algorithm))
    except NoSolution:
        return None


def models(task: Task, kind: str) -> list[Model]:
    if not task.sensitive or kind == "k":
        return []
    return [TCloseness(attribute="s", t=0.3)] if kind == "t" else [LDiversity(attribute="s", l=2, kind="entropy")]


@some
@given(tasks(), st.sampled_from(["top-down", "subtree", "sibling"]), st.sampled_from(["k", "t", "entropy"]))
def test_what_is_found_satisfies_the_policy_and_is_a_recoding_of_its_kind(
    task: Task, algorithm: str, kind: str
) -> None:
    problem = problem_of(task, also=models(task, kind))
    found = solved(problem, algorithm)
    if found is None:
        if kind == "k":  # where more general is always safer, they fail only where everything does
            with pytest.raises(NoSolution):
                samarati(problem)
        return
    assignment = found.assignment
    assert isinstance(assignment, CutAssignment)
    assert assignment.suppressed <= problem.limit
    assert len(assignment)
    assert assignment.faults() == []
    assert all(verdict.satisfied for verdict in check(problem.models, assignment.classes()))
    for column, (h, cut) in enumerate(zip(problem.hierarchies, assignment.cut, strict=True)):
        assert problem.lowest[column] <= cut.min() <= cut.max() <= problem.highest[column]
        if algorithm != "sibling":
            for leaf, level in enumerate(cut.tolist()):
                assert set(cut[h.maps[level] == h.maps[level][leaf]].tolist()) == {level}
    released = [assignment.released_tuple(number) for number in range(len(assignment))]
    assert len(set(released)) == len(released)
    for tuple_number, owner in enumerate(assignment.owners.tolist()):
        for column, (h, cut) in enumerate(zip(problem.hierarchies, assignment.cut, strict=True)):
            original = problem.table.tuple_labels(tuple_number)[column]
            level = int(cut[h.index[original]])
            if owner >= 0:
                assert released[owner][column] == h.generalize(original, level)


@some
@given(tasks(), st.sampled_from(["top-down", "subtree", "sibling"]))
def test_leaves_are_counted_as_they_are_released(task: Task, algorithm: str) -> None:
    """In plain Python: over the hierarchy's leaves, how many are released as the same label."""
    problem = problem_of(task)
    found = solved(problem, algorithm)
    if found is None:
        return
    assignment = found.assignment
    assert isinstance(assignment, CutAssignment)
    expected = []
    for h, cut in zip(problem.hierarchies, assignment.cut, strict=True):
        labels = Counter(h.generalize(leaf, int(level)) for leaf, level in zip(h.leaves, cut, strict=True))
        column = problem.hierarchies.index(h)
        names = [assignment.released_tuple(number)[column] for number in range(len(assignment))]
        expected.append(sum(labels[name] * size for name, size in zip(names, assignment.sizes.tolist(), strict=True)))
    assert assignment.outcome().leaf_sums.tolist() == expected


@some
@given(tasks(), st.sampled_from(["top-down", "subtree"]))
def test_without_suppression_nothing_more_can_be_specialized(task: Task, algorithm: str) -> None:
    problem = problem_of(replace(task, limit="0"))
    found = solved(problem, algorithm)
    if found is None:
        return
    assignment = found.assignment
    assert isinstance(assignment, CutAssignment)
    for column, (h, cut) in enumerate(zip(problem.hierarchies, assignment.cut, strict=True)):
        labels = [label for level in h.labels for label in level]
        if len(set(labels)) < len(labels):
            return  # values that share a name are released as one: specializing them is another question
        for level in np.unique(cut).tolist():
            for code in np.unique(h.maps[level][cut == level]).tolist():
                here = h.maps[level] == code
                if level > problem.lowest[column] and here[np.unique(problem.leaf_codes[column])].any():
                    finer = [one.copy() for one in assignment.cut]
                    finer[column][here] = level - 1
                    assert not assign_cut(problem, tuple(finer))[1]


@some
@given(tasks(), st.sampled_from(["subtree", "sibling"]))
def test_bottom_up_is_no_worse_than_a_full_domain_recoding_that_is_soon_found(task: Task, kind: str) -> None:
    problem = replace(problem_of(task), kind=kind)
    try:
        node = datafly(problem)
    except NoSolution:
        return
    sign = -1 if problem.metric.maximize else 1
    assert sign * bottom_up(problem).value <= sign * node.value + 1e-9


@some
@given(tasks())
def test_a_cut_is_no_worse_than_the_top(task: Task) -> None:
    """Detail that costs more in suppressed records than it gives back is not bought."""
    problem = problem_of(task)
    found, top = solved(problem, "top-down"), Evaluator(problem).check(problem.highest)
    if found is not None and top.satisfied:
        sign = -1 if problem.metric.maximize else 1
        assert sign * found.value <= sign * top.value + 1e-9


@some
@given(tasks(), st.sampled_from(["top-down", "subtree", "sibling"]))
def test_out_of_time_what_is_found_still_satisfies_the_policy(task: Task, algorithm: str) -> None:
    problem = replace(problem_of(task), kind=algorithm)
    try:
        found = (top_down if algorithm == "top-down" else bottom_up)(problem, time_limit=1e-9)
    except NoSolution:
        with pytest.raises(NoSolution):
            samarati(problem)
        return
    assert found.assignment.suppressed <= problem.limit
    assert all(verdict.satisfied for verdict in check(problem.models, found.assignment.classes()))


# --- the profession, in four kinds ------------------------------------------------------------------------------------

JOBS = {"Any": {"Health": ["Dentist", "Doctor"], "IT": ["Analyst", "Manager"]}}
PEOPLE = pa.table(
    {
        "job": ["Dentist"] * 1 + ["Doctor"] * 1 + ["Analyst"] * 3 + ["Manager"] * 3,
        "pay": ["low", "high", "low", "low", "high", "high", "low", "high"],
    }
)


def release(**recoding: Any) -> cb.Release:
    return cb.anonymize(
        PEOPLE,
        {
            "attributes": {
                "job": {"role": "quasi-identifier", "hierarchy": {"tree": JOBS}},
                "pay": {"role": "sensitive"},
            },
            "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
            "recoding": recoding,
        },
    )


def jobs(made: cb.Release) -> dict[str, int]:
    return dict(Counter(row["job"] for row in made.to_arrow().to_pylist()))


def test_full_domain_raises_every_value() -> None:
    assert jobs(release(algorithm="optimal", kind="full-domain")) == {"Health": 2, "IT": 6}


@pytest.mark.parametrize("asked", [{"algorithm": "bottom-up"}, {"algorithm": "top-down", "label": "pay"}])
def test_subtree_raises_one_branch(asked: dict[str, str]) -> None:
    made = release(**asked, kind="subtree")
    assert jobs(made) == {"Health": 2, "Analyst": 3, "Manager": 3}
    assert made.metrics["iloss"] == pytest.approx(2 / 8 * 1 / 4)
    assert made.levels == {}


def test_sibling_raises_only_those_that_need_it() -> None:
    """Of three in IT, two are rare: they become IT, and the third stays as it is."""
    wide = {"Any": {"Health": ["Dentist", "Doctor"], "IT": ["Analyst", "Manager", "Tester"]}}
    people = pa.table({"job": ["Dentist"] * 4 + ["Doctor"] * 4 + ["Analyst"] + ["Tester"] + ["Manager"] * 5})
    policy: dict[str, Any] = {
        "attributes": {"job": {"role": "quasi-identifier", "hierarchy": {"tree": wide}}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"algorithm": "bottom-up"},
    }
    whole = cb.anonymize(people, policy)
    assert jobs(whole) == {"Dentist": 4, "Doctor": 4, "IT": 7}
    policy["recoding"]["kind"] = "sibling"
    made = cb.anonymize(people, policy)
    assert jobs(made) == {"Dentist": 4, "Doctor": 4, "IT": 2, "Manager": 5}
    assert made.metrics["iloss"] == pytest.approx(2 / 15 * 1 / 5)  # IT stands for two of its three
    assert any('"IT" of "job" stands for 2 of the 3 values' in warning for warning in made.warnings)


def test_cell_raises_single_records() -> None:
    """One of five analysts would be enough company for the only manager: the others may stay analysts."""
    people = pa.table({"job": ["Dentist"] * 4 + ["Doctor"] * 4 + ["Analyst"] * 5 + ["Manager"] * 1})
    policy: dict[str, Any] = {
        "attributes": {"job": {"role": "quasi-identifier", "hierarchy": {"tree": JOBS}}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"algorithm": "local", "kind": "cell"},
    }
    found = jobs(cb.anonymize(people, policy))
    assert found["Dentist"] == found["Doctor"] == 4
    assert all(size >= 2 for size in found.values())
    assert found.get("IT", 0) <= 6


@pytest.mark.parametrize(
    ("algorithm", "kind"), [("optimal", "subtree"), ("bottom-up", "cell"), ("local", "full-domain"), ("ola", "sibling")]
)
def test_a_kind_that_an_algorithm_cannot_make_is_refused(algorithm: str, kind: str) -> None:
    with pytest.raises(PolicyError, match=r"recoding\.kind") as refused:
        release(algorithm=algorithm, kind=kind)
    assert "choose an algorithm that can: " in str(refused.value)


def test_rare_values_are_suppressed_everywhere_and_cannot_be_told_apart() -> None:
    """Without a hierarchy a value is released or suppressed: with kind = sibling, only the rare ones are."""
    people = pa.table({"city": ["Sobral"] * 6 + ["Crato"] * 5 + ["Iguatu"] + ["Quixadá"] + [None] * 4})
    policy: dict[str, Any] = {
        "attributes": {"city": {"role": "quasi-identifier"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"algorithm": "bottom-up", "kind": "sibling"},
    }
    made = cb.anonymize(people, policy)
    cities = Counter(row["city"] for row in made.to_arrow().to_pylist())
    assert cities == {"Sobral": 6, "Crato": 5, "*": 2, None: 4}
    alone = people.filter(pa.compute.not_equal(people["city"], "Quixadá"))
    cities = Counter(row["city"] for row in cb.anonymize(alone, policy).to_arrow().to_pylist())
    assert cities["*"] > 1  # a single suppressed value would be known: it is the one that is missing


# --- what steers them -------------------------------------------------------------------------------------------------


def test_top_down_specializes_what_tells_most_of_the_label_for_the_privacy_it_costs() -> None:
    """With k = 4 one attribute can be specialized. Both cost the same privacy; only one tells of the label."""
    people = pa.table(
        {
            "sex": ["f", "m"] * 4,
            "side": ["l", "l", "r", "r"] * 2,
            "pay": ["low", "low", "high", "high"] * 2,
        }
    )
    policy: dict[str, Any] = {
        "attributes": {
            "sex": {"role": "quasi-identifier"},
            "side": {"role": "quasi-identifier"},
            "pay": {"role": "non-sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 4}]},
        "recoding": {"algorithm": "top-down", "label": "pay"},
    }
    rows = cb.anonymize(people, policy).to_arrow().to_pylist()
    assert {row["side"] for row in rows} == {"l", "r"}
    assert {row["sex"] for row in rows} == {"*"}
    assert information_gain([[4, 0], [0, 4]]) > information_gain([[2, 2], [2, 2]])
    assert igpl([[4, 0], [0, 4]], smallest_before=8, smallest_after=4) > 0


def test_without_a_label_top_down_gives_back_most_detail_first() -> None:
    """Only one of the two can be specialized; the one that weighs more gives back more."""
    people = pa.table({"sex": ["f", "m"] * 4, "side": ["l", "l", "r", "r"] * 2})
    for heavy in ("sex", "side"):
        attributes = {name: {"role": "quasi-identifier", "weight": 1.0 + (name == heavy)} for name in ("sex", "side")}
        models = {"models": [{"model": "k-anonymity", "k": 4}]}
        policy = {"attributes": attributes, "privacy": models, "recoding": {"algorithm": "top-down"}}
        rows = cb.anonymize(people, policy).to_arrow().to_pylist()
        assert {name for name in ("sex", "side") if {row[name] for row in rows} != {"*"}} == {heavy}


@pytest.mark.parametrize("algorithm", ["top-down", "bottom-up"])
def test_a_model_on_a_population_is_refused(algorithm: str, tmp_path: Path) -> None:
    (tmp_path / "everybody.csv").write_text("job,pay\n" + "Doctor,low\nDentist,low\nAnalyst,low\nManager,low\n" * 9)
    policy = {
        "attributes": {"job": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "delta-presence", "max": 0.9, "population": "everybody.csv"}]},
        "recoding": {"algorithm": algorithm, "label": "pay"},
    }
    with pytest.raises(PolicyError, match="needs a population table"):
        cb.anonymize(PEOPLE, cb.Policy.of(policy, home=tmp_path))


@some
@given(tasks())
def test_a_cut_at_one_level_is_measured_as_the_node_that_it_is(task: Task) -> None:
    problem = problem_of(task)
    checked = Evaluator(problem, needs={name for metric in METRICS.values() for name in metric.needs}).check(
        problem.highest
    )
    cut = tuple(
        np.full(len(h.leaves), level, dtype=np.int32)
        for h, level in zip(problem.hierarchies, problem.highest, strict=True)
    )
    assignment, satisfied = assign_cut(problem, cut)
    assert satisfied == checked.satisfied
    if checked.outcome is not None:
        expected = measure(checked.outcome, problem.scale)
        for name, value in measure(assignment.outcome(), problem.scale).items():
            assert value == (None if expected[name] is None else pytest.approx(expected[name], rel=1e-9, abs=1e-9))


# --- values, wherever they occur --------------------------------------------------------------------------------------

TOWNS = {"CE": {"Cariri": ["Crato", "Barbalha"], "Norte": ["Sobral"]}, "PE": {"Mata": ["Goiana", "Olinda"]}}


@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["Crato", "Barbalha", "Sobral", "Goiana", "Olinda", None]), st.sampled_from("fm")),
        min_size=4,
        max_size=30,
    )
)
def test_a_value_is_suppressed_everywhere_or_nowhere(rows: list[tuple[str | None, str]]) -> None:
    """Whatever lies between a town and the top of its hierarchy: it is released as it is, or as *."""
    policy = {
        "attributes": {
            "number": {"role": "non-sensitive", "publish-unique": True},
            "town": {"role": "quasi-identifier", "hierarchy": {"tree": TOWNS, "top": True}},
            "sex": {"role": "quasi-identifier", "max-level": 0},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"algorithm": "bottom-up", "kind": "value", "suppression-limit": 0.3},
    }
    towns, sexes = zip(*rows, strict=True)
    data = pa.table({"number": [str(n) for n in range(len(rows))], "town": pa.array(towns, pa.string()), "sex": sexes})
    try:
        found = cb.anonymize(data, policy).to_arrow().to_pylist()
    except NoSolution:
        return
    assert min(Counter((row["town"], row["sex"]) for row in found).values()) >= 2
    assert all(row["sex"] == rows[int(row["number"])][1] for row in found)
    released: dict[str | None, set[str | None]] = {}
    for row in found:
        released.setdefault(rows[int(row["number"])][0], set()).add(row["town"])
    assert all(values in ({town}, {"*"}) for town, values in released.items())
    if len({town for town, _ in rows}) == len(released) > 1:
        assert sum(values == {"*"} for values in released.values()) != 1, "one alone is the one that is missing"


def test_what_may_not_rise_to_the_top_is_not_suppressed() -> None:
    """max-level below the top allows coarser values, and those are no values of the data."""
    policy: dict[str, Any] = {
        "attributes": {"town": {"role": "quasi-identifier", "hierarchy": {"tree": TOWNS, "top": True}, "max-level": 2}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"algorithm": "bottom-up", "kind": "value"},
    }
    towns = pa.table({"town": ["Crato", "Crato", "Sobral", "Olinda"]})
    with pytest.raises(NoSolution):
        cb.anonymize(towns, policy)
    policy["attributes"]["town"] |= {"max-level": 3}
    assert Counter(cb.anonymize(towns, policy).to_arrow()["town"].to_pylist()) == {"Crato": 2, "*": 2}
    policy["attributes"]["town"] |= {"min-level": 1}
    with pytest.raises(PolicyError, match="min-level"):
        cb.anonymize(towns, policy)
