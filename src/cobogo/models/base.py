"""The contract of a privacy model, and what a model sees of a table: its equivalence classes.

To add a model: one file with a frozen dataclass that follows `Model`, one line in `cobogo.models.MODELS`,
and the conformance suite passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each value of one sensitive attribute occurs in each class: sparse, class after class.

    Class ``i`` holds ``values[offsets[i]:offsets[i+1]]``, each ``counts[…]`` times; no value stands twice in a class.
    Values are codes below ``domain``; ``total`` is the whole table's count of each, before suppression.
    """

    offsets: Ints
    values: NDArray[np.int32]
    counts: Ints
    total: Ints

    @property
    def domain(self) -> int:
        """How many distinct values the whole table has."""
        return len(self.total)

    @property
    def owners(self) -> Ints:
        """The class of each entry."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def where(self, chosen: Mask) -> Histogram:
        """The histogram of some of the classes."""
        entries = chosen[self.owners]
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.offsets)[chosen])])
        return Histogram(offsets, self.values[entries], self.counts[entries], self.total)


@dataclass(frozen=True, eq=False)
class Classes:
    """The equivalence classes of a table: how many records each holds, and their sensitive values."""

    sizes: Ints
    histograms: Mapping[str, Histogram]

    def __len__(self) -> int:
        return len(self.sizes)

    def where(self, chosen: Mask) -> Classes:
        """Some of the classes."""
        return Classes(self.sizes[chosen], {name: h.where(chosen) for name, h in self.histograms.items()})


class Monotone(Enum):
    """What generalization does to a model that holds."""

    NO = "no"  # merging two classes that satisfy it may break it
    WITHOUT_SUPPRESSION = "without suppression"  # true of every class, it stays true upwards
    EVEN_WITH_SUPPRESSION = "even with suppression"  # and the records in failing classes never grow upwards


class Needs(Enum):
    """What a model must be told about the classes."""

    SIZES = "sizes"
    DISTRIBUTION = "distribution"


@runtime_checkable
class Model(Protocol):
    """A condition on every class. Models are frozen dataclasses; their fields are the policy's parameters."""

    name: ClassVar[str]
    needs: ClassVar[Needs]
    monotone: ClassVar[Monotone]

    def measure(self, classes: Classes) -> Floats:
        """One number per class: what the verdict quotes."""
        ...

    def holds(self, measured: Floats) -> Mask:
        """Which classes satisfy the model, from what was measured."""
        ...

    def worst(self, measured: Floats) -> float:
        """The number that says most about the risk, over all classes."""
        ...


def parameters(model: Model) -> dict[str, Any]:
    """A model as the policy writes it.

    >>> from cobogo.models import KAnonymity
    >>> parameters(KAnonymity(k=5))
    {'model': 'k-anonymity', 'k': 5}
    """
    values = {field.name: getattr(model, field.name) for field in fields(model)}  # type: ignore[arg-type]
    return {"model": model.name} | {name: value for name, value in values.items() if value is not None}


def whole_number(name: str, owner: str, value: object, least: int) -> None:
    """Refuse a parameter that is not a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(
            f"The '{name}' parameter of {owner} must be a whole number of at least {least}. Got {value!r} instead"
        )
