"""Linking the rows of two releases by what was released: consistent values, and columns that are the same in both.

Rows that are equal in every column are indistinguishable, so they are linked as groups. Groups of the two releases that
may be the same people form a bipartite graph; groups in a component that is a star are taken to be the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Domain
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import AnyHierarchy, CsvHierarchy, OrderingHierarchy, Policy, TreeHierarchy
from cobogo.data.table.columns import Column
from cobogo.data.table.frequency import number_tuples
from cobogo.errors import DataError, HierarchyError, PolicyError
from cobogo.examine.attacks.case import Case, Published
from cobogo.examine.attacks.crossing import ClassStructure, Crossing, Meeting, meeting
from cobogo.examine.attacks.forms import Form, form_of
from cobogo.floor.arrays import Ints, Mask

PAIRS = 50_000_000
"""Pairs of groups that are looked at."""

LISTED = (CsvHierarchy, OrderingHierarchy, TreeHierarchy)
"""The hierarchies that list their leaves, and so can be built without the data."""


def structures(case: Case) -> tuple[ClassStructure, ...]:
    """The class structure of each release, as anybody can count it."""
    names = dict.fromkeys(name for release in case.releases for name in release.quasi_identifiers)
    trees = {name: tree for name in names if (tree := _tree(name, case)) is not None}
    forms = {name: form for name in names if name not in trees and (form := _form(name, case)) is not None}
    return tuple(_structure(published, trees, forms) for published in case.releases)


def meeting_of(name: str, case: Case) -> Meeting:
    """How the values of any column in two releases meet."""
    tree = _tree(name, case)
    return Meeting(tree, tree, None if tree is not None else _form(name, case))


def _structure(published: Published, trees: Mapping[str, Hierarchy], forms: Mapping[str, Form]) -> ClassStructure:
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
        {name: tree for name, tree in trees.items() if name in quasi},
        forms={name: form for name, form in forms.items() if name in quasi},
        as_collected=frozenset(name for name in quasi if _stands_for_itself(published, name)),
    )


def _stands_for_itself(published: Published, name: str) -> bool:
    """Whether a column has values as they were collected, or stars: so the manifest says, or the policy."""
    policy = published.policy
    bare = policy is not None and name in policy.attributes and policy.attributes[name].hierarchy is None
    return bare or published.is_as_collected(name)


def _specs(name: str, case: Case) -> list[tuple[Policy, AnyHierarchy]]:
    """The hierarchies that the policies of the releases give an attribute."""
    found = []
    for policy in (release.policy for release in case.releases):
        if policy is not None and name in policy.attributes:
            spec = policy.attributes[name].hierarchy
            found += [] if spec is None else [(policy, spec)]
    return found


def _tree(name: str, case: Case) -> Hierarchy | None:
    """A hierarchy that lists its leaves: whoever knows it for one release knows it for the others."""
    for policy, spec in _specs(name, case):
        if isinstance(spec, LISTED):
            try:
                return build(name, spec, [], policy=policy)
            except (HierarchyError, PolicyError, DataError):
                continue
    return None


def _form(name: str, case: Case) -> Form | None:
    """How an attribute's values are read: by the policies that are known, or by their look in all that was seen."""
    specs = _specs(name, case)
    tables = (*(release.rows for release in case.releases), *([case.knowledge] if case.knowledge else ()))
    seen = [label for rows in tables if name in rows.columns for label in rows.labels(name)]
    decimal = specs[0][0].data.decimal if specs else "."
    return form_of(seen, [spec for _, spec in specs], decimal=decimal) or form_of(seen, decimal=decimal)


@dataclass(frozen=True, eq=False, repr=False)
class _Groups:
    """The rows of a release that are alike in all that can be compared."""

    ids: Ints  # of each row
    first: Ints  # a row of each group
    sizes: Ints


@dataclass(frozen=True, eq=False)
class Linked:
    """Two releases crossed by what was released, and what stood in the way."""

    crossing: Crossing
    unrelated: tuple[str, ...] = ()  # the columns whose values in the two releases could not be related
    ambiguous: int = 0  # rows of the later release that fit several of the earlier one
    too_many: bool = False

    @property
    def untried(self) -> str:
        """Why nothing follows from finding nobody; empty where something does."""
        if self.too_many:
            return f"the releases have more than {PAIRS:,} pairs of rows that could be of one person"
        if self.unrelated:
            named = ", ".join(f'"{name}"' for name in self.unrelated)
            return f"nothing tells what the values of {named} in one release and in the other have in common"
        if self.ambiguous and not len(self.crossing.before):
            return "every row fits several rows of the other release, and none can be linked"
        return ""


def link_releases(case: Case, one: int, other: int, sides: Sequence[ClassStructure]) -> Linked:
    """Two releases of a case, crossed by what was released."""
    earlier, later = case.releases[one], case.releases[other]
    beside = {
        name: (earlier.rows.columns[name], later.rows.columns[name])
        for name in later.rows.names
        if name in earlier.rows.names and name not in {*later.quasi_identifiers, *earlier.quasi_identifiers}
    }
    return link_by_values(sides[one], sides[other], beside)


