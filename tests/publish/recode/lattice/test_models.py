"""The optimal search under every kind of model against an exhaustive one in plain Python: the same node, or none."""

from __future__ import annotations

import itertools

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import NoSolution
from cobogo.promises.models import Model, build
from cobogo.publish.recode.lattice import search
from cobogo.publish.recode.lattice import walk as lattice
from cobogo.publish.recode.lattice.bounds import Yardstick
from cobogo.publish.recode.lattice.evaluate import Evaluator
from support import model_reference as plain
from support import random_tables as tables
from support import reference
from support.effort import examples
from support.model_strategies import STRATEGIES
from support.random_tables import Rows, row
from support.searches import assert_bracketed, examine, options, problem_of, task_of

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(40), suppress_health_check=list(HealthCheck))

MIXES: dict[str, list[tuple[str, str]]] = {
    "entropy": [("l-diversity", "entropy")],
    "recursive": [("l-diversity", "recursive")],
    "equal": [("t-closeness", "equal")],
    "ordered": [("t-closeness", "ordered")],
    "hierarchical": [("t-closeness", "hierarchical")],
    "alpha": [("alpha-k-anonymity", "any value")],
    "alpha of one value": [("alpha-k-anonymity", "one value")],
    "basic likeness": [("beta-likeness", "basic")],
    "enhanced likeness": [("beta-likeness", "enhanced")],
    "belief": [("realistic-epsilon-privacy", "table")],
    "belief of any shape": [("realistic-epsilon-privacy", "any")],
    "disclosure": [("delta-disclosure", "")],
    "k and e": [("k-e-anonymity", "")],
    "epsilon and m": [("epsilon-m-anonymity", "absolute")],
    "relative epsilon and m": [("epsilon-m-anonymity", "relative")],
    "presence from zero": [("delta-presence", "from zero")],
    "presence from more": [("delta-presence", "from more")],
    "map": [("k-map", "counted")],
    "estimated map": [("k-map", "poisson")],
    "highest risk": [("highest-risk", "")],
    "average risk": [("average-risk", "")],
    "p-sensitive": [("p-sensitive-k-anonymity", "")],
    "corruption": [("t-corruption", "")],
    "k and entropy": [("k-anonymity", ""), ("l-diversity", "entropy")],
    "k and closeness": [("k-anonymity", ""), ("t-closeness", "equal"), ("t-closeness", "ordered")],
    "two sensitive attributes": [("l-diversity", "recursive"), ("k-e-anonymity", "")],
    "presence and k": [("delta-presence", "from zero"), ("k-anonymity", "")],
    "presence from more and closeness": [("delta-presence", "from more"), ("t-closeness", "hierarchical")],
    "not monotone and monotone": [("epsilon-m-anonymity", "absolute"), ("l-diversity", "distinct")],
    "on the table and on classes": [("average-risk", ""), ("alpha-k-anonymity", "any value")],
    "population and numbers": [("k-map", "counted"), ("epsilon-m-anonymity", "relative"), ("average-risk", "")],
}
"""Models to be satisfied together: the name and kind of each, as in model_strategies.py."""


def drawn(data: st.DataObject, mix: str) -> list[Model]:
    return [data.draw(STRATEGIES[name][kind].models) for name, kind in MIXES[mix]]


@pytest.mark.parametrize("mix", MIXES)
@some
@given(rows=tables.any_table(), options=options, data=st.data())
def test_the_search_finds_what_an_exhaustive_one_finds(
    mix: str, rows: Rows, options: dict[str, str], data: st.DataObject
) -> None:
    models = drawn(data, mix)
    examine(rows, models, task_of(rows, models, **options))


@settings(some, max_examples=examples(60))
@given(rows=tables.any_table(), options=options, mix=st.sampled_from(list(MIXES)), data=st.data())
def test_so_it_does_in_a_lattice_too_large_to_hold(
    rows: Rows, options: dict[str, str], mix: str, data: st.DataObject
) -> None:
    models = drawn(data, mix)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "DENSE_AT_MOST", 0)
        patch.setattr(lattice, "DENSE_AT_MOST", 0)
        examine(rows, models, task_of(rows, models, **options))


