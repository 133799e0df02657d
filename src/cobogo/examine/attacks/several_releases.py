"""Attacks on several releases of the same people: each crosses an earlier release with a later one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.data.classes import Classes, Histogram
from cobogo.data.table.frequency import number_tuples
from cobogo.examine.attacks.base import SLACK, Attack, Finding, Findings
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.crossing import ClassStructure, Crossing
from cobogo.examine.attacks.pairing import LinkedReleases, link_by_people, link_releases, structures
from cobogo.examine.attacks.rows import concatenate_ranges
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import join, tr


@dataclass(frozen=True, eq=False, repr=False)
class DistinguishedRows:
    """Rows of one release, split by a second release into groups of rows that remain indistinguishable.

    ``owners`` is the group of each of the ``rows``; ``groups`` are the groups' sizes and values. ``confidence`` is that
    of an attacker who has both releases, ``baseline`` that of an attacker who has either one alone.
    """

    side: Literal["earlier", "later"]
    rows: Ints
    owners: Ints
    groups: Classes
    confidence: Floats
    baseline: Floats


class CrossingAttack(Attack):
    """An attack that crosses releases in pairs: the last one with each earlier one."""

    releases: ClassVar[tuple[int, int]] = (2, 1000)
    threshold: float

    @abstractmethod
    def distinguish(self, crossing: Crossing) -> Iterator[DistinguishedRows]:
        """The rows that a crossing distinguishes, whatever its rows were linked by."""

    def link(self, case: Case, one: int, other: int, sides: Sequence[ClassStructure]) -> LinkedReleases:
        """Link the rows of two releases by their released values."""
        return link_releases(case, one, other, sides)

    def run(self, case: Case) -> Findings:
        """Link the rows of the releases, and keep the surest finding about each row.

        Findings are about the last release if any of its rows is exposed, otherwise about the release with most exposed
        rows.
        """
        sides = structures(case)
        last = len(sides) - 1
        confidence = [np.zeros(len(side)) for side in sides]
        baseline = [np.zeros(len(side)) for side in sides]
        links, ambiguous, untried = 0, 0, []
        for place in range(last):
            linked = self.link(case, place, last, sides)
            crossing = linked.crossing
            links, ambiguous = links + len(crossing.before), ambiguous + linked.ambiguous
            untried += [linked.untried] if linked.untried else []
            for some in self.distinguish(crossing):
                side = place if some.side == "earlier" else last
                surer = np.flatnonzero(some.confidence > confidence[side][some.rows])
                surer = surer[np.argsort(some.confidence[surer], kind="stable")]  # a row may be there several times
                baseline[side][some.rows[surer]] = some.baseline[surer]
                confidence[side][some.rows[surer]] = some.confidence[surer]
        pairs = zip(confidence, baseline, strict=True)
        exposed = [(after > self.threshold + SLACK) & (after > before + SLACK) for after, before in pairs]
        side = last if exposed[last].any() else int(np.argmax([beyond.sum() for beyond in exposed]))
        side = side if exposed[side].any() else last
        rows = np.flatnonzero(confidence[side] > 0)
        return self.build_findings(
            f"release {side + 1}",
            rows + 1,
            confidence[side][rows],
            attacked=len(sides[side]),
            baseline=baseline[side][rows],
            measures={
                tr("linked pairs of rows"): links,
                tr("rows that fit several"): ambiguous,
                **{
                    tr("rows of release {number} exposed", number=n + 1): int(beyond.sum())
                    for n, beyond in enumerate(exposed)
                },
            },
            untried=join(dict.fromkeys(untried), by="; "),
        )


@card("complementary")
@dataclass(frozen=True)
class Complementary(CrossingAttack):
    r"""Join releases of one table: values that are coarse in one release may be detailed in another.

    Rows are linked if the columns that both releases have unchanged are equal and the other columns do not contradict
    each other. A linked row can only be what both of its forms allow. If a person then shares this with fewer people
    than in either release alone, the second release has exposed the person.

    Formula: $\frac{1}{\lvert\{u : r_1(u) \cap r_2(u) = r_1(t) \cap r_2(t)\}\rvert}$, with $r_1(t) \cap r_2(t)$ what
        both released forms of $t$ may stand for; before, the larger of $\frac{1}{\lvert E_1\rvert}$ and
        $\frac{1}{\lvert E_2\rvert}$
    Example: Each release has two people in every class; together they distinguish all four.
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> first = table("sex zip ill", "F 0213* flu", "F 0213* gout", "M 0213* cold", "M 0213* pox")
        >>> second = table("sex zip ill", "* 02138 flu", "* 02139 gout", "* 02138 cold", "* 02139 pox")
        >>> policy = roles("sex zip", "ill", zip={"mask": "right"})
        >>> attack("complementary", first, second, policy=policy).exposed.tolist()
        [1, 2, 3, 4]

    Guarantee: None: an attack finds people, it does not protect them. Base each release on the one before; the registry
        runs this attack before it accepts a release.
    Limits: It needs a column that both releases have unchanged, such as the sensitive one.
    Cost: $O(n + m)$ for releases of n and m rows with few links, $O(n\,m)$ in the worst case.
    Paper: L. Sweeney, k-anonymity: a model for protecting privacy, 2002.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "record"
    against: ClassVar[frozenset[str] | None] = frozenset({"recoding"})
    knows: ClassVar[str] = tr("two releases of one table, and a person's quasi-identifiers")
    defence: ClassVar[str] = tr(
        "Base each release on the previous one (no value more specific than before), or treat everything that was "
        "released before as quasi-identifiers."
    )

    def distinguish(self, crossing: Crossing) -> Iterator[DistinguishedRows]:
        """The linked rows by what both forms say; rows that are linked with nothing count in the groups they fit."""
        yield distinguish_linked_rows(crossing, crossing.added)


