"""The contract of a privacy model.

To add one: one frozen dataclass that extends `Model`, one line in `cobogo.promises.models.MODELS`, and the conformance
suite passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes, Domain, Histogram
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.promises.models.promise import Promise


class Monotone(Enum):
    """What generalization does to a model that holds."""

    NO = "no"  # merging two classes that satisfy it may break it
    WITHOUT_SUPPRESSION = "without suppression"  # true of every class, it stays true upwards
    EVEN_WITH_SUPPRESSION = "even with suppression"  # and a class that fails has only failing parts


class Scope(Enum):
    """What a model is a condition on."""

    CLASS = "class"  # on each class: one that fails may be suppressed
    TABLE = "table"  # on all kept classes together: if it fails, so does the recoding


class Records(Enum):
    """What records reveal of a model that counts people, where a person may have several and is not known."""

    NOTHING = "nothing"  # a person's records may make it hold or fail
    TOO_MANY = "too many"  # there are no fewer records than people: what fails with them fails with people
    ALL = "all"  # it looks at which values are there, not at how many have them


class Model(Promise):
    """What every model has."""

    drawn: ClassVar[bool] = False
    scope: ClassVar[Scope] = Scope.CLASS
    more_is_safer: ClassVar[bool] = True
    records_tell: ClassVar[Records] = Records.NOTHING
    """What the records of a release reveal of it where people are counted, and the release does not identify them."""

    @property
    def compares(self) -> bool:
        """Whether it compares classes with the whole table before suppression: its figures then reveal suppressed
        records."""
        return False

    @property
    def monotone(self) -> Monotone:
        """Whether generalization keeps it true; the search prunes by this."""
        return Monotone.NO

    @property
    def populations(self) -> tuple[str, ...]:
        """The population tables that it looks at."""
        population = getattr(self, "population", None)
        return () if population is None else (population,)

    @property
    def series(self) -> tuple[tuple[str, str], ...]:
        """The earlier releases that it compares with, each with the attribute."""
        return ()

    @property
    def alone(self) -> Model:
        """What it demands of a release by itself, whatever earlier ones were."""
        return self

    @property
    def needs_people(self) -> bool:
        """Whether it, or a later release of the same series, must identify people."""
        return False

    @property
    def needs_members(self) -> bool:
        """Whether it looks at the original tuples behind the classes; verification then needs the original data."""
        return False

    @property
    def follows_from_release(self) -> bool:
        """False where it looks at original tuples or at earlier releases."""
        return not self.needs_members and not self.series

    @property
    def blind(self) -> bool:
        """Whether the recoding must be chosen without a look at it, and is checked when chosen."""
        return False

    @property
    def distorts(self) -> bool:
        """Whether values may be exchanged for others in a class that fails it; it is blind then."""
        return False

    @property
    def needs_every_class(self) -> bool:
        """Whether no class may be suppressed or empty."""
        return False

    @property
    def counts_missing(self) -> bool:
        """Whether a missing value is a value like others: only where the policy says ``missing = "value"``."""
        return getattr(self, "missing", None) == "value"

    def known_values(self, classes: Classes) -> tuple[Histogram, Ints]:
        """The values that count, and how many people of each class have one. A missing value does not count, unless the
        policy says so.

        A person with several records, one of them without a value, is taken to have none: shares are then rather too
        large than too small.
        """
        histogram = classes.histograms[self.attributes[0]]
        if self.counts_missing or histogram.domain.missing is None:
            return histogram, classes.sizes
        return histogram.known, np.maximum(classes.sizes - histogram.unknown, 0)

    def domain(self, domains: Mapping[str, Domain]) -> Domain:
        """The values that it compares with."""
        found = domains[self.attributes[0]]
        return found if self.counts_missing else found.known

    def check_domains(self, domains: Mapping[str, Domain]) -> None:
        """Raise a PolicyError where the model makes no sense for the attributes as they are."""

    def measure(self, classes: Classes) -> Floats:
        """One number per class, or one for the table: what the verdict quotes."""
        raise NotImplementedError

    def holds(self, classes: Classes, measured: Floats) -> Mask:
        """Which classes satisfy it, or whether the table does, given what was measured."""
        raise NotImplementedError

    def holds_withheld(self, classes: Classes) -> Mask:
        """Which classes satisfy it if the values that it looks at are withheld there: all, unless it is a condition on
        something else as well."""
        return np.ones(len(classes), dtype=np.bool_)

    def least_failing(self, classes: Classes, measured: Floats) -> Ints:
        """A lower bound for each class: how many of its records fail however the class is split into smaller ones.

        The search uses it to rule out all nodes below one, even where a failing class may have passing parts. It holds
        for records, which add up; not for people, who may be in several parts.
        """
        failed = ~self.holds(classes, measured)
        match self.monotone:
            case Monotone.EVEN_WITH_SUPPRESSION:
                return np.where(failed, classes.sizes, 0)
            case Monotone.WITHOUT_SUPPRESSION if not self.needs_every_class:  # some part fails, and it is not empty
                return np.where(failed, np.minimum(classes.sizes, 1), 0)
        return np.zeros(len(classes), dtype=np.int64)


def ceil_safely(numbers: Floats) -> Ints:
    """Round up to whole numbers, but not because of the rounding errors of floats.

    >>> ceil_safely(np.array([2.2, 3.0000001, -1.0])).tolist()
    [3, 3, 0]
    """
    return np.ceil(np.maximum(numbers * (1 - 1e-9) - 1e-6, 0.0)).astype(np.int64)


def least_beyond(part: NDArray[Any], whole: NDArray[Any], share: Floats | float) -> Ints:
    """A lower bound for how many of the ``whole`` lie in subsets of it of which more than a share belongs to ``part``.

    In the other subsets at most that share belongs to it, and in these at most everything.

    >>> least_beyond(np.array([8]), np.array([10]), 0.5).tolist()
    [6]
    """
    room = np.asarray(1.0 - share)
    return ceil_safely(np.divide(part - share * whole, room, out=np.zeros(len(part)), where=room > 1e-9))


def quotient(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """Divide one array by another; infinite where the divisor is 0.

    >>> quotient(np.array([1.0, 1.0]), np.array([2, 0])).tolist()
    [0.5, inf]
    """
    found: Floats = np.full(len(part), np.inf)
    np.divide(part, whole, out=found, where=whole > 0)
    return found
