"""Models that bound how frequent a sensitive value may be in a class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.errors import PolicyError
from cobogo.models.arguments import choice, number, text, whole
from cobogo.models.base import Classes, Domain, Floats, Ints, Mask, Model, Monotone, least_beyond, over

SLACK = 1e-12


@dataclass(frozen=True)
class AlphaK(Model):
    """(α,k)-anonymity: at least k people in a class, and no sensitive value (or not the one named) in more than a
    share α of it (Wong, Li, Fu and Wang 2006)."""

    attribute: str
    alpha: float
    k: int
    value: str | None = None

    name: ClassVar[str] = "alpha-k-anonymity"
    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        number(self.name, "alpha", self.alpha, above=0, most=1)
        whole(self.name, "k", self.k, least=1)
        if self.value is not None:
            text(self.name, "value", self.value)

    @property
    def monotone(self) -> Monotone:
        """A union's share is a mean of its parts' shares."""
        return Monotone.WITHOUT_SUPPRESSION

    def fits(self, domains: Mapping[str, Domain]) -> None:
        """The value named, if any, is one that somebody has."""
        if self.value is not None and self.value not in domains[self.attribute].labels:
            raise PolicyError(
                f'nobody has the value that {self.name} names for "{self.attribute}"',
                where="privacy.models",
                remedy="Check its spelling: values are compared as exact text.",
            )

    def measure(self, classes: Classes) -> Floats:
        """The largest share of a value (or that of the one named) in each class."""
        histogram = classes.histograms[self.attribute]
        shares = histogram.shares(classes.sizes)
        if self.value is not None:
            named = np.array([label == self.value for label in histogram.domain.labels])
            shares = np.where(named[histogram.values], shares, 0.0)
        return histogram.most(shares)

    def holds(self, classes: Classes, measured: Floats) -> Mask:
        """A share of at most α, and at least k people."""
        return (measured <= self.alpha + SLACK) & (classes.sizes >= self.k)

    def holds_withheld(self, classes: Classes) -> Mask:
        """At least k people."""
        return np.asarray(classes.sizes >= self.k)

    def least_failing(self, classes: Classes, measured: Floats) -> Ints:
        """All of a class that is too small; else what exceeds α, for the parts that pass have no more than that."""
        known = np.maximum(
            super().least_failing(classes, measured),
            least_beyond(measured * classes.sizes, classes.sizes, self.alpha + SLACK),
        )
        return np.where(classes.sizes < self.k, classes.sizes, known)


@dataclass(frozen=True)
class PSensitive(Model):
    """p-sensitive k-anonymity: at least k people in a class and at least p distinct sensitive values (Truta and Vinay
    2006)."""

    attribute: str
    p: int
    k: int

    name: ClassVar[str] = "p-sensitive-k-anonymity"

    def __post_init__(self) -> None:
        whole(self.name, "p", self.p, least=1)
        whole(self.name, "k", self.k, least=1)

    @property
    def monotone(self) -> Monotone:
        """As k-anonymity and distinct l-diversity."""
        return Monotone.EVEN_WITH_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The distinct values of each class."""
        return classes.histograms[self.attribute].distinct.astype(float)

    def holds(self, classes: Classes, measured: Floats) -> Mask:
        """At least p values and k people."""
        return (measured >= self.p) & (classes.sizes >= self.k)

    def holds_withheld(self, classes: Classes) -> Mask:
        """At least k people."""
        return np.asarray(classes.sizes >= self.k)


