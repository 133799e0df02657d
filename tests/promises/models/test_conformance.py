"""What must be true of every privacy model, whatever it measures. A new model needs an entry in model_strategies.py.

The search prunes on the strength of what a model says of itself, and a verdict is as good as what it measures: so each
claim is put to the test on random tables.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import cobogo as cb
import cobogo.promises.models
from cobogo.errors import PolicyError
from cobogo.examine import metrics
from cobogo.promises.models import MODELS, Classes, Histogram, Model, Monotone, Scope, build
from cobogo.promises.models.background_knowledge import BT, Injector
from cobogo.promises.models.check import ModelVerdict, check, failing_classes
from cobogo.promises.models.ck_safety import CKSafety
from cobogo.promises.models.frequency import AlphaK, BetaLikeness, DeltaDisclosure, PSensitive, TCorruption
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.m_confidentiality import MConfidentiality
from cobogo.promises.models.m_invariance import MInvariance
from cobogo.promises.models.numbers import KE, EpsilonM
from cobogo.promises.models.personalized import Personalized
from cobogo.promises.models.population import DeltaPresence, KMap
from cobogo.promises.models.promise import parameters
from cobogo.promises.models.realistic import RealisticEpsilonPrivacy
from cobogo.promises.models.risk import AverageRisk, HighestRisk
from cobogo.promises.models.set_valued import KM
from cobogo.promises.models.t_closeness import TCloseness
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.lattice.checks import compiled_form
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.tables import RolledTable
from cobogo.release.reference import OriginalTable
from cobogo.testing import check_model
from support import random_tables as tables
from support.effort import examples
from support.model_strategies import STRATEGIES, Entry, Values, each_model, needed
from support.random_tables import Rows, row

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(60), suppress_health_check=list(HealthCheck))
few = settings(deadline=None, max_examples=examples(15), suppress_health_check=list(HealthCheck))

Measures = dict[Any, tuple[float, bool]]
Kinds = list[tuple[str, Entry, Model]]


def as_they_stand(rows: Rows, *, people: bool = False) -> tuple[list[Any], Classes]:
    """The classes of a table that is not recoded."""
    return tables.classes(rows, rows.quasi, others=() if people else rows.others, people=people)


@st.composite
def one_of_each(draw: st.DrawFn, *, people: bool = False) -> Kinds:
    """A model of every kind, with its name and its entry; with people, those that may count them.

    A table takes longer to draw and count than most models take to measure it: so every model is tried on each.
    """
    kinds = [(name, entry) for name in MODELS for entry in STRATEGIES.get(name, {}).values()]
    return [(name, entry, draw(entry.models)) for name, entry in kinds if entry.people or not people]


def each(kinds: Kinds) -> Iterator[tuple[str, Entry, Model]]:
    """One after the other; of a test that fails, Hypothesis then shows on which."""
    for name, entry, model in kinds:
        note(f"model: {model}")
        yield name, entry, model


def measures(model: Model, keys: Sequence[Hashable], classes: Classes) -> Measures:
    """What a model says of each class that is not empty, or of the table."""
    if model.scope is Scope.TABLE:
        classes = classes.where(classes.sizes > 0)
        keys = ["table"]
    measured = model.measure(classes)
    held = model.holds(classes, measured)
    assert len(measured) == len(held) == len(keys)
    empty = classes.sizes == 0 if model.scope is Scope.CLASS and not model.needs_every_class else np.zeros(len(keys))
    return {
        key: (float(measured[n]), bool(held[n])) for n, key in enumerate(keys) if not empty[n]
    }  # fmt: skip


def same(found: Measures, expected: Measures) -> None:
    assert {key: held for key, (_, held) in found.items()} == {key: held for key, (_, held) in expected.items()}
    for key, (value, _) in found.items():
        assert value == pytest.approx(expected[key][0], rel=1e-9, abs=1e-12), key


def verdict(model: Model, classes: Classes) -> ModelVerdict:
    (found,) = check([model], classes)
    return found


def test_every_registered_model_is_put_to_the_test() -> None:
    for name in MODELS:
        needed(name, next(iter(STRATEGIES.get(name, {}).values()), None))
    unknown = sorted(set(STRATEGIES) - set(MODELS))
    assert not unknown, f"model_strategies.py knows models that are not registered: {', '.join(unknown)}"


def test_the_parameters_of_a_model_are_a_public_function() -> None:
    assert cobogo.promises.models.parameters is parameters


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_registered_under_its_name_and_says_what_it_protects(name: str) -> None:
    assert MODELS[name].name == name
    assert issubclass(MODELS[name], Model)
    assert len(MODELS[name].__doc__ or "") > 60, "the docstring is what a steward reads: what it protects, from whom"


MORE_THAN_ROWS = {"k-map", "delta-presence", "b-t-privacy", "injector", "m-invariance", "personalized", "k-m-anonymity"}
"""Models that look at more than released rows, or at values of a form of their own."""


@each_model
def test_it_passes_the_suite_that_other_packages_use(name: str, entry: Entry | None) -> None:
    entry = needed(name, entry)
    if name not in MORE_THAN_ROWS and entry.values is not Values.TREE:
        column = "s" if entry.values is Values.NONE else entry.values.value
        models = entry.models.filter(lambda model: model.attributes in ((), (column,)))
        check_model(MODELS[name], models, attribute=column, examples=5)  # the same facts are tried on more below


# --- order ------------------------------------------------------------------------------------------------------


@some
@given(rows=tables.any_table(), source=st.randoms(use_true_random=False), kinds=one_of_each())
def test_the_order_of_rows_classes_and_values_says_nothing(rows: Rows, source: random.Random, kinds: Kinds) -> None:
    """Classes, values and their codes come in order of appearance here: all of them change."""
    one, other = as_they_stand(rows), as_they_stand(rows.shuffled(source))
    for _, _, model in each(kinds):
        same(measures(model, *one), measures(model, *other))
        before, after = verdict(model, one[1]), verdict(model, other[1])
        assert (before.satisfied, before.failing_classes) == (after.satisfied, after.failing_classes)


@few
@given(rows=tables.any_table(), source=st.randoms(use_true_random=False))
def test_nor_does_it_where_the_engine_counts(rows: Rows, source: random.Random) -> None:
    one, other = (tables.counted(table, population=True) for table in (rows, rows.shuffled(source)))
    assert one.values == other.values
    for field in ("codes", "counts"):
        assert np.array_equal(getattr(one, field), getattr(other, field))
    assert np.array_equal(one.populations[tables.POPULATION], other.populations[tables.POPULATION])
    for column in tables.SENSITIVE:
        for field in ("offsets", "values", "counts"):
            assert np.array_equal(getattr(one.histograms[column], field), getattr(other.histograms[column], field))


# --- merging ----------------------------------------------------------------------------------------------------


@st.composite
def merges(draw: st.DrawFn) -> tuple[Rows, dict[Any, int]]:
    """A table, and which of its classes fall together: any of them, not only those of a hierarchy."""
    rows = draw(tables.tables(least=2))
    parents = {key: draw(st.integers(0, 2)) for key in dict.fromkeys(rows.population)}
    return rows, parents


@some
@given(merge=merges(), kinds=one_of_each())
def test_merging_breaks_no_model_that_says_it_is_monotone(merge: tuple[Rows, dict[Any, int]], kinds: Kinds) -> None:
    """Classes that all satisfy it satisfy it together. With suppression: so does one of them with any others."""
    rows, parents = merge
    keys, parts = as_they_stand(rows)
    wholes = tables.classes(rows, [parents[key] for key in rows.quasi], others=[])[1]
    merged = cache(partial(_merged, rows))
    for _, _, model in each(kinds):
        if model.scope is Scope.TABLE:
            if model.monotone is not Monotone.NO and verdict(model, parts).satisfied:
                assert verdict(model, wholes).satisfied
            assert model.monotone is not Monotone.EVEN_WITH_SUPPRESSION, "suppression may take the largest classes"
        else:
            _check_merging_of_classes(model, rows, parents, keys, parts, merged)


def _check_merging_of_classes(
    model: Model,
    rows: Rows,
    parents: dict[Any, int],
    keys: list[Any],
    parts: Classes,
    merged: Callable[[tuple[Any, ...]], tuple[Classes, int]],
) -> None:
    failed = dict(zip(keys, failing_classes([model], parts), strict=True))

    def fail_together(some_keys: list[Any]) -> bool:
        if not some_keys:
            return False
        classes, place = merged(tuple(some_keys))
        return bool(failing_classes([model], classes)[place])

    for parent in set(parents.values()):
        inside = [key for key in keys if parents[key] == parent]
        if model.monotone is not Monotone.NO:
            assert not fail_together([key for key in inside if not failed[key]])
        if model.monotone is Monotone.EVEN_WITH_SUPPRESSION and not all(failed[key] for key in inside):
            there = [key for key in inside if key in rows.quasi]
            if not all(failed[key] for key in there):
                assert not fail_together(inside)


@some
@given(merge=merges(), kinds=one_of_each())
def test_at_least_so_many_records_fail_below_as_a_model_says(merge: tuple[Rows, dict[Any, int]], kinds: Kinds) -> None:
    """The search rules out whatever lies below a node by this: of each class, in the parts that it is made of."""
    rows, parents = merge
    keys, parts = as_they_stand(rows)
    wholes, merged = tables.classes(
        rows, [parents[key] for key in rows.quasi], others=[parents[key] for key in rows.others]
    )
    for _, _, model in each(kinds):
        if model.scope is Scope.TABLE:
            continue
        records = dict(zip(keys, np.where(failing_classes([model], parts), parts.sizes, 0).tolist(), strict=True))
        least = model.least_failing(merged, model.measure(merged))
        assert least.dtype == np.int64
        assert (least <= merged.sizes).all()
        for whole, said, fails in zip(wholes, least.tolist(), failing_classes([model], merged), strict=True):
            assert 0 <= said <= sum(count for key, count in records.items() if parents[key] == whole)
            assert fails or not said, "a class that holds may have parts that all hold: itself"


def _merged(rows: Rows, merged: tuple[Any, ...]) -> tuple[Classes, int]:
    """The classes of a table of which some are one, and its number."""
    key_of = {key: key for key in rows.population} | dict.fromkeys(merged, "together")
    keys, classes = tables.classes(
        rows, [key_of[key] for key in rows.quasi], others=[key_of[key] for key in rows.others]
    )
    return classes, keys.index("together")


@each_model
@few
@given(data=st.data())
def test_a_model_that_says_it_is_not_monotone_is_not(name: str, entry: Entry | None, data: st.DataObject) -> None:
    """Or it would cost the search its pruning for nothing."""
    entry = needed(name, entry)
    model = data.draw(entry.models)
    if model.monotone is not Monotone.NO:
        assert entry.broken_by_merging is None, "the entry has a counterexample to what the model says"
        return
    assert entry.broken_by_merging is not None, f"{name} says that merging may break it: show how in its entry"
    example, rows, apart = entry.broken_by_merging
    assert verdict(example, tables.classes(rows, apart)[1]).satisfied
    assert not verdict(example, tables.classes(rows, ["together"] * len(rows))[1]).satisfied


def test_two_classes_without_crowds_may_be_one_with_a_crowd() -> None:
    """(ε,m)-anonymity at ε = 15 and m = 2: {40, 60} and {50, 100} satisfy it, and their union does not."""
    model = EpsilonM("n", epsilon=15, m=2)
    assert model.monotone is Monotone.NO
    for values in (("40", "60"), ("50", "100")):
        assert verdict(model, as_they_stand(row(n=values))[1]).measured == 2
    found = verdict(model, as_they_stand(row(n=("40", "60", "50", "100")))[1])
    assert not found.satisfied
    assert found.measured == pytest.approx(4 / 3), "three of the four lie around 50"


# --- verdicts ---------------------------------------------------------------------------------------------------


@some
@given(rows=tables.any_table(), kinds=one_of_each())
def test_the_verdict_quotes_the_worst_class(rows: Rows, kinds: Kinds) -> None:
    """Measured alone, it measures the same; no class is worse; all hold if and only if the model does."""
    keys, classes = tables.classes(rows, rows.quasi, others=[key for key in rows.others if key in rows.quasi])
    for _, entry, model in each(kinds):
        _check_verdict(model, entry, keys, classes)


def _check_verdict(model: Model, entry: Entry, keys: list[Any], classes: Classes) -> None:
    found = verdict(model, classes)
    every = measures(model, keys, classes)
    assert found.satisfied == all(held for _, held in every.values())
    written = found.as_dict()
    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert float(written.pop("measured")) == found.measured
    assert written == {**parameters(model), "satisfied": found.satisfied}
    if model.scope is Scope.TABLE:
        assert found.worst_class is None
        assert (found.measured, found.satisfied) == every["table"]
        return
    assert found.worst_class is not None
    assert found.failing_classes == sum(not held for _, held in every.values())
    assert every[keys[found.worst_class]] == (found.measured, found.satisfied)
    alone = classes.where(np.arange(len(classes)) == found.worst_class)
    measured = model.measure(alone)
    assert measured[0] == pytest.approx(found.measured)
    assert bool(model.holds(alone, measured)[0]) == found.satisfied
    for value, held in every.values():
        if held == found.satisfied and entry.bounds == 1:
            assert value >= found.measured if model.more_is_safer else value <= found.measured


def test_what_is_known_of_the_whole_table_is_known_of_some_of_its_classes() -> None:
    """The release is a part of the table; who learnt from the whole of it knows no less after suppression."""
    model = BT("s", 1e9, 0.5)
    classes = as_they_stand(row(s="xy", a="12"))[1]
    assert model.measure(classes.where(np.array([True, False])))[0] == pytest.approx(model.measure(classes)[0])


def test_the_worst_class_is_numbered_as_the_classes_are() -> None:
    classes = Classes(np.array([0, 5, 2]), {}, 7, {"everybody": np.array([3, 5, 2])})
    assert verdict(KAnonymity(3), classes).worst_class == 2


@few
@given(rows=tables.any_table(), kinds=one_of_each())
def test_classes_that_nobody_is_in_neither_hold_nor_fail(rows: Rows, kinds: Kinds) -> None:
    """Except where an absence tells something: δ-presence from more than 0."""
    with_others = tables.classes(rows, rows.quasi, others=[*rows.others, ("nobody",) * rows.width])[1]
    without = with_others.where(with_others.sizes > 0)
    for _, _, model in each(kinds):
        if model.needs_every_class:
            assert not verdict(model, with_others).satisfied
        else:
            one, other = verdict(model, with_others), verdict(model, without)
            assert (one.satisfied, one.measured) == (other.satisfied, other.measured)
            assert not failing_classes([model], with_others)[with_others.sizes == 0].any()


# --- edges ------------------------------------------------------------------------------------------------------


@few
@given(rows=tables.any_table(), kinds=one_of_each())
def test_an_empty_table_satisfies_everything(rows: Rows, kinds: Kinds) -> None:
    classes = as_they_stand(rows)[1]
    nothing = classes.where(np.zeros(len(classes), dtype=bool))
    for _, _, model in each(kinds):
        found = verdict(model, nothing)
        assert found.satisfied
        assert (found.measured, found.worst_class, found.failing_classes) == (None, None, 0)
        assert found.as_dict()["measured"] is None
        assert not len(failing_classes([model], nothing))


@some
@given(rows=tables.any_table(), kinds=one_of_each())
def test_null_is_a_value_like_another(rows: Rows, kinds: Kinds) -> None:
    """Where the policy says so: under another name it measures the same."""
    named = replace(rows, sensitive=rows.sensitive | {"s": tuple(v or "unknown" for v in rows.sensitive["s"])})
    one, other = as_they_stand(rows), as_they_stand(named)
    for _, entry, model in each(kinds):
        if not entry.null_is_special:
            counting = replace(model, missing="value") if hasattr(model, "missing") else model
            same(measures(counting, *one), measures(counting, *other))


@some
@given(rows=tables.any_table(), kinds=one_of_each())
def test_a_missing_value_is_none(rows: Rows, kinds: Kinds) -> None:
    """Without those who have none each class measures the same, where the policy says nothing else. They do count in
    the size of their class, which is no part of what is measured."""
    every, known = as_they_stand(rows), {name: _with_a_value(rows, name) for name in rows.sensitive}
    for name, _, model in each(kinds):
        if not hasattr(model, "missing") or name == "personalized":  # who has no value has a guard all the same
            continue
        some_classes = known[model.attributes[0]]
        if some_classes is not None:
            found = measures(model, *every)
            for key, (value, _) in measures(model, *some_classes).items():
                assert found[key][0] == pytest.approx(value, rel=1e-9, abs=1e-12)


def _with_a_value(rows: Rows, name: str) -> tuple[list[Any], Classes] | None:
    """The classes of the records that have a value of a sensitive attribute; None where no record has one."""
    there = [number for number, value in enumerate(rows.sensitive[name]) if value is not None]
    known = replace(
        rows,
        quasi=tuple(rows.quasi[number] for number in there),
        sensitive={key: tuple(values[number] for number in there) for key, values in rows.sensitive.items()},
        people=tuple(rows.people[number] for number in there),
    )
    return as_they_stand(known) if there else None


@pytest.mark.parametrize("size", [1, 6])
@each_model
def test_where_all_are_equal_nothing_is_learnt_from_a_class(name: str, entry: Entry | None, size: int) -> None:
    """One class with the whole table's distribution: distances are 0, and the model holds or fails by size alone."""
    entry = needed(name, entry)
    classes = as_they_stand(row(s=("x",) * size, n=("40",) * size, h=("p",) * size))[1]
    learnt = {"t-closeness", "beta-likeness", "delta-disclosure"}
    if name in learnt:
        assert entry.easy is not None
        (model,) = build([{"model": name, "attribute": entry.values.value, **entry.easy}], tables.SENSITIVE)
        assert verdict(model, classes).measured == 0
        assert verdict(model, classes).satisfied


