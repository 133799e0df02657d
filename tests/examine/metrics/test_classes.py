"""Metrics of classes."""

from dataclasses import replace
from typing import Any

import numpy as np

from cobogo.examine.metrics import Outcome, Scale, measure

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


def test_c_avg_says_nothing_without_k() -> None:
    assert measure(outcome(), replace(SCALE, k=None))["c_avg"] is None
