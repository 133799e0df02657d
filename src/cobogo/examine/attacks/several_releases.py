"""Attacks on several releases of the same people: each crosses an earlier release with a later one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.data.classes import Classes, Histogram
from cobogo.data.table.frequency import number_tuples
from cobogo.examine.attacks.base import SLACK, Attack, Finding, Findings
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.crossing import ClassStructure, Crossing
from cobogo.examine.attacks.pairing import link_releases, structures
from cobogo.floor.arguments import number
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card

MANY = 1000


@dataclass(frozen=True, eq=False, repr=False)
class DistinguishedRows:
    """Rows of one release that a second release distinguishes: ``owners[r]`` is the group of indistinguishable rows of
    row ``r``, ``groups`` are the sizes and values of these groups.

    ``confidence`` is how sure an attacker is of each row's person or value, ``baseline`` how sure an attacker is who
    has either release alone.
    """

    side: Literal["earlier", "later"]
    rows: Ints
    owners: Ints
    groups: Classes
    confidence: Floats
    baseline: Floats


class OnSeveral(Attack):
    """An attack that crosses releases in pairs, the last one with each before it."""

    releases: ClassVar[tuple[int, int]] = (2, MANY)
    threshold: float

    def __post_init__(self) -> None:
        number(self.name, "threshold", self.threshold, least=0, most=1)

    @abstractmethod
    def tell(self, crossing: Crossing) -> Iterator[DistinguishedRows]:
        """The rows that a crossing distinguishes, however its rows were linked."""

    def run(self, case: Case) -> Findings:
        """Link the rows by what was released, and see how surely each row of the last release is found."""
        sides = structures(case)
        last = len(sides) - 1
        confidence = [np.zeros(len(side)) for side in sides]
        baseline = [np.zeros(len(side)) for side in sides]
        links, ambiguous, untried = 0, 0, []
        for place in range(last):
            found = link_releases(case, place, last, sides)
            crossing = found.crossing
            links, ambiguous = links + len(crossing.before), ambiguous + found.ambiguous
            untried += [found.untried] if found.untried else []
            for told in self.tell(crossing):
                of = place if told.side == "earlier" else last
                surer = told.confidence > confidence[of][told.rows]
                baseline[of][told.rows[surer]] = told.baseline[surer]
                confidence[of][told.rows[surer]] = told.confidence[surer]
        pairs = zip(confidence, baseline, strict=True)
        exposed = [(had > self.threshold + SLACK) & (had > was + SLACK) for had, was in pairs]
        of = last if exposed[last].any() else int(np.argmax([beyond.sum() for beyond in exposed]))
        of = of if exposed[of].any() else last
        rows = np.flatnonzero(confidence[of] > 0)
        return self.found(
            f"release {of + 1}",
            rows + 1,
            confidence[of][rows],
            attacked=len(sides[of]),
            baseline=baseline[of][rows],
            measures={
                "linked pairs of rows": links,
                "rows that fit several": ambiguous,
                **{f"rows of release {n + 1} exposed": int(beyond.sum()) for n, beyond in enumerate(exposed)},
            },
            untried="; ".join(dict.fromkeys(untried)),
        )


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
        >>> from cobogo.studies.worked_examples import roles, table
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

    def tell(self, crossing: Crossing) -> Iterator[DistinguishedRows]:
        """The linked rows by what they say together. Rows that may be linked with nothing count where they fit in."""
        yield distinguish_linked(crossing, crossing.added)


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
        >>> from cobogo.studies.worked_examples import roles, table
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

    def tell(self, crossing: Crossing) -> Iterator[DistinguishedRows]:
        """The linked rows by what they say together."""
        yield distinguish_linked(crossing, np.zeros(0, dtype=np.int64))


def distinguish_linked(crossing: Crossing, others: Ints) -> DistinguishedRows:
    """Group the linked rows by what their two forms say together.

    ``others`` are rows of the later release that were linked with nothing: they hide a person whose earlier row adds
    nothing to the later one.
    """
    earlier, later = crossing.earlier, crossing.later
    before, after = earlier.owners[crossing.before], later.owners[crossing.after]
    owners, count = crossing.joined
    groups = later.grouped(crossing.after, owners, count)
    beside = np.bincount(later.owners[others], minlength=len(later.codes))
    alike = groups.sizes[owners] + np.where(crossing.informed, 0, beside[after])
    alone = np.minimum(earlier.sizes[before], later.sizes[after])
    return DistinguishedRows(
        "later", crossing.after, owners, groups, 1 / np.maximum(alike, 1), 1 / np.maximum(alone, 1)
    )


@card("differencing")
@dataclass(frozen=True)
class Differencing(OnSeveral):
    r"""Subtract one release from the other: whoever came to a class or left it in between stands among few.

    A class of a hundred that grows by one tells that person's values as surely as a class of one.

    Formula: $\frac{1}{\lvert E_2 \setminus E_1\rvert}$ for who came to a class between the releases, $\frac{1}{\lvert
        E_1 \setminus E_2\rvert}$ for who left it
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
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

    def tell(self, crossing: Crossing) -> Iterator[DistinguishedRows]:
        """The rows that are in one release only, by their class."""
        yield _distinguish_unmatched("later", crossing.later, crossing.added)
        yield _distinguish_unmatched("earlier", crossing.earlier, crossing.removed)


def _distinguish_unmatched(side: Literal["earlier", "later"], of: ClassStructure, rows: Ints) -> DistinguishedRows:
    classes, owners = np.unique(of.owners[rows], return_inverse=True)
    groups = of.grouped(rows, owners, len(classes))
    alone = of.sizes[classes]
    return DistinguishedRows(
        side, rows, owners, groups, 1 / np.maximum(groups.sizes, 1)[owners], 1 / np.maximum(alone, 1)[owners]
    )


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
        >>> from cobogo.studies.worked_examples import roles, table
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

    def tell(self, crossing: Crossing) -> Iterator[DistinguishedRows]:
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
                yield DistinguishedRows("later", crossing.after, owners, groups, confidence, baseline)


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
