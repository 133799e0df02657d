"""Call records: who used which cell, and when. What a mobile network knows of everybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.errors import DataError, number_of
from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.places.cells import Cells
from cobogo.locate.places.points import Points


@dataclass(frozen=True, eq=False, repr=False)
class Calls:
    """Events of people at cells: ``user`` numbers people from 0, ``time`` is in seconds since 1970 (UTC), ``cell``
    numbers the cells; ``names`` tells what people are called, where they have names."""

    user: Ints
    time: Floats
    cell: Ints
    cells: Cells
    names: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, user: Any, time: Any, cell: Any, cells: Cells, *, leave_out: bool = False, where: str = "calls"
    ) -> Calls:
        """Calls of any sequences, checked. A cell that is not among the cells is an error, which does not show it;
        or with ``leave_out`` its calls are left out."""
        import pandas as pd

        plain = pd.Series(cell.to_pandas() if hasattr(cell, "to_pandas") else cell, dtype=object)
        number = pd.Index(cells.names).get_indexer(pd.Index(plain.map(str), dtype=object)).astype(np.int64)
        unknown = number < 0
        if unknown.any() and not leave_out:
            raise DataError(
                f"{number_of(int(unknown.sum()), 'call')} of {len(number):,}: the cell is not among the declared cells "
                f"(first in row {int(np.flatnonzero(unknown)[0]) + 1})",
                where=f"{where}, column cell",
                remedy="Add the cells to the file of cells, or leave such calls out (--leave-out-unknown).",
            )
        at = np.where(unknown, 0, number)
        checked = Points.of(cells.lon[at], cells.lat[at], time=time, user=user, where=where)
        assert checked.time is not None
        assert checked.user is not None
        found = cls(checked.user, checked.time, number, cells, checked.names)
        return found.take(np.flatnonzero(~unknown)) if leave_out else found

    def __len__(self) -> int:
        return len(self.user)

    @property
    def users(self) -> int:
        """How many people there are."""
        return len(self.names) or (int(self.user.max()) + 1 if len(self) else 0)

    def to_arrow(self) -> Any:
        """An Arrow table with the columns user, time and cell."""
        import pyarrow as pa

        names = pa.DictionaryArray.from_arrays(pa.array(self.cell, pa.int32()), pa.array(self.cells.names, pa.string()))
        return self.points().to_arrow().select(["user", "time"]).append_column("cell", names.cast(pa.string()))

    def points(self) -> Points:
        """The same as points, each at the place of its cell."""
        return Points(self.cells.lon[self.cell], self.cells.lat[self.cell], self.time, self.user, self.names)

    def take(self, rows: Ints) -> Calls:
        """Some of the calls; people keep their numbers."""
        return Calls(self.user[rows], self.time[rows], self.cell[rows], self.cells, self.names)

    def ordered(self) -> Calls:
        """Person by person, each in the order of time."""
        return self.take(np.lexsort((self.time, self.user)))
