"""The intersection attack: a person's sensitive value stands in the class of every release that they are in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.data.classes import Classes, Histogram
from cobogo.data.table.frequency import number_tuples
from cobogo.examine.attacks.base import Finding
from cobogo.examine.attacks.crossing import ClassStructure, Crossing
from cobogo.examine.attacks.several import OnSeveral, Told
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card


@card("intersection")
@dataclass(frozen=True)
class Intersection(OnSeveral):
    r"""Keep the sensitive values that a person's class has in every release.

    Who is in both releases has a value that stands in both classes, no more often than in the one that has it less
    often. It takes no linking of rows: knowing the quasi-identifiers is enough to know the classes.

    Formula: $\max_x \frac{\min(c_x^{(1)}, c_x^{(2)})}{\sum_y \min(c_y^{(1)}, c_y^{(2)})}$ with $c_x^{(i)}$ how often
        the value stands in the person's class of release $i$
    Example: Only the flu is in both classes of whoever is 30 and lives in Pina.
        >>> from cobogo import attack
        >>> from cobogo.studies.worked import roles, table
        >>> first = table("age place ill", "30 * flu", "30 * gout", "40 * cold", "40 * pox")
        >>> second = table("age place ill", "* Pina flu", "* Pina cold", "* Centro gout", "* Centro pox")
        >>> attack("intersection", first, second, policy=roles("age place", "ill")).highest
        1.0

    Guarantee: None: an attack finds, it does not protect. m-invariance bounds it by $1/m$.
    Limits: A value that changed in between is taken for one that was ruled out.
    Cost: $O(n\,v)$ for n people and the v values of their classes.
    Paper: S. R. Ganta, S. P. Kasiviswanathan and A. Smith, Composition attacks and auxiliary information in data
        privacy, KDD 2008.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "value"
    against: ClassVar[frozenset[str] | None] = frozenset({"recoding"})
    knows: ClassVar[str] = "a person's quasi-identifiers, and that they are in both releases"
    defence: ClassVar[str] = (
        "Ask for m-invariance, which keeps everybody among the same values; or base each release on the one before."
    )

    def tell(self, crossing: Crossing) -> Iterator[Told]:
        """For each sensitive attribute, the values that are left to each linked row."""
        before, after = crossing.earlier.owners[crossing.before], crossing.later.owners[crossing.after]
        sizes = [len(crossing.earlier.codes), len(crossing.later.codes)]
        owners, first = number_tuples([before, after], sizes, len(before))
        for name in crossing.later.values:
            if name in crossing.earlier.values:
                left = _left(crossing, name, before[first], after[first])
                codes = crossing.later.values[name][crossing.after].astype(np.int64)
                baseline = np.maximum(_share_before(crossing, name, before), _share(crossing.later, name, after, codes))
                confidence = _share_in(left, owners, codes)
                groups = Classes(left.entries, {name: left}, len(crossing.later))
                yield Told("later", crossing.after, owners, groups, confidence, baseline)


def _left(crossing: Crossing, name: str, before: Ints, after: Ints) -> Histogram:
    """For pairs of classes, the values that both have, each as often as in the class that has it less often."""
    domain = crossing.later.domains[name]
    index = {label: code for code, label in enumerate(domain.labels)}
    known = np.array([index.get(label, -1) for label in crossing.earlier.domains[name].labels], dtype=np.int64)
    one, other = _counted(crossing.earlier, name), _counted(crossing.later, name)
    many = one.distinct[before]
    pair = np.repeat(np.arange(len(before)), many)
    entry = np.arange(len(pair)) - np.repeat(np.cumsum(many) - many, many) + np.repeat(one.offsets[before], many)
    value = known[one.values[entry]]
    width = max(len(domain), 1)
    keys = other.owners * width + other.values
    wanted = after[pair] * width + value
    place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    there = (value >= 0) & (keys[place] == wanted) if len(keys) else np.zeros(len(pair), dtype=np.bool_)
    pair, value = pair[there], value[there]
    counts = np.minimum(one.counts[entry[there]], other.counts[place[there]])
    order = np.lexsort((value, pair))
    offsets = np.searchsorted(pair, np.arange(len(before) + 1)).astype(np.int64)
    return Histogram(offsets, value[order].astype(np.int32), counts[order], domain)


def _counted(side: ClassStructure, name: str) -> Histogram:
    return side.counted.histograms[name]


def _share_before(crossing: Crossing, name: str, classes: Ints) -> Floats:
    """How likely the linked rows' own values were in the earlier release."""
    codes = crossing.earlier.values[name][crossing.before].astype(np.int64)
    return _share(crossing.earlier, name, classes, codes)


def _share(side: ClassStructure, name: str, classes: Ints, codes: Ints) -> Floats:
    return _share_in(_counted(side, name), classes, codes)


def _share_in(histogram: Histogram, owners: Ints, codes: Ints) -> Floats:
    """The share of a value in a class, for each pair of the two; 0 where it is not there."""
    width = max(len(histogram.domain), 1)
    keys = histogram.owners * width + histogram.values
    wanted = owners * width + codes
    if not len(keys):
        return np.zeros(len(wanted))
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    counts = np.where(keys[place] == wanted, histogram.counts[place], 0)
    return np.asarray(counts / np.maximum(histogram.entries[owners], 1), dtype=np.float64)
