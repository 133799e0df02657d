"""Complementary releases, and the same over time: what two releases say of a person together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.attacks.crossing import Crossing
from cobogo.attacks.several import OnSeveral, Told
from cobogo.models.base import Ints


@dataclass(frozen=True)
class Complementary(OnSeveral):
    """Join releases of one table: values that are coarse in one may be fine in the other (Sweeney 2002).

    Rows are linked by the columns that both have as they are, where the others do not contradict each other. What a
    linked row stands for is what both of its forms have in common. Whoever is then alike with fewer people than in
    each release alone has lost by the second one.
    """

    threshold: float = 0.5

    name: ClassVar[str] = "complementary"
    against: ClassVar[frozenset[str] | None] = frozenset({"recoding"})
    knows: ClassVar[str] = "two releases of one table, and a person's quasi-identifiers"
    defence: ClassVar[str] = (
        "Base a release on the one before (no value more specific than was released), or treat all that was released "
        "before as quasi-identifiers."
    )

    def tell(self, crossing: Crossing) -> Iterator[Told]:
        """The linked rows by what they say together. Rows that may be linked with nothing count where they fit in."""
        yield told_together(crossing, crossing.added)


@dataclass(frozen=True)
class Temporal(OnSeveral):
    """Join releases of a table that changed in between, knowing that a person was there both times (Sweeney 2002).

    The same as joining complementary releases, among the rows that stand in both: rows that came later hide nobody who
    was there before.
    """

    threshold: float = 0.5

    name: ClassVar[str] = "temporal"
    against: ClassVar[frozenset[str] | None] = frozenset({"recoding"})
    knows: ClassVar[str] = "two releases of a table that grew, a person's quasi-identifiers, and that they are in both"
    defence: ClassVar[str] = (
        "Base each release on the one before, and release again only when enough people stay in each class."
    )

    def tell(self, crossing: Crossing) -> Iterator[Told]:
        """The linked rows by what they say together."""
        yield told_together(crossing, np.zeros(0, dtype=np.int64))


def told_together(crossing: Crossing, others: Ints) -> Told:
    """The linked rows, in groups of those that say the same; ``others`` are rows of the later release that are alike
    with whoever's later row says it all."""
    earlier, later = crossing.earlier, crossing.later
    before, after = earlier.owners[crossing.before], later.owners[crossing.after]
    owners, count = crossing.joined
    groups = later.grouped(crossing.after, owners, count)
    beside = np.bincount(later.owners[others], minlength=len(later.codes))
    alike = groups.sizes[owners] + np.where(crossing.informed, 0, beside[after])
    alone = np.minimum(earlier.sizes[before], later.sizes[after])
    return Told("later", crossing.after, owners, groups, 1 / np.maximum(alike, 1), 1 / np.maximum(alone, 1))
