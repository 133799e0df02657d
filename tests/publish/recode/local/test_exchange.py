"""Sweeps over neighbouring classes, and the compiled conditions on their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cobogo.data.classes import Classes, Domain, Histogram
from cobogo.data.hierarchy import SUPPRESSED, Hierarchy
from cobogo.data.table.frequency import FrequencyTable, Joint
from cobogo.examine import metrics
from cobogo.promises.models import Model
from cobogo.promises.models.check import check, failing_classes
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.t_closeness import TCloseness
from cobogo.publish.recode.cells.recovery import hide_recoverable
from cobogo.publish.recode.contract.problem import Problem, least_size
from cobogo.publish.recode.lattice.search import optimal
from cobogo.publish.recode.local.conditions import Conditions, compile_conditions, violation
from cobogo.publish.recode.local.exchange import Exchanger
from cobogo.publish.recode.local.improve import region_ground
from cobogo.publish.recode.local.search import local
from cobogo.publish.recode.local.terrain import Terrain
from cobogo.publish.recode.partition.groups import unbroken
from cobogo.publish.recode.partition.mondrian import mondrian_relaxed
from support.effort import examples

pytestmark = pytest.mark.slow

some = settings(max_examples=examples(10), deadline=None, suppress_health_check=list(HealthCheck))

ILLNESSES = ("flu", "cold", "cough", "fever", "gout")
MODELS: dict[str, tuple[Model, ...]] = {
    "k": (KAnonymity(5),),
    "distinct": (KAnonymity(2), LDiversity("illness", 3)),
    "entropy": (LDiversity("illness", 2.5, "entropy"),),
    "recursive": (LDiversity("illness", 2, "recursive", 2.0),),
    "equal": (TCloseness("illness", 0.3),),
    "ordered": (KAnonymity(3), TCloseness("illness", 0.15, "ordered")),
    "hierarchical": (TCloseness("illness", 0.25, "hierarchical"),),
}
each_model = pytest.mark.parametrize("models", MODELS.values(), ids=MODELS)


def problem_of(models: tuple[Model, ...], *, width: int = 3, rows: int = 300, limit: int = 0, seed: int = 0) -> Problem:
    """Invented people with so many quasi-identifiers of twelve values and an illness that depends on the first."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 12, (rows, width)) * (random.random((rows, width)) < 0.7)
    ill = np.where(random.random(rows) < 0.5, codes[:, 0] % 5, random.integers(0, 5, rows))
    tuples, owner = np.unique(codes, axis=0, return_inverse=True)
    pairs, counts = np.unique(np.stack([owner.ravel(), ill]), axis=1, return_counts=True)
    tree = Hierarchy.from_columns("illness", [ILLNESSES, ["cold"] * 3 + ["rest"] * 2, [SUPPRESSED] * 5])
    domain = Domain("illness", ILLNESSES, np.bincount(ill, minlength=5), tree)
    offsets = np.searchsorted(pairs[0], np.arange(len(tuples) + 1))
    histogram = Histogram(offsets, pairs[1].astype(np.int32), counts, domain)
    values = tuple(f"v{number:02}" for number in range(12))
    names = tuple(f"q{number}" for number in range(width))
    table = FrequencyTable(
        quasi_identifiers=names,
        values=dict.fromkeys(names, values),
        codes=tuples.astype(np.int32),
        counts=np.bincount(owner.ravel()),
        histograms={"illness": histogram},
        joint=Joint(histogram, np.arange(5, dtype=np.int32)[:, None], {"illness": ILLNESSES}),
    )
    ladder = [values, [f"{number // 3}" for number in range(12)], [SUPPRESSED] * 12]
    return Problem(
        table=table,
        hierarchies=tuple(Hierarchy.from_columns(name, ladder) for name in names),
        models=models,
        metric=metrics.find_metric("loss"),
        limit=limit,
        lowest=(0,) * width,
        highest=(2,) * width,
        weights=(1.0,) * width,
    )


def conditions(problem: Problem) -> Conditions:
    found = compile_conditions(problem)
    assert found is not None
    return found


def exchanger(problem: Problem) -> Exchanger:
    terrain = Terrain.from_problem(problem)
    start = mondrian_relaxed(problem).assignment
    return Exchanger(terrain, region_ground(terrain, least_size(problem)), conditions(problem), start)


@each_model
@some
@given(data=st.data())
def test_nothing_is_violated_exactly_where_the_plain_model_holds(models: tuple[Model, ...], data: Any) -> None:
    problem = problem_of(tuple(model for model in models if model.attributes))
    counts = np.array(data.draw(st.lists(st.integers(0, 6), min_size=5, max_size=5).filter(any)))
    there = np.flatnonzero(counts)
    histogram = Histogram(
        np.array([0, len(there)]), there.astype(np.int32), counts[there], problem.table.domains["illness"]
    )
    size = np.array([counts.sum()])
    fails = failing_classes(problem.models, Classes(size, {"illness": histogram}, 300))[0]
    asked = conditions(problem)
    amiss = [how(asked, counts[None, :], size[0]) for how in (violation.compiled, violation.interpret)]
    assert amiss[0] == pytest.approx(amiss[1])
    assert (amiss[0] > 0) == fails or not problem.models


@each_model
@pytest.mark.parametrize("limit", [0, 60])
def test_sweeps_lose_less_and_less_and_every_model_goes_on_holding(models: tuple[Model, ...], limit: int) -> None:
    problem = problem_of(models, limit=limit)
    found = exchanger(problem)
    before = found.result().metric_value()[1]
    for _ in range(12):
        found.reprice(found.terrain.reprice(found.result().outcome()))
        found.run()
    after = found.result()
    assert after.faults() == []
    assert after.suppressed <= limit
    assert all(verdict.satisfied for verdict in check(models, after.classes(problem.histograms_needed)))
    assert after.metric_value()[1] < before


def test_forty_quasi_identifiers_have_too_many_nodes_for_regions_and_not_for_sweeps() -> None:
    problem = problem_of(MODELS["k"], width=40, rows=200)
    start = mondrian_relaxed(problem)
    assert local(problem, time_limit=2.0).value < start.value


@each_model
@some
@given(seed=st.integers(0, 1000), limit=st.sampled_from([0, 30, 300]))
def test_local_is_never_worse_than_what_it_starts_from(models: tuple[Model, ...], seed: int, limit: int) -> None:
    problem = problem_of(models, width=2, rows=60, limit=limit, seed=seed)
    value = local(problem, time_limit=0.5).value
    assert value <= optimal(problem).chosen.value + 1e-12
    start, _ = hide_recoverable(mondrian_relaxed(problem).assignment)
    if unbroken(start):
        assert value <= start.metric_value()[1] + 1e-12
