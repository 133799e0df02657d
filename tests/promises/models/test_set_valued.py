"""k^m-anonymity against counting every combination by hand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import PolicyError
from cobogo.promises.models import Classes, Domain, Monotone, set_valued
from cobogo.promises.models.check import check
from cobogo.promises.models.set_valued import KM
from support import random_tables as tables
from support.effort import examples
from support.random_tables import row

pytestmark = pytest.mark.slow

baskets = st.lists(st.sampled_from("abcd"), max_size=4).map(lambda found: ",".join(found) or None)
records = st.lists(st.tuples(baskets, st.integers(0, 3)), min_size=1, max_size=14)


def classes_of(values: Sequence[str | None], owners: Sequence[int]) -> Classes:
    return tables.classes(replace(row(s=values), sensitive={"s": tuple(values)}), owners)[1]


def smallest_support(sets: Sequence[frozenset[str]], m: int) -> int:
    """Over every combination of up to m items, none among them, that somebody has: how many have it."""
    known = {
        frozenset(combination)
        for owned in sets
        for size in range(m + 1)
        for combination in itertools.combinations(owned, size)
    }
    return min(sum(combination <= owned for owned in sets) for combination in known)


@settings(deadline=None, max_examples=examples(200))
@given(found=records, m=st.integers(1, 5), step=st.sampled_from([1, 7, 4_000_000]))
def test_it_measures_the_smallest_support(found: list[tuple[str | None, int]], m: int, step: int) -> None:
    """Whatever the number of classes that are counted at a time."""
    groups: dict[int, list[frozenset[str]]] = {}
    for value, owner in found:
        groups.setdefault(owner, []).append(frozenset((value or "").split(",")) - {""})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(set_valued, "CELLS_AT_ONCE", step)
        measured = KM("s", k=2, m=m).measure(classes_of(*zip(*found, strict=True)))
    assert measured.tolist() == [smallest_support(group, m) for group in groups.values()]


def test_a_pair_can_single_out_where_no_item_does() -> None:
    """Each item is in two baskets, each pair in one."""
    classes = classes_of(["a,b", "b,c", "a,c"], [1, 1, 1])
    assert KM("s", k=2, m=1).measure(classes).tolist() == [2]
    assert KM("s", k=2, m=2).measure(classes).tolist() == [1]
    assert check([KM("s", k=2, m=1)], classes)[0].satisfied
    assert not check([KM("s", k=2, m=2)], classes)[0].satisfied


def test_space_order_repetition_and_separator() -> None:
    classes = classes_of(["milk; bread", "bread;milk;;bread ", None], [1, 1, 1])
    assert KM("s", k=2, m=2, separator=";").measure(classes).tolist() == [2]
    assert KM("s", k=2, m=2).measure(classes).tolist() == [1]


def test_the_empty_set_gives_nothing_away_but_needs_company() -> None:
    assert KM("s", k=2, m=2).measure(classes_of([None], [1])).tolist() == [1]
    assert KM("s", k=2, m=2).measure(classes_of([None, "a", "a"], [1, 1, 1])).tolist() == [2]
    assert KM("s", k=2, m=2).measure(classes_of([None, None, None], [1, 1, 1])).tolist() == [3]


@settings(deadline=None, max_examples=examples(300))
@given(found=records, merged=st.lists(st.integers(0, 1), min_size=4, max_size=4), k=st.integers(1, 3))
def test_merging_classes_that_satisfy_it_breaks_nothing(
    found: list[tuple[str | None, int]], merged: list[int], k: int
) -> None:
    model = KM("s", k=k, m=2)
    assert model.monotone is Monotone.WITHOUT_SUPPRESSION
    values, owners = zip(*found, strict=True)
    if check([model], classes_of(values, owners))[0].satisfied:
        assert check([model], classes_of(values, [merged[owner] for owner in owners]))[0].satisfied


def test_with_suppression_it_is_not_monotone() -> None:
    """A class that passes, merged with one that fails, is a class that fails: more records than before."""
    values = ["a", "a", "a", "b"]
    model = KM("s", k=2, m=1)
    apart = classes_of(values, [1, 1, 1, 2])
    assert model.holds(apart, model.measure(apart)).tolist() == [True, False]
    together = classes_of(values, [1] * 4)
    assert not model.holds(together, model.measure(together)).any()


def test_who_is_counted_twice_is_taken_off() -> None:
    """Two people, one with two baskets that both hold a: the support of a is two, not three."""
    classes = classes_of(["a", "a,b", "a"], [1, 1, 1])
    two = replace(classes, sizes=np.array([2]))
    assert KM("s", k=2, m=1).measure(classes).tolist() == [1]
    assert KM("s", k=2, m=1).measure(two).tolist() == [1]
    all_a = replace(classes_of(["a", "a,c", "a,c"], [1, 1, 1]), sizes=np.array([2]))
    assert KM("s", k=2, m=1).measure(all_a).tolist() == [1], "of the two with c, one may be counted twice"


def test_too_many_combinations_are_refused_before_they_are_counted() -> None:
    long = ",".join(map(str, range(300)))
    domain = Domain("s", (long,), np.array([1]))
    KM("s", k=2, m=2).check_domains({"s": domain})
    with pytest.raises(PolicyError, match=r"4,500,250 combinations of up to 3 items.*largest set has 300 items"):
        KM("s", k=2, m=3).check_domains({"s": domain})


def test_an_empty_table() -> None:
    nothing = classes_of(["a"], [1]).where(np.zeros(1, dtype=bool))
    assert KM("s", k=2, m=1).measure(nothing).tolist() == []
    assert check([KM("s", k=2, m=1)], nothing)[0].satisfied


@pytest.mark.parametrize(("key", "value"), [("k", 0), ("m", 0), ("m", 1.5), ("separator", ""), ("separator", None)])
def test_parameters(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"The '{key}' parameter of k-m-anonymity must be"):
        KM(**{"attribute": "s", "k": 2, "m": 1, key: value})


def test_from_policy_to_verified_release(tmp_path: Path) -> None:
    policy: dict[str, Any] = {
        "attributes": {
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "bought": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-m-anonymity", "k": 2, "m": 2, "separator": ";"}]},
    }
    bought = ["milk;bread", "bread;milk", "beer", "milk;beer", "beer;milk", "beer"]
    release = cb.anonymize(pa.table({"zip": ["11", "12", "13", "21", "22", "23"], "bought": bought}), policy)
    assert release.levels == {"zip": 2}, "in 1* one basket holds beer"
    release.write(tmp_path / "out")
    verdict = cb.verify(tmp_path / "out")
    assert verdict
    assert verdict.models[0].measured == 2
