"""The optimal search with the second wave of models finds what going through every node finds."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution
from cobogo.examine import metrics
from cobogo.promises.models import Model
from cobogo.promises.models.b_t_privacy import BT
from cobogo.promises.models.ck_safety import CKSafety
from cobogo.promises.models.injector import Injector
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.m_confidentiality import MConfidentiality
from cobogo.promises.models.m_invariance import MInvariance
from cobogo.promises.models.set_valued import KM
from cobogo.publish.recode.contract.problem import Problem
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
