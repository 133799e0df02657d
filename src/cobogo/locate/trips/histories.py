"""Trips as walks on a public grid, with what each person gives bounded first: what a private model may look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Source
from cobogo.locate.places.grid import Grid
from cobogo.locate.trips.segments import Trips


@dataclass(frozen=True, eq=False, repr=False)
class Walks:
    """Trips as cells, one after the other, of which each touches the next (at a corner, at least)."""

    starts: Ints
    cells: Ints
    person: Ints  # one for each walk
    begins: Floats  # seconds
    lasts: Floats  # seconds

    def __len__(self) -> int:
        return len(self.person)

    @property
    def number(self) -> Ints:
        """How many cells each walk has."""
        return np.diff(self.starts)

    def take(self, walks: Ints) -> Walks:
        """Some of them."""
        number = self.number[walks]
        starts = np.concatenate([[0], np.cumsum(number)])
        rows = np.arange(starts[-1]) + np.repeat(self.starts[walks] - starts[:-1], number)
        return Walks(starts, self.cells[rows], self.person[walks], self.begins[walks], self.lasts[walks])

    def shortened(self, longest: int) -> Walks:
        """Each cut after so many cells, with its time cut in proportion."""
        number = np.minimum(self.number, longest)
        kept = np.arange(len(self.cells)) - np.repeat(self.starts[:-1], self.number) < longest
        share = np.maximum(number - 1, 1) / np.maximum(self.number - 1, 1)
        starts = np.concatenate([[0], np.cumsum(number)])
        return Walks(starts, self.cells[kept], self.person, self.begins, self.lasts * np.minimum(share, 1.0))


def walks_of(trips: Trips, grid: Grid) -> Walks:
    """The cells that each trip goes through. What lies outside of the grid is taken to be at its edge."""
    lon, lat = trips.frame.degrees(trips.east, trips.north)
    east, north = grid.frame.metres(lon, lat)
    half = grid.columns * grid.size / 2, grid.rows * grid.size / 2
    east, north = np.clip(east, -half[0], half[0] - 1e-6), np.clip(north, -half[1], half[1] - 1e-6)
    trip = trips.trip
    same = np.diff(trip, append=-1) == 0
    ahead = np.minimum(np.arange(len(trip)) + 1, max(len(trip) - 1, 0))
    metres = np.where(same, np.maximum(np.abs(east[ahead] - east), np.abs(north[ahead] - north)), 0.0)
    pieces = np.maximum(np.ceil(metres / grid.size * 2).astype(np.int64), 1)  # half a cell at most, either way
    row = np.repeat(np.arange(len(trip)), pieces)
    share = (np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / np.repeat(pieces, pieces)
    x = east[row] + share * (east[ahead[row]] - east[row]) * same[row]
    y = north[row] + share * (north[ahead[row]] - north[row]) * same[row]
    cells = grid.nearest_cell(*grid.frame.degrees(x, y))
    whose = trip[row]
    new = (np.diff(whose, prepend=-1) != 0) | (np.diff(cells, prepend=-1) != 0)
    starts = np.searchsorted(whose[new], np.arange(len(trips) + 1))
    return Walks(starts.astype(np.int64), cells[new], trips.person, trips.begins, trips.ends - trips.begins)


def bounded(walks: Walks, trips: int, longest: int, source: Source) -> Walks:
    """At most so many walks of each person, chosen by chance, none longer than so many cells."""
    order = np.lexsort((source.words(len(walks)), walks.person))
    first = np.flatnonzero(np.diff(walks.person[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    return walks.take(np.sort(order[rank < trips])).shortened(longest)


def moves_of(walks: Walks, most: int, source: Source) -> tuple[Ints, Ints]:
    """At most so many moves of each person, chosen by chance, as cells that are left and cells that are reached."""
    walk = np.repeat(np.arange(len(walks)), walks.number)
    stays = np.flatnonzero(np.diff(walk) == 0)
    person = walks.person[walk[stays]]
    order = np.lexsort((source.words(len(stays)), person))
    first = np.flatnonzero(np.diff(person[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    kept = stays[order[rank < most]]
    return walks.cells[kept], walks.cells[kept + 1]
