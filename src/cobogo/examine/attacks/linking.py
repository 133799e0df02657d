"""Linking two tables: for everybody in one, the records of the other that may be theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cobogo.errors import DataError, SearchTooLarge, number_of
from cobogo.examine.attacks.case import Published
from cobogo.examine.attacks.compatible import Compatibility, compatible_values, equal_values
from cobogo.examine.attacks.masking import changed_columns, fitting, linkable, made_by, with_days_between
from cobogo.examine.attacks.rows import RowGroups, Rows
from cobogo.floor.arrays import Floats, Ints

PAIRS_AT_MOST = 200_000_000
COLUMNS_AT_MOST = 62

MOST_UNREAD = 0.5
"""The largest share of the released rows whose values in a column nothing may relate to what is known: beyond it, that
nobody is found says nothing. Not 0, since a table of some of the people lacks values that others have."""


@dataclass(frozen=True, eq=False, repr=False)
class Links:
    """Which released tuples each distinct known tuple may belong to: sparse, known tuple after known tuple.

    Tuple ``i`` of ``known`` may be ``released[offsets[i]:offsets[i + 1]]``; ``missed`` tells, as bits, the columns in
    which a pair does not agree (none, unless misses were allowed).
    """

    columns: tuple[str, ...]
    known: RowGroups
    released: RowGroups
    compatible: tuple[Compatibility, ...]
    offsets: Ints
    targets: Ints
    missed: Ints
    notes: tuple[str, ...] = ()
    untried: str = ""  # why most records could be linked to nobody, whoever they are

    @property
    def owners(self) -> Ints:
        """The known tuple of each pair."""
        return np.repeat(np.arange(len(self.known)), np.diff(self.offsets))

    @property
    def records(self) -> Ints:
        """For each known tuple, how many released records may be its."""
        return self.sums(self.released.sizes[self.targets].astype(np.float64)).astype(np.int64)

    @property
    def people(self) -> Ints:
        """For each released tuple, how many known people it may belong to."""
        weights = self.known.sizes[self.owners]
        return np.bincount(self.targets, weights, len(self.released)).astype(np.int64)

    def sums(self, pairs: Floats) -> Floats:
        """The sum of a number of each pair, for each known tuple."""
        return np.bincount(self.owners, pairs, len(self.known)).astype(np.float64)

    def most(self, pairs: Floats) -> Floats:
        """The largest number of any pair, for each known tuple; 0 where there is none."""
        found = np.zeros(len(self.known))
        np.maximum.at(found, self.owners, pairs)
        return found


def shared_columns(knowledge: Rows, release: Published, asked: Sequence[str] | None) -> tuple[tuple[str, ...], str]:
    """The quasi-identifiers that the attacker knows: those asked for, or all that the knowledge has. Also what is
    missing, as a note."""
    quasi = linkable(release) or release.rows.names
    wanted = tuple(asked or quasi)
    for name in asked or ():
        for rows in (release.rows, knowledge):
            if name not in rows.columns:
                raise DataError(
                    f'has no column "{name}"', where=rows.name, remedy=f"Its columns: {', '.join(rows.names)}."
                )
    common = tuple(name for name in wanted if name in knowledge.columns and name in release.rows.columns)
    if not common:
        raise DataError(
            "has none of the quasi-identifiers of the release",
            where=knowledge.name,
            remedy=f"Name its columns as in the release: {', '.join(quasi)}. Is its separator another (--separator)?",
        )
    lacking = [name for name in wanted if name not in common]
    return common, f"the knowledge lacks {', '.join(lacking)}; the attack does without" if lacking else ""


def link(
    knowledge: Rows,
    release: Published,
    *,
    columns: Sequence[str] | None = None,
    exact: bool = False,
    misses: int = 0,
) -> Links:
    """Link everybody in a table to the released records that are compatible with what is known of them.

    ``exact`` compares texts alone; otherwise a value is compatible with whatever it lies under, by the hierarchies of
    the policy. ``misses`` is how many columns of a pair may disagree.
    """
    common, note = shared_columns(knowledge, release, columns)
    if len(common) > COLUMNS_AT_MOST:
        raise DataError(
            f"shares {len(common)} columns with the release, more than the {COLUMNS_AT_MOST} that can be compared",
            where=knowledge.name,
            remedy="Name those that the attacker uses: --columns.",
        )
    notes = [note] if note else []
    if exact:
        fits = {name: equal_values(knowledge.labels(name), release.rows.labels(name)) for name in common}
    else:
        knowledge, release, between = with_days_between(knowledge, release, common)
        found = {name: _fit(name, knowledge, release) for name in (*between, *common)}
        fits = {name: fit for name, fit in found.items() if fit is not None}
        notes += _silence([name for name in common if name not in fits], release)
        common = tuple(fits)
    chance = {name: fits[name].share(_counts(knowledge, name), _counts(release.rows, name)) for name in common}
    order = sorted(common, key=lambda name: chance[name])
    known, released = knowledge.grouped(order), release.rows.grouped(order)
    tables = tuple(fits[name] for name in order)
    notes += [
        f'{number_of(rows, "row")} of the knowledge {"has" if rows == 1 else "have"} a "{name}" that its hierarchy '
        "does not know"
        for name in common
        if (rows := int(_counts(knowledge, name)[fits[name].unplaced].sum()))
    ]
    if release.policy is None and not exact and not made_by(release):
        notes.append("no policy tells how values were made coarser: it was read off their form")
    unread = {name: int(_counts(release.rows, name)[fits[name].unread].sum()) for name in common}
    notes += [_unread(name, rows) for name, rows in unread.items() if 0 < rows <= MOST_UNREAD * release.rows.count]
    untried = [_unread(name, rows) for name, rows in unread.items() if rows > MOST_UNREAD * release.rows.count]
    untried += [] if common else ["no released column follows from what is known of a person"]
    offsets, targets, missed = _matched(known, released, tables, misses)
    return Links(tuple(order), known, released, tables, offsets, targets, missed, tuple(notes), "; ".join(untried))


def _fit(name: str, knowledge: Rows, release: Published) -> Compatibility | None:
    """What a column tells of whose a row is, by how it was made; None where it tells nothing."""
    if name in made_by(release):
        return fitting(name, knowledge, release)
    if name in changed_columns(release):
        return None
    known, released = knowledge.labels(name), release.rows.labels(name)
    return compatible_values(name, known, released, release.policy, as_collected=release.is_as_collected(name))


def _silence(names: Sequence[str], release: Published) -> list[str]:
    """That columns tell nothing, or nothing that linking could follow."""
    operators = made_by(release)
    return [
        f'"{name}" ({operators[name]["operator"]}) tells nothing of whose a row is'
        if name in operators
        else f'"{name}" was changed and not made coarser: distance-linkage follows that'
        for name in names
    ]


def _unread(name: str, rows: int) -> str:
    return (
        f'{number_of(rows, "row")} of the release {"has" if rows == 1 else "have"} a "{name}" that nothing relates to '
        "what is known"
    )


def _matched(
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
            f"{total:,} pairs of people and released combinations are compatible, more than the {PAIRS_AT_MOST:,} that "
            "can be compared",
            remedy="Give a smaller table as knowledge, or more columns.",
        )
    targets, missed = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    kernels.match(*given, numbers, targets, missed)
    return np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64), targets, missed


def _counts(rows: Rows, name: str) -> Ints:
    return np.bincount(rows.codes(name), minlength=len(rows.labels(name))).astype(np.int64)
