"""Differencing: what stands in a class of one release and not of the other came, or left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.attacks.crossing import ClassStructure, Crossing
from cobogo.attacks.several import OnSeveral, Told
from cobogo.models.base import Ints


@dataclass(frozen=True)
class Differencing(OnSeveral):
    """Subtract one release from the other: whoever came to a class or left it in between stands among few.

    A class of a hundred that grows by one tells that person's values as surely as a class of one.
    """

    threshold: float = 0.5

    name: ClassVar[str] = "differencing"
    against: ClassVar[frozenset[str] | None] = frozenset({"recoding"})
    knows: ClassVar[str] = "that a person came, or left, between two releases"
    defence: ClassVar[str] = "Release again only when nobody, or at least k people, came to and left each class."

    def tell(self, crossing: Crossing) -> Iterator[Told]:
        """The rows that are in one release only, by their class."""
        yield _apart("later", crossing.later, crossing.added)
        yield _apart("earlier", crossing.earlier, crossing.removed)


def _apart(side: Literal["earlier", "later"], of: ClassStructure, rows: Ints) -> Told:
    classes, owners = np.unique(of.owners[rows], return_inverse=True)
    groups = of.grouped(rows, owners, len(classes))
    alone = of.sizes[classes]
    return Told(side, rows, owners, groups, 1 / np.maximum(groups.sizes, 1)[owners], 1 / np.maximum(alone, 1)[owners])
