"""What a finished release can still be used for, measured against the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cobogo.errors import PolicyError
from cobogo.examine.utility.learning import accuracy, require_learning
from cobogo.examine.utility.sides import GeneralizedRelease, sides
from cobogo.examine.utility.statistics import association_distances, marginal_distances
from cobogo.examine.utility.workload import query_error
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.data.policy import Utility


def measure_utility(release: GeneralizedRelease, asked: Utility) -> dict[str, Any]:
    """Take every measure of `cobogo.examine.metrics.REPORTED`; ``accuracy`` only where a label is named."""
    if asked.label is not None:
        require_learning()
        if not release.levels:
            raise PolicyError(
                tr(
                    "how well {label!r} can be predicted cannot be measured where each record has its own levels",
                    label=asked.label,
                ),
                where="utility.label",
                remedy=tr("Leave out the label, or choose an algorithm with the same levels for all records."),
            )
    compared = sides(release, label=asked.label)
    measures: dict[str, Any] = {
        "query-error": query_error(compared, queries=asked.queries, selectivity=asked.selectivity, seed=asked.seed)
    }
    if asked.label is not None:
        measures["accuracy"] = accuracy(compared, seed=asked.seed)
    measures["association-distance"] = association_distances(compared)
    measures["marginal-distance"] = marginal_distances(compared)
    return measures
