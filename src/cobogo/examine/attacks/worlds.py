"""Worlds: tables that could lie behind a release, dealt at random, and what its publisher would have made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cobogo.data.classes import Classes, Domain, Histogram
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.policy import Policy
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.compatible import hierarchy
from cobogo.examine.attacks.linking import Links
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.promises.models import Model
from cobogo.promises.models.check import failing

ROOM = 4_000_000
"""Values that are dealt at a time."""

FEWEST = 100
"""Worlds that must be left for a belief to be stated."""


@dataclass(frozen=True, eq=False, repr=False)
class Belief:
    """What is believed of some people: rows of the knowledge, how surely, and how surely by their class alone."""

    rows: Ints
    after: Floats
    before: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Members:
    """The people whose class is certain, sorted by class: their rows, distinct tuples and classes."""

    rows: Ints
    tuples: Ints
    classes: Ints

    def part(self, chosen: slice) -> Members:
        """Some of them."""
        return Members(self.rows[chosen], self.tuples[chosen], self.classes[chosen])

    def __len__(self) -> int:
        return len(self.rows)

    def by_class(self) -> Iterator[Members]:
        """Class by class."""
        starts = np.flatnonzero(np.diff(self.classes, prepend=-1)).tolist()
        for begin, end in zip(starts, [*starts[1:], len(self)], strict=True):
            yield self.part(slice(begin, end))


def settled(links: Links) -> Members:
    """The people of whose class there is no doubt.

    A class is certain when it is the only one for everybody who fits it, and has as many records as people fit it.
    """
    one = np.diff(links.offsets) == 1
    doubtful = np.bincount(links.targets, (~one)[links.owners], len(links.released)) > 0
    certain = ~doubtful & (links.people == links.released.sizes)
    found = np.full(len(links.known), -1, dtype=np.int64)
    found[one] = links.targets[links.offsets[:-1][one]]
    found = np.where(np.append(certain, False)[found], found, -1)
    rows = np.flatnonzero(found[links.known.ids] >= 0)
    order = rows[np.argsort(found[links.known.ids[rows]], kind="stable")]
    return Members(order, links.known.ids[order], found[links.known.ids[order]])


def finer(case: Case, links: Links, members: Members, policy: Policy) -> tuple[dict[str, Ints], bool]:
    """For each column that can be less coarse by one level, what each person would then be released as; also whether
    each column has one level throughout.

    A column that the policy does not let go lower is left out.
    """
    assert case.knowledge is not None
    found: dict[str, Ints] = {}
    uniform = True
    for column, name in enumerate(links.columns):
        labels, released = case.knowledge.labels(name), case.release.rows.labels(name)
        tree = hierarchy(name, labels, released, policy) if name in policy.attributes else None
        if tree is None:
            continue
        pairs, inverse = np.unique(
            links.known.codes[members.tuples, column] * np.int64(len(released))
            + links.released.codes[members.classes, column],
            return_inverse=True,
        )
        known, shown = np.divmod(pairs, max(len(released), 1))
        steps = [
            _step(tree, labels[one], released[other]) for one, other in zip(known.tolist(), shown.tolist(), strict=True)
        ]
        levels = {level for level, _ in steps}
        uniform &= len(levels) <= 1
        lowest = policy.attributes[name].min_level
        below = [
            label if level > lowest else released[other] for (level, label), other in zip(steps, shown, strict=True)
        ]
        index = {label: code for code, label in enumerate(dict.fromkeys(below))}
        found[name] = np.array([index[label] for label in below], dtype=np.int64)[inverse]
    return found, uniform


def _step(tree: Hierarchy, value: Label, released: Label) -> tuple[int, Label]:
    """The level that a value was released at, and its label one level below."""
    place = tree.index.get(value)
    if place is not None:
        for level in range(1, tree.height + 1):
            if tree.labels[level][int(tree.maps[level][place])] == released:
                return level, tree.labels[level - 1][int(tree.maps[level - 1][place])]
    return 0, released


def split(members: Members, labels: Ints) -> Ints | None:
    """The classes that people would be in with finer labels; None where that changes nothing."""
    pairs = members.classes * (int(labels.max(initial=0)) + 1) + labels
    distinct, groups = np.unique(pairs, return_inverse=True)
    return groups.astype(np.int64) if len(distinct) > len(np.unique(members.classes)) else None


@dataclass(frozen=True, eq=False, repr=False)
class Dealer:
    """Deals the values of classes to their people, and throws away the worlds in which less would have done."""

    values: Histogram  # of the released classes
    domain: Domain
    on_sizes: Sequence[Model]  # models that look at no values
    on_values: Sequence[Model]
    worlds: int
    random: np.random.Generator

    def is_open(self, step: Ints, limit: int) -> bool:
        """Whether a step is not ruled out by sizes alone."""
        sizes = np.bincount(step)
        failed = failing(self.on_sizes, Classes(sizes, {}, int(sizes.sum())))
        return int(sizes[failed].sum()) <= limit

    def belief(self, members: Members, steps: Sequence[Ints], limit: int) -> Belief | None:
        """What is believed once every step is known to have failed; None where that tells nothing."""
        at_once = max(ROOM // max(len(members), 1), 1)
        wanted = min(self.worlds, max(at_once * 10, FEWEST))
        kept = []
        for begin in range(0, wanted, at_once):
            worlds = self._dealt(members, min(at_once, wanted - begin))
            fine = np.zeros(len(worlds), dtype=np.bool_)
            for step in steps:
                fine |= self._passes(worlds, step, limit)
            kept.append(worlds[~fine])
        left = np.concatenate(kept)
        return self._believed(members, left) if FEWEST <= len(left) < wanted else None

    def _dealt(self, members: Members, worlds: int) -> Ints:
        """Worlds × people: the values of each class in a random order."""
        there = np.zeros(len(self.values.offsets) - 1, dtype=np.bool_)
        there[members.classes] = True
        entries = there[self.values.owners]
        held = np.repeat(self.values.values[entries], self.values.counts[entries]).astype(np.int64)
        order = np.argsort(members.classes + self.random.random((worlds, len(members))), axis=1)
        return held[order]

    def _passes(self, worlds: Ints, step: Ints, limit: int) -> Mask:
        """In which worlds a step would have satisfied every model."""
        many, groups, width = len(worlds), int(step.max()) + 1, len(self.domain)
        owners = np.arange(many)[:, None] * groups + step
        pairs, counts = np.unique((owners * width + worlds).ravel(), return_counts=True)
        offsets = np.searchsorted(pairs // width, np.arange(many * groups + 1)).astype(np.int64)
        values = Histogram(offsets, (pairs % width).astype(np.int32), counts.astype(np.int64), self.domain)
        sizes = np.tile(np.bincount(step, minlength=groups), many).astype(np.int64)
        classes = Classes(sizes, {self.domain.attribute: values}, int(worlds.shape[1]))
        failed = failing([*self.on_sizes, *self.on_values], classes)
        passing: Mask = (sizes * failed).reshape(many, groups).sum(axis=1) <= limit
        return passing

    def _believed(self, members: Members, worlds: Ints) -> Belief:
        """For each person, the value whose belief rises most over the share that it has of the class."""
        width = len(self.domain)
        pairs, alike = np.unique(
            members.classes * (int(members.tuples.max()) + 1) + members.tuples, return_inverse=True
        )
        classes = pairs // (int(members.tuples.max()) + 1)
        counts = np.zeros(len(pairs) * width)
        for world in worlds:
            counts += np.bincount(alike * width + world, minlength=len(counts))
        after = counts.reshape(len(pairs), width) / (np.bincount(alike) * len(worlds))[:, None]
        shares = np.zeros((len(self.values.offsets) - 1, width))
        shares[self.values.owners, self.values.values] = self.values.counts
        before = (shares / np.maximum(shares.sum(axis=1, keepdims=True), 1))[classes]
        best = (after - before).argmax(axis=1)
        chosen = np.arange(len(pairs)), best
        return Belief(members.rows, after[chosen][alike], before[chosen][alike])
