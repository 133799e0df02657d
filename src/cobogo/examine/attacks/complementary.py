"""Complementary releases, and the same over time: what two releases say of a person together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.examine.attacks.base import Finding
from cobogo.examine.attacks.crossing import Crossing
from cobogo.examine.attacks.several import OnSeveral, Told
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card


@card("complementary")
@dataclass(frozen=True)
class Complementary(OnSeveral):
    r"""Join releases of one table: values that are coarse in one may be fine in the other.

    Rows are linked by the columns that both have as they are, where the others do not contradict each other. What a
    linked row stands for is what both of its forms have in common. Whoever is then alike with fewer people than in each
    release alone has lost by the second one.

    Formula: $\frac{1}{\lvert\{u : r_1(u) \cap r_2(u) = r_1(t) \cap r_2(t)\}\rvert}$, with $r_1(t) \cap r_2(t)$ what
        both released forms of $t$ may stand for; before, the larger of $\frac{1}{\lvert E_1\rvert}$ and
        $\frac{1}{\lvert E_2\rvert}$
    Example: Each release has two people in every class; together they tell all four apart.
        >>> from cobogo import attack
        >>> from cobogo.studies.worked import roles, table
        >>> first = table("sex zip ill", "F 0213* flu", "F 0213* gout", "M 0213* cold", "M 0213* pox")
        >>> second = table("sex zip ill", "* 02138 flu", "* 02139 gout", "* 02138 cold", "* 02139 pox")
        >>> policy = roles("sex zip", "ill", zip={"mask": "right"})
        >>> attack("complementary", first, second, policy=policy).exposed.tolist()
        [1, 2, 3, 4]

    Guarantee: None: an attack finds, it does not protect. Base each release on the one before; the registry runs this
        attack before it lets a release go.
    Limits: Needs a column that both releases have as it is, such as the sensitive one.
    Cost: $O(n + m)$ for releases of n and m rows whose links are few, $O(n\,m)$ at worst.
    Paper: L. Sweeney, k-anonymity: a model for protecting privacy, 2002.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "record"
    against: ClassVar[frozenset[str] | None] = frozenset({"recoding"})
    knows: ClassVar[str] = "two releases of one table, and a person's quasi-identifiers"
    defence: ClassVar[str] = (
        "Base a release on the one before (no value more specific than was released), or treat all that was released "
        "before as quasi-identifiers."
    )

    def tell(self, crossing: Crossing) -> Iterator[Told]:
        """The linked rows by what they say together. Rows that may be linked with nothing count where they fit in."""
        yield told_together(crossing, crossing.added)


@card("temporal")
@dataclass(frozen=True)
class Temporal(OnSeveral):
    r"""Join releases of a table that changed in between, knowing that a person was there both times.

    The same as joining complementary releases, among the rows that stand in both: rows that came later hide nobody who
    was there before.

    Formula: as of complementary, $\frac{1}{\lvert\{u : r_1(u) \cap r_2(u) = r_1(t) \cap r_2(t)\}\rvert}$ among the
        people of both releases
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked import roles, table
        >>> first = table("sex zip ill", "F 0213* flu", "F 0213* gout", "M 0213* cold", "M 0213* pox")
        >>> later = table("sex zip ill", "* 02138 flu", "* 02139 gout", "* 02138 cold", "* 02139 pox", "* 02138 rash")
        >>> attack("temporal", first, later, policy=roles("sex zip", "ill", zip={"mask": "right"})).exposed.tolist()
        [1, 2, 3, 4]

    Guarantee: None: an attack finds, it does not protect. Base each release on the one before.
    Limits: As of complementary; and values of a person that changed in between break the link.
    Cost: As of complementary, $O(n + m)$ where links are few.
    Paper: L. Sweeney, k-anonymity: a model for protecting privacy, 2002.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "record"
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
