"""Utility metrics: what a recoding lost."""

from __future__ import annotations

import math

from cobogo.errors import PolicyError
from cobogo.metrics.base import Metric, Outcome, Scale
from cobogo.metrics.cells import Height, ILoss, Loss, Precision
from cobogo.metrics.classes import AverageClassSize, AverageEquivalenceClassSize, Discernibility

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Loss(), Precision(), ILoss(), Discernibility(), AverageClassSize(), AverageEquivalenceClassSize(), Height(),
    )
}  # fmt: skip

__all__ = ["METRICS", "Metric", "Outcome", "Scale", "measure", "named"]


def named(name: str, *, where: str = "policy", k: int | None = 1) -> Metric:
    """The metric of that name; ``k`` is that of the k-anonymity asked for, None where none is.

    >>> named("precision").maximize
    True
    """
    if name not in METRICS:
        raise PolicyError(
            f"there is no metric {name!r}", where=f"{where}, recoding.metric", remedy=f"Known: {', '.join(METRICS)}."
        )
    if name == AverageClassSize.name and k is None:
        raise PolicyError(
            f"the metric {name} is a multiple of k, and the policy asks for no k-anonymity",
            where=f"{where}, recoding.metric",
            remedy="Choose another metric, such as aecs, or ask for k-anonymity.",
        )
    return METRICS[name]


def measure(outcome: Outcome, scale: Scale) -> dict[str, float | None]:
    """Every metric of one outcome; None where a metric says nothing about it."""
    values = {name: float(metric.value(outcome, scale)) for name, metric in METRICS.items()}
    return {name: None if math.isnan(value) else value for name, value in values.items()}
