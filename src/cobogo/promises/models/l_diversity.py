"""l-diversity: distinct, entropy and recursive."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cobogo.data.classes import Classes, Histogram
from cobogo.floor.arguments import choice, missing, number, whole
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card
from cobogo.promises.models.base import Model, Monotone, Records, ceil_safely, quotient

TOLERANCE = 1e-9
"""A class whose entropy is exactly on the bound passes, whatever the rounding."""


@card(
    "l-diversity",
    plain=(
        "Each class has at least l different sensitive values, so that finding a person's class does not "
        "reveal their value for certain."
    ),
    group="attribute",
    start={"kind": "distinct", "l": 2},
)
@dataclass(frozen=True)
class LDiversity(Model):
    r"""Every class holds at least l well-represented values of a sensitive attribute.

    ``distinct``: l different values. ``entropy``: the entropy of the class is at least ln l, so
    that a few rare values do not count for much. ``recursive``: the most frequent value occurs less than c times as
    often as the l-th most frequent and all rarer ones together.

    A missing value does not count as a value: a person without a value counts in the size of the class and adds nothing
    to its diversity, so a class without any value fails. ``missing = "value"`` counts a missing value as one more
    value.

    With ``distort`` the recoding is chosen without looking at the attribute. Then, in classes that fail, as few values
    as necessary are exchanged for others; those are no longer the values that were collected.

    Formula: With $r_1 \ge r_2 \ge \ldots \ge r_m$ the counts of the values of a class of $s$ records: distinct $m \ge
        l$; entropy $-\sum_i \frac{r_i}{s} \ln \frac{r_i}{s} \ge \ln l$; recursive $r_1 < c\,(r_l + \ldots + r_m)$
    Example:
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu", "cough", "fever"], ["flu"] * 9 + ["cough"]])
        >>> LDiversity("disease", l=2).measure(table).tolist()
        [3.0, 2.0]
        >>> LDiversity("disease", l=2, kind="entropy").measure(table).round(2).tolist()
        [3.0, 1.38]
        >>> LDiversity("disease", l=2, kind="recursive", c=3).measure(table).tolist()
        [0.5, 9.0]

    Guarantee: No sensitive value of a class is certain. ``recursive`` keeps the share of the most frequent value below
        $c/(c+1)$; ``distinct`` does not bound any share.
    Limits: l-diversity does not limit a guess to $1/l$: a class in which nine of ten people have the flu and one has a
        cough is 2-diverse, and an attacker who guesses the flu is right with 90 %. The report states the worst
        inference that was measured. The model does not know that two values mean almost the same, and does not compare
        a class with the whole table: see t-closeness.
    Cost: $O(v)$ for v pairs of a class and a value; ``recursive`` sorts them, $O(v \log v)$.
    Paper: A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, l-diversity: privacy beyond k-anonymity,
        ACM Transactions on Knowledge Discovery from Data, 2007.
    """

    attribute: str
    l: float
    kind: Literal["distinct", "entropy", "recursive"] = "distinct"
    c: float | None = None
    distort: bool | None = None
    missing: Literal["value"] | None = None

    def __post_init__(self) -> None:
        choice(self.name, "kind", self.kind, ("distinct", "entropy", "recursive"))
        missing(self.name, self.missing)
        if self.kind == "entropy":
            number(self.name, "l", self.l, least=1)
        else:
            whole(self.name, "l", self.l, least=1)
        if self.kind == "recursive":
            number(self.name, "c", self.c, above=0)
        elif self.c is not None:
            raise ValueError(f"The 'c' parameter of {self.name} goes with kind = \"recursive\" only")
        if self.distort is not None and not isinstance(self.distort, bool):
            raise ValueError(
                f"The 'distort' parameter of {self.name} must be true or false. Got {self.distort!r} instead"
            )

    @property
    def distorts(self) -> bool:
        """Only where the policy says so."""
        return bool(self.distort)

    @property
    def blind(self) -> bool:
        """What will be distorted must not steer the choice of what need not be."""
        return bool(self.distort)

    @property
    def more_is_safer(self) -> bool:  # type: ignore[override]
        """Of recursive l-diversity the ratio to c is measured, which should be small."""
        return self.kind != "recursive"

    @property
    def records_tell(self) -> Records:  # type: ignore[override]
        """Which values are there is the same of records and of people."""
        return Records.ALL if self.kind == "distinct" else Records.NOTHING

    @property
    def monotone(self) -> Monotone:
        """All kinds, without suppression; with it, only a class with too few distinct values has such parts alone."""
        return Monotone.EVEN_WITH_SUPPRESSION if self.kind == "distinct" else Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """Distinct values; e to the entropy, the effective number of values; or r₁ / (r_l + … + r_m)."""
        histogram, _ = self.known_values(classes)
        if self.kind == "distinct":
            return histogram.distinct.astype(float)
        if self.kind == "entropy":
            return np.exp(_entropy(histogram))
        return _recursive(histogram, int(self.l))

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At least l; or a ratio below c."""
        if self.kind == "distinct":
            return measured >= self.l
        if self.kind == "entropy":
            return np.asarray(np.log(np.maximum(measured, 1e-300)) >= math.log(self.l) - TOLERANCE)
        assert self.c is not None
        return measured < self.c

    def least_failing(self, classes: Classes, measured: Floats) -> Ints:
        """Entropy is concave, so size · entropy is at least the sum over the parts of theirs, and those that pass have
        at least ln l. Of recursive l-diversity: r₁ − c·(r_l + … + r_m) is at most the sum over the parts; it is below
        0 in those that pass, and at most the size of those that fail."""
        known = super().least_failing(classes, measured)
        if self.kind == "entropy":
            bound = math.log(self.l) - TOLERANCE
            entropy = np.log(np.maximum(measured, 1.0))
            there = self.known_values(classes)[1]
            return np.maximum(known, ceil_safely(there * (1 - entropy / bound))) if bound > 0 else known
        if self.kind == "recursive":
            assert self.c is not None
            first, tail = _ends(self.known_values(classes)[0], int(self.l))
            return np.maximum(known, ceil_safely(first - self.c * tail))
        return known


def _entropy(histogram: Histogram) -> Floats:
    """In nats. Where people are counted, one with several values counts for each of them."""
    shares = histogram.counts / histogram.sums(histogram.counts.astype(float))[histogram.owners]
    return -histogram.sums(shares * np.log(shares))


def _recursive(histogram: Histogram, l: int) -> Floats:
    """The most frequent value's count over that of the l-th most frequent and all rarer ones; infinite over nothing."""
    return quotient(*_ends(histogram, l))


def _ends(histogram: Histogram, l: int) -> tuple[Floats, Floats]:
    """The most frequent value's count, and that of the l-th most frequent and all rarer ones."""
    order = np.lexsort((-histogram.counts, histogram.owners))
    counts = histogram.counts[order]
    place = np.arange(len(counts)) - histogram.offsets[:-1][histogram.owners]
    tail = histogram.sums(np.where(place >= l - 1, counts, 0).astype(float))
    return histogram.most(counts.astype(float)), tail
