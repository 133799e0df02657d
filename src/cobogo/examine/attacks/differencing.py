"""Differencing: what stands in a class of one release and not of the other came, or left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.examine.attacks.base import Finding
from cobogo.examine.attacks.crossing import ClassStructure, Crossing
from cobogo.examine.attacks.several import OnSeveral, Told
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card


@card("differencing")
@dataclass(frozen=True)
class Differencing(OnSeveral):
    r"""Subtract one release from the other: whoever came to a class or left it in between stands among few.

    A class of a hundred that grows by one tells that person's values as surely as a class of one.

    Formula: $\frac{1}{\lvert E_2 \setminus E_1\rvert}$ for who came to a class between the releases, $\frac{1}{\lvert
        E_1 \setminus E_2\rvert}$ for who left it
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked import roles, table
        >>> first = table("age ill", "30 flu", "30 gout", "30 cold")
        >>> second = table("age ill", "30 flu", "30 gout", "30 cold", "30 pox")
        >>> found = attack("differencing", first, second, policy=roles("age", "ill"))
        >>> found.of, found.exposed.tolist(), found.highest
        ('release 2', [4], 1.0)

    Guarantee: None: an attack finds, it does not protect. Release again only when nobody, or at least k people, came to
        and left each class.
    Limits: Classes must be the same in both releases; one that was recoded in between is followed as far as hierarchies
        tell.
    Cost: $O(n + m)$ for releases of n and m rows.
    Paper: None in particular: after B. C. M. Fung, K. Wang, R. Chen and P. S. Yu, Privacy-preserving data publishing: a
        survey of recent developments, ACM Computing Surveys, 2010.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "record"
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
