"""Metrics by hand: small outcomes whose values can be worked out on paper."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cobogo.examine.metrics import METRICS, Outcome, Scale, measure
from cobogo.testing import check_metric

# Two attributes with 4 and 2 leaves, hierarchies of height 2 and 1; ten records, two of them suppressed.
SCALE = Scale(
    10, np.array([4, 2]), np.array([2, 1]), np.array([1.0, 3.0]), k=2, tuple_nats=0.5, full_bits=np.array([20.0, 10.0])
)


def outcome(**changes: Any) -> Outcome:
    given: dict[str, Any] = {
        "suppressed": 2,
        "classes": 2,
        "squares": 5 * 5 + 3 * 3,
        "leaf_sums": np.array([8 * 2, 8 * 1]),
        "level_sums": np.array([8 * 1, 0]),
        "majority": 6,
        "products": 8 * 2 * 1.0,
        "bits": np.array([12.0, 2.0]),
        "cross_nats": 17.0,
    }
    return Outcome(**(given | changes))


def test_by_hand() -> None:
    lost = [((16 + 2 * 4) / 10 / 4 - 1 / 4) / (1 - 1 / 4), ((8 + 2 * 2) / 10 / 2 - 1 / 2) / (1 - 1 / 2)]
    assert measure(outcome(), SCALE) == pytest.approx(
        {
            "loss": (1 + lost[0]) ** 0.25 * (1 + lost[1]) ** 0.75 - 1,
            "precision": 1 - (8 * 0.5 + 2 * 1 + 2 * 1) / 20,
            "iloss": 0.25 * (8 * 1 / 4 + 2 * 3 / 4) / 10 + 0.75 * (2 * 1 / 2) / 10,
            "iloss-sum": 1 * (8 * 1 / 4 + 2 * 3 / 4) / 10 + 3 * (2 * 1 / 2) / 10,
            "discernibility": 34 + 2 * 10,
            "c_avg": 8 / 2 / 2,
            "aecs": 10 / 3,
            "height": 1,
            "entropy": 14,
            "normalized-entropy": 0.25 * 12 / 20 + 0.75 * 2 / 10,
            "kl-divergence": 1.7 - 0.5,
            "ambiguity": (16 + 2 * 8) / 10,
            "classification": 1 - 6 / 10,
        }
    )


def test_the_original_table_loses_nothing() -> None:
    same = outcome(
        suppressed=0, classes=10, squares=10, leaf_sums=np.array([10, 10]), level_sums=np.array([0, 0]),
        products=10.0, bits=np.zeros(2), cross_nats=5.0,
    )  # fmt: skip
    found = measure(same, SCALE)
    assert (found["loss"], found["iloss"], found["precision"], found["height"]) == (0, 0, 1, 0)
    assert (found["entropy"], found["normalized-entropy"], found["kl-divergence"], found["ambiguity"]) == (0, 0, 0, 1)


def test_what_was_not_counted_is_not_measured() -> None:
    found = measure(outcome(majority=None, products=None, bits=None, cross_nats=None), SCALE)
    unknown = {"classification", "ambiguity", "entropy", "normalized-entropy", "kl-divergence"}
    assert {name for name, value in found.items() if value is None} == unknown


def test_what_no_number_can_hold_is_not_reported() -> None:
    wide = Scale(10, np.full(200, 1000), np.full(200, 1), np.ones(200))
    sums = {"leaf_sums": np.full(200, 10), "level_sums": np.zeros(200), "bits": None}
    assert measure(outcome(**sums), wide)["ambiguity"] is None
    assert measure(outcome(**sums, suppressed=0), wide)["ambiguity"] == 1.6


@given(
    suppressed=st.lists(st.integers(0, 9), min_size=1, max_size=5),
    name=st.sampled_from(sorted(METRICS)),
)
def test_many_outcomes_at_once_are_the_outcomes_one_by_one(suppressed: list[int], name: str) -> None:
    one_by_one = [float(METRICS[name].value(outcome(suppressed=s), SCALE)) for s in suppressed]
    many = outcome(
        suppressed=np.array(suppressed),
        classes=np.full(len(suppressed), 2),
        squares=np.full(len(suppressed), 34),
        leaf_sums=np.tile([16, 8], (len(suppressed), 1)),
        level_sums=np.tile([8, 0], (len(suppressed), 1)),
        majority=np.full(len(suppressed), 6),
        products=np.full(len(suppressed), 16.0),
        bits=np.tile([12.0, 2.0], (len(suppressed), 1)),
        cross_nats=np.full(len(suppressed), 17.0),
    )
    assert METRICS[name].value(many, SCALE) == pytest.approx(one_by_one, rel=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_it_passes_the_suite_that_other_packages_use(name: str) -> None:
    check_metric(METRICS[name])
