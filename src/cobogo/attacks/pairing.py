"""Linking the rows of two releases by what was released: consistent values, and columns that are the same in both.

Rows that are alike in every column cannot be told apart, so they are linked as groups. A group of one release that can
stand beside one group of the other only, and that one beside no others than such, is taken to be the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.attacks.case import Case, Published
from cobogo.attacks.crossing import ClassStructure, Crossing, Meeting
from cobogo.errors import HierarchyError, PolicyError, UnfitValues
from cobogo.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.hierarchy.build import build
from cobogo.models.base import Domain, Ints, Mask
from cobogo.table.frequency import number_tuples

PAIRS = 50_000_000
"""Pairs of groups that are looked at."""


def structures(case: Case) -> tuple[ClassStructure, ...]:
    """The class structure of each release, as anybody can count it."""
    return tuple(_structure(published, case) for published in case.releases)


def _structure(published: Published, case: Case) -> ClassStructure:
    rows, quasi = published.rows, published.quasi_identifiers
    groups = rows.grouped(quasi)
    domains = {
        name: Domain(name, rows.labels(name), np.bincount(rows.codes(name), minlength=len(rows.labels(name))))
        for name in published.sensitive
    }
    return ClassStructure(
        quasi,
        {name: rows.labels(name) for name in quasi},
        groups.codes,
        groups.ids,
        {name: rows.codes(name) for name in published.sensitive},
        domains,
        {name: tree for name in quasi if (tree := _tree(name, published, case)) is not None},
    )


def _tree(name: str, published: Published, case: Case) -> Hierarchy | None:
    """What is known of an attribute's hierarchy: the policy's, over all values that anybody has seen as they are."""
    policy = published.policy
    if policy is None or name not in policy.attributes or policy.attributes[name].hierarchy is None:
        return None
    seen: set[Label] = set()
    for rows in (*(release.rows for release in case.releases), *([case.knowledge] if case.knowledge else ())):
        if name in rows.columns:
            seen.update(rows.labels(name))
    values = [value for value in seen if value not in (None, SUPPRESSED)]
    while values:
        try:
            return build(name, policy.attributes[name].hierarchy, values, policy=policy)
        except UnfitValues as error:  # those that are released as something coarser
            rest = [value for value in values if value not in error.values]
            if len(rest) == len(values):
                return None
            values = rest
        except (HierarchyError, PolicyError):
            return None
    return None


@dataclass(frozen=True, eq=False, repr=False)
class _Groups:
    """The rows of a release that are alike in all that can be compared."""

    ids: Ints  # of each row
    first: Ints  # a row of each group
    sizes: Ints


def linked(case: Case, one: int, other: int, sides: Sequence[ClassStructure]) -> Crossing:
    """Two releases of a case, crossed by what was released."""
    earlier, later = case.releases[one], case.releases[other]
    quasi = [name for name in later.quasi_identifiers if name in earlier.quasi_identifiers]
    same = [
        name
        for name in later.rows.names
        if name in earlier.rows.names and name not in {*later.quasi_identifiers, *earlier.quasi_identifiers}
    ]
    codes = {name: _same_codes(earlier.rows.labels(name), later.rows.labels(name)) for name in same}
    groups = [
        _grouped(published, quasi, {name: codes[name][side] for name in same})
        for side, published in enumerate((earlier, later))
    ]
    left, right = _edges(earlier, later, quasi, same, codes, groups, sides[one], sides[other])
    return Crossing(sides[one], sides[other], *_rows_of_stars(groups, left, right))


def _same_codes(one: Sequence[Label], other: Sequence[Label]) -> tuple[Ints, Ints]:
    """For the values of each release, codes that are the same where the values are."""
    known = {label: code for code, label in enumerate(dict.fromkeys((*one, *other)))}
    return np.array([known[label] for label in one], np.int64), np.array([known[label] for label in other], np.int64)


def _grouped(published: Published, quasi: Sequence[str], same: Mapping[str, Ints]) -> _Groups:
    rows = published.rows
    columns: list[NDArray[np.int64]] = [rows.codes(name).astype(np.int64) for name in quasi]
    columns += [codes[rows.codes(name)] for name, codes in same.items()]
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    ids, first = number_tuples(columns, sizes, rows.count)
    return _Groups(ids, first, np.bincount(ids, minlength=len(first)).astype(np.int64))


def _edges(
    earlier: Published,
    later: Published,
    quasi: Sequence[str],
    same: Sequence[str],
    codes: Mapping[str, tuple[Ints, Ints]],
    groups: Sequence[_Groups],
    one: ClassStructure,
    other: ClassStructure,
) -> tuple[Ints, Ints]:
    """The pairs of groups that can stand for the same people: equal where columns are the same, consistent elsewhere.

    Only groups with equal values in the columns that are the same are compared with each other.
    """
    keys = [
        number_tuples(
            [
                np.concatenate([codes[name][0][earlier.rows.codes(name)[groups[0].first]],
                                codes[name][1][later.rows.codes(name)[groups[1].first]]])
                for name in same
            ],
            [len(np.union1d(*codes[name])) for name in same],
            len(groups[0].first) + len(groups[1].first),
        )[0]
    ]  # fmt: skip
    mine, theirs = keys[0][: len(groups[0].first)], keys[0][len(groups[0].first) :]
    order = np.argsort(theirs, kind="stable")
    begin = np.searchsorted(theirs[order], mine)
    many = np.searchsorted(theirs[order], mine, side="right") - begin
    if int(many.sum()) > PAIRS:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    left = np.repeat(np.arange(len(mine)), many)
    places = np.arange(len(left)) - np.repeat(np.cumsum(many) - many, many) + np.repeat(begin, many)
    right = order[places]
    fits = np.ones(len(left), dtype=np.bool_)
    for name in quasi:
        first = earlier.rows.codes(name)[groups[0].first][left]
        second = later.rows.codes(name)[groups[1].first][right]
        fits &= _consistent(first, second, earlier.rows.labels(name), later.rows.labels(name),
                            Meeting(one.trees.get(name), other.trees.get(name)))  # fmt: skip
    return left[fits], right[fits]


def _consistent(
    first: NDArray[np.int32], second: NDArray[np.int32], before: Sequence[Label], after: Sequence[Label], meet: Meeting
) -> Mask:
    width = max(len(after), 1)
    pairs, inverse = np.unique(first.astype(np.int64) * width + second, return_inverse=True)
    found = [meet(before[pair // width], after[pair % width])[0] for pair in pairs.tolist()]
    return np.array(found, dtype=np.bool_)[inverse]


def _rows_of_stars(groups: Sequence[_Groups], left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Pairs of rows: of groups that have one group on the other side only, whose others are such, too."""
    degree = np.bincount(left, minlength=len(groups[0].first)), np.bincount(right, minlength=len(groups[1].first))
    alone = degree[0][left] == 1, degree[1][right] == 1
    crowded = (
        np.bincount(left[~alone[1]], minlength=len(degree[0])) > 0,  # beside a group that has others, too
        np.bincount(right[~alone[0]], minlength=len(degree[1])) > 0,
    )
    sure = (alone[0] & ~crowded[1][right]) | (alone[1] & ~crowded[0][left])
    members = [np.argsort(part.ids, kind="stable") for part in groups]
    starts = [np.concatenate([[0], np.cumsum(part.sizes)]) for part in groups]
    used = [np.zeros(len(part.first), dtype=np.int64) for part in groups]
    before: list[Ints] = [np.zeros(0, dtype=np.int64)]
    after: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for one, other in zip(left[sure].tolist(), right[sure].tolist(), strict=True):
        many = int(min(groups[0].sizes[one] - used[0][one], groups[1].sizes[other] - used[1][other]))
        begin, end = starts[0][one] + used[0][one], starts[1][other] + used[1][other]
        before.append(members[0][begin : begin + many])
        after.append(members[1][end : end + many])
        used[0][one] += many
        used[1][other] += many
    return np.concatenate(before), np.concatenate(after)