# --- boundaries -------------------------------------------------------------------------------------------------

TEN = row(s="xxxxxyyyzz", n=["40", "60", "50", "100", "40", "60", "50", "100", "40", "40"], a="1111122222")
"""Two classes of five: xxxxx and yyyzz; the whole table is half x, 3/10 y and 1/5 z."""

BOUNDARIES: list[tuple[Model, bool, Rows]] = [
    (KAnonymity(5), True, TEN),
    (KAnonymity(6), False, TEN),
    (HighestRisk(0.2), True, TEN),
    (HighestRisk(0.1999999), False, TEN),
    (HighestRisk(1 / 3), True, row(s="xxx")),
    (AverageRisk(0.2), True, TEN),
    (AverageRisk(0.1999999), False, TEN),
    (AverageRisk(3 / 7), True, row(s="xxxxxxx", a="1112233")),
    (LDiversity("s", 2), True, row(s="xxy")),
    (LDiversity("s", 3), False, row(s="xxy")),
    (LDiversity("s", 3, "entropy"), True, row(s="xyz" * 7)),
    (LDiversity("s", 3.0000001, "entropy"), False, row(s="xyz" * 7)),
    (LDiversity("s", 2, "entropy"), True, row(s="xy")),
    (LDiversity("s", 4, "entropy", missing="value"), True, row(s=["x", "y", "z", None] * 11)),
    (LDiversity("s", 1, "entropy"), True, row(s="x")),
    (LDiversity("s", math.sqrt(8), "entropy", missing="value"), True, row(s=["x", "x", "y", None])),
    (LDiversity("s", 2, "recursive", c=2.0), False, row(s="xxxxyz")),  # 4 < 2 · 2 is false
    (LDiversity("s", 2, "recursive", c=2.0000001), True, row(s="xxxxyz")),
    (LDiversity("s", 2, "recursive", c=0.3), False, row(s=["x"] * 3 + [*"abcdefghij"])),
    (LDiversity("s", 2, "recursive", c=1.1), False, row(s=["x"] * 11 + ["y"] * 10)),
    (LDiversity("s", 3, "recursive", c=100.0), False, row(s="xy")),
    (LDiversity("s", 1, "recursive", c=1.0), False, row(s="x")),
    (LDiversity("s", 1, "recursive", c=1.0), True, row(s="xy")),
    (TCloseness("s", 0.5), True, TEN),
    (TCloseness("s", 0.4999999), False, TEN),
    (TCloseness("s", 1 / 3), True, row(s="xyz" * 3 + "xyxyxy", a="1" * 9 + "2" * 6)),
    (TCloseness("s", 0.0), True, row(s="xyxy", a="1122")),
    (TCloseness("n", 0.5, "ordered"), True, row(n=["1", "2", "3"], a="112")),  # half a step of two, and one
    (TCloseness("n", 0.4999999, "ordered"), False, row(n=["1", "2", "3"], a="112")),
    (TCloseness("h", 0.25, "hierarchical"), True, row(h="pqpq", a="1122")),
    (TCloseness("h", 0.25, "hierarchical"), True, row(h="pq", a="12")),  # ½ moves up to the first of two levels
    (TCloseness("h", 0.2499999, "hierarchical"), False, row(h="pq", a="12")),
    (TCloseness("h", 0.5, "hierarchical"), True, row(h="pr", a="12")),
    (TCloseness("h", 0.4999999, "hierarchical"), False, row(h="pr", a="12")),
    (AlphaK("s", 0.6, 3), True, row(s="xxxyy")),
    (AlphaK("s", 0.5999999, 3), False, row(s="xxxyy")),
    (AlphaK("s", 0.6, 5), True, row(s="xxxyy")),
    (AlphaK("s", 0.6, 6), False, row(s="xxxyy")),
    (AlphaK("s", 0.4, 3, value="y"), True, row(s="xxxyy")),
    (AlphaK("s", 0.3999999, 3, value="y"), False, row(s="xxxyy")),
    (RealisticEpsilonPrivacy("s", 2.0, 4.0, "any"), True, row(s="xxyy", a="1111")),  # 1 + 4 / 4
    (RealisticEpsilonPrivacy("s", 1.9999999, 4.0, "any"), False, row(s="xxyy", a="1111")),
    (RealisticEpsilonPrivacy("s", 1.0, 4.0), True, row(s="xyxy", a="1122")),  # every class is as the table
    (RealisticEpsilonPrivacy("s", 99.0, 4.0), False, row(s="xxyy", a="1122")),  # certain afterwards
    (RealisticEpsilonPrivacy("s", 1.0, 4.0, "uniform"), True, row(s="xyxy", a="1122")),
    (BetaLikeness("s", 1.0), True, row(s="xxyy", a="1122")),
    (BetaLikeness("s", 0.9999999), False, row(s="xxyy", a="1122")),
    (BetaLikeness("s", 1 / 3), True, row(s="xxyxyy", a="111222")),
    (BetaLikeness("s", 9.0, "enhanced"), False, row(s="xxyy", a="1122")),  # 1 > ln 2
    (BetaLikeness("s", 9.0, "enhanced"), True, row(s="xxyxyy", a="111222")),  # 1/3 < ln 2
    (BetaLikeness("s", 1 / 3, "enhanced"), True, row(s="xxyxyy", a="111222")),
    (BetaLikeness("s", 0.3333333, "enhanced"), False, row(s="xxyxyy", a="111222")),
    (DeltaDisclosure("s", math.log(2)), False, row(s="xxy" + "xyyyyyyyy", a="1" * 3 + "2" * 9)),
    (DeltaDisclosure("s", math.log(2.6666668)), True, row(s="xxy" + "xyyyyyyyy", a="1" * 3 + "2" * 9)),
    (DeltaDisclosure("s", math.log(8 / 3)), False, row(s="xxy" + "xyyyyyyyy", a="1" * 3 + "2" * 9)),  # below, not at
    (DeltaDisclosure("s", 99.0), False, row(s="xxyx", a="1112")),  # the second class has no y
    (PSensitive("s", 2, 3), True, row(s="xxy")),
    (PSensitive("s", 2, 4), False, row(s="xxy")),
    (PSensitive("s", 3, 3), False, row(s="xxy")),
    (TCorruption("s", 2, 2), True, row(s="xxyyzz")),  # 2 of the 4 that are not known
    (TCorruption("s", 3, 2), False, row(s="xxyyzz")),
    (TCorruption("s", 2, 2.0000001), False, row(s="xxyyzz")),
    (TCorruption("s", 6, 1), False, row(s="xxyyzz")),  # nobody is left to hide among
    (TCorruption("s", 0, 3), True, row(s="xxyyzz")),
    (KE("n", 2, 20), True, row(n=["40", "60"])),
    (KE("n", 2, 20.0000001), False, row(n=["40", "60"])),
    (KE("n", 3, 20), False, row(n=["40", "60", "40"])),
    (KE("n", 3, 20), False, row(n=["40", "60", None])),
    (KE("n", 3, 20, "value"), True, row(n=["40", "60", None])),  # one of the values and none of the range
    (KE("n", 1, 0), False, row(n=[None])),
    (KE("n", 1, 0, "value"), True, row(n=[None])),
    (LDiversity("s", 2), False, row(s=["x", "x", None])),
    (LDiversity("s", 2, missing="value"), True, row(s=["x", "x", None])),
    (LDiversity("s", 1), False, row(s=[None, None])),  # no value is no diversity
    (LDiversity("s", 1.9, "entropy"), True, row(s=["x", "y", None, None])),
    (LDiversity("s", 2, "recursive", 2), False, row(s=["x", None])),
    (AlphaK("s", 0.5, 4), False, row(s=["x", "x", None, "y"])),  # two of the three that are known
    (AlphaK("s", 0.5, 4, missing="value"), True, row(s=["x", "x", None, "y"])),
    (PSensitive("s", 2, 3), False, row(s=["x", "x", None])),
    (KE("n", 1, 1), False, row(n=[None, "7"])),
    (EpsilonM("n", 20, 1), True, row(n=["40", "60"])),
    (EpsilonM("n", 20, 2), False, row(n=["40", "60"])),
    (EpsilonM("n", 19.9999999, 2), True, row(n=["40", "60"])),
    (EpsilonM("n", 0, 3), True, row(n=["40", "60", "50"])),
    (EpsilonM("n", 0, 3), False, row(n=["40", "60", "60"])),
    (EpsilonM("n", 0.5, 2, "relative"), False, row(n=["40", "60"])),  # 60 lies within half of 40
    (EpsilonM("n", 0.5, 2, "relative"), False, row(n=["-40", "-60"])),
    (EpsilonM("n", 0.4, 2, "relative"), True, row(n=["40", "-60"])),
    (CKSafety("s", 0.5, 0), False, row(s="xxyy")),  # below, not at
    (CKSafety("s", 0.5000001, 0), True, row(s="xxyy")),
    (CKSafety("s", 1.0, 1), False, row(s="xy")),  # "if one has y, so has the other" leaves no doubt
    (Personalized("h", "g", 0.5), True, row(h="pq", g=["p", None])),
    (Personalized("h", "g", 0.4999999), False, row(h="pq", g=["p", None])),
    (Personalized("h", "g", 2 / 3), True, row(h="pqr", g=["P", None, None])),
    (Personalized("h", "g", 0.9999999), False, row(h="pqr", g=["*", None, None])),
    (Personalized("h", "g", 0.0), True, row(h="ppp", g=[None, None, None])),
    (KM("s", 2, 1), True, row(s=["x", "x,y", "y"])),
    (KM("s", 2, 2), False, row(s=["x", "x,y", "y"])),
    (KM("s", 3, 1), False, row(s=["x", "x,y", "y"])),
    (MInvariance("s", 2), True, row(s="xy")),
    (MInvariance("s", 3), False, row(s="xy")),
    (MInvariance("s", 2), False, row(s="xyx")),
    (BT("s", 1e9, 0.0), True, row(s="xy")),
    (BT("s", 1e9, 0.75 * math.log2(4 / 3)), True, row(s="xy", a="12")),  # from ½ and ½ to certainty
    (BT("s", 1e9, 0.311), False, row(s="xy", a="12")),
    (Injector("s", 2, 1), True, row(s="xy")),
    (Injector("s", 3, 1), False, row(s="xy")),
    (MConfidentiality("s", 3), True, row(s="xxyyzz")),
    (MConfidentiality("s", 4), False, row(s="xxyyzz")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("model", "satisfied", "rows"), BOUNDARIES, ids=[f"{m}: {holds}" for m, holds, _ in BOUNDARIES]
)
def test_the_bound_itself(model: Model, satisfied: bool, rows: Rows) -> None:
    """On the bound a model holds, whatever the rounding; where it asks for less than the bound, it does not."""
    assert verdict(model, as_they_stand(rows)[1]).satisfied == satisfied


def test_the_bound_of_every_registered_model_is_tried() -> None:
    tried = {model.name for model, _, _ in BOUNDARIES} | {"delta-presence", "k-map"}
    assert set(MODELS) <= tried, f"BOUNDARIES needs cases for {', '.join(sorted(set(MODELS) - tried))}"


@pytest.mark.parametrize(
    ("model", "satisfied"),
    [
        (DeltaPresence("everybody", max=0.8), True),
        (DeltaPresence("everybody", max=0.7999999), False),
        (DeltaPresence("everybody", min=0.3, max=0.8), True),
        (DeltaPresence("everybody", min=0.3000001, max=0.8), False),
        (KMap(5, population="everybody"), True),
        (KMap(6, population="everybody"), False),
    ],
    ids=str,
)
def test_the_bound_itself_with_a_population(model: Model, satisfied: bool) -> None:
    """Four of five, and three of ten."""
    assert verdict(model, Classes(np.array([4, 3]), {}, 7, {"everybody": np.array([5, 10])})).satisfied == satisfied


@given(
    size=st.integers(1, 60), more=st.integers(0, 60), denominator=st.integers(1, 97), known=st.integers(0, 5)
)  # fmt: skip
@settings(deadline=None, max_examples=examples(200))
def test_a_share_on_the_bound_holds_whatever_the_rounding(size: int, more: int, denominator: int, known: int) -> None:
    """Counts over counts against the same fraction as a policy would write it, in all its digits."""
    rows = ["x"] * size + [f"y{number}" for number in range(more)]
    share = size / (size + more)
    one_class = _alone(rows)
    assert verdict(AlphaK("s", share, 1), one_class).satisfied
    assert verdict(HighestRisk(1 / (size + more)), one_class).satisfied
    assert verdict(AverageRisk(1 / (size + more)), one_class).satisfied
    if more >= known:
        assert verdict(TCorruption("s", known, (size + more - known) / size), one_class).satisfied
    assert verdict(LDiversity("s", 1, "recursive", c=size / (size + more)), one_class).satisfied is False
    whole = np.array([size * denominator])
    presence = Classes(np.array([size]), {}, size, {"everybody": whole})
    assert verdict(DeltaPresence("everybody", min=1 / denominator, max=1 / denominator), presence).satisfied


def _alone(values: Sequence[str]) -> Classes:
    """One class with some values."""
    labels, counts = np.unique(np.array(values), return_counts=True)
    domain = tables.Domain("s", tuple(map(str, labels)), counts.astype(np.int64))
    histogram = Histogram(np.array([0, len(labels)]), np.arange(len(labels), dtype=np.int32), domain.total, domain)
    return Classes(np.array([len(values)]), {"s": histogram}, len(values))


def test_numbers_exactly_epsilon_apart_are_near_each_other() -> None:
    """0.7 and 0.8 at ε = 0.1: counting them as apart would release what the model forbids."""
    assert not verdict(EpsilonM("n", 0.1, 2), as_they_stand(row(n=["0.7", "0.8"]))[1]).satisfied


def test_a_range_of_exactly_e_is_enough() -> None:
    assert verdict(KE("n", 2, 0.2), as_they_stand(row(n=["0.1", "0.3"]))[1]).satisfied


def test_a_number_spelled_in_two_ways_is_one_number() -> None:
    assert not verdict(KE("n", 2, 0), as_they_stand(row(n=["1", "1.0"]))[1]).satisfied


@pytest.mark.parametrize("value", ["inf", "-Infinity", "1_000"])
def test_what_nobody_writes_for_a_number_is_none(value: str) -> None:
    """A range from 1 to infinity is 0, and 1_000 is a code."""
    policy = {
        "attributes": {"a": {"role": "quasi-identifier"}, "n": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "k-e-anonymity", "k": 1, "e": 0}]},
    }
    with pytest.raises(PolicyError, match="not"):
        cb.anonymize(pa.table({"a": ["x", "x"], "n": ["1", value]}), policy)


