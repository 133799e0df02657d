"""Two releases of the same people, crossed: pairs of rows of the same person, and what both values of a pair say.

A pair of values allows only the leaves that are under both of them. So an attacker who links the two rows of a person
knows more than either release says, and fewer rows remain indistinguishable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes, Domain, Histogram
from cobogo.data.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.data.table.columns import Column
from cobogo.data.table.frequency import number_tuples
from cobogo.examine.attacks.forms import Box, Form, identity, is_within, meet
from cobogo.floor.arrays import Ints, Mask, Small


@dataclass(frozen=True, eq=False, repr=False)
class ClassStructure:
    """The classes of a release and the rows in each.

    ``codes[c]`` are the released values of class ``c`` as codes into ``labels``; ``owners[r]`` is the class of row
    ``r``, and ``values`` its sensitive values. What a released value allows is given by ``trees`` or, without a tree,
    by ``forms``, which read it; columns ``as_collected`` hold original values. Where people have several rows,
    ``people`` identifies the person of each row.
    """

    quasi_identifiers: tuple[str, ...]
    labels: Mapping[str, tuple[Label, ...]]
    codes: Small  # classes × quasi-identifiers
    owners: Ints
    values: Mapping[str, Small]
    domains: Mapping[str, Domain]
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    people: NDArray[np.uint64] | None = None
    forms: Mapping[str, Form] = field(default_factory=dict)
    as_collected: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.owners)

    @property
    def sizes(self) -> Ints:
        """How many people each class has."""
        return self.classes.sizes

    @cached_property
    def classes(self) -> Classes:
        """The classes of the release."""
        return self.group_rows(np.arange(len(self)), self.owners, len(self.codes))

    def group_rows(self, rows: Ints, groups: Ints, count: int) -> Classes:
        """Some rows as classes, one for each of ``count`` groups; sizes count people."""
        people, total, sizes = rows, len(self), np.bincount(groups, minlength=count).astype(np.int64)
        if self.people is not None:
            names, numbers = np.unique(self.people, return_inverse=True)
            people, total = numbers[rows], len(names)
            pairs = np.unique(groups * total + people)
            sizes = np.bincount(pairs // max(total, 1), minlength=count).astype(np.int64)
        histograms = {name: self._histogram(name, rows, groups, people, count) for name in self.values}
        return Classes(sizes, histograms, total)

    def _histogram(self, name: str, rows: Ints, groups: Ints, people: Ints, count: int) -> Histogram:
        domain = self.domains[name]
        width = max(len(domain), 1)
        entries = groups * width + self.values[name][rows]
        if self.people is not None:
            sizes = [count, int(people.max(initial=0)) + 1, width]
            entries = entries[number_tuples([groups, people, self.values[name][rows]], sizes, len(rows))[1]]
        if count * width <= max(4 * len(entries), 1000):  # counting is quicker than sorting
            every = np.bincount(entries, minlength=count * width)
            pairs = np.flatnonzero(every)
            counts = every[pairs]
        else:
            pairs, counts = np.unique(entries, return_counts=True)
        offsets = np.searchsorted(pairs // width, np.arange(count + 1)).astype(np.int64)
        return Histogram(offsets, (pairs % width).astype(np.int32), counts.astype(np.int64), domain)


@dataclass(frozen=True, eq=False, repr=False)
class Crossing:
    """An earlier and a later release, and the pairs of their rows that are of the same record."""

    earlier: ClassStructure
    later: ClassStructure
    before: Ints  # the earlier row of each pair
    after: Ints  # its later row

    @property
    def removed(self) -> Ints:
        """The rows of the earlier release that are not in the later one."""
        return np.flatnonzero(~_row_mask(self.before, len(self.earlier)))

    @property
    def added(self) -> Ints:
        """The rows of the later release that were not in the earlier one."""
        return np.flatnonzero(~_row_mask(self.after, len(self.later)))

    @property
    def same_people(self) -> bool:
        """Whether every row of either release is linked."""
        return len(self.before) == len(self.earlier) == len(self.later)

    @cached_property
    def joint_groups(self) -> tuple[Ints, int]:
        """Groups of pairs whose two rows together say the same: the group of each pair, and the number of groups."""
        numbers, sizes = [], []
        for name in self.later.quasi_identifiers:
            if name in self.earlier.quasi_identifiers:
                codes, count = self._number_joint_values(name)
            else:
                column = self.later.quasi_identifiers.index(name)
                codes, count = self.later.codes[self.later.owners[self.after], column], len(self.later.labels[name])
            numbers.append(codes)
            sizes.append(count)
        for column, name in enumerate(self.earlier.quasi_identifiers):
            if name not in self.later.quasi_identifiers:
                numbers.append(self.earlier.codes[self.earlier.owners[self.before], column])
                sizes.append(len(self.earlier.labels[name]))
        ids, first = number_tuples(numbers, sizes, len(self.before))
        return ids, len(first)

    def _value_pairs(self, name: str) -> tuple[list[tuple[Label, Label]], Ints, Meeting]:
        """The distinct pairs of an attribute's values, the one that each pair of rows has, and how they meet."""
        one = self.earlier.codes[:, self.earlier.quasi_identifiers.index(name)][self.earlier.owners[self.before]]
        other = self.later.codes[:, self.later.quasi_identifiers.index(name)][self.later.owners[self.after]]
        pairs, inverse = distinct_pairs((one, self.earlier.labels[name]), (other, self.later.labels[name]))
        return pairs, inverse, build_meeting(self.earlier, self.later, name)

    def _number_joint_values(self, name: str) -> tuple[Ints, int]:
        """Number what the two values of an attribute say together: the number of each pair, and how many there are."""
        pairs, inverse, meet = self._value_pairs(name)
        known: dict[object, int] = {}
        numbers = [known.setdefault(meet(one, other)[1], len(known)) for one, other in pairs]
        return np.array(numbers, dtype=np.int64)[inverse], len(known)

    @cached_property
    def earlier_adds(self) -> Mask:
        """The pairs whose earlier row says something that the later row does not."""
        return self._additions(self.earlier, self.later, Meeting.later_implies)

    @cached_property
    def later_adds(self) -> Mask:
        """The pairs whose later row says something that the earlier row does not."""
        return self._additions(self.later, self.earlier, Meeting.earlier_implies)

    def _additions(
        self, release: ClassStructure, other: ClassStructure, implied: Callable[[Meeting, Label, Label], bool]
    ) -> Mask:
        """The pairs whose row of a release says something that the row of the other does not; a quasi-identifier that
        the other does not have adds to all of them."""
        if not set(release.quasi_identifiers) <= set(other.quasi_identifiers):
            return np.ones(len(self.before), dtype=np.bool_)
        adds = np.zeros(len(self.before), dtype=np.bool_)
        for name in release.quasi_identifiers:
            pairs, inverse, meet = self._value_pairs(name)
            adds |= np.array([not implied(meet, *pair) for pair in pairs], dtype=np.bool_)[inverse]
        return adds