@card("temporal")
@dataclass(frozen=True)
class Temporal(CrossingAttack):
    r"""Join releases of a table that changed in between; the attacker knows that a person was there both times.

    The same as joining complementary releases, but only among the rows of both releases: rows that were added later do
    not hide a person who was there before.

    Formula: as of complementary, $\frac{1}{\lvert\{u : r_1(u) \cap r_2(u) = r_1(t) \cap r_2(t)\}\rvert}$ among the
        people of both releases
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> first = table("sex zip ill", "F 0213* flu", "F 0213* gout", "M 0213* cold", "M 0213* pox")
        >>> later = table("sex zip ill", "* 02138 flu", "* 02139 gout", "* 02138 cold", "* 02139 pox", "* 02138 rash")
        >>> attack("temporal", first, later, policy=roles("sex zip", "ill", zip={"mask": "right"})).exposed.tolist()
        [1, 2, 3, 4]

    Guarantee: None: an attack finds people, it does not protect them. Base each release on the one before.
    Limits: Those of complementary. Also, values of a person that changed in between break the link.
    Cost: The same as complementary: $O(n + m)$ with few links.
    Paper: L. Sweeney, k-anonymity: a model for protecting privacy, 2002.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "record"
    against: ClassVar[frozenset[str] | None] = frozenset({"recoding"})
    knows: ClassVar[str] = tr(
        "two releases of a table that grew, a person's quasi-identifiers, and that the person is in both"
    )
    defence: ClassVar[str] = tr(
        "Base each release on the previous one, and release again only when enough people stay in each class."
    )

    def distinguish(self, crossing: Crossing) -> Iterator[DistinguishedRows]:
        """The linked rows by what both forms say."""
        yield distinguish_linked_rows(crossing, np.zeros(0, dtype=np.int64))


def distinguish_linked_rows(crossing: Crossing, others: Ints) -> DistinguishedRows:
    """Group the linked rows by what their two forms say together.

    ``others`` are rows of the later release that were linked with nothing. They hide a person only if the earlier row
    adds nothing to the later one.
    """
    earlier, later = crossing.earlier, crossing.later
    before, after = earlier.owners[crossing.before], later.owners[crossing.after]
    owners, count = crossing.joint_groups
    groups = later.group_rows(crossing.after, owners, count)
    beside = np.bincount(later.owners[others], minlength=len(later.codes))
    alike = groups.sizes[owners] + np.where(crossing.earlier_adds, 0, beside[after])
    alone = np.minimum(earlier.sizes[before], later.sizes[after])
    return DistinguishedRows(
        "later", crossing.after, owners, groups, 1 / np.maximum(alike, 1), 1 / np.maximum(alone, 1)
    )


@card("differencing")
@dataclass(frozen=True)
class Differencing(CrossingAttack):
    r"""Subtract one release from the other: few people came to a class or left it in between.

    A class of a hundred that grows by one reveals that person's values as surely as a class of one.

    Formula: $\frac{1}{\lvert E_2 \setminus E_1\rvert}$ for people who came to a class between the releases,
        $\frac{1}{\lvert E_1 \setminus E_2\rvert}$ for people who left it
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> first = table("age ill", "30 flu", "30 gout", "30 cold")
        >>> second = table("age ill", "30 flu", "30 gout", "30 cold", "30 pox")
        >>> found = attack("differencing", first, second, policy=roles("age", "ill"))
        >>> found.rows_of, found.exposed.tolist(), found.highest
        ('release 2', [4], 1.0)

    Guarantee: None: an attack finds people, it does not protect them. Release again only when no person, or at least k
        people, came to and left each class.
    Limits: Classes must be the same in both releases; a class that was recoded in between is followed as far as the
        hierarchies allow.
    Cost: $O(n + m)$ for releases of n and m rows.
    Paper: None in particular: after B. C. M. Fung, K. Wang, R. Chen and P. S. Yu, Privacy-preserving data publishing: a
        survey of recent developments, ACM Computing Surveys, 2010.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "record"
    against: ClassVar[frozenset[str] | None] = frozenset({"recoding"})
    knows: ClassVar[str] = tr("that a person came, or left, between two releases")
    defence: ClassVar[str] = tr("Release again only when no person, or at least k people, came to and left each class.")

    def distinguish(self, crossing: Crossing) -> Iterator[DistinguishedRows]:
        """The rows that are in one release only, by their class."""
        yield _distinguish_unmatched("later", crossing.later, crossing.added)
        yield _distinguish_unmatched("earlier", crossing.earlier, crossing.removed)


