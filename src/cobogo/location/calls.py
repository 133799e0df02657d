"""Call records: who used which cell, and when. What a mobile network knows of everybody."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.location.cells import Cells
from cobogo.location.geometry import Floats
from cobogo.location.points import Ints, Points


@dataclass(frozen=True, eq=False)
class Calls:
    """Events of people at cells: ``user`` numbers people from 0, ``time`` is in seconds since 1970 (UTC), ``cell``
    numbers the cells; ``names`` tells what people are called, where they have names."""

    user: Ints
    time: Floats
    cell: Ints
    cells: Cells
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.user)

    @property
    def users(self) -> int:
        """How many people there are."""
        return len(self.names) or (int(self.user.max()) + 1 if len(self) else 0)

    def points(self) -> Points:
        """The same as points, each at the place of its cell."""
        return Points(self.cells.lon[self.cell], self.cells.lat[self.cell], self.time, self.user, self.names)

    def take(self, rows: Ints) -> Calls:
        """Some of the calls; people keep their numbers."""
        return Calls(self.user[rows], self.time[rows], self.cell[rows], self.cells, self.names)

    def ordered(self) -> Calls:
        """Person by person, each in the order of time."""
        return self.take(np.lexsort((self.time, self.user)))
