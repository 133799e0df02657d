"""Utility metrics: what a recoding lost, and what can still be done with the release."""

from __future__ import annotations

import math

from cobogo.errors import PolicyError, nearest
from cobogo.examine.metrics.base import Metric, Outcome, Scale
from cobogo.examine.metrics.cells import Ambiguity, Height, ILoss, ILossSum, Loss, Precision
from cobogo.examine.metrics.classes import AverageClassSize, AverageEquivalenceClassSize, Discernibility
from cobogo.examine.metrics.information import Entropy, KLDivergence, NormalizedEntropy
from cobogo.examine.metrics.labels import Classification, igpl, information_gain

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Loss(), Precision(), ILoss(), ILossSum(), Discernibility(), AverageClassSize(),
        AverageEquivalenceClassSize(), Height(), Entropy(), NormalizedEntropy(), KLDivergence(), Ambiguity(),
        Classification(),
    )
}  # fmt: skip
"""The metrics that can steer the search; all are reported."""

AGGREGATED = "squared_error"
"""What an aggregation lost, where there is one: from 0, nothing, to 1, one group of all."""

BUCKETED = "reconstruction_error"
"""What buckets leave open about each record's sensitive value, where there are any: from 0, nothing, to 1."""

MARGINALIZED = "marginal_divergence"
"""How far what marginals tell is from the original table, in nats, where there are any."""

REPORTED: dict[str, str] = {
    "query-error": "cobogo.examine.utility.workload:query_error",
    "accuracy": "cobogo.examine.utility.learning:accuracy",
    "association-distance": "cobogo.examine.utility.statistics:association_distances",
    "marginal-distance": "cobogo.examine.utility.statistics:marginal_distances",
}
"""What is measured on a finished release, if the policy has a table ``[utility]``; none of it can steer the search.
Each with the function that measures it, which is imported where it is asked for."""

__all__ = [
    "AGGREGATED", "BUCKETED", "MARGINALIZED", "METRICS", "REPORTED", "Metric", "Outcome", "Scale",
    "igpl", "information_gain", "measure", "named",
]  # fmt: skip


def named(name: str, *, where: str = "policy", k: int | None = 1, label: str | None = "label") -> Metric:
    """The metric of that name; ``k`` is that of the k-anonymity asked for, and ``label`` the column to be predicted,
    None where there is none.

    >>> named("precision").maximize
    True
    """
    where = f"{where}, recoding.metric"
    if name in REPORTED:
        raise PolicyError(
            f"{name} is measured on a finished release: it is reported, and cannot steer the search",
            where=where,
            remedy=f"Metrics that can: {', '.join(METRICS)}.",
        )
    if name not in METRICS:
        raise PolicyError(
            f"there is no metric {name!r}", where=where, remedy=nearest(name, METRICS, "cobogo list metrics")
        )
    if name == AverageClassSize.name and k is None:
        raise PolicyError(
            f"the metric {name} is a multiple of k, and the policy asks for no k-anonymity",
            where=where,
            remedy="Choose another metric, such as aecs, or ask for k-anonymity.",
        )
    if name == Classification.name and label is None:
        raise PolicyError(
            f"the metric {name} is about predicting a label, and the policy names none",
            where=where,
            remedy='Name a sensitive or non-sensitive column: label = "…" under [recoding].',
        )
    return METRICS[name]


def measure(outcome: Outcome, scale: Scale) -> dict[str, float | None]:
    """Every metric of one outcome; None where a metric says nothing about it, or what no number can hold."""
    known = {
        name: float(metric.value(outcome, scale))
        for name, metric in METRICS.items()
        if all(getattr(outcome, field) is not None for field in metric.needs)
    }
    found = {name: known[name] if math.isfinite(known.get(name, math.nan)) else None for name in METRICS}
    return {**found, **outcome.others}
