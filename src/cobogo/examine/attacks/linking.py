"""Linking two tables: for everybody in one, the records of the other that may be theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cobogo.errors import DataError, SearchTooLarge
from cobogo.examine.attacks.case import PublishedTable
from cobogo.examine.attacks.compatibility import (
    Compatibility,
    add_days_between,
    changed_columns,
    compatible_values,
    equal_values,
    linkable_columns,
    masked_compatibility,
    stated_operators,
)
from cobogo.examine.attacks.rows import RowGroups, Rows
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import join, tr, trn

PAIRS_AT_MOST = 200_000_000
"""Pairs of a known and a released tuple: each takes 16 bytes, so 3 GB."""

COLUMNS_AT_MOST = 62
"""Columns that are compared: the ones in which a pair disagrees are the bits of a 64-bit number."""

MOST_UNREAD = 0.5
"""The largest share of the released rows that may have, in a column, values unrelated to any known value. Beyond it the
attack counts as not tried. Not 0: a table about some of the people lacks values that others have."""


@dataclass(frozen=True, eq=False, repr=False)
class Links:
    """The released tuples that are compatible with each known tuple, as a sparse matrix.

    Known tuples are distinct in what the release shows: values of a column with which the same released values are
    compatible have one code. Known tuple ``i`` is compatible with the released tuples
    ``targets[offsets[i]:offsets[i + 1]]``; the bits of ``missed`` are the columns in which a pair disagrees (none,
    unless misses were allowed).
    """

    columns: tuple[str, ...]
    known: RowGroups
    released: RowGroups
    compatible: tuple[Compatibility, ...]
    offsets: Ints
    targets: Ints
    missed: Ints
    notes: tuple[str, ...] = ()
    untried: str = ""  # why most records cannot be linked at all

    @cached_property
    def owners(self) -> Ints:
        """The known tuple of each pair."""
        return np.repeat(np.arange(len(self.known)), np.diff(self.offsets))

    @property
    def records(self) -> Ints:
        """For each known tuple, how many released records are compatible with it."""
        return self.sums(self.released.sizes[self.targets].astype(np.float64)).astype(np.int64)

    @property
    def people(self) -> Ints:
        """For each released tuple, how many known people are compatible with it."""
        weights = self.known.sizes[self.owners]
        return np.bincount(self.targets, weights, len(self.released)).astype(np.int64)

    def sums(self, pairs: Floats) -> Floats:
        """For each known tuple, the sum over its pairs."""
        return np.bincount(self.owners, pairs, len(self.known)).astype(np.float64)

    def largest(self, pairs: Floats) -> Floats:
        """For each known tuple, the maximum over its pairs; 0 without pairs."""
        maximum = np.zeros(len(self.known))
        filled = np.flatnonzero(np.diff(self.offsets))
        maximum[filled] = np.maximum.reduceat(pairs, self.offsets[filled]) if len(filled) else 0.0
        return maximum


def shared_columns(
    knowledge: Rows, release: PublishedTable, asked: Sequence[str] | None
) -> tuple[tuple[str, ...], str]:
    """The columns to link by: those asked for, or all quasi-identifiers that the knowledge has; and a note that names
    the missing ones."""
    quasi = linkable_columns(release) or release.rows.names
    wanted = tuple(asked or quasi)
    for name in asked or ():
        for rows in (release.rows, knowledge):
            if name not in rows.columns:
                raise DataError(
                    tr('has no column "{name}"', name=name),
                    where=rows.name,
                    remedy=tr("Its columns: {names}.", names=", ".join(rows.names)),
                )
    common = tuple(name for name in wanted if name in knowledge.columns and name in release.rows.columns)
    if not common:
        raise DataError(
            tr("has none of the quasi-identifiers of the release"),
            where=knowledge.name,
            remedy=tr(
                "Give its columns the same names as in the release: {quasi}. If its separator is another, say so: "
                "--separator.",
                quasi=", ".join(quasi),
            ),
        )
    lacking = [name for name in wanted if name not in common]
    note = (
        tr("the knowledge lacks {columns}; the attack does not use them", columns=", ".join(lacking)) if lacking else ""
    )
    return common, note


def link(
    knowledge: Rows,
    release: PublishedTable,
    *,
    columns: Sequence[str] | None = None,
    exact: bool = False,
    misses: int = 0,
) -> Links:
    """Link each row of a table with the released records that are compatible with it.

    ``exact`` compares texts; otherwise a value is compatible with every value that generalizes it, by the hierarchies
    of the policy or by its form. ``misses`` is how many columns of a pair may disagree.
    """
    common, note = shared_columns(knowledge, release, columns)
    if len(common) > COLUMNS_AT_MOST:
        raise DataError(
            tr(
                "has {number} columns in common with the release; at most {columns_at_most} can be compared",
                number=len(common),
                columns_at_most=COLUMNS_AT_MOST,
            ),
            where=knowledge.name,
            remedy=tr("Name the columns that the attacker uses: --columns."),
        )
    links = release.derive(
        ("links", knowledge, common, exact, misses),
        lambda: _link(knowledge, release, common, exact=exact, misses=misses),
    )
    return replace(links, notes=(note, *links.notes)) if note else links


def _link(knowledge: Rows, release: PublishedTable, common: tuple[str, ...], *, exact: bool, misses: int) -> Links:
    notes: list[str] = []
    if exact:
        fits = {name: equal_values(knowledge.labels(name), release.rows.labels(name)) for name in common}
    else:
        knowledge, release, between = add_days_between(knowledge, release, common)
        found = {name: _column_compatibility(name, knowledge, release) for name in (*between, *common)}
        fits = {name: fit for name, fit in found.items() if fit is not None}
        notes += _describe_unused([name for name in common if name not in fits], release)
        common = tuple(fits)
    chance = {name: fits[name].share(knowledge.value_counts(name), release.rows.value_counts(name)) for name in common}
    order = sorted(common, key=lambda name: chance[name])
    merged = {name: fits[name].merge_equal() for name in order}
    known = knowledge.recode({name: codes for name, (codes, _) in merged.items()}).group(order)
    released, tables = release.rows.group(order), tuple(table for _, table in merged.values())
    notes += [
        trn(
            '{n:,} row of the knowledge has a "{name}" that is not in the hierarchy',
            '{n:,} rows of the knowledge have a "{name}" that is not in the hierarchy',
            n=rows,
            name=name,
        )
        for name in common
        if (rows := int(knowledge.value_counts(name)[fits[name].unplaced].sum()))
    ]
    if release.policy is None and not exact and not stated_operators(release):
        notes.append(tr("without a policy, how values were made coarser was guessed from their form"))
    unread = {name: int(release.rows.value_counts(name)[fits[name].unread].sum()) for name in common}
    notes += [
        _describe_unread(name, rows) for name, rows in unread.items() if 0 < rows <= MOST_UNREAD * release.rows.count
    ]
    untried = [_describe_unread(name, rows) for name, rows in unread.items() if rows > MOST_UNREAD * release.rows.count]
    untried += [] if common else [tr("no released column depends on what is known about a person")]
    offsets, targets, missed = _match_tuples(known, released, tables, misses)
    return Links(tuple(order), known, released, tables, offsets, targets, missed, tuple(notes), join(untried, by="; "))


def _column_compatibility(name: str, knowledge: Rows, release: PublishedTable) -> Compatibility | None:
    """Which known and released values of a column are compatible; None where linking cannot use the column."""
    if name in stated_operators(release):
        return masked_compatibility(name, knowledge, release)
    if name in changed_columns(release):
        return None
    known, released = knowledge.labels(name), release.rows.labels(name)
    return compatible_values(name, known, released, release.policy, as_collected=release.is_as_collected(name))


def _describe_unused(names: Sequence[str], release: PublishedTable) -> list[str]:
    """Notes that say why linking does not use some columns."""
    operators = stated_operators(release)
    return [
        tr('"{name}" ({operator}) does not show whose row it is', name=name, operator=operators[name]["operator"])
        if name in operators
        else tr('"{name}" was changed, not made coarser: the attack distance-linkage uses it', name=name)
        for name in names
    ]


def _describe_unread(name: str, rows: int) -> str:
    return trn(
        '{n:,} row of the release has a "{name}" that cannot be compared with what is known',
        '{n:,} rows of the release have a "{name}" that cannot be compared with what is known',
        n=rows,
        name=name,
    )


def _match_tuples(
    known: RowGroups, released: RowGroups, tables: Sequence[Compatibility], misses: int
) -> tuple[Ints, Ints, Ints]:
    from cobogo.examine.attacks import kernels

    if not tables:
        return np.zeros(len(known) + 1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    starts = np.cumsum([0, *(len(table.offsets) for table in tables)])[:-1].astype(np.int64)
    before = np.cumsum([0, *(len(table.options) for table in tables)])
    offsets = np.concatenate([table.offsets + before[place] for place, table in enumerate(tables)])
    options = np.concatenate([table.options for table in tables])
    room = 2 + sum(len(np.unique(released.codes[:, column])) + 1 for column in range(released.codes.shape[1]))
    given = (known.codes.astype(np.int64), released.codes.astype(np.int64), starts, offsets, options, room, misses)
    numbers = np.zeros(len(known), dtype=np.int64)
    nothing = np.zeros(0, dtype=np.int64)
    total = kernels.match(*given, numbers, nothing, nothing)
    if total > PAIRS_AT_MOST:
        raise SearchTooLarge(
            tr(
                "{total:,} pairs of people and released combinations are compatible; at most {pairs_at_most:,} can be "
                "compared",
                total=total,
                pairs_at_most=PAIRS_AT_MOST,
            ),
            remedy=tr("Give a smaller table as knowledge, or compare more columns."),
        )
    targets, missed = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    kernels.match(*given, numbers, targets, missed)
    return np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64), targets, missed
