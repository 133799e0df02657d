"""A search held against the plain reference."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from operator import le
from typing import Any

import pytest
from hypothesis import strategies as st

from cobogo.data.policy.tables import allowed_records
from cobogo.errors import NoSolution
from cobogo.examine import metrics
from cobogo.promises.models import Model
from cobogo.promises.models.promise import parameters
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import Checked
from cobogo.publish.recode.lattice.bounds import Yardstick
from cobogo.publish.recode.lattice.search import optimal
from support import model_reference as plain
from support import random_tables as tables
from support import reference
from support.model_reference import ModelTask
from support.random_tables import TREE, Rows

LIMITS = ["0", "0.3", "0.1", "0.5", "0.05", "0.9", "1.0", "0.29"]


def task_of(rows: Rows, models: Sequence[Model], *, people: bool = False, **options: Any) -> ModelTask:
    return ModelTask(
        tuples=rows.quasi,
        ladders=tuple(tables.LADDERS[name] for name in rows.names),
        sensitive=rows.sensitive,
        models=tuple(parameters(model) for model in models),
        others=() if people else rows.others,
        people=rows.people if people else None,
        trees={"h": TREE.with_null() if None in rows.sensitive["h"] else TREE},
        **options,
    )


def problem_of(rows: Rows, models: Sequence[Model], task: ModelTask) -> Problem:
    return Problem(
        table=tables.uncounted(rows) if task.people is None else tables.counted(rows, people=True),
        hierarchies=rows.hierarchies,
        models=tuple(models),
        metric=metrics.find_metric(task.metric),
        limit=allowed_records(float(task.limit), len(rows)),
        lowest=(0,) * rows.width,
        highest=tuple(h.height for h in rows.hierarchies),
        weights=(1.0,) * rows.width,
    )


def examine(rows: Rows, models: Sequence[Model], task: ModelTask) -> None:
    """The search finds the node that going through all of them finds, or says rightly that there is none."""
    among = plain.solutions(task)
    expected = reference.optimum(task, among)
    problem = problem_of(rows, models, task)
    if expected is None:
        with pytest.raises(NoSolution) as refused:
            optimal(problem, time_limit=600.0)
        refusal_is_right(task, str(refused.value))
        return
    solution = optimal(problem, time_limit=600.0)
    outcome = solution.chosen.outcome
    assert outcome is not None
    assert solution.optimal
    assert solution.levels == expected.levels
    assert outcome.suppressed == len(expected.suppressed)
    assert outcome.classes == len(expected.kept)
    wanted = reference.value(task, expected, task.metric)
    assert wanted is not None
    assert solution.chosen.value == pytest.approx(float(wanted), rel=1e-9, abs=1e-9)


def refusal_is_right(task: ModelTask, message: str) -> None:
    """The limit that the message names works, while one record fewer does not."""
    named = re.search(r"smallest suppression-limit that works is (\S+) \(([\d,]+) of ([\d,]+) record", message)
    if task.loses_nothing:
        assert "does not allow classes to be suppressed" in message
        return
    fewest = plain.fewest_suppressed(task)
    if fewest is None:
        assert named is None
        assert "no suppression limit would help" in message
        return
    assert named is not None, message
    assert (int(named[2]), int(named[3])) == (fewest, task.records)
    assert plain.solutions(replace(task, limit=named[1]))
    assert not plain.solutions(replace(task, limit=str(Fraction(fewest - 1, task.records))))


def assert_bracketed(yardstick: Yardstick, checked: Mapping[Levels, Checked]) -> None:
    """No solution costs less than the best bound from a node below it and the largest surplus from one above it."""
    brackets = {
        levels: yardstick.bracket(node.spread, node.floor)
        for levels, node in checked.items()
        if node.spread is not None
    }
    for levels, node in checked.items():
        if node.outcome is None:
            continue
        bound = max(low for below, (low, _) in brackets.items() if all(map(le, below, levels)))
        surplus = max(more for above, (_, more) in brackets.items() if all(map(le, levels, above)))
        assert bound + max(surplus, 0.0) <= yardstick.ceiling(node.outcome)


options = st.fixed_dictionaries(
    {"limit": st.sampled_from(LIMITS), "metric": st.sampled_from([m for m in reference.METRICS if m != "c_avg"])}
)
