"""The plain reference check: every model on every class."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.data.classes import Classes
from cobogo.floor.arrays import Mask
from cobogo.floor.language import tr
from cobogo.promises.models.base import Model, Scope
from cobogo.promises.models.promise import Promise, parameters


@dataclass(frozen=True)
class ModelVerdict:
    """Whether a model holds, what was measured, and in which class it is worst.

    ``undecided``: what is at hand does not show whether it holds. It is then neither satisfied nor failed.
    """

    model: Promise
    satisfied: bool
    measured: float | None  # None for an empty table
    worst_class: int | None  # None for a model on the whole table
    failing_classes: int
    undecided: bool = False

    @property
    def fails(self) -> bool:
        """Whether it is known not to hold."""
        return not self.satisfied and not self.undecided

    def as_dict(self) -> dict[str, Any]:
        """As reports and manifests write it; what is infinite is written as text, what is undecided as null."""
        satisfied = None if self.undecided else self.satisfied
        return {**parameters(self.model), "satisfied": satisfied, "measured": _plain(self.measured)}


def check(models: Iterable[Model], classes: Classes) -> tuple[ModelVerdict, ...]:
    """Measure every model on every class. An empty table satisfies all."""
    return tuple(_check(model, classes) for model in models)


def failing_classes(models: Iterable[Model], classes: Classes) -> Mask:
    """Which classes fail a model that is a condition on classes. Empty classes fail only models that need every
    class."""
    failed = np.zeros(len(classes), dtype=np.bool_)
    empty = classes.sizes == 0
    for model in models:
        if model.scope is Scope.CLASS:
            found = ~model.holds(classes, model.measure(classes))
            failed |= found if model.needs_every_class else found & ~empty
    return failed


def withheld_classes(model: Model, classes: Classes) -> Mask:
    """Which classes withhold values that a model looks at."""
    hidden = np.zeros(len(classes), dtype=np.bool_)
    for name in model.attributes:
        hidden |= classes.withheld.get(name, False)
    return hidden


def models_given_away(models: Iterable[Model], classes: Classes) -> list[Model]:
    """The models that fail on the withheld values, as far as these follow from the whole table's totals."""
    found = []
    for name, hidden in classes.withheld.items():
        if hidden.any():
            rest = classes.hidden_values(name)
            own = [model for model in models if model.attributes == (name,)]
            found += [model for model in own if not model.holds(rest, model.measure(rest)).all()]
    return found


def withheld_refusal(model: Model) -> str:
    """Why a release is refused that gives withheld values away."""
    return tr(
        "the withheld values follow from the column's totals, and {model} does not hold for them", model=str(model)
    )


def _check(model: Model, classes: Classes) -> ModelVerdict:
    hidden = withheld_classes(model, classes)
    if hidden.any():
        return _check_withheld(model, classes, hidden)
    looked_at = np.arange(len(classes))
    if not model.needs_every_class and not classes.sizes.all():
        looked_at = np.flatnonzero(classes.sizes > 0)
        classes = classes.where(classes.sizes > 0)
    if not len(classes):
        return ModelVerdict(model, True, None, None, 0)
    measured = model.measure(classes)
    holds = model.holds(classes, measured)
    suspects = np.arange(len(measured)) if holds.all() else np.flatnonzero(~holds)  # what fails is worse than extreme
    extreme = measured[suspects].argmin() if model.more_is_safer else measured[suspects].argmax()
    worst = int(suspects[extreme])
    of_a_class = model.scope is Scope.CLASS
    return ModelVerdict(
        model,
        bool(holds.all()),
        float(measured[worst]),
        int(looked_at[worst]) if of_a_class else None,
        int((~holds).sum()) if of_a_class else 0,
    )


def _check_withheld(model: Model, classes: Classes, hidden: Mask) -> ModelVerdict:
    """Measure a model where values are released; where they are withheld, what remains of its condition must hold."""
    shown = _check(model, classes.where(~hidden))
    broken = np.flatnonzero(hidden)[~model.holds_withheld(classes.where(hidden))]
    worst = shown.worst_class if shown.worst_class is None else int(np.flatnonzero(~hidden)[shown.worst_class])
    if len(broken) and shown.satisfied:
        worst = int(broken[0])
    return ModelVerdict(
        model, shown.satisfied and not len(broken), shown.measured, worst, shown.failing_classes + len(broken)
    )


def _plain(number: float | None) -> float | int | str | None:
    if number is None:
        return None
    if not math.isfinite(number):
        return str(number)
    return int(number) if float(number).is_integer() else number