def test_a_class_of_nulls_alone_tells_that_its_people_have_no_value() -> None:
    nobody = as_they_stand(row(n=[None] * 4))[1]
    assert not verdict(EpsilonM("n", 1, 2, missing="value"), nobody).satisfied
    assert verdict(EpsilonM("n", 1, 2), nobody).satisfied, "of what is not there nothing is inferred"


# --- the compiled roll-up ---------------------------------------------------------------------------------------


def problem_of(rows: Rows, models: Sequence[Model], *, people: bool) -> Problem:
    return Problem(
        table=tables.counted(rows, people=people, population=not people),
        hierarchies=rows.hierarchies,
        models=tuple(models),
        metric=metrics.find_metric("loss"),
        limit=len(rows),
        lowest=(0,) * rows.width,
        highest=tuple(h.height for h in rows.hierarchies),
        weights=(1.0,) * rows.width,
    )


def released(problem: Problem, rolled: RolledTable) -> list[Any]:
    """The tuple of each class."""
    labels = [h.labels[level] for h, level in zip(problem.hierarchies, rolled.levels, strict=True)]
    return [tuple(labels[column][code] for column, code in enumerate(codes)) for codes in rolled.codes.tolist()]


@pytest.mark.parametrize("people", [False, True], ids=["records", "people"])
@settings(some, max_examples=examples(25))
@given(rows=tables.any_table(), source=st.randoms(use_true_random=False), data=st.data())
def test_the_compiled_roll_up_measures_the_same_as_plain_counting(
    people: bool, rows: Rows, source: random.Random, data: st.DataObject
) -> None:
    """At every node, in any order of visiting them: each table is made from another one that lies below it."""
    models = [model for _, _, model in data.draw(one_of_each(people=people))]
    problem = problem_of(rows, models, people=people)
    evaluator = Evaluator(problem, histograms=tables.SENSITIVE)
    nodes = list(itertools.product(*(range(h.height + 1) for h in rows.hierarchies)))
    for levels in source.sample(nodes, len(nodes)):
        rolled = evaluator.table(levels)
        found = evaluator.classes(rolled)
        others = [] if people else rows.recoded(levels, rows.others)
        plain = tables.classes(rows, rows.recoded(levels), others=others, people=people)
        for model in models:
            same(measures(model, released(problem, rolled), found), measures(model, *plain))
            one, other = verdict(model, found), verdict(model, plain[1])
            assert (one.satisfied, one.failing_classes) == (other.satisfied, other.failing_classes)
            assert one.measured == pytest.approx(other.measured)


