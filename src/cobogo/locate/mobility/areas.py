"""Public areas in a tree of levels, and journeys of people between them: as tables name them, or from trips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.errors import DataError, PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr, trn
from cobogo.floor.randomness import Source
from cobogo.locate.places.cells import Cells
from cobogo.locate.places.points import COLUMNS, MISSING, Points, encode_people, refuse_rows
from cobogo.locate.places.reading import CELL, fetch_table, find_column
from cobogo.locate.trips.segments import choose_rows, split_trips

MOST_AREAS = 1_500
"""Areas of the finest level: the pairs of them, 2.25 million, are counted and published with noise."""

AREA = ("area", "bairro", "zone", "zona", "block", "setor", *CELL)
ORIGIN = ("origin", "home", "residence", "from", "origem", "casa")
DESTINATION = ("destination", "work", "to", "destino", "trabalho")
"""The usual names of the columns of areas and of journeys, in the order in which they are looked for."""


@dataclass(frozen=True, eq=False, repr=False)
class AreaTree:
    """Public areas in levels, the finest first; every area lies in one of the next level.

    >>> cells = Cells(("centro", "aldeota", "messejana"), np.zeros(3), np.zeros(3))
    >>> tree = AreaTree.from_columns(cells, {"zone": ["north", "north", "south"]})
    >>> tree.levels, tree.names[1], [parents.tolist() for parents in tree.parents]
    (('area', 'zone'), ('north', 'south'), [[0, 0, 1], [0, 0]])
    """

    levels: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]  # of the areas of each level
    parents: tuple[Ints, ...]  # of each area, its area of the next level; above the last there is one of all
    places: Cells  # the finest areas

    @classmethod
    def from_columns(
        cls, places: Cells, coarser: Mapping[str, Sequence[object]] | None = None, *, where: str = "areas"
    ) -> AreaTree:
        """A tree from the finest areas and the name of the area of each coarser level that each of them lies in."""
        if len(places) > MOST_AREAS:
            raise DataError(
                tr("there are {n:,} areas, and {most:,} are counted at most", n=len(places), most=MOST_AREAS),
                where=where,
                remedy=tr("Give coarser areas."),
            )
        names, parents, below = [places.names], [], np.arange(len(places))
        for level, column in (coarser or {}).items():
            known, number = np.unique([str(name) for name in column], return_inverse=True)
            parent = np.full(len(names[-1]), -1)
            parent[below] = number
            if (parent[below] != number).any():
                raise DataError(
                    tr("an area of the level before it lies in two areas of the level {level!r}", level=level),
                    where=where,
                    remedy=tr("Every area must lie in one area of the next level. Name coarser levels last."),
                )
            names.append(tuple(known.tolist()))
            parents.append(parent)
            below = number
        parents.append(np.zeros(len(names[-1]), dtype=np.int64))
        return cls(("area", *(coarser or {})), tuple(names), tuple(parents), places)

    @cached_property
    def pair_parents(self) -> tuple[Ints, ...]:
        """The pair of the next level that each pair lies in. The pair (o, d) of n areas has the number o·n + d."""
        sizes = [*(len(names) for names in self.names[1:]), 1]
        return tuple(
            (parent[:, None] * size + parent).ravel() for parent, size in zip(self.parents, sizes, strict=True)
        )

    def as_dict(self) -> dict[str, Any]:
        """The tree as it is published."""
        places = {"area": list(self.places.names), "lon": self.places.lon.tolist(), "lat": self.places.lat.tolist()}
        below, coarser = np.arange(len(self.places)), {}
        for level, names, parent in zip(self.levels[1:], self.names[1:], self.parents, strict=False):
            below = parent[below]
            coarser[level] = [names[number] for number in below]
        return {**places, "coarser": coarser}

    def to_arrow(self) -> Any:
        """An Arrow table with the columns area, lon, lat and those of the coarser levels."""
        import pyarrow as pa

        content = self.as_dict()
        return pa.table({**content.pop("coarser"), **content}).select(["area", *self.levels[1:], "lon", "lat"])

    @classmethod
    def from_dict(cls, content: Any) -> AreaTree:
        """A published tree."""
        places = Cells.from_columns(content["area"], content["lon"], content["lat"])
        return cls.from_columns(places, content["coarser"])


@dataclass(frozen=True, eq=False, repr=False)
class Journeys:
    """From where to where people go: numbers of people, and of the finest areas of a tree."""

    person: Ints
    origin: Ints
    destination: Ints
    tree: AreaTree

    @classmethod
    def from_columns(
        cls, person: Any, origin: Any, destination: Any, tree: AreaTree, *, leave_out: bool = False,
        where: str = "journeys",
    ) -> Journeys:  # fmt: skip
        """Journeys from any sequences. One from or to an area that is not declared is an error, whose message does not
        show the area; with ``leave_out`` it is left out."""
        import pandas as pd

        known = pd.Index(tree.places.names)
        who = encode_people(person, where, 1)[0]
        ends = [known.get_indexer(pd.Index(_series(part).map(str), dtype=object)) for part in (origin, destination)]
        unknown = (ends[0] < 0) | (ends[1] < 0)
        if unknown.any() and not leave_out:
            raise DataError(
                trn(
                    "{n:,} of {all:,} journeys has an end in an area that is not declared (row {row:,})",
                    "{n:,} of {all:,} journeys have an end in an area that is not declared (the first in row {row:,})",
                    n=int(unknown.sum()),
                    all=len(unknown),
                    row=int(np.flatnonzero(unknown)[0]) + 1,
                ),
                where=where,
                remedy=tr("Add the areas to the file of areas, or leave these journeys out (--leave-out-unknown)."),
            )
        person, origin, destination = (np.asarray(part[~unknown], dtype=np.int64) for part in (who, *ends))
        return cls(person, origin, destination, tree)

    @classmethod
    def from_points(cls, points: Points, tree: AreaTree, *, gap: float = 1800.0, stay: float = 1200.0) -> Journeys:
        """The trips of people: each from the area nearest to where it begins to the one nearest to where it ends."""
        trips = split_trips(points, gap=gap, stay=stay, frame=tree.places.frame)
        east, north = (
            np.stack([part[trips.starts[:-1]], part[trips.starts[1:] - 1]]) for part in (trips.east, trips.north)
        )
        ends = tree.places.nearest(*(part.ravel() for part in trips.frame.degrees(east, north))).reshape(2, -1)
        return cls(trips.person, ends[0], ends[1], tree)

    def __len__(self) -> int:
        return len(self.person)

    def to_arrow(self) -> Any:
        """An Arrow table with the columns person, origin and destination."""
        import pyarrow as pa

        names = np.array(self.tree.places.names, dtype=object)
        return pa.table({"person": self.person, "origin": names[self.origin], "destination": names[self.destination]})

    def bound(self, most: int, source: Source) -> Journeys:
        """At most ``most`` journeys of each person, chosen at random."""
        kept = np.sort(choose_rows(self.person, most, source))
        return Journeys(self.person[kept], self.origin[kept], self.destination[kept], self.tree)

    def counts(self) -> list[Ints]:
        """The exact number of journeys of each pair, level by level: only used to add noise to it, and as evidence."""
        size = len(self.tree.places)
        found = [np.bincount(self.origin * size + self.destination, minlength=size**2).astype(np.int64)]
        for parent in self.tree.pair_parents[:-1]:
            found.append(add_up(found[-1], parent))
        return found


def _series(column: Any) -> Any:
    import pandas as pd

    return pd.Series(column.to_pandas() if hasattr(column, "to_pandas") else column, dtype=object)


def add_up(counts: Ints, parent: Ints) -> Ints:
    """Counts of the next level."""
    total = np.zeros(int(parent.max()) + 1, dtype=np.int64)
    np.add.at(total, parent, counts)
    return total


def read_areas(
    source: str | Path | Any, levels: Sequence[str] = (), *, separator: str | None = None, encoding: str | None = None
) -> AreaTree:
    """Areas of a CSV or Parquet file, or of a frame: a column of names (`AREA`), lon and lat of their middles, and one
    column for each coarser level, named from finer to coarser."""
    table, name = fetch_table(source, separator, encoding)
    points = Points.from_arrow(table, where=name)
    for level in levels:
        if level not in table.column_names:
            raise DataError(
                tr('there is no column "{name}"', name=level),
                where=name,
                remedy=tr("Name columns of the file of areas, from finer to coarser (--levels zone,region)."),
            )
    _refuse_repeated(levels)
    column = find_column(table.drop_columns(list(levels)), AREA, tr("there is no column of areas"), name)
    for part in (column, *levels):
        blank = np.array([value is None or not str(value).strip() for value in table.column(part).to_pylist()], bool)
        refuse_rows(blank, part, tr("the value is missing"), name, 1)
    places = Cells.from_columns(table.column(column).to_pylist(), points.lon, points.lat, where=name)
    return AreaTree.from_columns(places, {level: table.column(level).to_pylist() for level in levels}, where=name)


def _refuse_repeated(levels: Sequence[str]) -> None:
    """Raise where two levels would have one name; the finest is always called area."""
    if len({"area", *levels}) <= len(levels):
        raise PolicyError(
            tr("two levels have the same name; the finest level is always called area"),
            where="--levels",
            remedy=tr("Name each column of coarser areas once. If one of them is called area, rename it in the file."),
        )


def read_journeys(
    source: str | Path | Any, tree: AreaTree, *, separator: str | None = None, encoding: str | None = None,
    leave_out: bool = False, gap: float = 1800.0, stay: float = 1200.0,
) -> Journeys:  # fmt: skip
    """Journeys of a CSV or Parquet file, or of a frame. With columns of origins and destinations (`ORIGIN`,
    `DESTINATION`) a row is a journey; otherwise rows are points of people in time, whose trips are the journeys."""
    table, name = fetch_table(source, separator, encoding)
    known = {column.strip().lower() for column in table.column_names}
    if known & {*COLUMNS["lon"], *COLUMNS["lat"]} and not known & set(ORIGIN):
        return Journeys.from_points(Points.from_arrow(table, where=name), tree, gap=gap, stay=stay)
    person, origin, destination = (
        table.column(find_column(table, aliases, missing, name))
        for aliases, missing in (
            (COLUMNS["user"], MISSING["user"]),
            (ORIGIN, tr("there is no column of origins")),
            (DESTINATION, tr("there is no column of destinations")),
        )
    )
    return Journeys.from_columns(person, origin, destination, tree, leave_out=leave_out, where=name)