def link_by_values(
    earlier: ClassStructure, later: ClassStructure, beside: Mapping[str, tuple[Column, Column]] | None = None
) -> Linked:
    """Two releases, crossed by what was released: quasi-identifiers, which must not contradict each other, and columns
    ``beside`` them, which must be equal; the sensitive values if none are given."""
    if beside is None:
        both = [name for name in later.values if name in earlier.values]
        beside = {name: (_sensitive(earlier, name), _sensitive(later, name)) for name in both}
    quasi = [name for name in later.quasi_identifiers if name in earlier.quasi_identifiers]
    same = [_same_codes(*columns) for columns in beside.values()]
    sides = (earlier, later)
    groups = [
        _grouped(part, [_released(part, name)[0] for name in quasi], [codes[side] for codes in same])
        for side, part in enumerate(sides)
    ]
    edges = _edges(earlier, later, quasi, same, groups)
    if edges is None:
        nothing = np.zeros(0, np.int64)
        return Linked(Crossing(earlier, later, nothing, nothing), too_many=True)
    left, right, unrelated = edges
    before, after = _pair_rows_of_stars(groups, left, right)
    several = np.setdiff1d(right, groups[1].ids[after])
    return Linked(Crossing(earlier, later, before, after), unrelated, int(groups[1].sizes[several].sum()))


def _released(side: ClassStructure, name: str) -> Column:
    return side.codes[side.owners, side.quasi_identifiers.index(name)], side.labels[name]


def _sensitive(side: ClassStructure, name: str) -> Column:
    return side.values[name], side.domains[name].labels


def _same_codes(one: Column, other: Column) -> tuple[Ints, Ints]:
    """For the rows of each release, codes that are the same where the values are."""
    known = {label: code for code, label in enumerate(dict.fromkeys((*one[1], *other[1])))}
    first, second = (np.array([known[label] for label in part[1]], np.int64)[part[0]] for part in (one, other))
    return first, second


def _grouped(side: ClassStructure, quasi: Sequence[NDArray[np.int32]], same: Sequence[Ints]) -> _Groups:
    columns = [*(column.astype(np.int64) for column in quasi), *same]
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    ids, first = number_tuples(columns, sizes, len(side))
    return _Groups(ids, first, np.bincount(ids, minlength=len(first)).astype(np.int64))


def _edges(
    earlier: ClassStructure,
    later: ClassStructure,
    quasi: Sequence[str],
    same: Sequence[tuple[Ints, Ints]],
    groups: Sequence[_Groups],
) -> tuple[Ints, Ints, tuple[str, ...]] | None:
    """The pairs of groups that can stand for the same people: equal where columns are the same, consistent elsewhere;
    and the columns in which that could not be told. None where the pairs are too many.

    Only groups with equal values in the columns that are the same are compared with each other.
    """
    columns = [np.concatenate([one[groups[0].first], other[groups[1].first]]) for one, other in same]
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    keys = number_tuples(columns, sizes, len(groups[0].first) + len(groups[1].first))[0]
    mine, theirs = keys[: len(groups[0].first)], keys[len(groups[0].first) :]
    order = np.argsort(theirs, kind="stable")
    begin = np.searchsorted(theirs[order], mine)
    many = np.searchsorted(theirs[order], mine, side="right") - begin
    if int(many.sum()) > PAIRS:
        return None
    left = np.repeat(np.arange(len(mine)), many)
    places = np.arange(len(left)) - np.repeat(np.cumsum(many) - many, many) + np.repeat(begin, many)
    right = order[places]
    fits, unrelated = np.ones(len(left), dtype=np.bool_), []
    for name in quasi:
        (one, before), (other, after) = _released(earlier, name), _released(later, name)
        first, second = one[groups[0].first][left], other[groups[1].first][right]
        consistent, told = _consistent(first, second, before, after, meeting(earlier, later, name))
        unrelated += [] if told else [name]
        fits &= consistent
    return left[fits], right[fits], tuple(unrelated)


def _consistent(
    first: NDArray[np.int32], second: NDArray[np.int32], before: Sequence[Label], after: Sequence[Label], meet: Meeting
) -> tuple[Mask, bool]:
    """Which pairs can be of one person, and whether that could be told of all."""
    width = max(len(after), 1)
    pairs, inverse = np.unique(first.astype(np.int64) * width + second, return_inverse=True)
    named = [(before[pair // width], after[pair % width]) for pair in pairs.tolist()]
    found = [meet(*pair)[0] for pair in named]
    return np.array(found, dtype=np.bool_)[inverse], all(meet.tells(*pair) for pair in named)


def _pair_rows_of_stars(groups: Sequence[_Groups], left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Pair the rows of those groups whose links form a star, a component of the bipartite graph with one centre.

    In a star every group on one side is linked with the centre alone, so its rows can only be rows of the centre. In
    other components a group may belong to several, and nothing is paired.
    """
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