@some
@given(rows=tables.any_table(), kinds=one_of_each())
def test_the_compiled_form_of_a_check_fails_the_same_classes_as_the_plain_one(rows: Rows, kinds: Kinds) -> None:
    """And says the same of how many records fail at least below."""
    _, classes = as_they_stand(rows)
    for name, _, model in each(kinds):
        _check_compiled(name, model, classes)


def _check_compiled(name: str, model: Model, classes: Classes) -> None:
    domains = {column: histogram.domain for column, histogram in classes.histograms.items()}
    if hasattr(model, "missing") and domains[model.attributes[0]].missing is not None:
        assert compiled_form(model, domains) is None
        model = replace(model, missing="value")
    check_compiled = compiled_form(model, domains)
    if check_compiled is None:
        assert name not in ("k-anonymity", "l-diversity", "t-closeness"), "the search spends its time on these"
        return
    failed, least = np.zeros(len(classes), dtype=np.bool_), np.zeros(len(classes), dtype=np.int64)
    check_compiled(classes, failed, least)
    assert failed.tolist() == failing_classes([model], classes).tolist()
    plain = np.where(failed, model.least_failing(classes, model.measure(classes)), 0)
    assert least.tolist() == plain.tolist()


@pytest.mark.parametrize("people", [False, True], ids=["records", "people"])
@settings(few, max_examples=6)
@given(rows=tables.any_table(), data=st.data())
def test_and_the_same_as_the_engine_counting_the_recoded_rows(people: bool, rows: Rows, data: st.DataObject) -> None:
    """The way of verification: the rows as they would be released, counted by the engine, against the whole table."""
    models = [model for _, _, model in data.draw(one_of_each(people=people))]
    problem = problem_of(rows, models, people=people)
    evaluator = Evaluator(problem, histograms=tables.SENSITIVE)
    for levels in itertools.product(*(range(h.height + 1) for h in rows.hierarchies)):
        frame = rows.arrow()
        for column, name in enumerate(rows.names):
            values = pa.array([key[column] for key in rows.recoded(levels)], pa.string())
            frame = frame.set_column(frame.column_names.index(name), name, values)
        population = None if people else rows.recoded(levels, rows.population)
        counted = tables.count(frame, rows, people=people, population=population).against(problem.table.domains)
        original = OriginalTable(problem.table, rows.hierarchies, dict(zip(rows.names, levels, strict=True)))
        plain = replace(counted.classes(), members=original.members(counted))
        keys = [counted.tuple_labels(number) for number in range(len(counted.counts))]
        rolled = evaluator.table(levels)
        for model in models:
            same(measures(model, released(problem, rolled), evaluator.classes(rolled)), measures(model, keys, plain))


