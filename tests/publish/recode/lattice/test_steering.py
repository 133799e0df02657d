"""Every metric that steers the search: its value by plain counting, its bound, and the optimum it leads to."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.data.hierarchy import Hierarchy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.errors import PolicyError
from cobogo.examine import metrics
from cobogo.examine.metrics import METRICS, REPORTED
from cobogo.examine.metrics.base import Bracketed
from cobogo.promises.models import Domain, Histogram
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import slack
from cobogo.publish.recode.lattice import blocks, search
from cobogo.publish.recode.lattice import walk as lattice
from cobogo.publish.recode.lattice.bounds import Yardstick
from cobogo.publish.recode.lattice.bounds import bounds as lower_bounds
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.search import optimal
from support import reference
from support.effort import examples
from support.reference import Ladder, Levels, Node, Task
from support.searches import assert_bracketed

pytestmark = pytest.mark.slow

NEW = ("entropy", "normalized-entropy", "kl-divergence", "ambiguity", "classification")
some = settings(deadline=None, max_examples=examples(40), suppress_health_check=list(HealthCheck))


# --- the same by counting, record by record ---------------------------------------------------------------------


def value(task: Task, node: Node, metric: str) -> float:
    """One of the new metrics, from its definition. The label is the task's only sensitive attribute."""
    if metric not in NEW:
        exact = reference.value(task, node, metric)
        return math.nan if exact is None else float(exact)
    records, lost = task.records, set(node.suppressed)
    recodings = [ladder.recoding(level) for ladder, level in zip(task.ladders, node.levels, strict=True)]
    under = [ladder.leaves_under(level) for ladder, level in zip(task.ladders, node.levels, strict=True)]
    domain = math.prod(ladder.leaves for ladder in task.ladders)
    match metric:
        case "entropy":
            return sum(bits(task, node, column) for column in range(len(task.ladders)))
        case "normalized-entropy":
            total, weight = 0.0, 0.0
            for column, text in enumerate(task.weights):
                everything = Node(node.levels, {}, list(range(records)))
                full = bits(task, everything, column)
                total += float(text) * (bits(task, node, column) / full if full else 0.0)
                weight += float(text)
            return total / weight
        case "ambiguity":
            total = 0.0
            for number, row in enumerate(task.tuples):
                stands_for = [under[column][recodings[column][leaf]] for column, leaf in enumerate(row)]
                total += domain if number in lost else math.prod(stands_for)
            return total / records
        case "kl-divergence":
            share: dict[Any, float] = Counter()
            for released, members in node.kept.items():
                inside = [
                    [row[0] for row in ladder.rows if row[level] == label]
                    for ladder, level, label in zip(task.ladders, node.levels, released, strict=True)
                ]
                for original in itertools.product(*inside):
                    share[original] += len(members) / records / math.prod(map(len, inside))
            for original in itertools.product(*([row[0] for row in ladder.rows] for ladder in task.ladders)):
                share[original] += len(lost) / records / domain
            assert sum(share.values()) == pytest.approx(1)
            counts = Counter(task.tuples)
            return sum(n / records * math.log(n / records / share[original]) for original, n in counts.items())
    label = task.sensitive["label"]
    right = sum(max(Counter(label[number] for number in members).values()) for members in node.kept.values())
    return (records - right) / records


def bits(task: Task, node: Node, column: int) -> float:
    """−Σ log2(freq(original)/freq(released)) of an attribute."""
    recoding = task.ladders[column].recoding(node.levels[column])
    originals = Counter(row[column] for row in task.tuples)
    released = Counter(recoding[row[column]] for row in task.tuples)
    lost = set(node.suppressed)
    total = 0.0
    for number, row in enumerate(task.tuples):
        shared = task.records if number in lost else released[recoding[row[column]]]
        total -= math.log2(originals[row[column]] / shared)
    return total


# --- random tasks -----------------------------------------------------------------------------------------------


