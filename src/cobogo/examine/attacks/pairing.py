"""Linking the rows of two releases by released values: some must be equal, others must not contradict each other.

Equal rows are indistinguishable, so they are linked as groups. The compatible groups of the two releases form a
bipartite graph. The groups of a component that is a star are taken for the same rows; other components are ambiguous.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Domain
from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import LISTED, AnyHierarchy, Policy
from cobogo.data.table.columns import Column
from cobogo.data.table.frequency import number_tuples
from cobogo.errors import DataError, HierarchyError, PolicyError
from cobogo.examine.attacks.case import Case, PublishedTable
from cobogo.examine.attacks.crossing import ClassStructure, Crossing, Meeting, build_meeting, distinct_pairs
from cobogo.examine.attacks.forms import Form, form_of
from cobogo.examine.attacks.rows import code_alike, concatenate_ranges
from cobogo.floor.arrays import Ints, Mask
from cobogo.floor.language import tr

PAIRS = 50_000_000
"""The most pairs of groups that are compared: a pair takes some 30 bytes."""


def structures(case: Case) -> tuple[ClassStructure, ...]:
    """The class structure of each release, from its rows alone."""
    names = dict.fromkeys(name for release in case.releases for name in release.quasi_identifiers)
    trees = {name: tree for name in names if (tree := _tree(name, case)) is not None}
    forms = {name: form for name in names if name not in trees and (form := _form(name, case)) is not None}
    return tuple(_structure(published, trees, forms) for published in case.releases)


def column_meeting(name: str, case: Case) -> Meeting:
    """What the values of a column in the releases of a case have in common."""
    tree = _tree(name, case)
    return Meeting(tree, tree, None if tree is not None else _form(name, case))


def _structure(published: PublishedTable, trees: Mapping[str, Hierarchy], forms: Mapping[str, Form]) -> ClassStructure:
    rows, quasi = published.rows, published.quasi_identifiers
    groups = rows.group((*published.groups, *quasi))
    domains = {
        name: Domain(name, rows.labels(name), np.bincount(rows.codes(name), minlength=len(rows.labels(name))))
        for name in published.sensitive
    }
    return ClassStructure(
        quasi,
        {name: rows.labels(name) for name in quasi},
        np.ascontiguousarray(groups.codes[:, len(published.groups) :]),
        groups.ids,
        {name: rows.codes(name) for name in published.sensitive},
        domains,
        {name: tree for name, tree in trees.items() if name in quasi},
        forms={name: form for name, form in forms.items() if name in quasi},
        as_collected=frozenset(name for name in quasi if _stands_for_itself(published, name)),
    )


def _stands_for_itself(published: PublishedTable, name: str) -> bool:
    """Whether a column holds original values or stars, by the manifest or by the policy."""
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
    """A hierarchy that lists its leaves; the policy of one release gives it for all."""
    for policy, spec in _specs(name, case):
        if isinstance(spec, LISTED):
            try:
                return build(name, spec, [], policy=policy)
            except (HierarchyError, PolicyError, DataError):
                continue
    return None


def _form(name: str, case: Case) -> Form | None:
    """The form of an attribute's values, by the policies or else by all values of the case."""
    specs = _specs(name, case)
    tables = (*(release.rows for release in case.releases), *([case.knowledge] if case.knowledge else ()))
    seen = [label for rows in tables if name in rows.columns for label in rows.labels(name)]
    decimal = specs[0][0].data.decimal if specs else "."
    return form_of(seen, [spec for _, spec in specs], decimal=decimal) or form_of(seen, decimal=decimal)


@dataclass(frozen=True, eq=False, repr=False)
class _Groups:
    """Groups of rows that are equal in all columns that can be compared."""

    ids: Ints  # of each row
    first: Ints  # a row of each group
    sizes: Ints


@dataclass(frozen=True, eq=False)
class LinkedReleases:
    """Two releases, crossed by their released values, and what kept rows from being linked."""

    crossing: Crossing
    unrelated: tuple[str, ...] = ()  # columns whose values in the two releases could not be related
    ambiguous: int = 0  # rows of the later release that are compatible with several of the earlier one
    too_many: bool = False  # more than `PAIRS`

    @property
    def untried(self) -> str:
        """Why an empty result proves nothing; empty where it proves something."""
        if self.too_many:
            return tr(
                "the releases have more than {most:,} pairs of rows that could belong to the same person", most=PAIRS
            )
        if self.unrelated:
            named = ", ".join(f'"{name}"' for name in self.unrelated)
            return tr("the values of {columns} in the two releases cannot be compared", columns=named)
        if self.ambiguous and not len(self.crossing.before):
            return tr("every row matches several rows of the other release, so no row can be linked")
        return ""


def link_releases(case: Case, one: int, other: int, sides: Sequence[ClassStructure]) -> LinkedReleases:
    """Cross two releases of a case by the columns that both have."""
    earlier, later = case.releases[one], case.releases[other]
    beside = {
        name: (earlier.rows.columns[name], later.rows.columns[name])
        for name in later.rows.names
        if name in earlier.rows.names
        and name not in {*later.quasi_identifiers, *earlier.quasi_identifiers, *later.groups, *earlier.groups}
    }
    return link_by_values(sides[one], sides[other], beside)