# --- parameters -------------------------------------------------------------------------------------------------


@some
@given(kinds=one_of_each())
def test_parameters_go_to_a_policy_and_back(kinds: Kinds) -> None:
    for name, _, model in each(kinds):
        written = json.loads(json.dumps(parameters(model)))
        assert written["model"] == name
        assert not any("_" in key for key in written), "a policy's names have hyphens"
        assert build([written], tables.SENSITIVE) == (model,)
        assert name in str(model)


def wrong_parameters() -> Iterator[Any]:
    """Every parameter that an entry says is wrong, beside what the model needs otherwise."""
    for name in MODELS:
        known = {field.name for field in fields(MODELS[name])}  # type: ignore[arg-type]
        for entry in STRATEGIES.get(name, {}).values():
            common = [("missing", {**(entry.easy or {}), "missing": "none"})] if "missing" in known else []
            for key, given_ in [*entry.wrong, *common]:
                needs = {"attribute": "s", "population": "p.csv"}
                if "population-size" in given_:
                    needs.pop("population")
                specification = {k: v for k, v in needs.items() if k in known} | given_
                yield pytest.param(name, key, specification, id=f"{name}-{given_}")


@pytest.mark.parametrize(("name", "key", "specification"), list(wrong_parameters()))
def test_wrong_parameters_are_refused_in_one_form_of_words(name: str, key: str, specification: dict[str, Any]) -> None:
    with pytest.raises(PolicyError) as refused:
        build([{"model": name, **specification}], tables.SENSITIVE, where="p.toml")
    assert refused.value.where == "p.toml, privacy.models[0]"
    assert re.fullmatch(rf"The '{key}' parameter of {name} must be .+\. Got .+ instead", refused.value.what)


