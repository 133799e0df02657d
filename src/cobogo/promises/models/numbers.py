"""Models for sensitive numbers, of which close ones reveal as much as equal ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.data.classes import Classes, Domain, Histogram
from cobogo.errors import PolicyError
from cobogo.floor.arguments import choice, missing, number, whole
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.promises.models.base import Model, Monotone, Records, quotient


@card(
    "k-e-anonymity",
    plain=(
        "For sensitive numbers, such as wages: each class has at least k different ones, spread over a "
        "range of at least e."
    ),
    title="(k,e)-anonymity",
    group="attribute",
    start={"k": 3, "e": 100.0},
)
@dataclass(frozen=True)
class KE(Model):
    r"""(k,e)-anonymity: every class has at least k distinct numbers, which span a range of at least e.

    A missing value does not count; with ``missing = "value"`` it is one of the distinct values, but not part of the
    range. A number that is written in two ways counts once.

    Formula: $\lvert\{v : v \in E\}\rvert \ge k$ and $\max_{v \in E} v - \min_{v \in E} v \ge e$ for every class $E$
    Example: Three salaries within ten reais are three values, and still reveal the salary.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(salary=[["2000", "2005", "2010"], ["1000", "2000", "9000"]])
        >>> KE("salary", k=3, e=1000).measure(table).tolist()
        [10.0, 8000.0]

    Guarantee: An attacker who finds a person's class is left with at least k different numbers; the smallest and the
        largest are at least e apart.
    Limits: All of the numbers but one may be close together: see epsilon-m-anonymity. A guess is not bounded by $1/k$,
        because one number may occur more often than others.
    Cost: $O(v \log v)$ for v pairs of a class and a value.
    Paper: Q. Zhang, N. Koudas, D. Srivastava and T. Yu, Aggregate query answering on anonymized tables, ICDE 2007.
    """

    attribute: str
    k: int
    e: float
    missing: Literal["value"] | None = None

    records_tell: ClassVar[Records] = Records.ALL

    def __post_init__(self) -> None:
        missing(self.name, self.missing)
        whole(self.name, "k", self.k, least=1)
        number(self.name, "e", self.e, least=0)

    @property
    def monotone(self) -> Monotone:
        """Distinct values and range only grow."""
        return Monotone.EVEN_WITH_SUPPRESSION

    def check_domains(self, domains: Mapping[str, Domain]) -> None:
        """The attribute is numeric."""
        check_numeric(self.name, domains[self.attribute])

    def measure(self, classes: Classes) -> Floats:
        """The range of each class."""
        histogram, _ = self.known_values(classes)
        values = histogram.domain.numbers[histogram.values]
        known = ~np.isnan(values)
        highest = np.full(len(classes), -np.inf)
        lowest = np.full(len(classes), np.inf)
        np.maximum.at(highest, histogram.owners[known], values[known])
        np.minimum.at(lowest, histogram.owners[known], values[known])
        return np.where(np.isfinite(highest), highest - lowest, 0.0)

    def holds(self, classes: Classes, measured: Floats) -> Mask:
        """A range of at least e and at least k distinct values."""
        wide = measured >= self.e - 1e-9 * max(1.0, abs(self.e))
        return wide & (_distinct(self.known_values(classes)[0]) >= self.k)


def _distinct(histogram: Histogram) -> Ints:
    """The distinct numbers of each class, however they are spelled; NULL is one more."""
    _, kinds = np.unique(histogram.domain.numbers, return_inverse=True, equal_nan=True)
    width = int(kinds.max(initial=0)) + 1
    pairs = np.unique(histogram.owners * width + kinds[histogram.values])
    return np.bincount(pairs // width, minlength=len(histogram.offsets) - 1).astype(np.int64)


def _slack(numbers: Floats) -> Floats:
    """What rounding may have taken from a decimal number: 0.8 − 0.1 should be 0.7."""
    return np.asarray(1e-9 * np.maximum(1.0, np.abs(numbers)))


@card(
    "epsilon-m-anonymity",
    plain=(
        "For sensitive numbers: at most 1/m of the people of a class have a number close to any one of "
        "its numbers, so that an attacker cannot guess a narrow interval."
    ),
    title="(ε,m)-anonymity",
    group="attribute",
    start={"epsilon": 10.0, "m": 2, "kind": "absolute"},
)
@dataclass(frozen=True)
class EpsilonM(Model):
    r"""(ε,m)-anonymity: for every value of a class, at most 1/m of the class has values within ε of it.

    ``absolute``: within ε. ``relative``: within ε times the value. The model is not monotone: two classes that satisfy
    it may fail together, so the search never prunes on it. A missing value does not count; with ``missing = "value"``
    it is close only to other missing values.

    Formula: $\lvert\{u \in E : \lvert u - v\rvert \le \varepsilon\}\rvert \le \frac{\lvert E\rvert}{m}$ for every class
        $E$ and each of its values $v$; relative: $\lvert u - v\rvert \le \varepsilon\,\lvert v\rvert$
    Example: Both classes are (15,2)-anonymous; their union has 40, 50 and 60, and is not.
        >>> from cobogo.promises.models.example_classes import classes
        >>> EpsilonM("salary", epsilon=15, m=2).measure(classes(salary=[["40", "60"], ["50", "100"]])).tolist()
        [2.0, 2.0]
        >>> EpsilonM("salary", epsilon=15, m=2).measure(classes(salary=[["40", "60", "50", "100"]])).round(2).tolist()
        [1.33]

    Guarantee: An attacker who finds a person's class guesses the value to within ε with a confidence of at most $1/m$.
    Limits: Intervals wider than 2ε are not bounded. Attackers who already know the values of other people of the class,
        and record linkage, are not covered.
    Cost: $O(v \log v)$ for v pairs of a class and a value.
    Paper: J. Li, Y. Tao and X. Xiao, Preservation of proximity privacy in publishing numerical sensitive data, SIGMOD
        2008.
    """

    attribute: str
    epsilon: float
    m: int
    kind: Literal["absolute", "relative"] = "absolute"
    missing: Literal["value"] | None = None

    def __post_init__(self) -> None:
        missing(self.name, self.missing)
        number(self.name, "epsilon", self.epsilon, least=0)
        whole(self.name, "m", self.m, least=1)
        choice(self.name, "kind", self.kind, ("absolute", "relative"))

    def check_domains(self, domains: Mapping[str, Domain]) -> None:
        """The attribute is numeric."""
        check_numeric(self.name, domains[self.attribute])

    def measure(self, classes: Classes) -> Floats:
        """The people of each class over those in its most crowded neighbourhood: the m it reaches."""
        histogram, there = self.known_values(classes)
        return quotient(there, self._crowds(histogram))

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At least m: in whole numbers, crowd · m ≤ people."""
        histogram, there = self.known_values(classes)
        return np.asarray(self._crowds(histogram) * self.m <= there)

    def _crowds(self, histogram: Histogram) -> Floats:
        """The most people of a class within reach of one of its values, counted on the sorted values."""
        numbers = histogram.domain.numbers
        known = ~np.isnan(numbers[histogram.values])
        values, owners = numbers[histogram.values][known], histogram.owners[known]
        counts = histogram.counts[known]
        steps = np.unique(numbers[~np.isnan(numbers)])
        order = np.lexsort((values, owners))
        values, owners, counts = values[order], owners[order], counts[order]
        width = len(steps) + 1
        place = owners * width + np.searchsorted(steps, values)
        reach = self.epsilon * (np.abs(values) if self.kind == "relative" else 1.0) + _slack(values)
        low = np.searchsorted(place, owners * width + np.searchsorted(steps, values - reach, "left"), "left")
        high = np.searchsorted(place, owners * width + np.searchsorted(steps, values + reach, "right"), "left")
        running = np.concatenate([[0], np.cumsum(counts)])
        most = histogram.sums(np.where(known, 0.0, histogram.counts))  # NULLs are a crowd of their own
        np.maximum.at(most, owners, (running[high] - running[low]).astype(float))
        return most


def check_numeric(owner: str, domain: Domain) -> None:
    """Refuse a sensitive attribute that is not numeric."""
    if not domain.is_numeric:
        raise PolicyError(
            tr(
                '{owner} needs numbers, and "{attribute}" has values that are not numbers',
                owner=owner,
                attribute=domain.attribute,
            ),
            where="privacy.models",
            remedy=tr(
                "Check decimal and missing under [data]: list the texts that mean a missing value, as "
                'in missing = ["", "NA"].'
            ),
        )