def link_by_people(case: Case, one: int, other: int, sides: Sequence[ClassStructure]) -> LinkedReleases | None:
    """Cross two releases of a series by who is in which class, as the evidence knows; None where it does not.

    Of two classes that have a person in common, the rows with equal sensitive values are paired: the person's row is
    one of them, and the attack does not know which.
    """
    mine, theirs = case.releases[one].members, case.releases[other].members
    if mine is None or theirs is None or mine.series != theirs.series:
        return None
    earlier, later = sides[one], sides[other]
    _, first, second = np.intersect1d(mine.people.astype(str), theirs.people.astype(str), return_indices=True)
    pairs = np.unique(np.stack([mine.owners[first], theirs.owners[second]]), axis=1)
    both = [name for name in later.values if name in earlier.values]
    codes = [code_alike([_sensitive_column(earlier, name), _sensitive_column(later, name)])[0] for name in both]
    order = np.argsort(later.owners, kind="stable")
    begin = np.searchsorted(later.owners[order], pairs[1])
    pair, place = concatenate_ranges(begin, np.bincount(later.owners, minlength=len(later.codes))[pairs[1]])
    columns = [np.concatenate([own, another[order[place]]]) for own, another in codes]
    columns = [np.concatenate([earlier.owners, pairs[0][pair]]), *columns]
    keys = number_tuples(columns, [int(column.max(initial=0)) + 1 for column in columns], len(columns[0]))[0]
    rows = np.full(int(keys.max(initial=-1)) + 1, -1, dtype=np.int64)
    rows[keys[: len(earlier)]] = np.arange(len(earlier))
    before = rows[keys[len(earlier) :]]
    return LinkedReleases(Crossing(earlier, later, before[before >= 0], order[place][before >= 0]))


def link_by_values(
    earlier: ClassStructure, later: ClassStructure, beside: Mapping[str, tuple[Column, Column]] | None = None
) -> LinkedReleases:
    """Cross two releases: quasi-identifiers must not contradict each other, and the columns ``beside`` them must be
    equal; without ``beside``, the sensitive attributes must be."""
    if beside is None:
        both = [name for name in later.values if name in earlier.values]
        beside = {name: (_sensitive_column(earlier, name), _sensitive_column(later, name)) for name in both}
    quasi = [name for name in later.quasi_identifiers if name in earlier.quasi_identifiers]
    same = [code_alike(columns)[0] for columns in beside.values()]
    sides = (earlier, later)
    groups = [
        _group_rows(part, [_quasi_identifier_column(part, name)[0] for name in quasi], [codes[side] for codes in same])
        for side, part in enumerate(sides)
    ]
    edges = _edges(earlier, later, quasi, same, groups)
    if edges is None:
        nothing = np.zeros(0, np.int64)
        return LinkedReleases(Crossing(earlier, later, nothing, nothing), too_many=True)
    left, right, unrelated = edges
    before, after = _pair_rows_of_stars(groups, left, right)
    several = np.setdiff1d(right, groups[1].ids[after])
    return LinkedReleases(Crossing(earlier, later, before, after), unrelated, int(groups[1].sizes[several].sum()))


def _quasi_identifier_column(side: ClassStructure, name: str) -> Column:
    return side.codes[side.owners, side.quasi_identifiers.index(name)], side.labels[name]


def _sensitive_column(side: ClassStructure, name: str) -> Column:
    return side.values[name], side.domains[name].labels


def _group_rows(side: ClassStructure, quasi: Sequence[NDArray[np.int32]], same: Sequence[Ints]) -> _Groups:
    columns = [*(column.astype(np.int64) for column in quasi), *same]
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    ids, first = number_tuples(columns, sizes, len(side))
    return _Groups(ids, first, np.bincount(ids, minlength=len(first)).astype(np.int64))


def _edges(
    earlier: ClassStructure,
    later: ClassStructure,
    quasi: Sequence[str],
    same: Sequence[Sequence[Ints]],
    groups: Sequence[_Groups],
) -> tuple[Ints, Ints, tuple[str, ...]] | None:
    """The compatible pairs of groups, and the columns in which compatibility is unknown. None beyond `PAIRS`.

    A pair is compatible if its columns ``same`` are equal and its quasi-identifiers can be of one person. Only groups
    that are equal in the former are paired at all.
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
    left, places = concatenate_ranges(begin, many)
    right = order[places]
    fits, unrelated = np.ones(len(left), dtype=np.bool_), []
    for name in quasi:
        (one, before), (other, after) = (_quasi_identifier_column(side, name) for side in (earlier, later))
        first, second = one[groups[0].first][left], other[groups[1].first][right]
        meet = build_meeting(earlier, later, name)
        consistent, known = _check_consistency((first, before), (second, after), meet)
        unrelated += [] if known else [name]
        fits &= consistent
    return left[fits], right[fits], tuple(unrelated)


def _check_consistency(first: Column, second: Column, meet: Meeting) -> tuple[Mask, bool]:
    """Which pairs can be of one person, and whether that is known of all."""
    pairs, inverse = distinct_pairs(first, second)
    possible = [meet(*pair)[0] for pair in pairs]
    return np.array(possible, dtype=np.bool_)[inverse], all(meet.decides(*pair) for pair in pairs)


def _pair_rows_of_stars(groups: Sequence[_Groups], left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Pair the rows of those components of the bipartite graph that are stars.

    In a star, all groups of one side are linked with a single group of the other, its centre, so their rows can only be
    rows of the centre. In other components a group may belong to several others, and no rows are paired.
    """
    degree = np.bincount(left, minlength=len(groups[0].first)), np.bincount(right, minlength=len(groups[1].first))
    alone = degree[0][left] == 1, degree[1][right] == 1
    crowded = (
        np.bincount(left[~alone[1]], minlength=len(degree[0])) > 0,  # linked with a group that has several links
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