@each_model
def test_every_parameter_is_checked(name: str, entry: Entry | None) -> None:
    """Some entry of the model says what is wrong for it."""
    needed(name, entry)
    tried = {key for one in STRATEGIES[name].values() for key, _ in one.wrong}
    known = {field.name.replace("_", "-") for field in fields(MODELS[name])}  # type: ignore[arg-type]
    known -= {"attribute", "missing"}
    assert known <= tried, f"give {name} wrong values in model_strategies.py: {known - tried}"


@pytest.mark.parametrize("name", ["highest-risk", "average-risk"])
def test_a_number_beyond_all_numbers_is_refused_in_words(name: str) -> None:
    with pytest.raises(PolicyError, match="The 'max' parameter"):
        build([{"model": name, "max": 10**400}], [])


def test_a_model_is_named_by_text() -> None:
    with pytest.raises(PolicyError):
        build([{"model": ["k-anonymity"], "k": 2}], [])


@each_model
def test_what_a_model_does_not_know_or_lacks_is_refused(name: str, entry: Entry | None) -> None:
    easy = needed(name, entry).easy or {}
    with pytest.raises(PolicyError, match=rf"{name} has no parameter 'nonsense'"):
        build([{"model": name, **easy, "nonsense": 1}], tables.SENSITIVE)
    required = {f.name for f in fields(MODELS[name]) if f.default is f.default_factory}  # type: ignore[arg-type]
    for key in required - {"attribute"}:
        rest = {known: value for known, value in easy.items() if known.replace("-", "_") != key}
        with pytest.raises(PolicyError, match=rf"{name} needs the parameter '{key}'"):
            build([{"model": name, **rest}], tables.SENSITIVE)


