"""The survey of a lattice against plain Python: every node, whether it satisfies the policy, and what it costs."""

from __future__ import annotations

import contextlib
import tracemalloc
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.search import optimal
from cobogo.publish.recode.lattice.survey import CELLS, Standing, Survey, _nearest_nodes
from cobogo.studies.exploration import Exploration, explore
from support import reference
from support.effort import examples
from support.random_tasks import frame_of, policy_of, problem_of, tasks
from support.reference import Task

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(40), suppress_health_check=list(HealthCheck))


@some
@given(tasks())
def test_every_node_is_what_plain_python_says(task: Task) -> None:
    problem = problem_of(task)
    survey = Survey(problem, problem.highest)
    survey.explore()
    assert survey.whole
    assert survey.finished
    assert [survey.levels(number) for number in range(len(survey))] == list(task.nodes())
    for number, levels in enumerate(task.nodes()):
        node = reference.at(task, levels)
        good = bool(node.kept) and len(node.suppressed) <= task.allowed
        assert survey.standing[number] == (Standing.SATISFIES if good else Standing.FAILS)
        assert survey.suppressed[number] == len(node.suppressed)
        assert survey.classes[number] == len(node.kept)
        assert survey.smallest[number] == min(node.sizes, default=0)
        if node.kept:
            expected = reference.value(task, node, task.metric)
            assert expected is not None
            assert survey.values[number] == pytest.approx(float(expected), rel=1e-9, abs=1e-9)
        else:
            assert np.isnan(survey.values[number])


@some
@given(tasks())
def test_the_best_of_a_survey_is_what_the_search_finds(task: Task) -> None:
    problem = problem_of(task)
    survey = Survey(problem, problem.lowest)
    survey.explore()
    found = None
    with contextlib.suppress(NoSolution):
        found = optimal(problem).levels
    assert survey.best == found


@some
@given(tasks(), st.booleans())
def test_a_look_and_a_check_agree_on_solutions(task: Task, withholds: bool) -> None:
    problem = replace(problem_of(task), withholds=withholds)
    for levels in task.nodes():
        looked, checked = Evaluator(problem).evaluate(levels), Evaluator(problem).check(levels)
        assert looked.satisfied == checked.satisfied
        if checked.outcome is not None:
            assert looked.value == checked.value
            assert looked.failing_records == checked.failing_records
            assert looked.outcome.suppressed == checked.outcome.suppressed


@some
@given(tasks(), st.integers(1, 30), st.randoms(use_true_random=False))
def test_a_part_of_a_lattice_is_what_lies_nearest(task: Task, most: int, random) -> None:
    problem = problem_of(task)
    everything = list(task.nodes())
    middle = random.choice(everything)
    part = Survey(problem, middle, most=most)
    assert len(part) == min(most, len(everything))
    steps = sorted(sum(abs(a - b) for a, b in zip(middle, node, strict=True)) for node in everything)
    assert sorted(part.distance(middle).tolist()) == steps[: len(part)]
    whole, left = Survey(problem, middle), iter(range(most))
    wanted = np.array(random.sample(range(len(whole)), random.randint(0, min(most, len(whole)))), dtype=np.int64)
    whole.want(wanted)
    part.explore()
    whole.explore(lambda: next(left, None) is None)
    assert whole.evaluated == (whole.standing != Standing.UNKNOWN).sum() == min(most, len(whole))
    assert (whole.standing[wanted] != Standing.UNKNOWN).all()
    for number in range(len(part)):
        place = whole.number(part.levels(number))
        assert place is not None
        if whole.standing[place] != Standing.UNKNOWN:
            assert whole.standing[place] == part.standing[number]
    whole.explore()
    assert whole.finished
    assert (whole.standing != Standing.UNKNOWN).all()


def test_a_lattice_of_hundreds_of_attributes_takes_little_memory() -> None:
    wide = SimpleNamespace(lowest=(0,) * 150, highest=(3,) * 150)
    middle = (1,) * 150
    tracemalloc.start()
    nodes = _nearest_nodes(wide, middle, CELLS // 150)  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    steps = np.abs(nodes - 1).sum(axis=1)
    assert np.bincount(steps).tolist() == [1, 300, len(nodes) - 301]
    assert len(np.unique(nodes, axis=0)) == len(nodes) == CELLS // 150
    assert peak < 500 << 20


@settings(some, max_examples=examples(20))
@given(tasks(), st.randoms(use_true_random=False))
def test_a_node_in_full_is_what_plain_python_says(tmp_path_factory, task: Task, random) -> None:
    task = replace(task, metric="loss")
    found = explore(frame_of(task), policy_of(task, tmp_path_factory.mktemp("survey")))
    levels = random.choice(list(task.nodes()))
    view, node = found.view(levels, shown=1000), reference.at(task, levels)
    assert view.suppressed == len(node.suppressed)
    assert view.classes == len(node.kept)
    assert sum(group.classes for group in view.sizes) == len(node.kept)
    assert sum(group.records for group in view.sizes) == task.records - len(node.suppressed)
    assert sum(group.records for group in found.original.sizes) == task.records
    assert found.original.highest_risk == pytest.approx(1 / min(Counter(task.tuples).values()))
    kept = [one.records for one in view.combinations if not one.suppressed]
    assert Counter(kept) == Counter(node.sizes)
    assert sum(one.records for one in view.combinations if one.suppressed) == len(node.suppressed)
    if node.kept:
        assert view.highest_risk == pytest.approx(1 / min(node.sizes))
        for name in task.sensitive:
            assert view.inference[name] == pytest.approx(float(reference.worst_inference(task, node, name)))
    if found.optimum is not None:
        found.survey.explore()
        worse = found.survey.levels(random.choice(found.survey.ranking().tolist()))
        unproven = Exploration(found.prepared, Survey(found.problem, worse), worse, proven=False)
        assert not unproven.improve()
        unproven.survey.explore()
        assert unproven.improve()
        assert unproven.proven
        assert unproven.optimum == found.optimum
