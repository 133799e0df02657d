"""Which values may speak of the same thing: a value and what it became, two values of different coarseness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import IntervalsHierarchy, PathHierarchy, Policy
from cobogo.errors import HierarchyError, UnfitValues
from cobogo.examine.attacks.forms import Form, as_pairs, form_of, overlapping
from cobogo.floor.arrays import Ints


@dataclass(frozen=True, eq=False, repr=False)
class Compatibility:
    """For each of some labels (by code), the labels of another column that may mean the same, sorted: sparse.

    ``unplaced`` are the labels that neither the hierarchy nor their form places: they are compatible with themselves
    and with ``*``; ``unread`` are those of the other column.
    """

    offsets: Ints
    options: Ints
    unplaced: Ints
    unread: Ints

    @property
    def owners(self) -> Ints:
        """The label that each option belongs to."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def share(self, known: Ints, released: Ints) -> float:
        """How often a known value and a released one agree by chance, given how often each occurs."""
        agreeing = np.bincount(self.owners, released[self.options], len(known))
        return float((known * agreeing).sum() / max(int(known.sum()) * int(released.sum()), 1))

    def agreeing(self, released: Ints) -> Ints:
        """For each label, how many released records are compatible with it."""
        return np.bincount(self.owners, released[self.options], len(self.offsets) - 1).astype(np.int64)


def equal_values(known: Sequence[Label], released: Sequence[Label]) -> Compatibility:
    """Compatible where the texts are the same; NULL is the same as NULL."""
    index = {label: code for code, label in enumerate(released)}
    return compatibility_of([_equal(known, index)], known, len(released))


def compatible_values(
    attribute: str,
    known: Sequence[Label],
    released: Sequence[Label],
    policy: Policy | None,
    *,
    as_collected: bool = False,
) -> Compatibility:
    """Compatible where the texts are the same, where one is ``*``, or where some original value lies under both.

    What lies under a value is told by the policy's hierarchy and, where that does not have it or there is no policy, by
    its form; values that were released ``as_collected`` stand for themselves.

    >>> policy = Policy.of({"attributes": {"zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}}},
    ...                     "privacy": {"models": [{"model": "k-anonymity", "k": 2}]}})
    >>> compatible_values("zip", ["02138", "02141"], ["0213*", "0214*", "*"], policy).options.tolist()
    [0, 2, 1, 2]
    >>> compatible_values("age", ["31", "47"], ["30-39", "40-49"], None).options.tolist()
    [0, 1]
    """
    index = {label: code for code, label in enumerate(released)}
    width = max(len(released), 1)
    pairs = [_equal(known, index)]
    if SUPPRESSED in index:
        pairs.append(np.arange(len(known), dtype=np.int64) * width + index[SUPPRESSED])
    if SUPPRESSED in known:
        pairs.append(known.index(SUPPRESSED) * width + np.arange(len(released), dtype=np.int64))
    spec = None if policy is None or attribute not in policy.attributes else policy.attributes[attribute].hierarchy
    placed: set[Label] = {None, SUPPRESSED}
    if as_collected or (spec is None and policy is not None and attribute in policy.attributes):
        placed.update((*known, *released))  # there is nothing between a value and *
    elif spec is not None and policy is not None:
        tree = hierarchy(attribute, known, released, policy)
        if tree is not None:
            pairs += _under_both(tree, known, index, width)
            placed.update(label for labels in tree.labels for label in labels)
    if not placed >= {*known, *released}:
        decimal = "." if policy is None else policy.data.decimal
        pairs.append(_of_a_form(known, released, placed, form_of((*known, *released), [spec], decimal=decimal)))
    unread = set(released) - placed - set(known)
    return compatibility_of(
        pairs,
        known,
        len(released),
        [n for n, label in enumerate(known) if label not in placed and spec is not None],
        [n for n, label in enumerate(released) if label in unread],
    )


def _under_both(tree: Hierarchy, known: Sequence[Label], index: dict[Label, int], width: int) -> list[Ints]:
    """The pairs of labels under both of which there is some leaf."""
    mine = {label: code for code, label in enumerate(known)}
    levels = range(tree.height + 1)
    ours = [_codes(tree, level, mine) for level in levels]
    theirs = [_codes(tree, level, index) for level in levels]
    pairs = []
    for one in ours:
        for other in theirs:
            both = (one >= 0) & (other >= 0)
            pairs.append(np.unique(one[both] * width + other[both]))
    return pairs


