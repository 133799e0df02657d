"""(B,t)-privacy and Injector against their definitions in plain Python: kernels by hand, matchings by permutation."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.data.classes import Members
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.errors import PolicyError, SearchTooLarge
from cobogo.promises.models import Classes, Histogram, Monotone, background_knowledge, build
from cobogo.promises.models.background_knowledge import BT, Injector
from cobogo.promises.models.check import check
from support import random_tables as tables
from support.effort import examples
from support.random_tables import Rows, row

pytestmark = pytest.mark.slow

small = settings(deadline=None, max_examples=examples(120))
merging = st.lists(st.integers(0, 2), min_size=6, max_size=6)


def merged(rows: Rows, owners: Sequence[int]) -> tuple[list[Any], Classes]:
    """The classes of a table whose distinct tuples fall together at will."""
    place = {key: owners[number % len(owners)] for number, key in enumerate(dict.fromkeys(rows.quasi))}
    return tables.classes(rows, [place[key] for key in rows.quasi])


# --- (B,t)-privacy, one record at a time ------------------------------------------------------------------------


def apart(hierarchy: Hierarchy, one: Label, other: Label) -> float:
    """The height of the lowest common ancestor over that of the hierarchy; 1 where there is none."""
    for level in range(hierarchy.height + 1):
        if hierarchy.generalize(one, level) == hierarchy.generalize(other, level):
            return level / max(hierarchy.height, 1)
    return 1.0


def prior(rows: Rows, person: int, bandwidths: Sequence[float], distance: Callable[..., float]) -> dict[Label, float]:
    belief: Counter[Label] = Counter()
    for other in range(len(rows)):
        weight = 1.0
        for hierarchy, width, a, b in zip(
            rows.hierarchies, bandwidths, rows.quasi[person], rows.quasi[other], strict=True
        ):
            far = distance(hierarchy, a, b) / width
            weight *= 1 - far * far if far < 1 else 0.0
        belief[rows.sensitive["s"][other]] += weight  # type: ignore[assignment]
    total = sum(belief.values())
    return {value: weight / total for value, weight in belief.items() if weight}


def posterior(
    members: Sequence[int], priors: Sequence[dict[Label, float]], rows: Rows, person: int
) -> dict[Label, float]:
    held = Counter(rows.sensitive["s"][number] for number in members)
    odds = {
        value: times * priors[person].get(value, 0) / sum(priors[number].get(value, 0) for number in members)
        for value, times in held.items()
    }
    return {value: one / sum(odds.values()) for value, one in odds.items() if one}


def divergence(one: dict[Label, float], other: dict[Label, float]) -> float:
    middle = {value: (one.get(value, 0) + other.get(value, 0)) / 2 for value in {*one, *other}}
    halves = [sum(p * math.log2(p / middle[value]) for value, p in side.items()) for side in (one, other)]
    return sum(halves) / 2


@small
@given(rows=tables.tables(most=15), owners=merging, b=st.sampled_from([0.3, 0.5, 0.6, 1.0, 1.5, 5.0]))
def test_it_measures_the_largest_move_of_a_belief(rows: Rows, owners: list[int], b: float) -> None:
    keys, classes = merged(rows, owners)
    place = {key: owners[number % len(owners)] for number, key in enumerate(dict.fromkeys(rows.quasi))}
    priors = [prior(rows, person, [b] * rows.width, apart) for person in range(len(rows))]
    expected = []
    for key in keys:
        members = [number for number in range(len(rows)) if place[rows.quasi[number]] == key]
        expected.append(max(divergence(priors[n], posterior(members, priors, rows, n)) for n in members))
    assert BT("s", b, 0.5, missing="value").measure(classes).tolist() == pytest.approx(expected, abs=1e-9)


def test_numbers_are_as_far_apart_as_their_difference() -> None:
    """Ages 20, 30 and 60: a third of the way at most, with B = 0.5, only the first two are near."""
    ages = Hierarchy.from_columns("age", [["20", "30", "60", None], ["*"] * 4])
    histogram = Histogram(np.arange(5), np.array([0, 1, 0, 1], dtype=np.int32), np.ones(4, dtype=np.int64), _xy())
    codes = np.arange(4, dtype=np.int32)[:, None]
    members = Members(np.arange(4), codes, np.ones(4, dtype=np.int64), {"s": histogram}, (ages,))
    found = background_knowledge._priors(background_knowledge.whole_table(members, _xy()), (0.5,))
    near = 1 - (0.25 / 0.5) ** 2
    assert found[:, 1].tolist() == pytest.approx([near / (1 + near), 1 / (1 + near), 0, 1])


def _xy() -> Any:
    return tables.Domain("s", ("x", "y"), np.array([2, 2]))


def test_an_attacker_who_knows_nothing_sees_t_closeness_and_one_who_knows_all_learns_nothing() -> None:
    """A wide kernel's prior is the whole table's distribution; a narrow one's is the person's own value."""
    rows = row(s="xxyy", a="1234")
    _, classes = tables.classes(rows, [1, 1, 2, 2])
    (wide,) = set(BT("s", 1e6, 0.5).measure(classes).tolist())
    assert wide == pytest.approx(divergence({"x": 0.5, "y": 0.5}, {"x": 1.0}), abs=1e-9)
    assert BT("s", 0.1, 0.5).measure(classes).tolist() == pytest.approx([0, 0])


def test_a_class_with_everybody_tells_nothing_to_who_knows_nothing() -> None:
    _, classes = tables.classes(row(s="xxyz", a="1234"), [1] * 4)
    assert BT("s", 1e6, 0.0).measure(classes).tolist() == pytest.approx([0], abs=1e-9)


def test_it_is_not_monotone() -> None:
    """Two classes that move no belief by more than 0.0018, and one class of both that does."""
    model = BT("s", 0.6, 0.0018)
    assert model.monotone is Monotone.NO
    rows = row(s="yyzyyxzyyyxyx", a="1111122333334")
    assert check([model], tables.classes(rows, [1] * 7 + [2] * 6)[1])[0].satisfied
    assert not check([model], tables.classes(rows, [1] * 13)[1])[0].satisfied


def test_smoothing_makes_close_values_alike() -> None:
    """p and q lie under one node: moved from one to the other, a belief hardly moves; to r, it does."""
    close, far = (row(h=values, a="12") for values in ("pq", "pr"))
    moves = []
    for rows, smoothing in itertools.product((close, far), (0.0, 0.8)):
        _, classes = tables.classes(replace(rows, sensitive={"h": rows.sensitive["h"]}), [1, 2])
        moves.append(BT("h", 1e6, 0.5, smoothing).measure(classes).max())
    plain_close, smooth_close, plain_far, smooth_far = moves
    assert plain_close == pytest.approx(plain_far)
    assert smooth_close < plain_close / 2
    assert smooth_far == pytest.approx(plain_far)
    with pytest.raises(PolicyError, match="needs a hierarchy"):
        BT("s", 0.5, 0.5, 0.8).check_domains(tables.domains(close))


def test_a_bandwidth_for_each_quasi_identifier() -> None:
    quasi = (("a1", "b1"), ("a2", "b2"), ("a3", "b1"), ("a1", "b2"), ("a2", "b1"))
    _, classes = tables.classes(Rows(2, quasi, {"s": tuple("xyxyy")}, tuple("12345")), [1, 1, 2, 2, 2])
    one, other = (BT("s", {"a": 0.6, "b": b}, 0.5) for b in (0.5, 2.0))
    assert one.measure(classes).tolist() != pytest.approx(other.measure(classes).tolist())
    assert BT("s", {"a": 0.6, "b": 0.6}, 0.5).measure(classes).tolist() == BT("s", 0.6, 0.5).measure(classes).tolist()
    with pytest.raises(PolicyError, match="one bandwidth for each quasi-identifier") as refused:
        BT("s", {"a": 0.6}, 0.5).measure(classes)
    assert "a, b" in str(refused.value)
    assert hash(one) != hash(other)
    assert len({one, BT("s", {"b": 0.5, "a": 0.6}, 0.5)}) == 1


def test_too_many_tuples_are_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_knowledge, "TUPLES_AT_MOST", 2)
    _, classes = tables.classes(row(s="xyzxyzx", a="1232321"), [1] * 7)
    with pytest.raises(SearchTooLarge, match="there are 3 combinations, and it can compare at most 2") as refused:
        BT("s", 0.123, 0.5).measure(classes)
    assert refused.value.remedy
    monkeypatch.setattr(background_knowledge, "CELLS_AT_MOST", 2)
    with pytest.raises(SearchTooLarge, match="3 distinct combinations of quasi-identifiers and 3 sensitive values"):
        Injector("s", 1, 1).measure(classes)


def test_what_is_learnt_from_one_table_is_not_taken_for_another() -> None:
    """Two empty tables, whose sensitive attributes have two values and three; and one where all values are NULL."""
    for values in ("xy", "xyz", [None, None]):
        _, classes = tables.classes(row(s=values, h=values), [1] * len(values))
        for model in (BT("s", 0.6, 0.5), Injector("s", 1, 1)):
            assert model.measure(classes.where(np.zeros(1, dtype=bool))).tolist() == []
    _, nulls = tables.classes(row(h=[None, None]), [1, 1])
    assert BT("h", 0.6, 0.5, smoothing=0.5).measure(nulls).tolist() == [0]


# --- Injector, dealing the values in every way ------------------------------------------------------------------


def ruled_out(rows: Rows, min_support: int) -> set[tuple[int, Label]]:
    """Each person with the values that one or two of their quasi-identifiers never go with."""
    found = set()
    columns = range(rows.width)
    for picked in (*itertools.combinations(columns, 1), *itertools.combinations(columns, 2)):
        for person in range(len(rows)):
            alike = [
                other
                for other in range(len(rows))
                if all(rows.quasi[other][column] == rows.quasi[person][column] for column in picked)
            ]
            seen = {rows.sensitive["s"][other] for other in alike}
            if len(alike) >= min_support:
                found |= {(person, value) for value in set(rows.sensitive["s"]) - seen}
    return found


def fewest_possible(rows: Rows, members: Sequence[int], forbidden: set[tuple[int, Label]]) -> int:
    """Over all permutations of the values of a class that deal nobody what is ruled out for them."""
    possible: list[set[Label]] = [set() for _ in members]
    for dealt in set(itertools.permutations(rows.sensitive["s"][number] for number in members)):
        if not any((who, value) in forbidden for who, value in zip(members, dealt, strict=True)):
            for found, value in zip(possible, dealt, strict=True):
                found.add(value)
    return min(map(len, possible))


@small
@given(rows=tables.tables(most=7), owners=merging, min_support=st.integers(1, 3))
def test_it_measures_the_fewest_values_that_a_matching_admits(rows: Rows, owners: list[int], min_support: int) -> None:
    keys, classes = merged(rows, owners)
    place = {key: owners[number % len(owners)] for number, key in enumerate(dict.fromkeys(rows.quasi))}
    forbidden = ruled_out(rows, min_support)
    expected = [
        fewest_possible(rows, [n for n in range(len(rows)) if place[rows.quasi[n]] == key], forbidden) for key in keys
    ]
    assert Injector("s", 1, min_support, "value").measure(classes).tolist() == expected


def test_what_never_goes_together_makes_a_diverse_class_certain() -> None:
    """No a1 has y, and of the class a1, a2 only one value is y: so a2 has it. Distinct l-diversity sees two values."""
    rows = row(s="xxxxyy", a="111122")
    _, classes = tables.classes(rows, [1, 2, 2, 2, 1, 2])
    assert classes.histograms["s"].distinct.tolist() == [2, 2]
    assert Injector("s", 2, min_support=2).measure(classes).tolist() == [1, 1]
    assert Injector("s", 2, min_support=9).measure(classes).tolist() == [2, 2]


@small
@given(
    rows=tables.tables(most=20),
    one=merging,
    up=st.lists(st.integers(0, 1), min_size=3, max_size=3),
    l=st.integers(1, 3),
)
def test_merging_classes_that_satisfy_it_breaks_nothing(rows: Rows, one: list[int], up: list[int], l: int) -> None:
    model = Injector("s", l, 2)
    assert model.monotone is Monotone.WITHOUT_SUPPRESSION
    if check([model], merged(rows, one)[1])[0].satisfied:
        assert check([model], merged(rows, [up[owner] for owner in one])[1])[0].satisfied


def test_with_suppression_it_is_not_monotone() -> None:
    rows = row(s="xyxyz", a="11223")
    _, apart_ = tables.classes(rows, [1, 1, 1, 1, 2])
    _, together = tables.classes(rows, [1] * 5)
    model = Injector("s", 2, 1)
    assert model.holds(apart_, model.measure(apart_)).tolist() == [True, False]
    assert not model.holds(together, model.measure(together)).any()


@pytest.mark.parametrize(
    ("specification", "key"),
    [
        ({"model": "b-t-privacy", "b": 0, "t": 0.5}, "b"),
        ({"model": "b-t-privacy", "b": {"a": -1}, "t": 0.5}, "b"),
        ({"model": "b-t-privacy", "b": "wide", "t": 0.5}, "b"),
        ({"model": "b-t-privacy", "b": 0.5, "t": 1.5}, "t"),
        ({"model": "b-t-privacy", "b": 0.5, "t": 0.5, "smoothing": -1}, "smoothing"),
        ({"model": "injector", "l": 0, "min-support": 2}, "l"),
        ({"model": "injector", "l": 2, "min-support": 0.1}, "min-support"),
    ],
    ids=str,
)
def test_parameters(specification: dict[str, Any], key: str) -> None:
    with pytest.raises(PolicyError, match=rf"The '{key}' parameter of {specification['model']} must be"):
        build([specification], ["s"])


# --- both -------------------------------------------------------------------------------------------------------

BOTH = [BT("s", 0.6, 0.5), Injector("s", 2, 1)]


@pytest.mark.parametrize("model", BOTH, ids=str)
def test_null_and_nothing(model: Any) -> None:
    model = replace(model, missing="value")
    null, named = (tables.classes(row(s=values, a="1123"), [1, 1, 2, 2])[1] for values in ("xyxy", ["x", None] * 2))
    assert model.measure(null).tolist() == model.measure(named).tolist()
    nothing = null.where(np.zeros(2, dtype=bool))
    assert model.measure(nothing).tolist() == []
    assert check([model], nothing)[0].satisfied


@pytest.mark.parametrize("model", BOTH, ids=str)
def test_a_class_whose_people_are_not_all_known_fails(model: Any) -> None:
    """A row that nobody behind the class can have: nothing can be said of it, so it does not pass."""
    _, classes = tables.classes(row(s="xyxy", a="1122"), [1, 1, 1, 1])
    assert check([model], classes)[0].satisfied
    histogram = classes.histograms["s"]
    more = replace(histogram, counts=histogram.counts + 1)
    found = replace(classes, sizes=classes.sizes + 2, histograms={"s": more})
    assert not check([model], found)[0].satisfied


@pytest.mark.parametrize("model", BOTH, ids=str)
def test_tuples_of_no_class_are_known_all_the_same(model: Any) -> None:
    """What suppression took away has owner −1: it still taught the attacker."""
    _, classes = tables.classes(row(s="xyxyzz", a="112233"), [1, 1, 1, 1, 2, 2])
    members = classes.members
    assert members is not None
    kept = classes.where(np.array([True, False]))
    whole = replace(kept, members=replace(members, owners=np.where(members.owners == 0, 0, -1)))
    assert model.measure(whole)[0] == pytest.approx(model.measure(classes)[0])


@pytest.mark.parametrize("model", BOTH, ids=str)
def test_people_with_several_records_are_refused(model: Any) -> None:
    rows = replace(row(s="xyxy", a="1122"), people=("a", "a", "b", "c"))
    table = tables.counted(rows, people=True)
    assert table.people is not None
    members = Members(np.zeros(2, dtype=np.int64), table.codes, table.counts, table.histograms, rows.hierarchies)
    classes = replace(table.classes(), members=members)
    with pytest.raises(PolicyError, match=r"data\.unit"):
        model.measure(classes)


@pytest.mark.parametrize(
    "model",
    [
        {"model": "b-t-privacy", "b": 0.6, "t": 0.2},
        {"model": "b-t-privacy", "b": {"zip": 0.6, "age": 0.3}, "t": 0.2, "smoothing": 0.0},
        {"model": "injector", "l": 2, "min-support": 5},
    ],
    ids=str,
)
def test_from_policy_to_verified_release(model: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    source = np.random.default_rng(7)
    zips, ages, ill = (
        source.choice(["11", "12", "21", "22"], 60),
        source.integers(20, 30, 60),
        source.choice([*"xyz"], 60),
    )
    table = pa.table({"zip": zips, "age": ages, "illness": ill})
    table.to_pandas().to_csv(file, index=False)
    policy: dict[str, Any] = {
        "data": {"path": str(file)},
        "attributes": {
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5], "top": True}},
            "illness": {"role": "sensitive"},
        },
        "privacy": {"models": [model]},
    }
    release = cb.anonymize(policy)
    assert sum(release.levels.values()) > 0
    release.write(tmp_path / "out")
    verdict = cb.verify(tmp_path / "out")
    assert verdict
    assert [found.satisfied for found in verdict.models] == [True]
    (tmp_path / "out" / "evidence").rename(tmp_path / "evidence")
    again = cb.verify(tmp_path / "out", policy=policy)
    assert again
    assert again.models[0].measured == pytest.approx(verdict.models[0].measured)
