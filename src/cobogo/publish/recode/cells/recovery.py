"""Whether a suppressed cell can be recovered from the rest of the release, and what else must go so that it cannot."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cobogo.data.hierarchy import SUPPRESSED
from cobogo.data.table.frequency import number_tuples
from cobogo.errors import number_of
from cobogo.floor.arrays import Ints, Mask, Small
from cobogo.publish.recode.contract.assignment import Assignment, leaf_tuples


@dataclass(frozen=True, eq=False, repr=False)
class GivenAway:
    """What a reader can tell of suppressed cells of an attribute. ``cells``: how many would be filled in rightly.

    ``twins[c]`` is the class that shows what class ``c`` hides, where it is the only one that is released like it in
    everything else and a reader who takes its value is right more often than not; −1 elsewhere. ``sure[c]``: always.
    ``missing``: whether the one value that is hidden is the one that is shown nowhere.
    """

    cells: int
    twins: Ints
    sure: Mask
    starred: Mask
    missing: bool


def recoverable(assignment: Assignment) -> dict[str, int]:
    """For each quasi-identifier, the suppressed cells that a reader would rightly fill in, where there are any."""
    found = {}
    for column, h in enumerate(assignment.problem.hierarchies):
        given = _given_away(assignment, column)
        if given.cells:
            found[h.attribute] = given.cells
    return found


def unrecoverable(assignment: Assignment) -> tuple[Assignment, tuple[str, ...]]:
    """The same with no suppressed cell that the rest gives away, and what had to be done for that.

    Where all records of a class hide what another shows, the cells hide nothing: they are released like the other.
    Where not all do, the other's cells are suppressed, too; and where a single value is hidden and found missing, those
    of the smallest class that shows another. Each joins classes, or hides more of one, so that models which hold for
    the classes hold for what becomes of them; whoever calls checks those that look at more.
    """
    before = _stars(assignment)
    changed = True
    while changed:
        changed = False
        for column in range(len(assignment.problem.hierarchies)):
            while (given := _given_away(assignment, column)).cells:
                assignment = _repaired(assignment, column, given)
                changed = True
    more = _stars(assignment) - before
    notes = []
    if (more > 0).any():
        text = number_of(int(more[more > 0].sum()), "cell")
        notes.append(f"{text} more had to be suppressed so that no suppressed cell can be told from the rest")
    if (more < 0).any():
        text = number_of(int(-more[more < 0].sum()), "suppressed cell")
        notes.append(f"{text} could have been told from the rest of the release, and hid nothing: they are released")
    return replace(assignment, hides=True), tuple(notes)


def _starred(assignment: Assignment, column: int) -> Mask:
    """The classes in which an attribute is suppressed: at the highest level allowed, if that is ``*`` for all."""
    h, top = assignment.problem.hierarchies[column], assignment.problem.highest[column]
    return np.asarray((assignment.levels[:, column] == top) & (h.labels[top] == (SUPPRESSED,)), dtype=np.bool_)


def _stars(assignment: Assignment) -> Ints:
    """How many cells of each attribute are suppressed in the records that are kept."""
    sizes = assignment.sizes
    columns = range(len(assignment.problem.hierarchies))
    return np.array([int(sizes[_starred(assignment, column)].sum()) for column in columns], dtype=np.int64)


def _given_away(assignment: Assignment, column: int) -> GivenAway:
    """A cell is given away where it is the only value that is ever suppressed, and missing; and where all records that
    are released like it in everything else show one and the same value, which is mostly its own."""
    groups, top = len(assignment), assignment.problem.highest[column]
    starred = _starred(assignment, column)
    if not starred.any() or not top:
        return GivenAway(0, np.full(groups, -1), np.zeros(groups, dtype=np.bool_), starred, missing=False)
    kept = assignment.owners >= 0
    owners, counts = assignment.owners[kept], assignment.counts[kept]
    own = leaf_tuples(assignment.problem)[assignment.tuples[kept], column]
    twins = _twins(assignment, column, starred)
    right = _right(assignment, column, twins[owners], own)
    hits = np.bincount(owners[right], counts[right], groups)
    twins = np.where(2 * hits > assignment.sizes, twins, -1)
    cells = int(hits[twins >= 0].sum())
    missing = _is_missing(assignment, column, starred[owners], own)
    if missing:
        cells = int(assignment.sizes[starred].sum())
    return GivenAway(cells, twins, hits == assignment.sizes, starred, missing)


def _twins(assignment: Assignment, column: int, starred: Mask) -> Ints:
    """For each class with a suppressed cell, the only one that is released like it in everything else; or −1."""
    columns = assignment.numbered()
    others = columns[:column] + columns[column + 1 :]
    rest, first = number_tuples(others, [int(c.max(initial=0)) + 1 for c in others], len(assignment))
    shown = np.flatnonzero(~starred)
    many = np.bincount(rest[shown], minlength=len(first))
    alone = np.full(len(first), -1, dtype=np.int64)
    alone[rest[shown]] = shown
    return np.where(starred & (many[rest] == 1), alone[rest], -1)


def _right(assignment: Assignment, column: int, twins: Ints, own: Small) -> Mask:
    """Which records have the value that their class's twin shows."""
    maps = np.stack(assignment.problem.hierarchies[column].maps)
    levels, leaves = assignment.levels[twins, column], assignment.leaves[twins, column]
    return np.asarray((twins >= 0) & (maps[levels, own] == maps[levels, leaves]))


def _is_missing(assignment: Assignment, column: int, hidden: Mask, own: Small) -> bool:
    """Whether one value alone is hidden, and every other that the data have is shown."""
    if len(np.unique(own[hidden])) != 1 or len(assignment.problem.hierarchies[column].leaves) < 2:
        return False
    everything = np.unique(assignment.problem.leaf_codes[column])
    return len(everything) > 1 and len(np.setdiff1d(everything, own[~hidden])) == 1


def _repaired(assignment: Assignment, column: int, given: GivenAway) -> Assignment:
    """The twins joined, each with the one it gives away; or, where a missing value is, one more class suppressed."""
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
