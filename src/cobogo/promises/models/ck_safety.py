"""(c,k)-safety: the worst case of an attacker who knows any k implications."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.data.classes import Classes, Histogram
from cobogo.floor.arguments import missing, number, whole
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card
from cobogo.promises.models.base import Model, Monotone, Scope

SLACK = 1e-12


@card(
    "c-k-safety",
    plain=(
        "An attacker who knows any k facts of the kind “if Ana has the flu, so has José” believes no "
        "person's value with a confidence of c or more."
    ),
    title="(c,k)-safety",
    group="knowledge",
    start={"c": 0.9, "k": 1},
)
@dataclass(frozen=True)
class CKSafety(Model):
    r"""(c,k)-safety: an attacker who knows any k implications about the people of the table ("if Ann has the flu, so
    has Bob") believes no person's sensitive value with a confidence of c or more.

    An implication joins any number of atoms "person has value" on either side. The worst k implications have the form
    Aᵢ ⇒ A, with the same A in all. The k + 1 atoms may be spread over several classes, so this is a condition on the
    whole table. Dynamic programming finds the worst way to spread them, first within each class, then over the classes.
    An attacker without such knowledge (k = 0) reaches the largest share of a value in a class.

    Formula: $\max_{A,\, A_1 \ldots A_k} \frac{1}{1 + R} < c$ with $R = \frac{\Pr[\neg A \land \neg A_1 \land \ldots
        \land \neg A_k]}{\Pr[A]}$

        Within a class of $s$ people whose values occur $c_1 \ge c_2 \ge \ldots$ times, $k_0 \ge k_1 \ge \ldots$ atoms
        about one person each are all false with probability $\prod_i \frac{s - i - (c_1 + \ldots + c_{k_i})}{s - i}$
    Example:
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu", "flu", "cough", "fever"], ["flu", "cough", "fever"]])
        >>> [round(float(CKSafety("disease", c=0.9, k=k).measure(table)[0]), 3) for k in (0, 1, 2)]
        [0.5, 0.75, 1.0]

    Guarantee: An attacker who knows any k implications, about any people, believes no person's value with a confidence
        of c or more.
    Limits: Beforehand, every assignment of a class's values to its people is assumed to be equally probable. An
        attacker who knows how values depend on quasi-identifiers is not covered (see b-t-privacy), nor is record
        linkage.
    Cost: $O(a^2 \log a)$ for each kind of class and $O(a^2)$ for each pair of classes that is joined, with $a = k + 1$
        atoms.
    Paper: D. J. Martin, D. Kifer, A. Machanavajjhala, J. Gehrke and J. Y. Halpern, Worst-case background knowledge for
        privacy-preserving data publishing, ICDE 2007.
    """

    attribute: str
    c: float
    k: int
    missing: Literal["value"] | None = None

    scope: ClassVar[Scope] = Scope.TABLE
    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        number(self.name, "c", self.c, above=0, most=1)
        whole(self.name, "k", self.k, least=0)
        missing(self.name, self.missing)

    @property
    def monotone(self) -> Monotone:
        """Merging classes never helps the attacker (their theorem); suppression may have hidden the worst class."""
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The largest confidence that k implications give in one person's value."""
        histogram, sizes = self.known_values(classes)
        there = (sizes > 0) & (histogram.entries > 0)
        histogram, sizes = histogram.where(there), sizes[there]
        if not len(sizes):
            return np.zeros(1)
        atoms = self.k + 1
        kinds, times = np.unique(_count_most_frequent(histogram, sizes, atoms), axis=0, return_counts=True)
        kinds = np.repeat(kinds, np.minimum(times, atoms), axis=0)  # more classes of a kind hold no more atoms
        missed = _all_false(kinds[:, 0], np.cumsum(kinds[:, 1:], axis=1))
        share = kinds[:, 1:2] / kinds[:, :1]
        return np.array([1.0 / (1.0 + _spread(missed, missed / share))])

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """Below c."""
        return measured < self.c - SLACK


def _count_most_frequent(histogram: Histogram, sizes: Ints, most: int) -> Ints:
    """For each class: how many people it has, then how often each of its most frequent values occurs."""
    order = np.lexsort((-histogram.counts, histogram.owners))
    place = np.arange(len(order)) - histogram.offsets[:-1][histogram.owners]
    table = np.zeros((len(sizes), most + 1), dtype=np.int64)
    table[:, 0] = sizes
    near = place < most
    table[histogram.owners[near], place[near] + 1] = histogram.counts[order][near]
    return table


def _all_false(sizes: Ints, running: Ints) -> Floats:
    """For each class and each number m of atoms: the least probability that at most m atoms about its people are all
    false. ``running`` holds how many people have one of the j most frequent values, j = 1, 2, ….

    Atoms are handed to people in decreasing numbers: the one with the most comes first, whose values are then a part
    of those open to the next. Atoms for people that a class does not have are lost.
    """
    atoms = running.shape[1]
    best = np.full((atoms + 1, len(sizes), atoms + 1), 2.0)  # after so many people, so many atoms
    best[0] = 1.0
    for each in range(atoms, 0, -1):
        for people in range(atoms // each):
            left = (sizes - people)[:, None]
            factor = np.where(left > 0, np.maximum(left - running[:, each - 1 : each], 0) / np.maximum(left, 1), 1.0)
            spent = people * each
            found = best[people, :, spent : atoms + 1 - each] * factor
            np.minimum(best[people + 1, :, spent + each :], found, out=best[people + 1, :, spent + each :])
    return np.asarray(best.min(axis=0))


def _spread(missed: Floats, ratio: Floats) -> float:
    """The least product over classes when all atoms are spread over them, and one class counts as ``ratio``: that of A.

    Classes are joined two and two, all pairs at once. The class of A holds at least one atom, A itself.
    """
    while len(missed) > 1:
        half = len(missed) // 2
        a, b, a_ratio, b_ratio = missed[:half], missed[half : 2 * half], ratio[:half], ratio[half : 2 * half]
        rest, rest_ratio = missed[2 * half :], ratio[2 * half :]
        joined_ratio = np.minimum(_join(a_ratio, b, 1), _join(b_ratio, a, 1))
        missed = np.concatenate([_join(a, b, 0), rest])
        ratio = np.concatenate([joined_ratio, rest_ratio])
    return float(ratio[0, -1])


def _join(one: Floats, other: Floats, least: int) -> Floats:
    """For each number of atoms, the least product of two classes of which the first holds at least ``least`` atoms."""
    found = np.full_like(one, np.inf)
    for together in range(least, one.shape[1]):
        found[:, together] = (one[:, least : together + 1] * other[:, together - least :: -1]).min(axis=1)
    return found
