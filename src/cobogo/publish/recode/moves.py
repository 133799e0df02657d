"""Which records get which values: what an engine applies by join where records of one tuple may go different ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Label
from cobogo.floor.arrays import Ints
from cobogo.publish.recode.contract.problem import Problem


@dataclass(frozen=True, eq=False, repr=False)
class Moves:
    """Which records get which values: ``counts[p]`` records of the tuple ``tuples[p]`` those of the class
    ``owners[p]``; −1 is for those that are suppressed. Where a tuple's parcels are told apart by other columns,
    ``told`` gives what each parcel has there, and ``values`` a code for it."""

    problem: Problem
    tuples: Ints
    owners: Ints
    counts: Ints
    values: NDArray[np.int32] | None
    told: Mapping[str, NDArray[np.object_]]
    released: Mapping[str, NDArray[np.object_]]  # by column, what each class's records get
    star: bool

    @property
    def split(self) -> bool:
        """Whether records that are told apart by nothing go different ways."""
        return len(np.unique(self.tuples)) < len(self.tuples)


def named(labels: Sequence[Label], codes: NDArray[np.int32]) -> NDArray[np.object_]:
    """Codes as the labels that they stand for."""
    return np.array([*labels, None], dtype=object)[codes]  # the last makes an array of texts of it, whatever they are
