"""Utility metrics: what a recoding lost, and what the release can still be used for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cobogo.errors import PolicyError
from cobogo.examine.metrics.base import Metric, Outcome, Scale
from cobogo.floor.catalogue import Registry
from cobogo.floor.language import tr

METRICS: Registry[Metric] = Registry(
    "metric",
    {
        "loss": ".cells:LossMetric",
        "precision": ".cells:Precision",
        "iloss": ".cells:ILoss",
        "iloss-sum": ".cells:ILossSum",
        "discernibility": ".classes:Discernibility",
        "c_avg": ".classes:AverageClassSize",
        "aecs": ".classes:AverageEquivalenceClassSize",
        "height": ".cells:Height",
        "entropy": ".cells:EntropyMetric",
        "normalized-entropy": ".cells:NormalizedEntropy",
        "kl-divergence": ".cells:KLDivergence",
        "ambiguity": ".cells:Ambiguity",
        "classification": ".classes:Classification",
    },
    home=__name__,
    listed="metrics",
    guide="metrics",
    plugins="cobogo.metrics",
    base=".base:Metric",
    ready=lambda kind: kind(),
)
"""The metrics that can steer the search; all are reported."""

AGGREGATED = "squared_error"
"""The metric of an aggregation: from 0 (nothing lost) to 1 (one group of all records)."""

BUCKETED = "reconstruction_error"
"""The metric of buckets: how uncertain each record's sensitive value is, from 0 to 1."""

MARGINALIZED = "marginal_divergence"
"""The metric of marginals: their divergence from the original table, in nats."""

REPORTED: Registry[Callable[..., Any]] = Registry(
    "metric",
    {
        "query-error": ".workload:query_error",
        "accuracy": ".learning:accuracy",
        "association-distance": ".statistics:association_distances",
        "marginal-distance": ".statistics:marginal_distances",
    },
    home="cobogo.examine.utility",
    listed="metrics",
    guide="metrics",
    remark=tr("reported only"),
)
"""The measures of a finished release, each with its function. They are taken if the policy has a table ``[utility]``,
and cannot steer the search."""

__all__ = [
    "AGGREGATED", "BUCKETED", "MARGINALIZED", "METRICS", "REPORTED", "Metric", "Outcome", "Scale", "find_metric",
    "measure",
]  # fmt: skip


def find_metric(name: str, *, where: str = "policy", k: int | None = 1, label: str | None = "label") -> Metric:
    """Find a metric by its name, and refuse one that the policy gives no meaning: without k-anonymity (``k`` is None)
    or without a column to predict (``label`` is None).

    >>> find_metric("precision").maximize
    True
    """
    where = f"{where}, recoding.metric"
    if name in REPORTED:
        raise PolicyError(
            tr("{name} is measured on a finished release, so it cannot guide the search", name=name),
            where=where,
            remedy=tr("Metrics that can guide it: {metrics}.", metrics=", ".join(METRICS)),
        )
    metric = METRICS.find(name, where)
    if name == "c_avg" and k is None:
        raise PolicyError(
            tr("the metric {name} needs k, and the policy does not ask for k-anonymity", name=name),
            where=where,
            remedy=tr("Choose another metric, such as aecs, or ask for k-anonymity."),
        )
    if name == "classification" and label is None:
        raise PolicyError(
            tr("the metric {name} needs a label to predict, and the policy does not name one", name=name),
            where=where,
            remedy=tr('Name a sensitive or non-sensitive column: label = "…" under [recoding].'),
        )
    return metric


def measure(outcome: Outcome, scale: Scale) -> dict[str, float | None]:
    """Every metric of one outcome; None where a metric does not apply, or is not finite."""
    values = {
        name: float(metric.value(outcome, scale))
        for name, metric in METRICS.items()
        if all(getattr(outcome, field) is not None for field in metric.needs)
    }
    finite = {name: values[name] if math.isfinite(values.get(name, math.nan)) else None for name in METRICS}
    return {**finite, **outcome.others}
