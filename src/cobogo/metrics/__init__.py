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


def named(name: str, *, where: str = "policy") -> Metric:
    """The metric of that name.

    >>> named("precision").maximize
    True
    """
    if name not in METRICS:
        raise PolicyError(
            f"there is no metric {name!r}", where=f"{where}, recoding.metric", remedy=f"Known: {', '.join(METRICS)}."
        )
    return METRICS[name]


def measure(outcome: Outcome, scale: Scale) -> dict[str, float | None]:
    """Every metric of one outcome; None where a metric says nothing about it."""
    values = {name: float(metric.value(outcome, scale)) for name, metric in METRICS.items()}
    return {name: None if math.isnan(value) else value for name, value in values.items()}