@each_model
def test_a_model_protects_sensitive_attributes_only(name: str, entry: Entry | None) -> None:
    entry = needed(name, entry)
    if entry.values is Values.NONE:
        with pytest.raises(PolicyError, match="has no parameter 'attribute'"):
            build([{"model": name, "attribute": "s", **(entry.easy or {})}], ["s"])
        return
    with pytest.raises(PolicyError, match=r"'age', which is not a sensitive attribute.*\n.*: s, t"):
        build([{"model": name, "attribute": "age", **(entry.easy or {})}], ["s", "t"])
    with pytest.raises(PolicyError, match="protects a sensitive attribute, and the policy has no sensitive attribute"):
        build([{"model": name, **(entry.easy or {})}], [])
    for_all = build([{"model": name, **(entry.easy or {})}], ["s", "t"])
    assert [model.attributes[0] for model in for_all] == ["s", "t"], "without an attribute, every one"


SECRETS = ["hepatitis", "syphilis", "none of your business"]


@each_model
def test_a_model_that_does_not_fit_the_values_is_refused_without_showing_them(name: str, entry: Entry | None) -> None:
    """Numbers, an order or a tree are needed: the message names the column and what to do, and no value."""
    entry = needed(name, entry)
    if entry.values in (Values.NONE, Values.CATEGORY):
        return
    policy: dict[str, Any] = {
        "attributes": {
            "a": {"role": "quasi-identifier"},
            "illness": {"role": "sensitive"},
            "g": {"role": "identifier"},
        },
        "privacy": {"models": [{"model": name, **(entry.easy or {})}]},
    }
    frame = pa.table({"a": ["x"] * 6, "illness": SECRETS * 2, "g": SECRETS * 2})
    with pytest.raises(PolicyError) as refused:
        cb.anonymize(frame, policy)
    assert '"illness"' in str(refused.value)
    assert refused.value.remedy
    assert not any(secret in str(refused.value) for secret in SECRETS)


