"""m-invariance: for tables that are released again and again while people come and go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from cobogo.data.classes import Classes, Earlier, Histogram
from cobogo.floor.arguments import missing, text, whole
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.promises.models.base import Model, Records


@card(
    "m-invariance",
    plain=(
        "From release to release, a person's class keeps the same set of sensitive values, so that "
        "comparing releases reveals nothing. Needs a column that tells people apart."
    ),
    group="series",
    start={"m": 2},
)
@dataclass(frozen=True)
class MInvariance(Model):
    r"""Every class has at least m people, no two of them have the same sensitive value, and a person of an earlier
    release of the series is again in a class with the same set of values.

    So several releases together reveal no more about a person than one of them does: one value out of m. The model is
    not monotone: two classes that share a value cannot be merged.

    ``previous`` is the directory of the last release of the series, with its evidence, in which keyed pseudonyms
    identify the people; a first release has no previous one. People who left and come back keep the set of values that
    they left with. data.unit tells people apart; each person has one record.

    Formula: In every release $i$, for every class $E$: $\lvert E\rvert \ge m$ and all its values differ; and
        $\mathrm{sig}_i(E_i(t)) = \mathrm{sig}_j(E_j(t))$ for each person $t$ of releases $i$ and $j$, with
        $\mathrm{sig}$ the set of values of a class
    Example: The second class has one value twice.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu", "cough", "fever"], ["flu", "flu", "fever"]])
        >>> MInvariance("disease", m=3).measure(table).tolist()
        [3.0, 0.0]

    Guarantee: An attacker who has all releases of the series believes each value of a person with a probability of at
        most $1/m$.
    Limits: Values that change between releases are not modelled: a person keeps the set that they had. Where a value
        no longer occurs, the algorithm counterfeits adds invented records that have it, which count as people of their
        class; other algorithms suppress people who cannot be released. Identity is not protected. The previous release
        must still exist when this one is verified.
    Cost: $O(v + n)$ for v pairs of a class and a value and n people.
    Paper: X. Xiao and Y. Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007.
    """

    records_tell: ClassVar[Records] = Records.ALL  # nobody has several, or the series is refused

    attribute: str
    m: int
    previous: str | None = None
    missing: Literal["value"] | None = None

    def __post_init__(self) -> None:
        whole(self.name, "m", self.m, least=1)
        missing(self.name, self.missing)
        if self.previous is not None:
            text(self.name, "previous", self.previous)

    @property
    def needs_people(self) -> bool:
        """A later release looks back at this one."""
        return True

    @property
    def series(self) -> tuple[tuple[str, str], ...]:
        """The previous one, which knows of those before."""
        return () if self.previous is None else ((self.previous, self.attribute),)

    @property
    def alone(self) -> MInvariance:
        """Classes of at least m different values."""
        return replace(self, previous=None)

    def measure(self, classes: Classes) -> Floats:
        """The people of each class; 0 where two share a value, or the earlier class of one had another set of
        values."""
        histogram, there = self.known_values(classes)
        broken = histogram.most(histogram.counts.astype(float)) > 1
        for previous in self.series:
            assert classes.people is not None, "needs_people was not heeded"
            broken |= changed_classes(classes.earlier[previous], classes.people, histogram)
        return np.where(broken, 0.0, there.astype(float))

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At least m."""
        return measured >= self.m


def changed_classes(earlier: Earlier, people: Histogram, values: Histogram) -> Mask:
    """Which classes hold a person whose earlier class had another set of values."""
    signature = earlier.of[people.values]
    known = signature >= 0
    owners, signature = people.owners[known], signature[known]
    lowest = np.full(len(people.offsets) - 1, len(earlier.signatures))
    highest = np.full(len(people.offsets) - 1, -1)
    np.minimum.at(lowest, owners, signature)
    np.maximum.at(highest, owners, signature)
    broken = lowest < highest
    labels = values.domain.labels
    for place in np.flatnonzero((highest >= 0) & ~broken):
        held = values.values[int(values.offsets[place]) : int(values.offsets[place + 1])]
        broken[place] = {labels[code] for code in held} != earlier.signatures[highest[place]]
    return broken
