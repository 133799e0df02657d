"""m-invariance: of one release, and of a series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import random_tables as tables
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import row

from cobogo.errors import DataError, PolicyError
from cobogo.models import Classes, Domain, Histogram, MInvariance, Monotone
from cobogo.models.check import check
from cobogo.models.invariance import changed, check_series, compare, pseudonym, signatures

records = st.lists(st.tuples(st.sampled_from(["x", "y", "z", "w", None]), st.integers(0, 4)), min_size=1, max_size=12)


def classes_of(values: Sequence[str | None], owners: Sequence[int]) -> Classes:
    return tables.classes(replace(row(s=values), sensitive={"s": tuple(values)}), owners)[1]


@settings(deadline=None, max_examples=200)
@given(found=records, m=st.integers(1, 4))
def test_a_class_holds_m_people_with_different_values(found: list[tuple[str | None, int]], m: int) -> None:
    groups: dict[int, list[str | None]] = {}
    for value, owner in found:
        groups.setdefault(owner, []).append(value)
    classes = classes_of(*zip(*found, strict=True))
    model = MInvariance("s", m)
    expected = [len(group) >= m and max(Counter(group).values()) == 1 for group in groups.values()]
    assert model.holds(classes, model.measure(classes)).tolist() == expected


def test_it_is_not_monotone() -> None:
    """Two classes of the same two values are fine apart, and one class with each value twice together."""
    model = MInvariance("s", 2)
    assert model.monotone is Monotone.NO
    assert check([model], classes_of("xyxy", [1, 1, 2, 2]))[0].satisfied
    assert not check([model], classes_of("xyxy", [1, 1, 1, 1]))[0].satisfied


def test_null_and_nothing() -> None:
    model = MInvariance("s", 2)
    assert model.measure(classes_of([None, "x"], [1, 1])).tolist() == [2]
    assert model.measure(classes_of([None, None], [1, 1])).tolist() == [0]
    nothing = classes_of("xy", [1, 1]).where(np.zeros(1, dtype=bool))
    assert check([model], nothing)[0].satisfied


def test_an_earlier_release_is_not_passed_over_in_silence() -> None:
    with pytest.raises(PolicyError, match="earlier release"):
        check([MInvariance("s", 2, previous="out")], classes_of("xy", [1, 1]))


@pytest.mark.parametrize("m", [0, 1.5, True, "2"])
def test_parameters(m: object) -> None:
    with pytest.raises(ValueError, match="The 'm' parameter of m-invariance must be"):
        MInvariance("s", m)  # type: ignore[arg-type]


FIRST = [("Ann", 1, "flu"), ("Bob", 1, "cough"), ("Eve", 2, "ulcer"), ("Joe", 2, "flu")]


def test_the_attack_that_it_is_about() -> None:
    """Bob left, and Ann's new class shares nothing with the old one but the flu: crossing the two tells her value."""
    second = [("Ann", 1, "flu"), ("Eve", 1, "ulcer"), ("Joe", 2, "flu"), ("Ida", 2, "ulcer")]
    before, after = signatures(FIRST), signatures(second)
    assert before["Ann"] & after["Ann"] == {"flu"}
    assert compare(before, after) == ("Ann",)
    assert check_series([before, after]) == ((1, "Ann"),)


def test_who_keeps_the_signature_may_change_company() -> None:
    second = [("Ann", 7, "flu"), ("Kai", 7, "cough"), ("Joe", 8, "flu"), ("Ida", 8, "ulcer")]
    assert check_series([signatures(FIRST), signatures(second)]) == ()


def test_who_comes_back_is_held_to_the_last_signature() -> None:
    third = [("Bob", 1, "cough"), ("Ida", 1, "ulcer")]
    away = [("Ann", 1, "flu"), ("Kai", 1, "cough")]
    assert check_series([signatures(FIRST), signatures(away), signatures(third)]) == ((2, "Bob"),)
    assert check_series([]) == ()
    assert check_series([signatures(FIRST)]) == ()


def test_one_record_each() -> None:
    with pytest.raises(DataError, match="several classes") as refused:
        signatures([*FIRST, ("Ann", 2, "flu")])
    assert "Ann" not in str(refused.value)


people = st.dictionaries(st.sampled_from("ABCDEF"), st.integers(0, 2), min_size=1)


@settings(deadline=None, max_examples=200)
@given(releases=st.lists(people, max_size=4), data=st.data())
def test_a_series_is_whole_when_everybody_ever_had_one_signature(
    releases: list[dict[str, int]], data: st.DataObject
) -> None:
    """By the definition: all signatures of a person are one."""
    values = {person: data.draw(st.sampled_from(["x", "y", None])) for person in "ABCDEF"}
    series = [signatures((who, place, values[who]) for who, place in release.items()) for release in releases]
    one_each = all(len({release[who] for release in series if who in release}) <= 1 for who in "ABCDEF")
    assert (check_series(series) == ()) == one_each


def test_pseudonyms_are_stable_under_a_key_and_tell_nothing_without() -> None:
    assert pseudonym("Ann", b"key") == pseudonym("Ann", b"key")
    assert len({pseudonym("Ann", b"key"), pseudonym("Ann", b"other"), pseudonym("Bob", b"key")}) == 3
    assert "Ann" not in pseudonym("Ann", b"key")


@settings(deadline=None, max_examples=100)
@given(before=people, after=people, data=st.data())
def test_the_classes_that_hold_somebody_who_changed(
    before: dict[str, int], after: dict[str, int], data: st.DataObject
) -> None:
    """The hook for the search: people as codes, their earlier signatures under pseudonyms."""
    values = {person: data.draw(st.sampled_from(["x", "y", None])) for person in "ABCDEF"}
    key = b"of the series"
    old = signatures((who, place, values[who]) for who, place in before.items())
    new = signatures((who, place, values[who]) for who, place in after.items())
    places = sorted(set(after.values()))
    members = [[who for who in after if after[who] == place] for place in places]
    names = sorted(after)
    crowd = Histogram(
        np.cumsum([0, *map(len, members)]),
        np.array([names.index(who) for group in members for who in group], dtype=np.int32),
        np.ones(len(after), dtype=np.int64),
        Domain("people", (), np.zeros(len(names), dtype=np.int64)),
    )
    order = [who for group in members for who in group]
    held = classes_of([values[who] for who in order], [after[who] for who in order]).histograms["s"]
    sealed = {pseudonym(who, key): signature for who, signature in old.items()}
    found = changed(sealed, [pseudonym(who, key) for who in names], crowd, held)
    assert found.tolist() == [any(who in compare(old, new) for who in group) for group in members]