@dataclass(frozen=True)
class BetaLikeness(Model):
    """No sensitive value is much likelier in a class than in the whole table (Cao and Karras 2012).

    ``basic``: the relative gain (p − q)/q is at most β. ``enhanced``: it is also at most −ln q, so that values that
    are frequent anyway cannot become certain; the measure is then scaled so that β is still its bound.
    """

    attribute: str
    beta: float
    kind: Literal["basic", "enhanced"] = "basic"

    name: ClassVar[str] = "beta-likeness"
    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        number(self.name, "beta", self.beta, above=0)
        choice(self.name, "kind", self.kind, ("basic", "enhanced"))

    @property
    def monotone(self) -> Monotone:
        """A union's shares are means of its parts' shares."""
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The largest relative gain of each class."""
        histogram = classes.histograms[self.attribute]
        whole_table = histogram.domain.shares[histogram.values]
        gains = (histogram.shares(classes.sizes) - whole_table) / whole_table
        if self.kind == "enhanced":
            limits = np.minimum(self.beta, -np.log(whole_table))
            gains = np.divide(gains * self.beta, limits, out=np.where(gains > SLACK, np.inf, 0.0), where=limits > 0)
        return histogram.most(gains)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most β."""
        return measured <= self.beta + SLACK

    def least_failing(self, classes: Classes, measured: Floats) -> Ints:
        """What exceeds a value's highest share, for the parts that pass have no more than that."""
        histogram = classes.histograms[self.attribute]
        whole_table = histogram.domain.shares[histogram.values]
        limits = self.beta if self.kind == "basic" else np.minimum(self.beta, -np.log(whole_table))
        beyond = least_beyond(
            histogram.counts, classes.sizes[histogram.owners], whole_table * (1 + (1 + SLACK / self.beta) * limits)
        )
        return np.maximum(
            super().least_failing(classes, measured), histogram.most(beyond.astype(float)).astype(np.int64)
        )


@dataclass(frozen=True)
class DeltaDisclosure(Model):
    """Every sensitive value of the whole table occurs in every class, at a rate within a factor e^δ of the table's
    (Brickell and Shmatikov 2008)."""

    attribute: str
    delta: float

    name: ClassVar[str] = "delta-disclosure"
    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        number(self.name, "delta", self.delta, above=0)

    @property
    def monotone(self) -> Monotone:
        """A union's shares are means of its parts' shares."""
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The largest |ln(p/q)| of each class; infinite where a value is missing."""
        histogram = classes.histograms[self.attribute]
        ratios = np.abs(np.log(histogram.shares(classes.sizes) / histogram.domain.shares[histogram.values]))
        complete = histogram.distinct == int((histogram.domain.total > 0).sum())
        return np.where(complete, histogram.most(ratios), np.inf)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """Below δ."""
        return measured < self.delta

    def least_failing(self, classes: Classes, measured: Floats) -> Ints:
        """All of a class that lacks a value, for all its parts lack it; else what exceeds a value's highest share."""
        histogram = classes.histograms[self.attribute]
        highest = np.exp(self.delta) * histogram.domain.shares[histogram.values]
        beyond = least_beyond(histogram.counts, classes.sizes[histogram.owners], highest).astype(float)
        known = np.maximum(super().least_failing(classes, measured), histogram.most(beyond).astype(np.int64))
        return np.where(np.isinf(measured), classes.sizes, known)


@dataclass(frozen=True)
class TCorruption(Model):
    """l-diversity that survives an attacker who already knows the values of t people of the class: the most frequent
    value makes up at most 1/l of the others."""

    attribute: str
    t: int
    l: float

    name: ClassVar[str] = "t-corruption"
    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        whole(self.name, "t", self.t, least=0)
        number(self.name, "l", self.l, least=1)

    @property
    def monotone(self) -> Monotone:
        """The union's most frequent value has at most the sum of the parts' bounds."""
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The most frequent value's count over the people that the attacker does not know."""
        histogram = classes.histograms[self.attribute]
        most = histogram.most(histogram.counts.astype(float))
        return over(most, classes.sizes - self.t)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most 1/l."""
        return measured <= 1 / self.l + SLACK

    def least_failing(self, classes: Classes, measured: Floats) -> Ints:
        """What exceeds 1/l of the class, for the parts that pass have no more than that."""
        histogram = classes.histograms[self.attribute]
        most = histogram.most(histogram.counts.astype(float))
        beyond = least_beyond(most, classes.sizes, 1 / self.l + SLACK)
        return np.maximum(super().least_failing(classes, measured), beyond)
