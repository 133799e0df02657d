"""Local recoding under every model: its classes, counted by plain Python, satisfy it; no full-domain one is better."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cobogo.data.policy.tables import allowed_records
from cobogo.errors import NoSolution, PolicyError
from cobogo.examine import metrics
from cobogo.promises.models.base import Model, Scope
from cobogo.promises.models.check import check
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.lattice.search import optimal
from cobogo.publish.recode.local.search import local
from support import random_tables as tables
from support.effort import examples
from support.model_strategies import Entry, each_model, needed
from support.random_tables import Rows

pytestmark = pytest.mark.slow

some = settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))


def problem_of(rows: Rows, model: Model, limit: float, *, people: bool) -> Problem:
    return Problem(
        table=tables.counted(rows, people=True) if people else tables.uncounted(rows),
        hierarchies=rows.hierarchies,
        models=(model,),
        metric=metrics.find_metric("loss"),
        limit=allowed_records(limit, len(rows)),
        lowest=(0,) * rows.width,
        highest=tuple(h.height for h in rows.hierarchies),
        weights=(1.0,) * rows.width,
    )


SUPPRESSED = "suppressed"


def released_by(rows: Rows, solution: Assigned) -> list[Any]:
    """What each row is released as."""
    found = solution.assignment
    table = found.problem.table
    tuples = {table.tuple_labels(number): number for number in range(len(table.counts))}
    owner = dict(zip(found.tuples.tolist(), found.owners.tolist(), strict=True))
    assert len(owner) == len(found.tuples)
    keys: list[Any] = []
    for quasi in rows.quasi:
        home = owner[tuples[quasi]]
        keys.append(SUPPRESSED if home < 0 else found.released_tuple(home))
        if home >= 0:
            for ladder, value, original in zip(rows.ladders, keys[-1], quasi, strict=True):
                assert value in {ladder.recoding(level)[original] for level in range(len(ladder.rows[0]))}
    return keys


@each_model
@some
@given(data=st.data(), rows=tables.any_table(), limit=st.sampled_from([0.0, 0.25, 1.0]), people=st.booleans())
def test_every_class_holds(name, entry: Entry | None, data, rows, limit, people):
    entry = needed(name, entry)
    model = data.draw(entry.models)
    people = people and entry.people
    if model.populations:
        return
    problem = problem_of(rows, model, limit, people=people)
    try:
        model.check_domains(problem.table.domains)
    except PolicyError:
        return
    if model.needs_members:
        with pytest.raises(PolicyError, match="the original records of each class"):
            local(problem)
        return
    try:
        best = optimal(problem)
    except NoSolution:
        best = None
    try:
        found = local(problem)
    except NoSolution:
        assert best is None
        return
    keys = released_by(rows, found)
    order, classes = tables.classes(rows, keys, people=people, members=False)
    kept = classes.where(np.array([key != SUPPRESSED for key in order]))
    assert check([model], kept)[0].satisfied
    assert keys.count(SUPPRESSED) == found.assignment.suppressed <= problem.limit
    if best is not None:
        assert found.value <= best.value + 1e-12
    if model.scope is Scope.CLASS and not people:
        assert np.isclose(found.value, float(problem.metric.value(found.assignment.outcome(), problem.scale)))
