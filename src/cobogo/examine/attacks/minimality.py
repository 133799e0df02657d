"""Minimality: what the choice of a recoding tells of the values that it was chosen for.

The attacker deals the released values at random to the people of their class: each deal is a world, a table that could
lie behind the release. Worlds in which a finer recoding would have satisfied the models are ruled out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.data.classes import Classes, Domain, Histogram
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.policy import Policy, Role
from cobogo.data.policy.tables import records_allowed
from cobogo.errors import PolicyError
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.compatible import hierarchy
from cobogo.examine.attacks.linking import Links, link
from cobogo.examine.attacks.masking import followed_by_distance
from cobogo.examine.attacks.suspects import attributes
from cobogo.floor.arguments import number, whole
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card
from cobogo.promises import models
from cobogo.promises.models import Model, Scope
from cobogo.promises.models.check import failing_classes


@card("minimality")
@dataclass(frozen=True)
class Minimality(Attack):
    r"""Reason from what was not released: a table less coarse must have failed the models.

    The attacker knows everybody's quasi-identifiers, the models, and that no more is made coarser than they ask for. Of
    all the ways to deal the released values of a class to its people, only those remain in which one step less would
    have failed: of a full-domain release, one level less in one column; of another, a class split by one column. The
    ways are drawn at random, ``worlds`` of them. People are left out whose class is not certain, and so is a step that
    fails whatever the values are: where the recoding is chosen by sizes alone, as by k-anonymity, the choice tells
    nothing.

    Formula: $\Pr[x_t = s \mid \text{every step down fails}] - \frac{c_s}{\lvert E\rvert}$, the gain over what the class
        alone tells
    Example: One class of seven, since HIV would be all of the group a.
        >>> from cobogo import anonymize, attack
        >>> from cobogo.studies.worked import roles, table
        >>> people = table("q ill", "a HIV", "a HIV", "b flu", "b gout", "b cold", "b ache", "b pox")
        >>> policy = roles("q", "ill", q={"tree": {"any": ["a", "b"]}})
        >>> policy["privacy"] = {"models": [{"model": "alpha-k-anonymity", "alpha": 0.5, "k": 1}]}
        >>> found = attack("minimality", anonymize(people, policy), knowledge=people.select(["q"]))
        >>> found.exposed.tolist(), found.confidence.tolist()[:2]
        ([1, 2], [1.0, 1.0])

    Guarantee: None: an attack finds, it does not protect. m-confidentiality helps, and so do models that look at sizes
        alone.
    Limits: Worlds are sampled: small gains may be missed. In a local release classes overlap, and most choices tell
        nothing.
    Cost: $O(w\,n)$ for w worlds and n people.
    Paper: R. C.-W. Wong, A. W.-C. Fu, K. Wang and J. Pei, Minimality attack in privacy preserving data publishing, VLDB
        2007.
    """

    threshold: float = 0.2
    attribute: str | None = None
    worlds: int = 3000
    seed: int = 0

    finds: ClassVar[Finding] = "value"
    against: ClassVar[frozenset[str] | None] = frozenset({"recoding"})
    knows: ClassVar[str] = "everybody's quasi-identifiers, the models, and that no more than they ask for is coarser"
    defence: ClassVar[str] = "m-confidentiality: the recoding is chosen without a look at the sensitive values."
    needs: ClassVar[frozenset[Input]] = frozenset({"knowledge"})

    def __post_init__(self) -> None:
        number(self.name, "threshold", self.threshold, least=0, most=1)
        whole(self.name, "worlds", self.worlds, least=FEWEST)
        whole(self.name, "seed", self.seed, least=0)

    def idle(self, case: Case) -> str | None:
        """Nobody can be linked to means."""
        return super().idle(case) or followed_by_distance(case.release)

    def run(self, case: Case) -> Findings:
        """For each person whose class is certain, the belief that gains most."""
        assert case.knowledge is not None
        policy = case.release.policy
        if policy is None:
            raise PolicyError("needs the models of the release", where=self.name, remedy="Give the policy: --policy.")
        links = link(case.knowledge, case.release, columns=case.release.quasi_identifiers)
        members = certain_members(links)
        labels, uniform = finer_labels(case, links, members, policy)
        whole_table = uniform if case.release.manifest is None else _is_full_domain(case)
        sure, before = np.zeros(case.knowledge.count), np.zeros(case.knowledge.count)
        choices, telling = 0, 0
        for name in attributes(case, self.attribute):
            dealer = self._dealer(case, links, name, policy)
            for believed in _choices(case, members, labels, dealer, policy, whole_table=whole_table):
                choices += 1
                if believed is not None:
                    telling += 1
                    rows = believed.rows
                    better = believed.after - believed.before > sure[rows] - before[rows]
                    sure[rows] = np.where(better, believed.after, sure[rows])
                    before[rows] = np.where(better, believed.before, before[rows])
        rows = np.flatnonzero(sure > 0)
        return self.found(
            "knowledge",
            rows + 1,
            sure[rows],
            baseline=before[rows],
            by="gain",
            attacked=case.knowledge.count,
            measures={
                "people whose class is certain": len(members),
                "choices that values may have made": choices,
                "choices that tell something": telling,
            },
            notes=links.notes,
            untried=links.untried,
        )

    def _dealer(self, case: Case, links: Links, attribute: str, policy: Policy) -> WorldDealer:
        asked = [model for model in models.build(policy.models, policy.sensitive) if _on_classes(model)]
        rows = case.release.rows
        values = rows.histogram(attribute, links.released)
        spec = policy.attributes[attribute].hierarchy if attribute in policy.attributes else None
        tree = None if spec is None else hierarchy(attribute, rows.labels(attribute), (), policy)
        domain = Domain(attribute, values.domain.labels, values.domain.total, tree, policy.data.decimal)
        return WorldDealer(
            values,
            domain,
            [model for model in asked if not model.attributes],
            [model for model in asked if model.attributes == (attribute,) and not model.blind],
            self.worlds,
            np.random.default_rng(self.seed),
        )


def _choices(
    case: Case,
    members: ClassMembers,
    labels: dict[str, Ints],
    dealer: WorldDealer,
    policy: Policy,
    *,
    whole_table: bool,
) -> Iterator[WorldBelief | None]:
    """The beliefs that follow from each choice which values may have made: one for the table, or one for each class."""
    if not dealer.on_values or not len(members):
        return
    limit, parts = 0, [(members, labels)]
    if whole_table:
        assert case.knowledge is not None
        suppressed = case.knowledge.count - len(members)
        limit = max(records_allowed(policy.recoding.suppression_limit, case.knowledge.count) - suppressed, 0)
    else:
        ends = np.cumsum([0, *(len(part) for part in members.by_class())]).tolist()
        parts = [
            (part, {name: found[begin:end] for name, found in labels.items()})
            for part, begin, end in zip(members.by_class(), ends[:-1], ends[1:], strict=True)
        ]
    for part, found in parts:
        steps = [step for column in found.values() if (step := split_classes(part, column)) is not None]
        steps = [step for step in steps if dealer.is_open(step, limit)]
        if steps:
            yield dealer.belief(part, steps, limit)


def _is_full_domain(case: Case) -> bool:
    assert case.release.manifest is not None
    quasi = [column for column in case.release.manifest.columns if column.role is Role.QUASI_IDENTIFIER]
    return all(column.level is not None for column in quasi)


def _on_classes(model: Model) -> bool:
    """Whether a class and its values are all that a model looks at."""
    more = model.populations or model.series or model.needs_people or model.needs_members
    return model.scope is Scope.CLASS and not more


ROOM = 4_000_000
"""Values that are dealt at a time."""

FEWEST = 100
"""Worlds that must be left for a belief to be stated."""


@dataclass(frozen=True, eq=False, repr=False)
class WorldBelief:
    """What is believed of some people: rows of the knowledge, how surely, and how surely by their class alone."""

    rows: Ints
    after: Floats
    before: Floats


@dataclass(frozen=True, eq=False, repr=False)
class ClassMembers:
    """The people whose class is certain, sorted by class: their rows, distinct tuples and classes."""

    rows: Ints
    tuples: Ints
    classes: Ints

    def part(self, chosen: slice) -> ClassMembers:
        """Some of them."""
        return ClassMembers(self.rows[chosen], self.tuples[chosen], self.classes[chosen])

    def __len__(self) -> int:
        return len(self.rows)

    def by_class(self) -> Iterator[ClassMembers]:
        """Class by class."""
        starts = np.flatnonzero(np.diff(self.classes, prepend=-1)).tolist()
        for begin, end in zip(starts, [*starts[1:], len(self)], strict=True):
            yield self.part(slice(begin, end))


def certain_members(links: Links) -> ClassMembers:
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
    return ClassMembers(order, links.known.ids[order], found[links.known.ids[order]])


def finer_labels(case: Case, links: Links, members: ClassMembers, policy: Policy) -> tuple[dict[str, Ints], bool]:
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


def split_classes(members: ClassMembers, labels: Ints) -> Ints | None:
    """The classes that people would be in with finer labels; None where that changes nothing."""
    pairs = members.classes * (int(labels.max(initial=0)) + 1) + labels
    distinct, groups = np.unique(pairs, return_inverse=True)
    return groups.astype(np.int64) if len(distinct) > len(np.unique(members.classes)) else None


@dataclass(frozen=True, eq=False, repr=False)
class WorldDealer:
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
        failed = failing_classes(self.on_sizes, Classes(sizes, {}, int(sizes.sum())))
        return int(sizes[failed].sum()) <= limit

    def belief(self, members: ClassMembers, steps: Sequence[Ints], limit: int) -> WorldBelief | None:
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

    def _dealt(self, members: ClassMembers, worlds: int) -> Ints:
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
        failed = failing_classes([*self.on_sizes, *self.on_values], classes)
        passing: Mask = (sizes * failed).reshape(many, groups).sum(axis=1) <= limit
        return passing

    def _believed(self, members: ClassMembers, worlds: Ints) -> WorldBelief:
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
        return WorldBelief(members.rows, after[chosen][alike], before[chosen][alike])
