"""Counterfeited generalization: groups for m-invariance, filled up with invented records where a value has died out."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cobogo.data.classes import Classes
from cobogo.data.table.frequency import count_values
from cobogo.errors import NoSolution, PolicyError
from cobogo.examine.attacks.rows import concatenate_ranges
from cobogo.floor import randomness
from cobogo.floor.arrays import Floats, Ints, Small, Texts
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.progress import Steps
from cobogo.promises.models.m_invariance import MInvariance
from cobogo.publish.recode.contract.assignment import Assignment
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.partition.groups import (
    Parcels,
    RecordGroups,
    common_levels,
    generalize_groups,
    name_groups,
    unbroken,
)
from cobogo.publish.recode.partition.space import tree_order

Values = tuple[int, ...]
"""A signature: the codes of its values, in order."""


@card("counterfeits", group="partition", recodings=("cell",), invents=True)
def counterfeits(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:  # noqa: ARG001
    r"""Makes the groups that m-invariance asks for, release after release, and adds counterfeit records where a value
    of somebody's earlier group no longer occurs.

    Division: people of earlier releases go to the bucket of their signature, the set of values of their earlier group.
    Balancing: every value of a bucket must occur equally often; people who are new fill the gaps, and counterfeits
    fill the rest. Assignment: the other new people make buckets of their most frequent values, at least m of them.
    Partitioning: each bucket is halved again and again along the quasi-identifier that narrows most, into groups with
    each value once. A group is released as the lowest values of the hierarchies that cover its people; its counterfeits
    have the same. A column names the groups, because groups with other signatures may have equal values.

    Counterfeits beside a recoding of whole columns would not do: people who are released with equal values had
    different signatures, and would have to be suppressed. Here each person is put into a group.

    Formula: $\lvert\{t \in B : s(t) = x\}\rvert = \alpha_B$ for every value $x$ of the signature of the bucket $B$,
        counterfeits included; each of its $\alpha_B$ groups has each value once
    Example: Nobody has a cough any more. One counterfeit has it, so that the other person's group keeps its values.
        >>> import tempfile
        >>> from cobogo import anonymize
        >>> from cobogo.studies.worked_examples import table
        >>> def policy(**previous):
        ...     return {"data": {"unit": "who"},
        ...             "attributes": {"who": {"role": "identifier"},
        ...                            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
        ...                            "ill": {"role": "sensitive"}},
        ...             "privacy": {"models": [{"model": "m-invariance", "m": 2} | previous]},
        ...             "recoding": {"algorithm": "counterfeits"}}
        >>> with tempfile.TemporaryDirectory() as home:
        ...     _ = anonymize(table("who zip ill", "ann 11 flu", "bob 12 cough"), policy()).write(f"{home}/first")
        ...     later = anonymize(table("who zip ill", "ann 11 flu"), policy(previous=f"{home}/first"))
        >>> sorted(row["ill"] for row in later.to_arrow().to_pylist())
        ['cough', 'flu']

    Guarantee: m-invariance, checked again on the written release. The release says how many counterfeits each group
        has, and not which records they are; the guarantee holds against attackers who know the number.
    Limits: Serves m-invariance and no other model, one sensitive attribute, and quasi-identifiers: any other column
        would have to be invented, too, and could give counterfeits away. People are suppressed who have no value, or
        one that is not in their signature. Counts of sensitive values include the counterfeits.
    Cost: $O(a\,n \log n \log (n/m))$ for n people and a attributes.
    Paper: X. Xiao and Y. Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007.
    """
    people = People.of(problem, _the_model(problem))
    buckets = [bucket for region in people.regions() for bucket in _fill_buckets(people, region)]
    groups = _partition(people, buckets, progress)
    if groups.suppressed > problem.limit or not groups.count:
        raise _too_many_left_out(groups.suppressed)
    assignment = _invent(people, buckets, groups)
    if not unbroken(assignment):
        raise _too_many_left_out(groups.suppressed)
    metric, value = assignment.metric_value()
    return Assigned("counterfeits", assignment, value, groups.checked, groups.checked, metric=metric)


def _the_model(problem: Problem) -> MInvariance:
    """The model that asks for signatures: the only one that can be served."""
    model = problem.promised[0] if len(problem.promised) == 1 else None
    if not isinstance(model, MInvariance):
        raise PolicyError(
            tr("counterfeits serves one model, m-invariance, and no other beside it"),
            where="privacy.models",
            remedy=tr('Ask for m-invariance alone, or choose another algorithm, such as "optimal".'),
        )
    if problem.table.people is None:
        raise PolicyError(
            tr("counterfeits follows people from release to release, and needs a column that identifies them"),
            where="data.unit",
            remedy=tr("Name the column that identifies people, and give it the role identifier."),
        )
    return model


def _too_many_left_out(left_out: int) -> NoSolution:
    return NoSolution(
        tr("{left_out:,} people cannot be released, more than the suppression limit allows", left_out=left_out),
        remedy=tr(
            "Raise suppression-limit: their values are missing, or are not among those of their earlier group. Where "
            "the attribute has fewer than m values, lower m."
        ),
    )


@dataclass(frozen=True, eq=False, repr=False)
class People:
    """Everybody, one record each: their quasi-identifiers, their value, and the signature that they must keep."""

    model: MInvariance
    parcels: Parcels
    values: Small
    signature: Ints  # of each person, into ``signatures``; −1 of people who are new
    signatures: tuple[Values, ...]
    frequent: Ints  # the values that count, most frequent first

    @classmethod
    def of(cls, problem: Problem, model: MInvariance) -> People:
        """The people of a problem, in the order of their codes."""
        known = problem.table.people
        assert known is not None
        tuples = np.empty(len(known.names), dtype=np.int64)
        tuples[known.sets.values] = known.sets.owners
        domain = known.domains[model.attribute]
        code = {label: number for number, label in enumerate(domain.labels)}
        earlier = [known.earlier[pair] for pair in model.series]
        signatures = tuple(tuple(sorted(code[label] for label in one)) for e in earlier for one in e.signatures)
        keep = earlier[0].of if earlier else np.full(len(tuples), -1, dtype=np.int64)
        counting = [number for label, number in code.items() if label is not None or model.counts_missing]
        frequent = np.array(sorted(counting, key=lambda number: -int(domain.total[number])), dtype=np.int64)
        whole = Parcels(problem, tuples, np.ones(len(tuples), dtype=np.int64))
        return cls(model, whole, known.values[model.attribute], keep, signatures, frequent)

    def regions(self) -> Iterator[Ints]:
        """The people who may share groups by the highest levels allowed, in random order; without those who cannot be
        in any group: their value is missing or not in their signature, or their signature has fewer than m values."""
        regions = self.parcels.regions()
        able = np.isin(self.values, self.frequent)
        for number, signature in enumerate(self.signatures):
            fits = np.isin(self.values, signature) & (len(signature) >= self.model.m)
            able &= (self.signature != number) | fits
        order = np.argsort(randomness.keys(len(regions)))
        order = order[able[order]]
        for region in np.unique(regions[order]).tolist():
            yield order[regions[order] == region]


@dataclass(frozen=True, eq=False, repr=False)
class Bucket:
    """People who share a signature. Each of its values is to occur as often as the most frequent one."""

    signature: Values
    members: dict[int, Ints] = field(default_factory=dict)  # by value

    @property
    def depth(self) -> int:
        """The number of groups that it becomes."""
        return max(map(len, self.members.values()), default=0)

    def add(self, value: int, people: Ints) -> None:
        """More people who have one of its values."""
        self.members[value] = np.concatenate([self.members.get(value, np.zeros(0, dtype=np.int64)), people])


@dataclass(eq=False, repr=False)
class Newcomers:
    """New people by value, and how many of each value are not in a bucket yet."""

    pools: dict[int, Ints]
    left: Ints  # by value

    @classmethod
    def of(cls, people: People, chosen: Ints) -> Newcomers:
        """Some people who have no signature to keep."""
        pools = {value: chosen[people.values[chosen] == value] for value in people.frequent.tolist()}
        left = np.bincount(people.values[chosen], minlength=int(people.frequent.max(initial=-1)) + 1)
        return cls(pools, left.astype(np.int64))

    def take(self, value: int, many: int) -> Ints:
        """Some of those who have a value."""
        self.left[value] -= many
        rest = int(self.left[value])
        return self.pools[value][rest : rest + many]

    def spare(self, value: int, m: int) -> int:
        """How many with a value may go without making another value too frequent for groups of m values."""
        total, most = int(self.left.sum()), int(self.left.max())
        others = int(np.delete(self.left, value).max(initial=0))
        return max(0, min(int(self.left[value]), total + max(0, m * most - total) - m * others))


def _fill_buckets(people: People, region: Ints) -> list[Bucket]:
    """Division, balancing and assignment: everybody of a region in a bucket."""
    kept = region[people.signature[region] >= 0]
    new = Newcomers.of(people, region[people.signature[region] < 0])
    buckets: dict[Values, Bucket] = {}
    for number in np.unique(people.signature[kept]).tolist():
        members = kept[people.signature[kept] == number]
        bucket = buckets.setdefault(people.signatures[number], Bucket(people.signatures[number]))
        for value in np.unique(people.values[members]).tolist():
            bucket.add(value, members[people.values[members] == value])
    for bucket in buckets.values():
        _balance(bucket, new, people.model.m)
    for signature, amounts in _assign(people, new):
        bucket = buckets.setdefault(signature, Bucket(signature))
        for value, many in amounts:
            bucket.add(value, new.take(value, many))
    return list(buckets.values())


def _balance(bucket: Bucket, new: Newcomers, m: int) -> None:
    """Fill the gaps of a bucket with new people, as long as the rest of them can still make groups of their own."""
    for value in bucket.signature:
        gap = bucket.depth - len(bucket.members.get(value, ()))
        many = min(gap, new.spare(value, m)) if value < len(new.left) else 0
        if many:
            bucket.add(value, new.take(value, many))


def _assign(people: People, new: Newcomers) -> Iterator[tuple[Values, list[tuple[int, int]]]]:
    """Signatures for the new people, each with how many of which value it takes.

    As long as no value is more frequent than one in m, some α people of each of the β ≥ m most frequent values leave,
    such that this stays true of the rest. Where a value is more frequent, those too many get a signature of the m most
    frequent values, and counterfeits beside them.
    """
    m = people.model.m
    while total := int(new.left.sum()):
        order = np.argsort(-new.left, kind="stable")
        counts = new.left[order]
        beyond = m * int(counts[0]) - total
        if beyond > 0:
            value = int(order[0])
            others = people.frequent[people.frequent != value][: m - 1].tolist()
            if len(others) < m - 1:
                raise _too_many_left_out(len(people.values))
            yield tuple(sorted([value, *others])), [(value, -(-beyond // (m - 1)))]
            continue
        wide, many = _step(counts, total, m)
        chosen = sorted(order[:wide].tolist())
        yield tuple(chosen), [(value, many) for value in chosen]


def _step(counts: Ints, total: int, m: int) -> tuple[int, int]:
    """How many of the most frequent values, and how many people of each, leave at once; ``counts`` come sorted.

    >>> _step(np.array([3, 3, 3]), 9, 2), _step(np.array([5, 3, 2]), 10, 2)
    ((2, 1), (2, 3))
    """
    for wide in range(m, int((counts > 0).sum()) + 1):
        next_most = int(counts[wide]) if wide < len(counts) else 0
        many = min(int(counts[wide - 1]), (total - m * next_most) // wide)
        if wide > m:  # the largest may not become more than one in m of the rest
            many = min(many, (total - m * int(counts[0])) // (wide - m))
        if many > 0:
            return wide, many
    raise AssertionError("no step, though no value is too frequent")


@dataclass(eq=False, repr=False)
class Halves:
    """Buckets on their way to groups: the part of each member, and of each part its bucket and its depth."""

    members: Ints  # people
    part: Ints
    bucket: Ints  # of each part
    depth: Ints  # of each part: how many groups it becomes


def _partition(people: People, buckets: list[Bucket], progress: Steps | None) -> RecordGroups:
    """Halve the buckets along one quasi-identifier at a time, until each value occurs once in each part."""
    sizes = [sum(map(len, bucket.members.values())) for bucket in buckets]
    members = [np.zeros(0, dtype=np.int64), *(part for bucket in buckets for part in bucket.members.values())]
    numbers = np.arange(len(buckets))
    depth = np.array([bucket.depth for bucket in buckets], dtype=np.int64)
    found = Halves(np.concatenate(members), np.repeat(numbers, sizes), numbers, depth)
    checked = 0
    while (found.depth > 1).any():
        if progress is not None:
            progress(int((found.depth == 1).sum()), int(depth.sum()))
        found = _halve(people, found)
        checked += len(found.depth)
    owners = np.full(len(people.values), -1, dtype=np.int64)
    owners[found.members] = found.part
    return RecordGroups(people.parcels, owners, len(found.depth), checked)


def _halve(people: People, parts: Halves) -> Halves:
    """Halve every part that is to become several groups, along the quasi-identifier by which its halves lose least."""
    best, side = np.full(len(parts.depth), np.inf), np.zeros(len(parts.members), dtype=np.int64)
    for column, h in enumerate(people.parcels.problem.hierarchies):
        places = tree_order(h)[people.parcels.leaves[parts.members, column]]
        upper = _upper_half(people.values[parts.members], parts, places)
        lost = _losses(people.parcels, parts.members, 2 * parts.part + upper, len(parts.depth))
        better = lost < best
        best[better] = lost[better]
        side = np.where(better[parts.part], upper, side)
    chosen, part = np.unique(2 * parts.part + side, return_inverse=True)
    parent, whole = chosen // 2, parts.depth[chosen // 2]
    return Halves(parts.members, part, parts.bucket[parent], np.where(chosen % 2, whole // 2, (whole + 1) // 2))


def _upper_half(values: Small, parts: Halves, places: Ints) -> Ints:
    """1 for the members of each part that go to its upper half; every part has a value that all its groups have.

    The median of that value is the cut. Of every other value, those beyond it go to the upper half, as far as neither
    half gets more of them than it will have groups.
    """
    order = np.lexsort((randomness.keys(len(places)), places, values, parts.part))
    width = int(values.max(initial=0)) + 1
    _, pile, many = np.unique(parts.part[order] * width + values[order], return_inverse=True, return_counts=True)
    start = np.cumsum(many) - many
    part = parts.part[order][start]
    depth, low = parts.depth[part], (parts.depth[part] + 1) // 2
    full = np.flatnonzero(many == depth)
    cut = np.empty(len(parts.depth), dtype=np.int64)
    cut[part[full]] = places[order][start[full] + low[full] - 1]
    below = np.bincount(pile, places[order] <= cut[parts.part[order]], len(many)).astype(np.int64)
    below = np.clip(below, many - (depth - low), np.minimum(many, low))
    upper = np.zeros(len(places), dtype=np.int64)
    upper[order] = (np.arange(len(order)) - start[pile] >= below[pile]) & (depth[pile] > 1)
    return upper


def _losses(parcels: Parcels, members: Ints, halves: Ints, parts: int) -> Floats:
    """For each part, what its people lose if it is released as its halves: the share of leaves that a value covers."""
    problem = parcels.problem
    numbers, ids = np.unique(halves, return_inverse=True)
    levels = common_levels(parcels, members, ids, len(numbers))
    lost = np.zeros(len(members))
    for column, (h, weight) in enumerate(zip(problem.hierarchies, problem.weights, strict=True)):
        for level in range(h.height + 1):
            there = levels[ids, column] == level
            covered = h.leaf_counts[level][h.maps[level][parcels.leaves[members[there], column]]]
            lost[there] += weight * covered / len(h.leaves)
    return np.bincount(halves // 2, lost, parts).astype(np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Counterfeited(Assignment):
    """An assignment in which a parcel is a person, in the order of their codes, and a class is a group with a name.

    ``invented`` are the values of the counterfeits, and ``invented_owners`` their groups. No counterfeit has a tuple
    or a person behind it, so sizes and metrics are those of the people alone.
    """

    model: MInvariance = field(kw_only=True)
    invented: Small = field(kw_only=True)
    invented_owners: Ints = field(kw_only=True)

    @cached_property
    def group_names(self) -> Texts:
        """The name of each group."""
        return name_groups(len(self))

    @property
    def counterfeits(self) -> Ints:
        """How many counterfeits each group has."""
        return np.bincount(self.invented_owners, minlength=len(self)).astype(np.int64)

    def classes(self, attributes: Collection[str] | None = None) -> Classes:  # noqa: ARG002
        """The groups as they are released, counterfeits included, and the people in each."""
        people = self.problem.table.people
        assert people is not None
        kept, name = np.flatnonzero(self.owners >= 0), self.model.attribute
        owners = np.concatenate([self.owners[kept], self.invented_owners])
        values = np.concatenate([people.values[name][kept], self.invented])
        histogram = count_values(owners, values, np.ones_like(owners), len(self), people.domains[name])
        sets = count_values(self.owners[kept], kept.astype(np.int32), np.ones_like(kept), len(self), people.sets.domain)
        sizes = self.sizes + self.counterfeits
        return Classes(sizes, {name: histogram}, len(people.names), people=sets, earlier=people.earlier)


def _invent(people: People, buckets: list[Bucket], groups: RecordGroups) -> Counterfeited:
    """The groups, and a counterfeit for every value of a group's signature that nobody in it has."""
    a = generalize_groups(groups, joined=False)
    kept = np.flatnonzero(groups.owners >= 0)
    bucket = np.empty(len(people.values), dtype=np.int64)
    for number, one in enumerate(buckets):
        bucket[np.concatenate(list(one.members.values()))] = number
    of_group = np.empty(groups.count, dtype=np.int64)
    of_group[groups.owners[kept]] = bucket[kept]
    lengths = np.array([len(one.signature) for one in buckets], dtype=np.int64)
    wanted, place = concatenate_ranges((np.cumsum(lengths) - lengths)[of_group], lengths[of_group])
    values = np.concatenate([np.array(one.signature, dtype=np.int64) for one in buckets])[place]
    width = int(values.max(initial=0)) + 1
    gaps = np.setdiff1d(wanted * width + values, groups.owners[kept] * width + people.values[kept])
    return Counterfeited(
        a.problem, a.levels, a.leaves, a.tuples, a.owners, a.counts,
        model=people.model, invented=(gaps % width).astype(np.int32), invented_owners=gaps // width,
    )  # fmt: skip