class Meeting:
    """What a value of an earlier release and a value of a later one have in common.

    With a ``form``, a value is read as the box of what it allows; with hierarchies, a value allows the leaves under it
    that both releases have.

    >>> tree = Hierarchy.from_columns("zip", [["02138", "02139", "02141"], ["0213*", "0213*", "0214*"]])
    >>> meet = Meeting(tree, tree)
    >>> meet("0213*", "02139")[0], meet("0214*", "02139")[0], meet.earlier_implies("02139", "0213*")
    (True, False, True)
    >>> from cobogo.examine.attacks.forms import mask_form
    >>> meet = Meeting(None, None, mask_form())
    >>> meet("0213*", "02139")[0], meet("0214*", "02139")[0], meet.earlier_implies("02139", "0213*")
    (True, False, True)
    """

    def __init__(
        self,
        earlier: Hierarchy | None,
        later: Hierarchy | None,
        form: Form | None = None,
        *,
        as_collected: bool = False,
    ) -> None:
        self._trees = (earlier, later)
        common = None
        if earlier is not None and later is not None:
            common = {leaf: number for number, leaf in enumerate(earlier.leaves) if leaf in later.index}
        self._common = common or {}
        self._under: tuple[dict[Label, frozenset[int]], ...] = ({}, {})
        self._form, self._as_collected = form, as_collected
        self._boxes: dict[Label, Box | None] = {}

    def __call__(self, one: Label, other: Label) -> tuple[bool, object]:
        """Whether two values can be of one person, and a key that is equal for pairs that allow the same."""
        mine, theirs = self._box(one), self._box(other)
        if mine is not None and theirs is not None:
            together = meet(mine, theirs)
            return together is not None, (one, other) if together is None else identity(together)
        first, second = self._leaves(0, one), self._leaves(1, other)
        if one == other and not (first and second):
            return True, ("=", one)
        if one == SUPPRESSED:
            return True, second or ("=", other)
        if other == SUPPRESSED:
            return True, first or ("=", one)
        both = first & second
        return bool(both), both or (one, other)

    def decides(self, one: Label, other: Label) -> bool:
        """Whether it is known if two values can be of one person. NULL and a value never are."""
        if one == other or self._as_collected or not {one, other}.isdisjoint((SUPPRESSED, None)):
            return True
        if self._box(one) is not None and self._box(other) is not None:
            return True
        return bool(self._leaves(0, one)) and bool(self._leaves(1, other))

    def earlier_implies(self, earlier: Label, later: Label) -> bool:
        """Whether the earlier value implies the later one, which then says no more."""
        return self._implies(0, earlier, later)

    def later_implies(self, earlier: Label, later: Label) -> bool:
        """Whether the later value implies the earlier one, which then says no more."""
        return self._implies(1, later, earlier)

    def _implies(self, side: int, value: Label, general: Label) -> bool:
        if general in (value, SUPPRESSED):
            return True
        mine, theirs = self._box(value), self._box(general)
        if mine is not None and theirs is not None:
            return is_within(mine, theirs)
        leaves = self._leaves(side, value)
        return bool(leaves) and leaves <= self._leaves(1 - side, general)

    def _box(self, label: Label) -> Box | None:
        """A label as its form reads it; a star allows everything."""
        if label not in self._boxes:
            read = None if self._form is None or label is None else {} if label == SUPPRESSED else self._form(label)
            self._boxes[label] = read
        return self._boxes[label]

    def _leaves(self, side: int, label: Label) -> frozenset[int]:
        """The leaves of both releases that are under a label, at whatever level it is."""
        known = self._under[side]
        if label not in known:
            tree, found = self._trees[side], set()
            if tree is not None and self._common:
                for level, labels in enumerate(tree.labels):
                    if label in labels:
                        codes = np.flatnonzero(tree.maps[level] == labels.index(label))
                        found |= {self._common[leaf] for code in codes if (leaf := tree.leaves[code]) in self._common}
            known[label] = frozenset(found)
        return known[label]


