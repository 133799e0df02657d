"""The plain reference check: every model on every class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cobogo.models.base import Classes, Model, parameters


@dataclass(frozen=True)
class ModelVerdict:
    """Whether a model holds, what was measured, and in which class it is worst."""

    model: Model
    satisfied: bool
    measured: float | None  # None of an empty table
    worst_class: int | None
    failing_classes: int

    def as_dict(self) -> dict[str, Any]:
        """As reports and manifests write it."""
        measured = self.measured
        if measured is not None and float(measured).is_integer():
            measured = int(measured)
        return {**parameters(self.model), "satisfied": self.satisfied, "measured": measured}


def check(models: Iterable[Model], classes: Classes) -> tuple[ModelVerdict, ...]:
    """Measure every model on every class. An empty table satisfies all."""
    return tuple(_check(model, classes) for model in models)


def _check(model: Model, classes: Classes) -> ModelVerdict:
    if not len(classes):
        return ModelVerdict(model, True, None, None, 0)
    measured = model.measure(classes)
    holds = model.holds(measured)
    worst = model.worst(measured)
    return ModelVerdict(model, bool(holds.all()), worst, int((measured == worst).argmax()), int((~holds).sum()))
