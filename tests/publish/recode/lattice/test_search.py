"""The optimal search finds what going through every node finds, and what is quick about it is right."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution
from cobogo.examine import metrics
from cobogo.examine.metrics.base import Floor, Outcome
from cobogo.promises.models import Model
from cobogo.promises.models.background_knowledge import BT, Injector
from cobogo.promises.models.ck_safety import CKSafety
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.m_confidentiality import MConfidentiality
from cobogo.promises.models.m_invariance import MInvariance
from cobogo.promises.models.set_valued import KM
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.lattice import search
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.search import optimal
from support import random_tables as tables
from support.effort import examples
from support.random_tables import Rows

pytestmark = pytest.mark.slow

MODELS = [
    CKSafety("s", 0.7, 1),
    CKSafety("s", 0.9, 2),
    KM("s", 2, 1),
    MInvariance("s", 1),
    BT("s", 0.6, 0.1),
    Injector("s", 2, 2),
    MConfidentiality("s", 2),
]


@pytest.mark.parametrize("share", [0.0, 0.3], ids=["nothing suppressed", "some suppressed"])
@pytest.mark.parametrize("model", MODELS, ids=str)
@settings(deadline=None, max_examples=examples(14), suppress_health_check=list(HealthCheck))
@given(rows=tables.tables(), k=st.sampled_from([None, 2]))
def test_nothing_is_lost_by_pruning(model: Model, share: float, rows: Rows, k: int | None) -> None:
    problem = Problem(
        table=tables.counted(rows),
        hierarchies=rows.hierarchies,
        models=(model,) if k is None else (KAnonymity(k), model),
        metric=metrics.find_metric("loss"),
        limit=int(share * len(rows)),
        lowest=(0,) * rows.width,
        highest=tuple(h.height for h in rows.hierarchies),
        weights=(1.0,) * rows.width,
    )
    evaluator = Evaluator(problem)
    every = [evaluator.check(levels) for levels in itertools.product(*(range(h.height + 1) for h in rows.hierarchies))]
    best = min((node.value for node in every if node.satisfied), default=None)
    if best is None:
        with pytest.raises(NoSolution):
            optimal(problem)
    else:
        assert optimal(problem).chosen.value == pytest.approx(best)


@pytest.mark.parametrize("metric", metrics.METRICS)
@settings(deadline=None, max_examples=examples(14), suppress_health_check=list(HealthCheck))
@given(rows=tables.tables(), k=st.sampled_from([2, 3]), share=st.sampled_from([0.0, 0.3, 1.0]))
def test_counting_sizes_finds_what_checking_the_model_finds(metric: str, rows: Rows, k: int, share: float) -> None:
    """A policy with nothing but k-anonymity is checked in fewer steps than one with more models."""
    problem = _k_anonymous(rows, metric, k, share)
    sizes, more = (
        Evaluator(problem),
        Evaluator(problem.replace_models([KAnonymity(k), LDiversity("s", 1, missing="value")])),
    )
    for levels in itertools.product(*(range(h.height + 1) for h in rows.hierarchies)):
        one, other = sizes.check(levels), more.check(levels)
        assert (one.hopeless, one.satisfied, one.failing_records) == (
            other.hopeless,
            other.satisfied,
            other.failing_records,
        )
        assert one.value == pytest.approx(other.value, nan_ok=True)
        assert _figures(one.floor) == pytest.approx(_figures(other.floor))
        assert _figures(one.outcome) == pytest.approx(_figures(other.outcome))


@pytest.mark.parametrize("metric", metrics.METRICS)
@settings(deadline=None, max_examples=examples(8), suppress_health_check=list(HealthCheck))
@given(rows=tables.tables(), share=st.sampled_from([0.0, 0.3, 1.0]))
def test_the_best_node_has_every_figure(metric: str, rows: Rows, share: float) -> None:
    """A search leaves out sums that its metric makes nothing of; the report measures the best node by all metrics."""
    problem = _k_anonymous(rows, metric, 2, share)
    try:
        chosen = optimal(problem).chosen
    except NoSolution:
        return
    assert _figures(chosen.outcome) == pytest.approx(_figures(Evaluator(problem).evaluate(chosen.levels).outcome))


def _k_anonymous(rows: Rows, metric: str, k: int, share: float) -> Problem:
    return Problem(
        table=replace(tables.counted(rows), label=tables.counted(rows).histograms["s"]),
        hierarchies=rows.hierarchies,
        models=(KAnonymity(k),),
        metric=metrics.find_metric(metric),
        limit=int(share * len(rows)),
        lowest=(0,) * rows.width,
        highest=tuple(h.height for h in rows.hierarchies),
        weights=(1.0,) * rows.width,
    )


def _figures(sums: Outcome | Floor | None) -> list[float]:
    """All numbers of an outcome or a floor."""
    return [] if sums is None else np.concatenate([np.ravel(v) for v in vars(sums).values() if _is_number(v)]).tolist()


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.ndarray | np.number)


def test_the_tipping_point_of_paths_is_learned() -> None:
    """Nodes with more detail than 5 fail; after some paths, the first node looked at is the first that does not."""
    point, draws = search._TippingPoint(), np.random.default_rng(3)
    for _ in range(40):
        details = -np.sort(-draws.uniform(0, 10, 12))
        step = point.find(details, 0, 12)
        point.learn(float(details[step]), hopeless=bool(details[step] > 5))
    even = np.arange(9.5, 0, -1)  # 9.5, 8.5, …, 0.5
    assert point.find(even, 0, 10) == 5
