"""Counterfeited generalization: groups for m-invariance, filled up with invented records where a value has died out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cobogo.data.classes import Classes
from cobogo.data.table.frequency import count_values
from cobogo.errors import PolicyError
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
from cobogo.publish.recode.partition.signatures import Bucket, People, Values, fill_buckets, too_many_left_out
from cobogo.publish.recode.partition.space import tree_order


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
    buckets = [bucket for region in people.regions() for bucket in fill_buckets(people, region)]
    groups, of_group = _partition(people, buckets, progress)
    if groups.suppressed > problem.limit or not groups.count:
        raise too_many_left_out(groups.suppressed)
    assignment = _invent(people, [buckets[number].signature for number in of_group.tolist()], groups)
    if not unbroken(assignment):
        raise too_many_left_out(groups.suppressed)
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


@dataclass(eq=False, repr=False)
class Halves:
    """Buckets on their way to groups: the part of each member, and of each part its bucket and its depth."""

    members: Ints  # people
    part: Ints
    bucket: Ints  # of each part
    depth: Ints  # of each part: how many groups it becomes


def _partition(people: People, buckets: list[Bucket], progress: Steps | None) -> tuple[RecordGroups, Ints]:
    """Halve the buckets along one quasi-identifier at a time, until each value occurs once in each part. Returns the
    groups, and the bucket of each."""
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
    return RecordGroups(people.parcels, owners, len(found.depth), checked), found.bucket


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


def _invent(people: People, signatures: list[Values], groups: RecordGroups) -> Counterfeited:
    """The groups, and a counterfeit for every value of a group's signature that nobody in it has."""
    a = generalize_groups(groups, joined=False)
    kept = np.flatnonzero(groups.owners >= 0)
    wanted = np.repeat(np.arange(groups.count), [len(signature) for signature in signatures])
    values = np.concatenate([np.array(signature, dtype=np.int64) for signature in signatures])
    width = int(values.max(initial=0)) + 1
    gaps = np.setdiff1d(wanted * width + values, groups.owners[kept] * width + people.values[kept])
    return Counterfeited(
        a.problem, a.levels, a.leaves, a.tuples, a.owners, a.counts,
        model=people.model, invented=(gaps % width).astype(np.int32), invented_owners=gaps // width,
    )  # fmt: skip
