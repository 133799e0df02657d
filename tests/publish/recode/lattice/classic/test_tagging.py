"""Datafly, Samarati, Incognito, OLA and the genetic search: what each promises, against an exhaustive search."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution, SearchTooLarge
from cobogo.examine.metrics import METRICS
from cobogo.promises.models import Classes, Model
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.risk import AverageRisk
from cobogo.promises.models.t_closeness import TCloseness
from cobogo.publish.recode.algorithms import ALGORITHMS
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import Checked, Solution, rank_nodes
from cobogo.publish.recode.lattice.classic import tagging as survey
from cobogo.publish.recode.lattice.classic.datafly import datafly
from cobogo.publish.recode.lattice.classic.genetic import genetic
from cobogo.publish.recode.lattice.classic.incognito import incognito
from cobogo.publish.recode.lattice.classic.tagging import ola, samarati
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.search import optimal
from support import reference
from support.effort import examples
from support.random_tasks import problem_of, tasks
from support.reference import Task

pytestmark = pytest.mark.slow

MINIMAL = [incognito, ola]
CLASSIC = [datafly, samarati, incognito, ola, genetic]

some = settings(deadline=None, max_examples=examples(120), suppress_health_check=list(HealthCheck))
few = settings(deadline=None, max_examples=examples(80), suppress_health_check=list(HealthCheck))


def attempted(algorithm: Any, problem: Problem, **options: float) -> Solution | str:
    """What an algorithm finds, or what it says where it finds nothing."""
    try:
        return algorithm(problem, **options)
    except NoSolution as refused:
        return str(refused)


def below(one: Levels, other: Levels) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def minimal(nodes: Sequence[reference.Node]) -> list[reference.Node]:
    return [node for node in nodes if not any(below(other.levels, node.levels) for other in nodes)]


def examine(task: Task, algorithm: str, candidates: Sequence[reference.Node]) -> None:
    """The algorithm finds the best of these, or says that there is none."""
    expected = reference.optimum(task, candidates)
    if expected is None:
        with pytest.raises(NoSolution, match="no recoding"):
            ALGORITHMS[algorithm](problem_of(task))
        return
    found = ALGORITHMS[algorithm](problem_of(task))
    assert found.levels == expected.levels
    assert found.value == pytest.approx(float(reference.value(task, expected, task.metric) or 0), rel=1e-9, abs=1e-9)
    if found.optimal:
        assert found.levels == (reference.optimum(task) or expected).levels


@some
@given(tasks())
def test_incognito_and_ola_find_the_best_of_the_minimal_nodes(task: Task) -> None:
    candidates = minimal(reference.solutions(task))
    for algorithm in ("incognito", "ola"):
        examine(task, algorithm, candidates)


@some
@given(tasks())
def test_samarati_finds_the_best_of_the_lowest_nodes(task: Task) -> None:
    nodes = reference.solutions(task)
    least = min((sum(node.levels) for node in nodes), default=0)
    examine(task, "samarati", [node for node in nodes if sum(node.levels) == least])


@few
@given(tasks())
def test_by_height_samarati_and_the_optimal_search_agree(task: Task) -> None:
    problem = replace(problem_of(task), metric=METRICS["height"])
    if reference.optimum(task) is not None:
        assert samarati(problem).levels == optimal(problem).levels
        assert samarati(problem).optimal


@few
@given(tasks(), st.sampled_from([name for name in METRICS if name not in ("classification", "c_avg")]))
def test_without_suppression_they_agree_with_the_optimal_search_by_every_metric(task: Task, metric: str) -> None:
    problem = replace(problem_of(replace(task, limit="0")), metric=METRICS[metric])
    try:
        best = optimal(problem)
    except NoSolution:
        return
    for algorithm in MINIMAL:
        found = algorithm(problem)
        assert found.optimal
        assert found.levels == best.levels
        assert not found.notes


@few
@given(tasks())
def test_datafly_raises_what_has_most_distinct_values(task: Task) -> None:
    """By its definition, in plain Python: the first node on its way that satisfies the policy."""
    ladders = task.full_ladders()
    *_, top = task.nodes()
    levels = next(iter(task.nodes()))
    found = {node.levels: node for node in reference.solutions(task)}
    while levels not in found and levels != top:
        distinct = [
            len({ladder.recoding(level)[row[column]] for row in task.tuples}) / float(task.weights[column])
            for column, (ladder, level) in enumerate(zip(ladders, levels, strict=True))
        ]
        free = [column for column, level in enumerate(levels) if level < top[column]]
        chosen = max(free, key=lambda column: distinct[column])
        levels = tuple(level + (column == chosen) for column, level in enumerate(levels))
    if levels in found:
        assert datafly(problem_of(task)).levels == levels
    else:
        with pytest.raises(NoSolution):
            datafly(problem_of(task))


@few
@given(tasks())
def test_the_genetic_search_does_no_worse_than_datafly_and_no_step_down_is_better(task: Task) -> None:
    problem = problem_of(task)
    nodes = reference.solutions(task)
    if not nodes:
        with pytest.raises(NoSolution):
            genetic(problem)
        return
    found = genetic(problem)
    assert found.levels == genetic(problem).levels
    assert found.levels in [node.levels for node in nodes]
    sign = -1 if problem.metric.maximize else 1
    assert sign * found.value <= sign * datafly(problem).value + 1e-9
    for node in nodes:
        if sum(node.levels) == sum(found.levels) - 1 and below(node.levels, found.levels):
            value = reference.value(task, node, task.metric)
            assert value is not None
            assert sign * found.value <= sign * float(value) + 1e-9


# --- models that generalization can break -----------------------------------------------------------------------------


def every(problem: Problem) -> list[Checked]:
    """All nodes that satisfy the policy, each checked on its own."""
    ranges = [range(low, high + 1) for low, high in zip(problem.lowest, problem.highest, strict=True)]
    checked = [Evaluator(problem).check(levels) for levels in itertools.product(*ranges)]
    return [node for node in checked if node.satisfied]


@dataclass(frozen=True)
class AtMost(Model):
    """No class is larger than this: what generalization breaks sooner or later."""

    most: int
    name: ClassVar[str] = "at-most"

    def measure(self, classes: Classes) -> Any:
        return -classes.sizes.astype(float)

    def holds(self, classes: Classes, measured: Any) -> Any:
        return measured >= -self.most


KINDS = ["entropy", "recursive", "t", "both", "average", "at most"]


@few
@given(tasks(), st.sampled_from(KINDS), st.sampled_from([0.1, 0.3, 0.6]))
def test_with_models_that_may_break_upwards_nothing_is_overlooked(task: Task, kind: str, t: float) -> None:
    task = task if task.sensitive else replace(task, sensitive={"s": ("x", "y", "x", "z", "x") * task.records})
    task = replace(task, sensitive={name: values[: task.records] for name, values in task.sensitive.items()})
    also: list[Model] = []
    if kind in ("recursive", "t", "both"):
        also.append(TCloseness(attribute="s", t=t))
    if kind == "recursive":
        also.append(LDiversity(attribute="s", l=2, kind="recursive", c=2.0))
    if kind in ("entropy", "both"):
        also.append(LDiversity(attribute="s", l=2, kind="entropy"))
    if kind == "average":
        also.append(AverageRisk(max=t))
    if kind == "at most":
        also.append(AtMost(int(10 * t)))
    problem = problem_of(task, also=also)
    nodes = every(problem)
    lowest = [n for n in nodes if not any(below(other.levels, n.levels) for other in nodes)]
    least = min((sum(node.levels) for node in nodes), default=0)
    expected = {
        incognito: lowest,
        ola: lowest,
        samarati: [node for node in nodes if sum(node.levels) == least],
    }
    for algorithm, candidates in expected.items():
        if not nodes:
            with pytest.raises(NoSolution):
                algorithm(problem)
            continue
        found = algorithm(problem)
        assert found.levels == rank_nodes(candidates, maximize=problem.metric.maximize)[0].levels
    for heuristic in (datafly, genetic):
        answer = attempted(heuristic, problem)
        if isinstance(answer, str):
            assert not nodes or "but one may exist" in answer
        else:
            assert answer.levels in [node.levels for node in nodes]


UNSETTLED = Task(
    tuples=(("a0",),) * 2 + (("a1",),) * 6 + (("a2",),) * 10,
    ladders=(reference.Ladder((("a0", "g", "*"), ("a1", "g", "*"), ("a2", "h", "*"))),),
    sensitive={"s": tuple("xx" + "xxxyyy" + "xxxyyyyyzz")},
    limit="0.12",
)
"""The original values hold with two records suppressed. One step up those two spoil the six that they join."""


@pytest.mark.parametrize("algorithm", [samarati, incognito, ola, genetic])
def test_a_solution_below_a_failure_is_found(algorithm: Any) -> None:
    problem = problem_of(UNSETTLED, also=[LDiversity(attribute="s", l=2, kind="entropy")])
    assert [Evaluator(problem).check((level,)).satisfied for level in range(3)] == [True, False, True]
    assert algorithm(problem).levels == (0,)


@pytest.mark.parametrize("algorithm", [incognito, ola])
def test_it_is_said_that_no_node_was_taken_to_hold_unchecked(algorithm: Any) -> None:
    problem = problem_of(UNSETTLED, also=[LDiversity(attribute="s", l=2, kind="entropy")])
    assert any("every node was checked" in note for note in algorithm(problem).notes)


# --- time and size ----------------------------------------------------------------------------------------------------

LARGE = Task(
    tuples=tuple((f"a{n % 6}", f"b{n % 5}", f"c{n % 4}") for n in range(60)),
    ladders=tuple(
        reference.Ladder(tuple((f"{letter}{n}", f"{letter}{n // 2}x", f"{letter}{n // 4}y", "*") for n in range(6)))
        for letter in "abc"
    ),
    ks=(5,),
)


@pytest.mark.parametrize("algorithm", [samarati, incognito, ola, genetic])
def test_without_time_nothing_is_claimed(algorithm: object) -> None:
    answer = attempted(algorithm, problem_of(LARGE), time_limit=1e-9)
    assert "time limit" in answer if isinstance(answer, str) else not answer.optimal


@pytest.mark.parametrize("algorithm", [samarati, incognito, ola])
def test_a_lattice_too_large_to_keep_is_refused_with_a_way_out(
    algorithm: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "NODES_AT_MOST", 50)
    with pytest.raises(SearchTooLarge, match="genetic"):
        algorithm(problem_of(LARGE))  # type: ignore[operator]
    assert genetic(problem_of(LARGE)).value >= 0


def test_each_says_what_it_does() -> None:
    for algorithm in CLASSIC:
        assert algorithm.__doc__
        assert "\n\n" in algorithm.__doc__


def test_ola_says_that_suppression_may_make_another_node_better() -> None:
    allowing = problem_of(replace(LARGE, limit="0.1"))
    assert any("optimal" in note for note in ola(allowing).notes)
    assert not ola(allowing).optimal
