"""The generalization hierarchy: a tree of values whose leaves all lie at the same depth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import HierarchyError
from cobogo.floor.language import tr
from cobogo.floor.representation import brief

Label = str | None
"""A value as text; None is NULL."""

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]

SUPPRESSED = "*"
"""What stands in the place of a suppressed value, and at the top of a hierarchy."""


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """Labels coded per level, and each code's parent one level up. Level 0 holds the leaves: the original values.

    >>> h = Hierarchy.from_columns("profession", [["Dentist", "Doctor", "Analyst"], ["Health", "Health", "IT"]])
    >>> h.height, h.labels[1], h.leaf_counts[1].tolist()
    (1, ('Health', 'IT'), [2, 1])
    >>> h.generalize("Doctor", 1)
    'Health'
    """

    attribute: str
    labels: tuple[tuple[Label, ...], ...]
    parents: tuple[Codes, ...]

    def __repr__(self) -> str:
        return brief(self, self.attribute, f"{len(self.leaves):,} leaves", f"{self.height} levels above")

    @classmethod
    def from_columns(cls, attribute: str, columns: Sequence[Sequence[Label]], *, where: str | None = None) -> Hierarchy:
        """Build from one column a level: ``columns[level][i]`` is what leaf ``columns[0][i]`` becomes at that level.

        A leaf may appear several times if its labels are always the same. Error messages call the source ``where``.
        """
        where = where or tr('attribute "{attribute}"', attribute=attribute)
        labels: list[tuple[Label, ...]] = []
        parents: list[Codes] = []
        below: list[int] = []
        for level, column in enumerate(columns):
            index: dict[Label, int] = {}
            codes = [index.setdefault(label, len(index)) for label in column]
            labels.append(tuple(index))
            if level:
                parents.append(_parents(below, codes, level, labels, where))
            below = codes
        return cls(attribute, tuple(labels), tuple(parents))

    @classmethod
    def from_steps(cls, attribute: str, leaves: Sequence[str], steps: Iterable[Callable[[str], str]]) -> Hierarchy:
        """Build upwards: each step turns a label into the one that stands for it one level up, so the levels nest.

        A step sees each distinct label once: cheap where the levels soon have few labels.

        >>> Hierarchy.from_steps("zip", ["601", "602", "71"], [lambda label: label[:2], lambda label: label[:1]]).labels
        (('601', '602', '71'), ('60', '71'), ('6', '7'))
        """
        labels: list[tuple[str, ...]] = [tuple(dict.fromkeys(leaves))]
        parents: list[Codes] = []
        for step in steps:
            index: dict[str, int] = {}
            codes = [index.setdefault(step(label), len(index)) for label in labels[-1]]
            parents.append(np.asarray(codes, dtype=np.int32))
            labels.append(tuple(index))
        return cls(attribute, tuple(labels), tuple(parents))

    @property
    def height(self) -> int:
        """The highest level: 2 for a hierarchy with levels 0, 1 and 2."""
        return len(self.labels) - 1

    @property
    def leaves(self) -> tuple[Label, ...]:
        """The original values."""
        return self.labels[0]

    @cached_property
    def index(self) -> dict[Label, int]:
        """The code of each leaf."""
        return {label: code for code, label in enumerate(self.leaves)}

    @cached_property
    def maps(self) -> tuple[Codes, ...]:
        """For each level, the code that each leaf has there."""
        maps = [np.arange(len(self.leaves), dtype=np.int32)]
        for parent in self.parents:
            maps.append(parent[maps[-1]])
        return tuple(maps)

    @cached_property
    def leaf_counts(self) -> tuple[Counts, ...]:
        """For each level, how many leaves lie under each code."""
        return tuple(
            np.bincount(codes, minlength=len(labels)).astype(np.int64)
            for codes, labels in zip(self.maps, self.labels, strict=True)
        )

    def generalize(self, value: Label, level: int) -> Label:
        """The released form of an original value at a level."""
        return self.labels[level][int(self.maps[level][self.index[value]])]

    def with_top(self) -> Hierarchy:
        """The same with one more level that holds ``*`` alone, unless its highest level already does."""
        if self.labels[-1] == (SUPPRESSED,):
            return self
        roof = np.zeros(len(self.labels[-1]), dtype=np.int32)
        top = (SUPPRESSED,) if self.leaves else ()  # no label without leaves
        return Hierarchy(self.attribute, (*self.labels, top), (*self.parents, roof))

    def without_steps(self, *, top: bool) -> Hierarchy:
        """Its leaves and, with a ``top``, ``*``, and nothing between: a value is released as it is, or suppressed."""
        leaves = replace(self, labels=self.labels[:1], parents=())
        return leaves.with_top() if top else leaves

    def with_null(self) -> Hierarchy:
        """The same with NULL as one more leaf: NULL below the top, ``*`` there. A row of its own is kept as it is."""
        if None in self.index:
            return self
        labels: list[tuple[Label, ...]] = []
        parents: list[Codes] = []
        below = 0
        for level, known in enumerate(self.labels):
            label = SUPPRESSED if 0 < level == self.height else None
            code = known.index(label) if label in known else len(known)
            labels.append(known if code < len(known) else (*known, label))
            if level:
                parent = self.parents[level - 1]
                if below < len(parent) and parent[below] != code:
                    raise HierarchyError(
                        tr(
                            "NULL has no place: level {level} already has empty labels with another meaning",
                            level=level - 1,
                        ),
                        where=tr('attribute "{attribute}"', attribute=self.attribute),
                        remedy=tr("Give NULL a row of its own in the hierarchy."),
                        code="COBOGO-HIERARCHY-SHAPE",
                    )
                parents.append(parent if below < len(parent) else np.append(parent, np.int32(code)).astype(np.int32))
            below = code
        return Hierarchy(self.attribute, tuple(labels), tuple(parents))

    def missing(self, values: Iterable[Label]) -> list[Label]:
        """The values that are not leaves."""
        return [value for value in values if value not in self.index]

    def encode(self, values: Iterable[Label]) -> Codes:
        """The leaf codes of values that are all leaves."""
        return np.fromiter((self.index[value] for value in values), dtype=np.int32)


def _parents(below: list[int], codes: list[int], level: int, labels: list[tuple[Label, ...]], where: str) -> Codes:
    """Each code's parent one level up, or an error where a code has two."""
    parent = np.full(len(labels[level - 1]), -1, dtype=np.int32)
    low, high = np.asarray(below, dtype=np.int64), np.asarray(codes, dtype=np.int32)
    parent[low] = high
    contradicted = np.flatnonzero(parent[low] != high)
    if not len(contradicted):
        return parent
    row = int(contradicted[0])
    child = labels[level - 1][below[row]]
    one, other = labels[level][parent[below[row]]], labels[level][codes[row]]
    if level == 1:
        what = tr(
            "the value {value} has two parents, {one} and {other}",
            value=_quote(child),
            one=_quote(other),
            other=_quote(one),
        )
        remedy = tr("Keep one of the two rows.")
    else:
        what = tr(
            "levels {lower} and {upper} do not nest: {value} is below both {one} and {other}",
            lower=level - 1,
            upper=level,
            value=_quote(child),
            one=_quote(other),
            other=_quote(one),
        )
        remedy = tr("Give the two branches different names, or the same parent.")
    raise HierarchyError(what, where=where, remedy=remedy, code="COBOGO-HIERARCHY-SHAPE")


def _quote(label: Label) -> str:
    return "NULL" if label is None else f'"{label}"'
