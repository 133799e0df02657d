"""Metrics of cells at their ends."""

import numpy as np

from cobogo.examine.metrics import Outcome, Scale, measure


def test_an_attribute_of_one_value_cannot_lose() -> None:
    scale = Scale(10, np.array([1]), np.array([1]), np.array([1.0]))
    only = Outcome(0, 1, 100, np.array([10]), np.array([10]))
    assert measure(only, scale)["loss"] == 0
