"""Suppressed cells that follow from the rest of the release, and what else must be suppressed so that none does."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cobogo.data.hierarchy import SUPPRESSED
from cobogo.data.table.frequency import number_tuples
from cobogo.floor.arrays import Ints, Mask, Small
from cobogo.floor.language import trn
from cobogo.publish.recode.contract.assignment import Assignment, leaf_tuples


@dataclass(frozen=True, eq=False, repr=False)
class RecoverableCells:
    """The suppressed cells of an attribute that an attacker can fill in: ``cells`` of them rightly.

    ``twins[c]`` is the only class that equals class ``c`` in every other attribute, where an attacker who takes its
    value for the one that ``c`` hides is right more often than not; −1 elsewhere. ``sure[c]``: the guess is always
    right. ``missing``: a single value is hidden, and it is the only one that appears nowhere.
    """

    cells: int
    twins: Ints
    sure: Mask
    starred: Mask
    missing: bool


def count_recoverable(assignment: Assignment) -> dict[str, int]:
    """For each quasi-identifier that has any, how many suppressed cells an attacker fills in rightly."""
    found = {}
    for column, h in enumerate(assignment.problem.hierarchies):
        given = _recoverable_cells(assignment, column)
        if given.cells:
            found[h.attribute] = given.cells
    return found


def hide_recoverable(assignment: Assignment) -> tuple[Assignment, tuple[str, ...]]:
    """An assignment in which no suppressed cell follows from the rest, and notes of what that took.

    Where all records of a class hide the value that its twin shows, the cells hide nothing: they are released like the
    twin. Where only some do, the twin's cells are suppressed as well; and where a single value is hidden and missing,
    those of the smallest class that shows another. Each step joins classes or hides more of one, so that models of
    single classes go on holding; the caller checks the others.
    """
    before = _count_stars(assignment)
    changed = True
    while changed:
        changed = False
        for column in range(len(assignment.problem.hierarchies)):
            while (given := _recoverable_cells(assignment, column)).cells:
                assignment = _hide_cells(assignment, column, given)
                changed = True
    more = _count_stars(assignment) - before
    notes = []
    if (more > 0).any():
        notes.append(
            trn(
                "{n:,} more cell had to be suppressed so that no suppressed cell can be deduced from the rest",
                "{n:,} more cells had to be suppressed so that no suppressed cell can be deduced from the rest",
                n=int(more[more > 0].sum()),
            )
        )
    if (more < 0).any():
        notes.append(
            trn(
                "{n:,} suppressed cell could be deduced from the rest of the release and hid nothing: it is released",
                "{n:,} suppressed cells could be deduced from the rest of the release and hid nothing: they are "
                "released",
                n=int(-more[more < 0].sum()),
            )
        )
    return replace(assignment, hides=True), tuple(notes)


def _star_mask(assignment: Assignment, column: int) -> Mask:
    """The classes in which an attribute is suppressed: at the highest level allowed, if that is ``*`` for all."""
    h, top = assignment.problem.hierarchies[column], assignment.problem.highest[column]
    return np.asarray((assignment.levels[:, column] == top) & (h.labels[top] == (SUPPRESSED,)), dtype=np.bool_)


def _count_stars(assignment: Assignment) -> Ints:
    """How many cells of each attribute are suppressed in the records that are kept."""
    sizes = assignment.sizes
    columns = range(len(assignment.problem.hierarchies))
    return np.array([int(sizes[_star_mask(assignment, column)].sum()) for column in columns], dtype=np.int64)


def _recoverable_cells(assignment: Assignment, column: int) -> RecoverableCells:
    """A cell is recoverable where its value is the only one that is ever suppressed, and is missing elsewhere; and
    where all records that equal it in every other attribute show one and the same value, which is mostly its own."""
    groups, top = len(assignment), assignment.problem.highest[column]
    starred = _star_mask(assignment, column)
    if not starred.any() or not top:
        return RecoverableCells(0, np.full(groups, -1), np.zeros(groups, dtype=np.bool_), starred, missing=False)
    kept = assignment.owners >= 0
    owners, counts = assignment.owners[kept], assignment.counts[kept]
    own = leaf_tuples(assignment.problem)[assignment.tuples[kept], column]
    twins = _twins(assignment, column, starred)
    right = _right_guesses(assignment, column, twins[owners], own)
    hits = np.bincount(owners[right], counts[right], groups)
    twins = np.where(2 * hits > assignment.sizes, twins, -1)
    cells = int(hits[twins >= 0].sum())
    missing = _is_missing(assignment, column, starred[owners], own)
    if missing:
        cells = int(assignment.sizes[starred].sum())
    return RecoverableCells(cells, twins, hits == assignment.sizes, starred, missing)


def _twins(assignment: Assignment, column: int, starred: Mask) -> Ints:
    """For each class with a suppressed cell, the only class that equals it in every other attribute; or −1."""
    columns = assignment.value_numbers()
    others = columns[:column] + columns[column + 1 :]
    rest, first = number_tuples(others, [int(c.max(initial=0)) + 1 for c in others], len(assignment))
    shown = np.flatnonzero(~starred)
    many = np.bincount(rest[shown], minlength=len(first))
    alone = np.full(len(first), -1, dtype=np.int64)
    alone[rest[shown]] = shown
    return np.where(starred & (many[rest] == 1), alone[rest], -1)


def _right_guesses(assignment: Assignment, column: int, twins: Ints, own: Small) -> Mask:
    """Which records have the value that their class's twin shows."""
    maps = np.stack(assignment.problem.hierarchies[column].maps)
    levels, leaves = assignment.levels[twins, column], assignment.leaves[twins, column]
    return np.asarray((twins >= 0) & (maps[levels, own] == maps[levels, leaves]))


def _is_missing(assignment: Assignment, column: int, hidden: Mask, own: Small) -> bool:
    """Whether a single value is hidden, and every other value of the data appears."""
    if len(np.unique(own[hidden])) != 1 or len(assignment.problem.hierarchies[column].leaves) < 2:
        return False
    everything = np.unique(assignment.problem.leaf_codes[column])
    return len(everything) > 1 and len(np.setdiff1d(everything, own[~hidden])) == 1


def _hide_cells(assignment: Assignment, column: int, given: RecoverableCells) -> Assignment:
    """Join each class with its twin; where a value is missing instead, suppress the cells of one more class."""
    hiding = np.flatnonzero(given.twins >= 0)
    if len(hiding):
        joins, twins = np.arange(len(assignment)), given.twins[hiding]
        shown = given.sure[hiding] & (not given.missing)
        joins[np.where(shown, hiding, twins)] = np.where(shown, twins, hiding)
        owners = np.where(assignment.owners >= 0, joins[assignment.owners], -1)
        return replace(assignment, owners=owners).canonical()
    others = np.flatnonzero(~given.starred)
    smallest = int(others[assignment.sizes[others].argmin()])
    levels = assignment.levels.copy()
    levels[smallest, column] = assignment.problem.highest[column]
    return replace(assignment, levels=levels).canonical()
