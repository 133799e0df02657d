"""What records tell of a person, and people added up.

What is declared, and records held within it.
"""

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import PolicyError
from cobogo.locate.mobility import Space, dp_where
from cobogo.locate.mobility.counts import bound_calls, habits, histogram_shapes
from cobogo.locate.places.cells import Calls
from support.effort import examples
from support.location_calls import CELLS, FIRST, SPACE, START, calls_of, reaches_the_noise

PERSON = st.lists(st.tuples(st.integers(-30, 5 * 24), st.integers(0, 4)), max_size=14)
"""Calls of one person: hours since the first midnight (some before it, some after the last), and cells."""


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(PERSON, max_size=4), PERSON, PERSON)
def test_one_person_changes_no_more_than_declared(
    others: list[list[tuple[int, int]]], one: list[tuple[int, int]], other: list[tuple[int, int]]
) -> None:
    without = reaches_the_noise(calls_of(others))
    with_one = reaches_the_noise(calls_of([one, *others]))
    changed = reaches_the_noise(calls_of([other, *others]))
    for name, shape in histogram_shapes(SPACE).items():
        for level in (name, f"{name}, coarse"):
            assert np.abs(with_one[level] - without[level]).sum() <= shape.sensitivity
            assert np.abs(with_one[level] - changed[level]).sum() <= 2 * shape.sensitivity  # one gone, another come


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(PERSON, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_the_names_of_people_do_not_matter(
    people: list[list[tuple[int, int]]], random: object
) -> None:
    calls = calls_of(people)
    rows = list(range(len(calls)))
    random.shuffle(rows)  # type: ignore[attr-defined]
    mixed = calls.take(np.array(rows, dtype=np.int64))
    renamed = replace(mixed, user=np.array([7, 3, 90, 1])[mixed.user])
    before, after = reaches_the_noise(calls), reaches_the_noise(renamed)
    assert all((before[name] == after[name]).all() for name in before)


def test_what_a_person_s_records_tell() -> None:
    monday_to_wednesday = Space(CELLS, FIRST, 3)
    records = [(2, 0), (22, 0), (10, 1), (11, 1), (12, 2), (34, 1), (58, 3)]
    found = habits(bound_calls(calls_of([records]), monday_to_wednesday), monday_to_wednesday)
    assert (found.home.tolist(), found.work.tolist()) == ([0], [1])
    #        2h a  10h b  11h b  12h c  22h a | 34h = 10h b | 58h = 10h d
    assert found.state.tolist() == [0, 1, 1, 2, 0, 1, 2]
    assert found.pattern.tolist() == [6, 6, 6, 6, 6, 1, 3]
    assert found.calls.tolist() == [2, 2, 2, 2, 2, 0, 0]
    only_evening = habits(
        bound_calls(calls_of([[(19, 2), (19, 4), (19, 2)]]), monday_to_wednesday), monday_to_wednesday
    )
    assert (only_evening.home.tolist(), only_evening.work.tolist()) == ([2], [2])  # no calls at night or at work


def test_saturday_is_no_working_day_and_the_clock_may_stand_apart_from_utc() -> None:
    weekend = Space(CELLS, date(2024, 3, 9), 2)
    calls = Calls(
        np.zeros(2, np.int64), START + np.array([5 * 24 + 10, 6 * 24 + 22]) * 3_600.0, np.array([1, 0]), CELLS
    )
    assert weekend.free.tolist() == [1, 1]
    assert habits(bound_calls(calls, weekend), weekend).work.tolist() == [0]
    late = Calls(np.zeros(1, np.int64), np.array([START + 2 * 3_600.0]), np.array([1]), CELLS)
    assert bound_calls(late, Space(CELLS, FIRST, 1, utc_offset=-3)).people == 0  # it is still Sunday there
    assert bound_calls(late, Space(CELLS, date(2024, 3, 3), 1, utc_offset=-3)).hour.tolist() == [23]


def test_the_first_calls_of_a_day_count_up_to_the_cap() -> None:
    records = bound_calls(calls_of([[(hour, hour % 5) for hour in range(10)]]), SPACE)
    assert records.hour.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"days": 0}, "days"),
        ({"utc_offset": 20}, "utc-offset"),
        ({"area": 0}, "area"),
        ({"most_a_day": 0}, "most-a-day"),
    ],
)
def test_declarations_are_checked(change: dict[str, Any], named: str) -> None:
    with pytest.raises(PolicyError, match=named):
        replace(SPACE, **change)
    with pytest.raises(PolicyError, match="epsilon"):
        dp_where(calls_of([]), SPACE, 0)