@st.composite
def ladders(draw: st.DrawFn, prefix: str) -> Ladder:
    """A nested hierarchy of height 0 to 3 over one to five leaves."""
    rows = [[f"{prefix}{number}"] for number in range(draw(st.integers(1, 5)))]
    for level in range(1, draw(st.integers(0, 3)) + 1):
        groups = list(dict.fromkeys(row[-1] for row in rows))
        parents = draw(st.lists(st.integers(0, len(groups) - 1), min_size=len(groups), max_size=len(groups)))
        above = {group: f"{prefix}{level}.{parent}" for group, parent in zip(groups, parents, strict=True)}
        for row in rows:
            row.append(above[row[-1]])
    return Ladder(tuple(map(tuple, rows)))


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """A small table with a label, to be made k-anonymous."""
    width = draw(st.integers(1, 3))
    shapes = tuple(draw(ladders("abc"[column])) for column in range(width))
    row = st.tuples(*(st.sampled_from([leaves[0] for leaves in ladder.rows]) for ladder in shapes))
    tuples = tuple(draw(st.lists(row, min_size=1, max_size=20)))
    label = draw(st.lists(st.sampled_from(["x", "y", None]), min_size=len(tuples), max_size=len(tuples)))
    return Task(
        tuples=tuples,
        ladders=shapes,
        sensitive={"label": tuple(label)},
        ks=(draw(st.integers(1, 4)),),
        metric=draw(st.sampled_from(NEW)),
        limit=draw(st.sampled_from(["0", "0.2", "0.5", "1"])),
        weights=tuple(draw(st.lists(st.sampled_from(["1", "0.5", "3"]), min_size=width, max_size=width))),
        lowest=tuple(draw(st.integers(0, min(1, ladder.height))) for ladder in shapes),
        highest=(None,) * width,
    )


def problem_of(task: Task, metric: str | None = None) -> Problem:
    """The same task as the search takes it."""
    names = tuple("abc"[: len(task.ladders)])
    hierarchies = tuple(
        Hierarchy.from_columns(name, list(zip(*ladder.rows, strict=True)))
        for name, ladder in zip(names, task.ladders, strict=True)
    )
    values = {name: tuple(dict.fromkeys(row[column] for row in task.tuples)) for column, name in enumerate(names)}
    members: dict[Any, list[int]] = {}
    for number, row in enumerate(task.tuples):
        members.setdefault(row, []).append(number)
    label = task.sensitive["label"]
    labels = tuple(dict.fromkeys(label))
    counts = [Counter(labels.index(label[number]) for number in group) for group in members.values()]
    table = FrequencyTable(
        quasi_identifiers=names,
        values=values,
        codes=np.array(
            [[values[name].index(row[column]) for column, name in enumerate(names)] for row in members], dtype=np.int32
        ),
        counts=np.array([len(group) for group in members.values()]),
        histograms={},
        label=Histogram(
            offsets=np.cumsum([0, *map(len, counts)]),
            values=np.array([code for count in counts for code in count], dtype=np.int32),
            counts=np.array([number for count in counts for number in count.values()]),
            domain=Domain("label", labels, np.array([label.count(value) for value in labels])),
        ),
    )
    return Problem(
        table=table,
        hierarchies=hierarchies,
        models=tuple(KAnonymity(k) for k in task.ks),
        metric=METRICS[metric or task.metric],
        limit=task.allowed,
        lowest=task.lowest,
        highest=tuple(h.height for h in hierarchies),
        weights=tuple(map(float, task.weights)),
    )


