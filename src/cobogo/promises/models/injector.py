"""Injector: the attacker has learnt from the whole table which values never occur together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal

import numpy as np

from cobogo.data.classes import Classes
from cobogo.floor.arguments import missing, whole
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.promises.models.base import Model, Monotone
from cobogo.promises.models.knowledge import WholeTable, complete_classes, dense, original_members, whole_table


@card(
    "injector",
    plain=(
        "For an attacker who knows what never occurs together (no man has ovarian cancer), at least l "
        "values remain possible for each person."
    ),
    title="Injector",
    group="knowledge",
    start={"l": 2, "min-support": 10},
)
@dataclass(frozen=True)
class Injector(Model):
    r"""At least l values remain possible for each person, for an attacker who knows which values never occur together.

    A negative rule consists of one or two original values of quasi-identifiers that at least ``min-support`` records
    have, and of a sensitive value that none of these records has. A value is possible for a person if the values of the
    class can be assigned to its people such that the person gets that value and no rule is broken. The true assignment
    is one of them; every other differs from it by exchanges in a circle. So the possible values are found by following
    which person could take whose value, without a search for matchings.

    Formula: $\lvert\{s : \exists \text{ a perfect matching of } E\text{'s people and values, free of negative rules,
        with } j \mapsto s\}\rvert \ge l$ for every class $E$ and person $j$; a negative rule is $X \Rightarrow \neg s$
        with confidence 1
    Example: No man has ovarian cancer, so in the first class each person's value is known.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(
        ...     disease=[["ovarian", "flu", "flu"], ["flu", "cough", "cough", "flu"]],
        ...     quasi=[["f", "m", "m"], ["m", "f", "m", "f"]],
        ... )
        >>> Injector("disease", l=2, min_support=3).measure(table).tolist()
        [1.0, 2.0]

    Guarantee: For an attacker who has learnt all such rules from the whole table, at least l values remain possible for
        each person.
    Limits: The l values need not be equally probable, so a guess is not bounded by $1/l$. Rules with a confidence below
        1 do not count. Verification needs the original data.
    Cost: $O(a^2 d)$ to learn the rules of a attributes on d distinct tuples; $O(s^3)$ in a class with s distinct
        values.
    Paper: T. Li and N. Li, Injector: mining background knowledge for data anonymization, ICDE 2008.
    """

    attribute: str
    l: int
    min_support: int
    missing: Literal["value"] | None = None

    def __post_init__(self) -> None:
        whole(self.name, "l", self.l, least=1)
        missing(self.name, self.missing)
        whole(self.name, "min-support", self.min_support, least=1)

    @property
    def monotone(self) -> Monotone:
        """What was possible in a part is possible in the union, where the others may keep what they have."""
        return Monotone.WITHOUT_SUPPRESSION

    @property
    def needs_members(self) -> bool:
        """What is possible depends on the original tuples."""
        return True

    def measure(self, classes: Classes) -> Floats:
        """The fewest values possible for a person of each class; 0 where the people of a class are not known."""
        members = original_members(self, self.attribute, classes)
        held_by, _ = self.known_values(classes)
        known = whole_table(members, held_by.domain)
        tuples: list[set[tuple[int, int]]] = [set() for _ in range(len(classes))]
        for owner, (admitted, held) in zip(members.owners.tolist(), _sides(known, self.min_support), strict=True):
            if owner >= 0 and held:
                tuples[owner].add((admitted, held))
        fewest = np.array([_fewest_possible(group) if group else 0 for group in tuples], dtype=float)
        return np.where(complete_classes(held_by, members, self.attribute), fewest, 0.0)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At least l."""
        return measured >= self.l


@lru_cache(maxsize=4)
def _sides(known: WholeTable, min_support: int) -> list[tuple[int, int]]:
    """For each tuple, as bits: the values that nothing rules out for it, and those that it has."""
    table = dense(known.histogram)
    ruled_out = np.zeros(table.shape, dtype=np.bool_)
    columns = range(known.codes.shape[1])
    for picked in (*combinations(columns, 1), *combinations(columns, 2)) if len(table) else ():
        _, groups = np.unique(known.codes[:, picked], axis=0, return_inverse=True)
        order = np.argsort(groups, kind="stable")
        seen = np.add.reduceat(table[order], np.flatnonzero(np.diff(groups[order], prepend=-1)), axis=0)
        never = (seen == 0) & (seen.sum(axis=1) >= min_support)[:, None]
        ruled_out |= never[groups]
    return list(zip(_bits(~ruled_out), _bits(table > 0), strict=True))


def _bits(rows: Mask) -> list[int]:
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(rows, axis=1, bitorder="little")]


def _fewest_possible(tuples: set[tuple[int, int]]) -> int:
    """The fewest values possible for a tuple of a class, each given by what it admits and what its people have.

    A value leads to the values that its holder could take instead. A tuple can get a value if it admits it, and that
    value leads, over any number of people, to one that the tuple would give away.

    >>> flu, cough, fever = 1, 2, 4
    >>> _fewest_possible({(flu | cough | fever, flu), (cough | fever, cough), (cough | fever, fever)})
    1
    """
    present = 0
    for _, held in tuples:
        present |= held
    if all(admitted & present == present for admitted, _ in tuples):
        return present.bit_count()
    values = [1 << place for place in range(present.bit_length()) if present >> place & 1]
    leads = {value: value for value in values}
    for admitted, held in tuples:
        for value in values:
            if held & value:
                leads[value] |= admitted & present
    for middle in values:
        for value in values:
            if leads[value] & middle:
                leads[value] |= leads[middle]
    return min(sum(bool(admitted & value and leads[value] & held) for value in values) for admitted, held in tuples)