def test_half_a_number_is_no_number_and_a_comma_is_what_the_policy_says() -> None:
    policy: dict[str, Any] = {
        "attributes": {"a": {"role": "quasi-identifier"}, "n": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "k-e-anonymity", "k": 2, "e": 1.5}]},
    }
    frame = pa.table({"a": ["x"] * 3, "n": ["1,5", "3,0", None]})
    with pytest.raises(PolicyError, match="decimal"):
        cb.anonymize(frame, policy)
    assert cb.anonymize(frame, policy | {"data": {"decimal": ","}}).levels == {"a": 0}


def test_t_closeness_wants_one_root_over_all_values() -> None:
    tree = {"tree": {"P": ["p", "q"], "R": ["r"]}}
    policy: dict[str, Any] = {
        "attributes": {"a": {"role": "quasi-identifier"}, "h": {"role": "sensitive", "hierarchy": tree}},
        "privacy": {"models": [{"model": "t-closeness", "t": 0.5, "distance": "hierarchical"}]},
    }
    frame = pa.table({"a": ["x"] * 3, "h": ["p", "q", "r"]})
    with pytest.raises(PolicyError, match="top = true"):
        cb.anonymize(frame, policy)
    policy["attributes"]["h"]["hierarchy"] = tree | {"top": True}
    assert cb.anonymize(frame, policy).levels == {"a": 0}


def test_a_value_that_nobody_has_is_refused_as_a_slip_of_the_pen() -> None:
    policy: dict[str, Any] = {
        "attributes": {"a": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "alpha-k-anonymity", "alpha": 0.1, "k": 2, "value": "HIV"}]},
    }
    with pytest.raises(PolicyError):
        cb.anonymize(pa.table({"a": ["x"] * 3, "s": ["hiv"] * 3}), policy)