def _of_a_form(known: Sequence[Label], released: Sequence[Label], placed: set[Label], form: Form | None) -> Ints:
    """The pairs of which one label at least is not placed yet and both can be read; those are placed then."""
    if form is None:
        return np.zeros(0, dtype=np.int64)
    ours, theirs = ([None if label is None else form(label) for label in labels] for labels in (known, released))
    strange = [
        [None if label in placed else box for label, box in zip(labels, boxes, strict=True)]
        for labels, boxes in ((known, ours), (released, theirs))
    ]
    for labels, boxes in ((known, strange[0]), (released, strange[1])):
        placed.update(label for label, box in zip(labels, boxes, strict=True) if box is not None)
    width = max(len(released), 1)
    found = [as_pairs(overlapping(ours, strange[1]), width), as_pairs(overlapping(strange[0], theirs), width)]
    return np.concatenate(found)


def hierarchy(attribute: str, known: Sequence[Label], released: Sequence[Label], policy: Policy) -> Hierarchy | None:
    """An attribute's hierarchy over the values of two tables, but for those that it cannot place; None without any."""
    spec = policy.attributes[attribute].hierarchy
    values = list(dict.fromkeys((*known, *released)))
    if isinstance(spec, PathHierarchy):
        parts = max(_usual_parts(labels, spec.path) for labels in (known, released))
        values = [value for value in values if value is None or value.count(spec.path) + 1 == parts]
    tree = _placing(attribute, values, policy)
    if isinstance(spec, IntervalsHierarchy) and _strange(tree, released):
        # Intervals are written otherwise where all numbers are whole; the two tables need not agree on that.
        mark = spec.decimal or policy.data.decimal
        whole = [value for value in values if value is None or mark not in value]
        others = [_placing(attribute, some, policy) for some in (whole, [*values, f"0{mark}5"])]
        tree = min([tree, *others], key=lambda one: len(_strange(one, released)))
    return tree


def _placing(attribute: str, values: Sequence[Label], policy: Policy) -> Hierarchy | None:
    """The hierarchy of those values that it can place."""
    for _ in range(3):  # a builder may complain of one kind of value at a time
        try:
            return build(attribute, policy.attributes[attribute].hierarchy, values, policy=policy)
        except UnfitValues as error:
            unfit = set(error.values)
            values = [value for value in values if value not in unfit]
        except HierarchyError:
            if None not in values:
                raise
            values = [value for value in values if value is not None]
    return None


def _strange(tree: Hierarchy | None, labels: Sequence[Label]) -> set[Label]:
    """The labels that a hierarchy does not have."""
    known = set() if tree is None else {label for level in tree.labels for label in level}
    return set(labels) - known - {SUPPRESSED, None}


def _usual_parts(labels: Sequence[Label], separator: str) -> int:
    numbers = Counter(label.count(separator) + 1 for label in labels if label is not None and label != SUPPRESSED)
    return max(((count, number) for number, count in numbers.items()), default=(0, 1))[1]


def _equal(known: Sequence[Label], index: dict[Label, int]) -> Ints:
    pairs = [(code, index[label]) for code, label in enumerate(known) if label in index]
    return np.array([one * max(len(index), 1) + other for one, other in pairs], dtype=np.int64)


def _codes(tree: Hierarchy, level: int, index: dict[Label, int]) -> Ints:
    """For each leaf, the code of what it is at a level in a list of labels; −1 where it is not in it."""
    found = np.array([index.get(label, -1) for label in tree.labels[level]], dtype=np.int64)
    return found[tree.maps[level]] if len(found) else found


def compatibility_of(
    pairs: Sequence[NDArray[np.int64]],
    known: Sequence[Label],
    width: int,
    unplaced: Sequence[int] = (),
    unread: Sequence[int] = (),
) -> Compatibility:
    """Labels that are compatible as pairs say, each pair one number."""
    together = np.unique(np.concatenate(pairs)) if pairs else np.zeros(0, dtype=np.int64)
    width = max(width, 1)
    offsets = np.searchsorted(together // width, np.arange(len(known) + 1)).astype(np.int64)
    return Compatibility(
        offsets, together % width, np.array(unplaced, dtype=np.int64), np.array(unread, dtype=np.int64)
    )