def distinct_pairs(one: Column, other: Column) -> tuple[list[tuple[Label, Label]], Ints]:
    """The distinct pairs of labels that two columns have in the same row, and the pair of each row."""
    width = max(len(other[1]), 1)
    pairs, inverse = np.unique(one[0].astype(np.int64) * width + other[0], return_inverse=True)
    return [(one[1][pair // width], other[1][pair % width]) for pair in pairs.tolist()], inverse


def build_meeting(earlier: ClassStructure, later: ClassStructure, name: str) -> Meeting:
    """What the values of an attribute in two releases have in common."""
    return Meeting(
        earlier.trees.get(name),
        later.trees.get(name),
        earlier.forms.get(name) or later.forms.get(name),
        as_collected=name in earlier.as_collected & later.as_collected,
    )


def link_by_key(earlier: ClassStructure, later: ClassStructure, one: NDArray[Any], other: NDArray[Any]) -> Crossing:
    """Cross two releases whose rows have a key each: unique in a release, and equal for the rows of one record."""
    _, before, after = np.intersect1d(one, other, assume_unique=True, return_indices=True)
    return Crossing(earlier, later, before.astype(np.int64), after.astype(np.int64))


def _row_mask(rows: Ints, count: int) -> Mask:
    found = np.zeros(count, dtype=np.bool_)
    found[rows] = True
    return found