def _distinguish_unmatched(side: Literal["earlier", "later"], release: ClassStructure, rows: Ints) -> DistinguishedRows:
    classes, owners = np.unique(release.owners[rows], return_inverse=True)
    groups = release.group_rows(rows, owners, len(classes))
    alone = release.sizes[classes]
    return DistinguishedRows(
        side, rows, owners, groups, 1 / np.maximum(groups.sizes, 1)[owners], 1 / np.maximum(alone, 1)[owners]
    )


@card("intersection")
@dataclass(frozen=True)
class Intersection(CrossingAttack):
    r"""Keep the sensitive values that a person's class has in every release.

    A person who is in both releases has a value that both of their classes have. The value counts as often as in the
    class that has it less often. Rows need not be linked: the quasi-identifiers are enough to know the classes. Where
    releases name their groups (m-invariance with counterfeits), the evidence says who is in which group: the attack is
    then that of an attacker who knows everybody's group.

    Formula: $\max_x \frac{\min(c_x^{(1)}, c_x^{(2)})}{\sum_y \min(c_y^{(1)}, c_y^{(2)})}$ with $c_x^{(i)}$ how often
        the value occurs in the person's class of release $i$
    Example: Only the flu is in both classes of a person who is 30 and lives in Pina.
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> first = table("age place ill", "30 * flu", "30 * gout", "40 * cold", "40 * pox")
        >>> second = table("age place ill", "* Pina flu", "* Pina cold", "* Centro gout", "* Centro pox")
        >>> attack("intersection", first, second, policy=roles("age place", "ill")).highest
        1.0

    Guarantee: None: an attack finds people, it does not protect them. m-invariance bounds it by $1/m$.
    Limits: A value that changed in between counts as ruled out.
    Cost: $O(n\,v)$ for n people and the v values of their classes.
    Paper: S. R. Ganta, S. P. Kasiviswanathan and A. Smith, Composition attacks and auxiliary information in data
        privacy, KDD 2008.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "value"
    against: ClassVar[frozenset[str] | None] = frozenset({"recoding"})
    knows: ClassVar[str] = tr("a person's quasi-identifiers, and that the person is in both releases")
    defence: ClassVar[str] = tr(
        "Ask for m-invariance, which keeps each person in a class with the same sensitive values; or base each release "
        "on the previous one."
    )

    def link(self, case: Case, one: int, other: int, sides: Sequence[ClassStructure]) -> LinkedReleases:
        """By people, where the evidence knows who is in which class."""
        return link_by_people(case, one, other, sides) or link_releases(case, one, other, sides)

    def distinguish(self, crossing: Crossing) -> Iterator[DistinguishedRows]:
        """For each sensitive attribute, the values that remain possible for each linked row."""
        before, after = crossing.earlier.owners[crossing.before], crossing.later.owners[crossing.after]
        sizes = [len(crossing.earlier.codes), len(crossing.later.codes)]
        owners, first = number_tuples([before, after], sizes, len(before))
        for name in crossing.later.values:
            if name in crossing.earlier.values:
                common = _common_values(crossing, name, before[first], after[first])
                codes = crossing.later.values[name][crossing.after].astype(np.int64)
                baseline = np.maximum(_share_before(crossing, name, before), _share(crossing.later, name, after, codes))
                confidence = _share_in(common, owners, codes)
                groups = Classes(common.entries, {name: common}, len(crossing.later))
                yield DistinguishedRows("later", crossing.after, owners, groups, confidence, baseline)


def _common_values(crossing: Crossing, name: str, before: Ints, after: Ints) -> Histogram:
    """For pairs of classes, the values of both, each with the smaller of its two counts."""
    domain = crossing.later.domains[name]
    index = {label: code for code, label in enumerate(domain.labels)}
    known = np.array([index.get(label, -1) for label in crossing.earlier.domains[name].labels], dtype=np.int64)
    one, other = crossing.earlier.classes.histograms[name], crossing.later.classes.histograms[name]
    many = one.distinct[before]
    pair, entry = concatenate_ranges(one.offsets[before], many)
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


def _share_before(crossing: Crossing, name: str, classes: Ints) -> Floats:
    """The shares of the linked rows' own values in their earlier classes."""
    codes = crossing.earlier.values[name][crossing.before].astype(np.int64)
    return _share(crossing.earlier, name, classes, codes)


def _share(side: ClassStructure, name: str, classes: Ints, codes: Ints) -> Floats:
    return _share_in(side.classes.histograms[name], classes, codes)


def _share_in(histogram: Histogram, owners: Ints, codes: Ints) -> Floats:
    """For each pair of a class and a value, the value's share of the class; 0 where the class does not have it."""
    width = max(len(histogram.domain), 1)
    keys = histogram.owners * width + histogram.values
    wanted = owners * width + codes
    if not len(keys):
        return np.zeros(len(wanted))
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    counts = np.where(keys[place] == wanted, histogram.counts[place], 0)
    return np.asarray(counts / np.maximum(histogram.entries[owners], 1), dtype=np.float64)