# --- what must hold ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", NEW)
@some
@given(task=tasks())
def test_the_value_of_every_node_is_what_counting_gives(metric: str, task: Task) -> None:
    evaluator = Evaluator(problem_of(task, metric))
    for node in reference.solutions(task):
        assert evaluator.check(node.levels).value == pytest.approx(value(task, node, metric), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
@some
@given(task=tasks())
def test_no_solution_is_better_than_its_bound_and_bounds_only_get_worse_upwards(metric: str, task: Task) -> None:
    problem = problem_of(task, metric)
    nodes = list(task.nodes())
    bounds = dict(zip(nodes, lower_bounds(problem, np.array(nodes, dtype=np.int64)).tolist(), strict=True))
    for node in reference.solutions(task):
        cost = value(task, node, metric) * (-1 if METRICS[metric].maximize else 1)
        assert bounds[node.levels] <= cost + 10 * slack(cost)
    for node in nodes:
        for above in lattice.successors(node, problem.highest):
            assert bounds[above] >= bounds[node] - 10 * slack(bounds[node])


@pytest.mark.parametrize("metric", [name for name, metric in METRICS.items() if isinstance(metric, Bracketed)])
@some
@given(task=tasks())
def test_no_solution_is_better_than_what_nodes_below_and_above_it_say(metric: str, task: Task) -> None:
    problem = problem_of(task, metric)
    evaluator = Evaluator(problem)
    assert_bracketed(Yardstick(problem), {levels: evaluator.check(levels) for levels in task.nodes()})


@pytest.mark.parametrize("metric", ["aecs", "c_avg", "classification"])
@some
@given(task=tasks(), cells=st.sampled_from([6, 160]))
def test_nodes_that_are_counted_together_are_what_each_is_alone(metric: str, cells: int, task: Task) -> None:
    problem = problem_of(task, metric)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "ROWS", 0)
        patch.setattr(blocks, "CELLS", cells)
        patch.setattr(blocks, "STRIP", 3)
        inner = blocks.inner_columns(problem)
        if not inner or not blocks.can_be_counted(problem):
            return
        counted, evaluator, yardstick = blocks.Blocks(problem, inner), Evaluator(problem), Yardstick(problem)
        for levels in task.nodes():
            block, alone = counted.count(levels), evaluator.check(levels)
            number = block.shape.numbers[counted.inner_levels(levels)]
            together = counted.checked(block, levels, number)
            assert (together.levels, together.satisfied) == (alone.levels, alone.satisfied)
            assert (together.value, together.failing_records) == pytest.approx(
                (alone.value, alone.failing_records), nan_ok=True
            )
            if not alone.hopeless:
                assert alone.spread is not None
                said = yardstick.bracket(alone.spread, alone.floor)
                of_all = yardstick.bracket(block.spread, block.floor)
                assert [float(bounds[number]) for bounds in of_all] == pytest.approx(list(map(float, said)))
        with contextlib.suppress(cb.CobogoError):
            assert optimal(problem).levels == optimal(problem, time_limit=600).levels


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("metric", NEW)
@some
@given(task=tasks())
def test_the_search_finds_what_looking_at_every_node_finds(metric: str, sparse: bool, task: Task) -> None:
    costs: dict[Levels, float] = {n.levels: value(task, n, metric) for n in reference.solutions(task)}
    problem = problem_of(task, metric)
    with pytest.MonkeyPatch.context() as patch:
        if sparse:
            patch.setattr(search, "DENSE_AT_MOST", 0)
        if not costs:
            with pytest.raises(cb.CobogoError):
                optimal(problem, time_limit=600)
            return
        solution = optimal(problem, time_limit=600)
    best = min(costs.values())
    near = [levels for levels, cost in costs.items() if cost <= best + 1e-9 * max(1, best)]
    assert solution.optimal
    assert solution.levels in near
    assert solution.chosen.value == pytest.approx(best, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_bounds_hold_where_there_are_more_combinations_than_whole_numbers(metric: str) -> None:
    """Two hundred records, each with its own value of each of forty attributes: 200^40 combinations."""
    width, size = 40, 200
    rows = [tuple(f"v{(number * (column + 1)) % size}" for column in range(width)) for number in range(size)]
    frame = pa.table({f"q{column}": [row[column] for row in rows] for column in range(width)} | {"label": ["x"] * size})
    content = {
        "attributes": {
            f"q{column}": {"role": "quasi-identifier", "max-level": int(column < 3)} for column in range(width)
        }
        | {"label": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 1}]},
        "recoding": {"metric": metric, "label": "label"},
    }
    problem = cb.anonymize(frame, content).problem
    nodes = list(itertools.product(*(range(high + 1) for high in problem.highest)))
    bounds = lower_bounds(problem, np.array(nodes, dtype=np.int64))
    sign = -1 if METRICS[metric].maximize else 1
    for node, bound in zip(nodes, bounds.tolist(), strict=True):
        cost = sign * Evaluator(problem).check(node).value
        assert bound <= cost + 10 * slack(cost)


# --- by hand ----------------------------------------------------------------------------------------------------

