"""Groups that are edited by hand: rows of a value and its label at every level, as in a hierarchy's CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cobogo.data.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.errors import HierarchyError

Row = tuple[Label, ...]


def rows_of(hierarchy: Hierarchy, *, top: bool = False, null: bool = True) -> list[Row]:
    """Every value with its labels. With ``top`` the last level is left to the policy; without ``null`` so is NULL."""
    levels = range(hierarchy.height + 1)
    if top and hierarchy.height > 1 and set(hierarchy.labels[-1]) <= {SUPPRESSED, None}:
        levels = levels[:-1]
    columns = [[hierarchy.labels[level][code] for code in hierarchy.maps[level]] for level in levels]
    rows = list(zip(*columns, strict=True))
    told = (None, SUPPRESSED)
    return rows if null else [row for row in rows if row[0] is not None or any(label not in told for label in row[1:])]


def as_csv(rows: Sequence[Row], separator: str) -> bytes:
    """The file that a hierarchy of kind csv names: UTF-8, no header, NULL empty.

    >>> as_csv([("nurse", "health"), (None, "?")], ";")
    b'nurse;health\\n;?\\n'
    """
    target = io.StringIO()
    writer = csv.writer(target, delimiter=separator, lineterminator="\n")
    writer.writerows(["" if label is None else label for label in row] for row in rows)
    return target.getvalue().encode()


def as_tree(rows: Sequence[Row]) -> dict[str, Any]:
    """The tables that a hierarchy of kind tree has: branches from the top down, lists of values inside.

    >>> as_tree([("nurse", "health", "any"), ("teacher", "school", "any")])
    {'any': {'health': ['nurse'], 'school': ['teacher']}}
    """
    tree: dict[str, Any] = {}
    for row in rows:
        branch = tree
        for label in row[:1:-1]:
            branch = branch.setdefault(label or "", {})
        branch.setdefault(row[1] or "", []).append(row[0] or "")
    return tree


def checked(attribute: str, rows: Sequence[Row]) -> list[Row]:
    """The rows, if they are a hierarchy."""
    named = next((row[0] for row in rows if row[0] is not None and not all(row[1:])), None)
    if named is not None:
        raise HierarchyError("a group needs a name", where=f'attribute "{attribute}"')
    Hierarchy.from_columns(attribute, list(zip(*rows, strict=True)))
    return list(rows)


def moved(rows: Sequence[Row], level: int, label: Label, group: str) -> list[Row]:
    """A value or a group, with all that is in it, under another group of the next level, or under a new one.

    >>> moved([("a", "x", "*"), ("b", "y", "*")], 0, "b", "x")
    [('a', 'x', '*'), ('b', 'x', '*')]
    """
    known = next((row[level + 1 :] for row in rows if row[level + 1] == group), None)
    return [(*row[: level + 1], *(known or (group, *row[level + 2 :]))) if row[level] == label else row for row in rows]


def renamed(rows: Sequence[Row], level: int, label: Label, name: str) -> list[Row]:
    """A group under another name; where that is another group's already, the two become one.

    >>> renamed([("a", "x"), ("b", "y")], 1, "y", "x")
    [('a', 'x'), ('b', 'x')]
    """
    above = next((row[level + 1 :] for row in rows if row[level] == name), None)
    return [
        (*row[:level], name, *(row[level + 1 :] if above is None else above)) if row[level] == label else row
        for row in rows
    ]


def added(rows: Sequence[Row], values: Iterable[Label], group: str) -> list[Row]:
    """More values, in a group of the first level that is there or is new.

    >>> added([("a", "x", "*")], ["b"], "z")
    [('a', 'x', '*'), ('b', 'z', '*')]
    """
    known = next((row[1:] for row in rows if row[1] == group), None)
    tops = rows[0][2:] if rows else ()
    return [*rows, *((value, *(known or (group, *tops))) for value in values)]


def placed(spec: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """The spec of a tree with these rows; its top stays as it was said."""
    return {"tree": as_tree(rows)} | ({"top": True} if spec.get("top") else {})
