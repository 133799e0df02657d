"""k^m-anonymity: for a column that holds sets, such as baskets or lists of diagnoses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from cobogo.data.classes import CELLS_AT_ONCE, Classes, Domain, Histogram
from cobogo.data.hierarchy import Label
from cobogo.errors import PolicyError
from cobogo.floor.arguments import text, whole
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.promises.models.base import Model, Monotone

COMBINATIONS_AT_MOST = 2_000_000
"""Combinations that are numbered in memory, once for each table: bounds the memory that this takes."""


@card(
    "k-m-anonymity",
    plain=(
        "For columns that hold sets, such as purchases: an attacker who knows up to m items of a set "
        "still finds at least k people."
    ),
    title="k^m-anonymity",
    group="identity",
    start={"k": 5, "m": 2, "separator": ","},
)
@dataclass(frozen=True)
class KM(Model):
    r"""An attacker who knows a person's class and up to m items of their set finds at least k people who match.

    Each value of the column is a whole set: its items are separated by ``separator``. Order, repetition and surrounding
    space have no meaning, and NULL is the empty set. If the attacker knows no item, the whole class matches, so a class
    has at least k people. If a person has several records (data.unit), the records that may have counted a person twice
    are subtracted.

    Formula: $\lvert\{t \in E : S \subseteq I_t\}\rvert \ge k$ for every class $E$ and every set $S$ of at most $m$
        items that one of its people has, with $I_t$ the items of $t$
    Example: In the second class only one person has insulin.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(drugs=[["aspirin, insulin", "insulin, aspirin"], ["aspirin", "aspirin, insulin"]])
        >>> KM("drugs", k=2, m=2).measure(table).tolist()
        [2.0, 1.0]

    Guarantee: An attacker who knows up to m items of a person's set and the quasi-identifiers finds the record with a
        probability of at most $1/k$.
    Limits: An attacker who knows more than m items, or an item that the person does not have, is not covered. What all
        k people have in common is not protected.
    Cost: $O(C)$ for the C combinations of up to m items of all distinct sets; C may be at most two million.
    Paper: M. Terrovitis, N. Mamoulis and P. Kalnis, Privacy-preserving anonymization of set-valued data, PVLDB 2008.
    """

    attribute: str
    k: int
    m: int
    separator: str = ","

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, least=1)
        whole(self.name, "m", self.m, least=1)
        text(self.name, "separator", self.separator)

    @property
    def monotone(self) -> Monotone:
        """A union's combinations are its parts', and match no fewer; a failing class may have passing parts."""
        return Monotone.WITHOUT_SUPPRESSION

    def check_domains(self, domains: Mapping[str, Domain]) -> None:
        """There are not too many combinations to count."""
        sizes = [len(items(label, self.separator)) for label in domains[self.attribute].labels]
        number = sum(math.comb(size, picked) for size in sizes for picked in range(1, min(self.m, size) + 1))
        if number > COMBINATIONS_AT_MOST:
            raise PolicyError(
                tr(
                    'the sets of "{attribute}" have {number:,} combinations of up to {m} items, more than '
                    "{name} can count ({most:,}); the largest set has {largest:,} items",
                    attribute=self.attribute,
                    number=number,
                    m=self.m,
                    name=self.name,
                    most=COMBINATIONS_AT_MOST,
                    largest=max(sizes),
                ),
                where="privacy.models",
                remedy=tr("Lower m, group the items, or shorten the longest sets."),
            )

    def measure(self, classes: Classes) -> Floats:
        """The fewest people of each class who share a combination of up to m items that one of them has."""
        histogram = classes.histograms[self.attribute]
        combined = _number_combinations(histogram.domain, self.separator, self.m)
        twice = histogram.sums(histogram.counts.astype(float)) - classes.sizes
        found = np.minimum(classes.sizes.astype(float), _least_support(histogram, *combined))
        return np.where(classes.sizes > 0, np.maximum(found - np.maximum(twice, 0), 1), 0)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At least k."""
        return measured >= self.k

    def holds_withheld(self, classes: Classes) -> Mask:
        """At least k people."""
        return np.asarray(classes.sizes >= self.k)


def items(label: Label, separator: str) -> tuple[str, ...]:
    """The items of a set written as text.

    >>> items("milk, bread,milk", ",")
    ('bread', 'milk')
    """
    parts = () if label is None else (part.strip() for part in label.split(separator))
    return tuple(sorted({part for part in parts if part}))


@lru_cache(maxsize=4)
def _number_combinations(domain: Domain, separator: str, m: int) -> tuple[Ints, Ints]:
    """The combinations of up to m items of every set, numbered: where each set's begin, and all of them end to end."""
    index: dict[tuple[str, ...], int] = {}
    numbers: list[int] = []
    offsets = [0]
    for label in domain.labels:
        known = items(label, separator)
        for picked in range(1, min(m, len(known)) + 1):
            numbers.extend(index.setdefault(combination, len(index)) for combination in combinations(known, picked))
        offsets.append(len(numbers))
    return np.array(offsets, dtype=np.int64), np.array(numbers, dtype=np.int64)


def _least_support(histogram: Histogram, offsets: Ints, numbers: Ints) -> Floats:
    """For each class the smallest support of a combination in it, as many classes at a time as fit."""
    classes = len(histogram.offsets) - 1
    found = np.full(classes, np.inf)
    lengths = np.diff(offsets)[histogram.values]
    running = np.concatenate([[0], np.cumsum(lengths)])[histogram.offsets]  # combinations before each class
    width = int(numbers.max(initial=0)) + 1
    begin = 0
    while begin < classes:
        end = max(begin + 1, int(np.searchsorted(running, running[begin] + CELLS_AT_ONCE, "right")) - 1)
        entries = slice(int(histogram.offsets[begin]), int(histogram.offsets[end]))
        repeats = lengths[entries]
        first = np.repeat(offsets[histogram.values[entries]] - np.cumsum(repeats) + repeats, repeats)
        combination = numbers[first + np.arange(int(repeats.sum()))]
        pairs, inverse = np.unique(
            np.repeat(histogram.owners[entries], repeats) * width + combination, return_inverse=True
        )
        support = np.bincount(inverse, weights=np.repeat(histogram.counts[entries], repeats), minlength=len(pairs))
        np.minimum.at(found, pairs // width, support)
        begin = end
    return found
