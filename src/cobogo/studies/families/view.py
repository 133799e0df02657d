"""A release of any kind as all are measured: its rows in codes, and what each released value says of original ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.floor.arrays import Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class Original:
    """The table, in codes: people whose records are released, and others like them whose are not."""

    names: tuple[str, ...]  # quasi-identifiers, then the attribute that is sensitive
    leaves: tuple[tuple[Label, ...], ...]  # the values of each
    members: tuple[Ints, ...]
    others: tuple[Ints, ...]
    hierarchies: Mapping[str, Hierarchy]

    @property
    def known(self) -> range:
        """The places of what an attacker knows of a person: all but the last."""
        return range(len(self.names) - 1)


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """A released column: ``codes`` of its rows into labels, and for each label, by leaf, what it says.

    ``counts`` turns counts of labels into estimated counts of leaves: a coarser value is spread evenly over what it
    stands for, and chance that is known is undone. ``fits`` is how likely a released value is that of a person who has
    a leaf: one over the leaves that it stands for, or nothing.
    """

    codes: Ints
    counts: Floats  # labels × leaves
    fits: Floats  # labels × leaves


@dataclass(frozen=True, eq=False, repr=False)
class View:
    """A release: its kind, what was asked of it, and its columns in the order of the original's."""

    kind: str
    given: Mapping[str, float]
    columns: tuple[Column, ...]
    note: str = ""

    @property
    def records(self) -> int:
        """How many rows it has."""
        return len(self.columns[0].codes)


def told(codes: Ints, leaves: int) -> Column:
    """A column released as it is."""
    same = np.eye(leaves)
    return Column(codes, same, same)


def coarser(texts: Sequence[Label], leaves: Sequence[Label], hierarchy: Hierarchy, level: int) -> Column:
    """A column at a level of its hierarchy."""
    labels = hierarchy.labels[level]
    of = hierarchy.maps[level][hierarchy.encode(leaves)]
    under = (np.arange(len(labels))[:, None] == of[None, :]).astype(np.float64)
    share = under / np.maximum(under.sum(axis=1, keepdims=True), 1.0)
    index = {label: code for code, label in enumerate(labels)}
    return Column(np.array([index[text] for text in texts], dtype=np.int64), share, share)


def exchanged(codes: Ints, leaves: int, retention: float) -> Column:
    """A column whose values were kept with a probability and else drawn evenly: the matrix is undone in counts."""
    matrix = retention * np.eye(leaves) + (1 - retention) / leaves
    return Column(codes, np.asarray(np.linalg.inv(matrix), dtype=np.float64), np.eye(leaves))


def coded(texts: Sequence[Label], leaves: Sequence[Label]) -> Ints:
    """Texts that are leaves, as codes."""
    index = {label: code for code, label in enumerate(leaves)}
    return np.array([index[text] for text in texts], dtype=np.int64)


def texts_of(column: Any) -> list[Label]:
    """An Arrow column as texts."""
    import pyarrow as pa

    return list(column.cast(pa.string()).to_pylist())
