"""Cell suppression: what μ-Argus leaves open and how it is completed; whether a suppressed cell is given away."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError
from cobogo.promises.models import Model
from cobogo.promises.models.check import check
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.t_closeness import TCloseness
from cobogo.publish.recode.cells.mu_argus import TOGETHER, mu_argus
from cobogo.publish.recode.cells.recovery import count_recoverable, hide_recoverable
from cobogo.publish.recode.contract.assignment import Assignment, leaf_tuples
from cobogo.publish.recode.lattice.classic.tagging import samarati
from support.effort import examples
from support.random_tasks import problem_of, tasks
from support.reference import Ladder, Task

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(100), suppress_health_check=list(HealthCheck))


def policy(*names: str, k: int = 2, **recoding: Any) -> dict[str, Any]:
    return {
        "attributes": {name: {"role": "quasi-identifier"} for name in names},
        "privacy": {"models": [{"model": "k-anonymity", "k": k}]},
        "recoding": {"algorithm": "mu-argus", **recoding},
    }


def rows_of(made: cb.Release) -> Counter[tuple[str | None, ...]]:
    return Counter(tuple(row.values()) for row in made.to_arrow().to_pylist())


@pytest.mark.parametrize("algorithm", ["mu-argus", "genetic", "optimal"])
def test_no_time_and_many_attributes_are_a_coarse_release(algorithm: str) -> None:
    table = pa.table({f"q{column}": [f"{row * 7**column % 5}" for row in range(12)] for column in range(120)})
    asked = policy(*table.column_names, **{"suppression-limit": 1.0, "time-limit": 1e-9}) | {}
    asked["recoding"]["algorithm"] = algorithm
    assert min(rows_of(cb.anonymize(table, asked)).values()) >= 2


@some
@given(tasks(), st.sampled_from(["k", "t", "entropy"]))
def test_every_model_holds_of_what_mu_argus_finds(task: Task, kind: str) -> None:
    also: list[Model] = []
    if task.sensitive and kind != "k":
        also = [TCloseness(attribute="s", t=0.3) if kind == "t" else LDiversity(attribute="s", l=2, kind="entropy")]
    problem = problem_of(task, also=also)
    try:
        found = mu_argus(problem)
    except NoSolution:
        if kind == "k":  # where more general is always safer, it fails only where everything does
            with pytest.raises(NoSolution):
                samarati(problem)
        return
    assignment = found.assignment
    assert assignment.suppressed <= problem.limit
    assert len(assignment)
    assert all(verdict.satisfied for verdict in check(problem.models, assignment.classes()))
    assert assignment.faults() == []


@some
@given(tasks())
def test_no_combination_of_up_to_three_visible_values_is_rare(task: Task) -> None:
    """What μ-Argus promises by itself: counted in the release, in plain Python, with wildcards matching nothing."""
    problem = problem_of(task)
    if not task.ks:
        return
    try:
        assignment = mu_argus(problem).assignment
    except NoSolution:
        return
    width = range(len(problem.hierarchies))
    for size in range(1, TOGETHER + 1):
        for chosen in itertools.combinations(width, size):
            seen: Counter[tuple[str | None, ...]] = Counter()
            for number in range(len(assignment)):
                row = assignment.released_tuple(number)
                seen[tuple(row[column] for column in chosen)] += int(assignment.sizes[number])
            assert all(count >= max(task.ks) for count in seen.values())


def test_four_attributes_together_are_completed_and_it_says_so() -> None:
    """Each combination of three values is shared by two, and each of four by nobody: μ-Argus alone sees no harm."""
    people = pa.table(dict(zip("abcd", zip(*itertools.product(["0", "1"], repeat=4), strict=True), strict=True)))
    made = cb.anonymize(people, policy("a", "b", "c", "d"))
    assert all(count >= 2 for count in rows_of(made).values())
    assert any("would leave 16 records in classes that break a model" in warning for warning in made.warnings)
    assert made.suppressed == 0


def test_a_rare_value_is_suppressed_in_its_own_record_only() -> None:
    people = pa.table({"a": ["x"] * 4 + ["y"] * 4, "b": ["1", "1", "1", "2", "1", "1", "1", "1"]})
    released = rows_of(cb.anonymize(people, policy("a", "b", **{"suppression-limit": 0.2})))
    assert released[("x", "1")] == 3
    assert released[("y", "1")] == 4


def test_the_highest_level_allowed_is_kept_to() -> None:
    """Where a top level is not allowed, nothing can be suppressed there; too little is left to do, and it says so."""
    asked = policy("a", "b", k=3)
    asked["attributes"]["a"]["max-level"] = 0
    people = pa.table({"a": ["x", "x", "y", "y"], "b": ["1", "2", "1", "2"]})
    with pytest.raises(NoSolution, match='"a"'):
        cb.anonymize(people, asked)


def test_a_metric_that_overlapping_classes_do_not_have_is_refused() -> None:
    people = pa.table({"a": ["x", "x", "y", "y"]})
    with pytest.raises(PolicyError, match=r"recoding\.metric"):
        cb.anonymize(people, policy("a", metric="kl-divergence"))


# --- what the rest gives away -----------------------------------------------------------------------------------------


def released(rows: list[tuple[str, str]], starred: list[tuple[bool, bool]]) -> Assignment:
    """A release of distinct tuples in which some cells are suppressed."""
    ladders = tuple(Ladder(tuple((value, "*") for value in sorted({row[n] for row in rows}))) for n in range(2))
    problem = problem_of(Task(tuples=tuple(rows), ladders=ladders, ks=(1,)))
    levels = np.array(starred, dtype=np.int32)
    numbers = np.arange(len(rows))
    return Assignment(problem, levels, leaf_tuples(problem), numbers, numbers, np.ones(len(rows), dtype=np.int64))


def test_a_cell_that_all_alike_show_is_given_away() -> None:
    """The postal code tells the city: to suppress the city in one record hides nothing."""
    rows = [("60020", "Fortaleza"), ("60020", "Fortaleza "), ("62010", "Sobral")]
    some_cells = [(False, False), (False, True), (False, True)]
    assert count_recoverable(released(rows, some_cells)) == {}  # the guess would be wrong: it is another value
    twins = problem_of(
        Task(
            tuples=(("60020", "Fortaleza"),) * 2 + (("62010", "Sobral"), ("62010", "Crato")),
            ladders=(
                Ladder((("60020", "*"), ("62010", "*"))),
                Ladder((("Fortaleza", "*"), ("Sobral", "*"), ("Crato", "*"))),
            ),
            ks=(1,),
        )
    )
    levels = np.array([[0, 0], [0, 1]], dtype=np.int32)
    leaves = leaf_tuples(twins)
    shown = Assignment(
        twins,
        np.vstack([levels, [[0, 1]]]).astype(np.int32),
        leaves[[0, 0, 1]],
        np.array([0, 0, 1, 2]),
        np.array([0, 1, 2, 2]),
        np.array([1, 1, 1, 1]),
    )
    assert count_recoverable(shown) == {"b": 1}


def test_the_only_value_that_is_missing_is_given_away() -> None:
    rows = [("1", "Sobral"), ("2", "Crato"), ("3", "Iguatu")]
    assert count_recoverable(released(rows, [(True, False), (True, False), (True, True)])) == {"b": 1}
    assert count_recoverable(released(rows, [(True, False), (True, True), (True, True)])) == {}


def filled_in(rows: list[dict[str, Any]], columns: list[str], truth: dict[str, dict[str, Any]]) -> dict[str, int]:
    """The suppressed cells that a reader fills in rightly, most of the time, in plain Python: where all rows that are
    like this one in everything else show one value, or where one value alone is hidden and shown nowhere."""
    found: Counter[str] = Counter()
    for column in columns:
        others = [name for name in columns if name != column]
        shown: dict[tuple[Any, ...], set[Any]] = {}
        hidden: dict[tuple[Any, ...], list[Any]] = {}
        for row in rows:
            key = tuple(row[name] for name in others)
            if row[column] == "*":
                hidden.setdefault(key, []).append(truth[row["number"]][column])
            else:
                shown.setdefault(key, set()).add(row[column])
        for key, values in hidden.items():
            if len(shown.get(key, ())) == 1:
                right = values.count(next(iter(shown[key])))
                found[column] += right if 2 * right > len(values) else 0
        everything = {row[column] for row in truth.values()}
        secrets = {value for values in hidden.values() for value in values}
        if (
            len(everything) > 1
            and len(secrets) == 1
            and everything - {v for vs in shown.values() for v in vs} == secrets
        ):
            found[column] += sum(map(len, hidden.values()))
    return {name: count for name, count in found.items() if count}


@pytest.mark.parametrize("algorithm", ["mu-argus", "local"])
@settings(some, max_examples=examples(20))
@given(
    rows=st.lists(st.tuples(*(st.sampled_from("xyz"),) * 3), min_size=4, max_size=24),
    k=st.sampled_from([2, 3]),
    limit=st.sampled_from([0.0, 0.2]),
)
def test_no_suppressed_cell_can_be_told_from_the_rest(algorithm: str, rows: list[Any], k: int, limit: float) -> None:
    truth = {str(n): dict(zip("abc", row, strict=True)) for n, row in enumerate(rows)}
    asked = policy("a", "b", "c", k=k, algorithm=algorithm, **{"suppression-limit": limit, "time-limit": 0.3})
    asked["attributes"]["number"] = {"role": "non-sensitive", "publish-unique": True}
    data = pa.table({"number": list(truth), **{name: [row[name] for row in truth.values()] for name in "abc"}})
    try:
        found = cb.anonymize(data, asked).to_arrow().to_pylist()
    except NoSolution:
        return
    assert filled_in(found, list("abc"), truth) == {}
    classes = Counter(tuple(row[name] for name in "abc") for row in found)
    assert min(classes.values()) >= k
    assert all(row[name] in ("*", truth[row["number"]][name]) for row in found for name in "abc")


def test_a_cell_that_hides_nothing_is_released_and_one_that_hides_little_takes_another_with_it() -> None:
    rows = [("60020", "Fortaleza")] * 4 + [("62010", "Sobral"), ("62010", "Sobral"), ("62010", "Crato")]
    task = Task(
        tuples=tuple(rows),
        ladders=(
            Ladder((("60020", "*"), ("62010", "*"))),
            Ladder((("Fortaleza", "*"), ("Sobral", "*"), ("Crato", "*"))),
        ),
        ks=(1,),
    )
    problem = problem_of(task)
    leaves = leaf_tuples(problem)
    shown = Assignment(
        problem,
        np.array([[0, 0], [0, 1], [0, 0], [0, 1]], dtype=np.int32),
        leaves[[0, 0, 1, 1]],
        np.array([0, 0, 1, 1, 2]),
        np.array([0, 1, 2, 3, 3]),
        np.array([2, 2, 1, 1, 1]),
    )
    assert count_recoverable(shown) == {"b": 2}  # of Sobral and Crato, half are Sobral: nobody can tell
    repaired, notes = hide_recoverable(shown)
    assert count_recoverable(repaired) == {}
    assert {repaired.released_tuple(n): int(size) for n, size in enumerate(repaired.sizes)} == {
        ("60020", "Fortaleza"): 4, ("62010", "Sobral"): 1, ("62010", "*"): 2,
    }  # fmt: skip
    assert "2 suppressed cells could be deduced" in notes[0]
