"""People by signature: the set of sensitive values that a person's group must have in every release of a series."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from cobogo.errors import NoSolution
from cobogo.floor import randomness
from cobogo.floor.arrays import Ints, Small
from cobogo.floor.language import tr, trn
from cobogo.promises.models.m_invariance import MInvariance
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.partition.groups import Parcels

Values = tuple[int, ...]
"""The values of a signature, as codes in order."""


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


def fill_buckets(people: People, region: Ints) -> list[Bucket]:
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
        bucket.add(value, new.take(value, min(gap, new.spare(value, m))))


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
                raise too_many_left_out(len(people.values))
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


def too_many_left_out(left_out: int) -> NoSolution:
    """The error where more people cannot be in any group than may be suppressed."""
    return NoSolution(
        trn(
            "{n:,} person cannot be released, more than the suppression limit allows",
            "{n:,} people cannot be released, more than the suppression limit allows",
            n=left_out,
        ),
        remedy=tr(
            "Raise suppression-limit: their values are missing, or are not among those of their earlier group. Where "
            "the attribute has fewer than m values, lower m."
        ),
    )