PEOPLE = pa.table(
    {
        "age": ["31", "32", "33", "34", "51", "52"],
        "sex": ["F", "F", "M", "M", "F", "M"],
        "label": ["no", "no", "yes", "no", "yes", "yes"],
    }
)


def policy(**recoding: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10]}, "min-level": 1},
            "sex": {"role": "quasi-identifier", "max-level": 0},
            "label": {"role": "non-sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"suppression-limit": 0.5, **recoding},
    }


def test_a_table_worked_out_on_paper() -> None:
    """Classes (30-39, F) and (30-39, M) of two stay; the two of 50-59, alone in theirs, are suppressed."""
    measured = cb.anonymize(PEOPLE, policy(label="label")).metrics
    # age: six values that occur once; 30-39 is shared by four, * by six. sex: kept (three), or * shared by six.
    assert measured["entropy"] == pytest.approx(4 * 2 + 2 * math.log2(6) + 2 * 1)
    shares = (4 * 2 + 2 * math.log2(6)) / (6 * math.log2(6)), 2 / 6
    assert measured["normalized-entropy"] == pytest.approx(sum(shares) / 2)
    # Four leaves in 30-39, one of each sex; six ages and two sexes in all.
    assert measured["ambiguity"] == pytest.approx((4 * 4 + 2 * 12) / 6)
    kept, starred = 2 / 6 / 4 + 2 / 6 / 12, 2 / 6 / 12
    assert measured["kl-divergence"] == pytest.approx(
        4 / 6 * math.log(1 / 6 / kept) + 2 / 6 * math.log(1 / 6 / starred)
    )
    # (30-39, F) is all "no"; (30-39, M) has one of each; two are suppressed.
    assert measured["classification"] == pytest.approx((0 + 1 + 2) / 6)


def test_without_a_label_there_is_no_classification() -> None:
    assert cb.anonymize(PEOPLE, policy()).metrics["classification"] is None


def test_the_label_steers_what_is_kept() -> None:
    """Sex tells the label and place does not: the metric gives up the place, whatever the detail in it."""
    rows = [("F", "yes", "ab"[n % 2]) for n in range(6)] + [("M", "no", "ab"[n % 2]) for n in range(6)]
    sex, label, place = zip(*rows, strict=True)
    frame = pa.table({"sex": sex, "place": place, "label": label})
    content = {
        "attributes": {
            "sex": {"role": "quasi-identifier"},
            "place": {"role": "quasi-identifier"},
            "label": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 4}]},
        "recoding": {"metric": "classification", "label": "label"},
    }
    release = cb.anonymize(frame, content)
    assert release.levels == {"sex": 0, "place": 1}
    assert release.metrics["classification"] == 0


def test_records_are_classified_even_where_people_are_counted() -> None:
    """Two people with three records each: every record has a label of its own to be predicted."""
    frame = pa.table({"who": list("aaabbb"), "age": ["1"] * 6, "label": ["x", "x", "x", "y", "y", "x"]})
    content = {
        "data": {"unit": "who"},
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier"},
            "label": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"metric": "classification", "label": "label"},
    }
    assert cb.anonymize(frame, content).metrics["classification"] == pytest.approx(2 / 6)


# --- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REPORTED)
def test_what_is_measured_afterwards_cannot_steer(name: str) -> None:
    with pytest.raises(PolicyError, match=r"is measured on a finished release") as refused:
        cb.anonymize(PEOPLE, policy(metric=name))
    assert all(known in str(refused.value) for known in METRICS)


def test_classification_needs_a_label() -> None:
    with pytest.raises(PolicyError, match="the metric classification needs a label to predict, and the"):
        cb.anonymize(PEOPLE, policy(metric="classification"))
    assert metrics.find_metric("classification", label="label").name == "classification"


@pytest.mark.parametrize(
    ("label", "words"),
    [("age", "the label 'age' has the role quasi-identifier"), ("agge", "the label 'agge' is not an attribute")],
)
def test_a_label_is_a_column_that_is_released_as_it_is(label: str, words: str) -> None:
    with pytest.raises(PolicyError, match=words) as refused:
        cb.anonymize(PEOPLE, policy(label=label))
    assert "recoding.label" in str(refused.value)