@settings(some, max_examples=examples(100))
@given(rows=tables.any_table(), options=options, mix=st.sampled_from(list(MIXES)), data=st.data())
def test_what_a_node_says_of_those_below_it_is_so(
    rows: Rows, options: dict[str, str], mix: str, data: st.DataObject
) -> None:
    """Of every pair of nodes: below a hopeless one none satisfies; below another, none costs less than its bound."""
    models = drawn(data, mix)
    problem = problem_of(rows, models, task_of(rows, models, **options))
    evaluator, yardstick = Evaluator(problem), Yardstick(problem)
    nodes = list(itertools.product(*(range(h.height + 1) for h in rows.hierarchies)))
    checked = {node: evaluator.check(node) for node in nodes}
    for above, below in itertools.product(nodes, nodes):
        if any(low > high for low, high in zip(below, above, strict=True)) or not checked[below].satisfied:
            continue
        assert not checked[above].hopeless
        floor, outcome = checked[above].floor, checked[below].outcome
        assert floor is not None
        assert outcome is not None
        assert floor.suppressed <= outcome.suppressed
        if yardstick.separable:
            bound = yardstick.terms(floor)[range(rows.width), below].sum()
            assert bound <= yardstick.ceiling(outcome)
    if yardstick.bracketed:
        assert_bracketed(yardstick, checked)


def test_every_model_that_is_defined_in_plain_python_is_searched_with() -> None:
    assert {name for mix in MIXES.values() for name, _ in mix} == set(plain.DEFINED)


# --- known by heart ---------------------------------------------------------------------------------------------


def test_a_level_at_which_everything_passes_is_found_between_levels_at_which_it_does_not() -> None:
    """(ε,m)-anonymity is not monotone: the bottom fails, one level up passes, the top fails. Pruning would miss it."""
    rows = row(n=["40", "60", "50", "100"], a="1234")
    (model,) = build([{"model": "epsilon-m-anonymity", "attribute": "n", "epsilon": 15, "m": 2}], ["n"])
    task = task_of(rows, [model])
    assert [node.levels for node in plain.solutions(task)] == [(1,)]
    examine(rows, [model], task)


def test_a_class_of_the_population_alone_fails_presence_from_more_than_zero() -> None:
    """Nobody of b is in the table, which tells everybody of b: only the level at which a and b are one will do."""
    rows = Rows(1, (("a1",),) * 3, dict.fromkeys(tables.SENSITIVE, (None,) * 3), tuple("123"), (("a2",),) * 3)
    (model,) = build([{"model": "delta-presence", "min": 0.3, "max": 1.0, "population": tables.POPULATION}], [])
    task = task_of(rows, [model], limit="1.0")
    assert [node.levels for node in plain.solutions(task)] == [(1,), (2,)]
    examine(rows, [model], task)
    (from_zero,) = build([{"model": "delta-presence", "max": 1.0, "population": tables.POPULATION}], [])
    assert reference.optimum(task_of(rows, [from_zero]), plain.solutions(task_of(rows, [from_zero]))).levels == (0,)
    examine(rows, [from_zero], task_of(rows, [from_zero]))


def test_a_refusal_for_the_whole_table_names_no_limit_that_does_not_work() -> None:
    """Three classes of six records cannot have an average risk of 0.1, whatever is suppressed."""
    policy = {
        "attributes": {"a": {"role": "quasi-identifier", "max-level": 0}},
        "privacy": {"models": [{"model": "average-risk", "max": 0.1}]},
    }
    with pytest.raises(NoSolution) as refused:
        cb.anonymize(pa.table({"a": list("xxxxyz")}), policy)
    assert "suppression-limit that works" not in str(refused.value)


def test_a_refusal_says_that_a_column_has_fewer_values_than_asked_for() -> None:
    policy = {
        "attributes": {"a": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "l-diversity", "l": 3}]},
    }
    with pytest.raises(NoSolution, match='"ill" has only 2 values: no class can have 3'):
        cb.anonymize(pa.table({"a": list("xxxxyz"), "ill": ["flu", "gout", None] * 2}), policy)
