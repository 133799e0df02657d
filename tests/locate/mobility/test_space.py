"""What is declared, and records held within it."""

from dataclasses import replace
from typing import Any

import pytest

from cobogo.errors import PolicyError
from cobogo.locate.mobility import dp_where
from cobogo.locate.mobility.space import bound_calls
from support.location_calls import SPACE, calls_of


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
