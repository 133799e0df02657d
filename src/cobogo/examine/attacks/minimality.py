"""Minimality: what the choice of a recoding reveals about the values that it was chosen for.

The attacker deals the values of each class to its people at random. Each deal is a world, a table that could have been
released so. Worlds in which a finer recoding would have satisfied the models are ruled out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.data.classes import Classes, Domain, Histogram
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.policy import Policy, Role
from cobogo.data.policy.tables import allowed_records
from cobogo.errors import PolicyError
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.compatibility import build_hierarchy, unlinkable_reason
from cobogo.examine.attacks.linking import Links, link
from cobogo.examine.attacks.rows import Rows
from cobogo.examine.attacks.suspects import attacked_attributes
from cobogo.floor.arguments import whole
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.promises import models
from cobogo.promises.models import Model, Scope
from cobogo.promises.models.check import failing_classes


@card("minimality")
@dataclass(frozen=True)
class Minimality(Attack):
    r"""Reason from what was not released: a finer table must have failed the models.

    The attacker knows everybody's quasi-identifiers, the models, and that the recoding is no coarser than they require.
    Of all assignments of the values of a class to its people, only those are possible under which every finer recoding
    fails: one level less in one column of a full-domain release, or a class split by one column of another release.
    ``worlds`` assignments are drawn at random. People whose class is not certain are left out. So are finer recodings
    that fail for any values: a recoding that depends on sizes alone, as for k-anonymity, reveals nothing.

    Formula: $\Pr[x_t = s \mid \text{every step down fails}] - \frac{c_s}{\lvert E\rvert}$, the gain over what the class
        alone tells
    Example: There is one class of seven people, because in the group a everybody would have HIV.
        >>> from cobogo import anonymize, attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> people = table("q ill", "a HIV", "a HIV", "b flu", "b gout", "b cold", "b ache", "b pox")
        >>> policy = roles("q", "ill", q={"tree": {"any": ["a", "b"]}})
        >>> policy["privacy"] = {"models": [{"model": "alpha-k-anonymity", "alpha": 0.5, "k": 1}]}
        >>> found = attack("minimality", anonymize(people, policy), knowledge=people.select(["q"]))
        >>> found.exposed.tolist(), found.confidence.tolist()[:2]
        ([1, 2], [1.0, 1.0])

    Guarantee: None: an attack finds people, it does not protect them. m-confidentiality helps, and so do models that
        depend on sizes alone.
    Limits: Assignments are sampled, so small gains may be missed. In a local release classes overlap, and most choices
        reveal nothing.
    Cost: $O(w\,n)$ for w assignments and n people.
    Paper: R. C.-W. Wong, A. W.-C. Fu, K. Wang and J. Pei, Minimality attack in privacy preserving data publishing, VLDB
        2007.
    """

    threshold: float = 0.2
    attribute: str | None = None
    worlds: int = 3000
    seed: int = 0

    finds: ClassVar[Finding] = "value"
    against: ClassVar[frozenset[str] | None] = frozenset({"recoding"})
    knows: ClassVar[str] = tr(
        "everybody's quasi-identifiers, the models, and that nothing was generalized more than they require"
    )
    defence: ClassVar[str] = tr("m-confidentiality: the recoding is chosen without the sensitive values.")
    needs: ClassVar[frozenset[Input]] = frozenset({"knowledge"})

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "worlds", self.worlds, least=FEWEST)
        whole(self.name, "seed", self.seed, least=0)

    def skip_reason(self, case: Case) -> str | None:
        """Means and noisy values cannot be linked."""
        return super().skip_reason(case) or unlinkable_reason(case.release)

    def run(self, case: Case) -> Findings:
        """For each person whose class is certain, the value whose belief gains most."""
        assert case.knowledge is not None
        policy = case.release.policy
        if policy is None:
            raise PolicyError(
                tr("needs the models of the release, which the policy gives"),
                where=self.name,
                remedy=tr("Give the policy: --policy."),
            )
        links = link(case.knowledge, case.release, columns=case.release.quasi_identifiers)
        members = certain_members(links, case.knowledge)
        labels, uniform = finer_labels(case, links, members, policy)
        whole_table = uniform if case.release.manifest is None else _is_full_domain(case)
        sure, before = np.zeros(case.knowledge.count), np.zeros(case.knowledge.count)
        choices, telling = 0, 0
        for name in attacked_attributes(case, self.attribute):
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
        return self.build_findings(
            "knowledge",
            rows + 1,
            sure[rows],
            baseline=before[rows],
            by="gain",
            attacked=case.knowledge.count,
            measures={
                tr("people whose class is certain"): len(members),
                tr("choices that values may have made"): choices,
                tr("choices that tell something"): telling,
            },
            notes=links.notes,
            untried=links.untried,
        )

    def _dealer(self, case: Case, links: Links, attribute: str, policy: Policy) -> WorldDealer:
        required = [model for model in models.build(policy.models, policy.sensitive) if _reads_classes_only(model)]
        rows = case.release.rows
        values = rows.histogram(attribute, links.released)
        spec = policy.attributes[attribute].hierarchy if attribute in policy.attributes else None
        tree = None if spec is None else build_hierarchy(attribute, rows.labels(attribute), (), policy)
        domain = Domain(attribute, values.domain.labels, values.domain.total, tree, policy.data.decimal)
        return WorldDealer(
            values,
            domain,
            [model for model in required if not model.attributes],
            [model for model in required if model.attributes == (attribute,) and not model.blind],
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
    """The beliefs that follow from each choice that may depend on values: one for the table, or one for each class."""
    if not dealer.on_values or not len(members):
        return
    limit, parts = 0, [(members, labels)]
    if whole_table:
        assert case.knowledge is not None
        suppressed = case.knowledge.count - len(members)
        limit = max(allowed_records(policy.recoding.suppression_limit, case.knowledge.count) - suppressed, 0)
    else:
        ends = np.cumsum([0, *(len(part) for part in members.split_by_class())]).tolist()
        parts = [
            (part, {name: found[begin:end] for name, found in labels.items()})
            for part, begin, end in zip(members.split_by_class(), ends[:-1], ends[1:], strict=True)
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


def _reads_classes_only(model: Model) -> bool:
    """Whether a model depends on the classes and their values only."""
    more = model.populations or model.series or model.needs_people or model.needs_members
    return model.scope is Scope.CLASS and not more


ROOM = 4_000_000
"""Values that are dealt at a time: some 100 MB."""

FEWEST = 100
"""Worlds that must remain for a belief to be stated: with a hundred, a share has a standard error of up to 0.05."""


@dataclass(frozen=True, eq=False, repr=False)
class WorldBelief:
    """Beliefs about some people: rows of the knowledge, the belief, and the belief by their class alone."""

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
        """The chosen members."""
        return ClassMembers(self.rows[chosen], self.tuples[chosen], self.classes[chosen])

    def __len__(self) -> int:
        return len(self.rows)

    def split_by_class(self) -> Iterator[ClassMembers]:
        """The members of each class."""
        starts = np.flatnonzero(np.diff(self.classes, prepend=-1)).tolist()
        for begin, end in zip(starts, [*starts[1:], len(self)], strict=True):
            yield self.part(slice(begin, end))


def certain_members(links: Links, knowledge: Rows) -> ClassMembers:
    """The people whose class is certain.

    A class is certain if all people who are compatible with it are compatible with no other class, and are as many as
    its records.
    """
    one = np.diff(links.offsets) == 1
    doubtful = np.bincount(links.targets, (~one)[links.owners], len(links.released)) > 0
    certain = ~doubtful & (links.people == links.released.sizes)
    found = np.full(len(links.known), -1, dtype=np.int64)
    found[one] = links.targets[links.offsets[:-1][one]]
    found = np.where(np.append(certain, False)[found], found, -1)
    rows = np.flatnonzero(found[links.known.ids] >= 0)
    order = rows[np.argsort(found[links.known.ids[rows]], kind="stable")]
    return ClassMembers(order, knowledge.group(links.columns).ids[order], found[links.known.ids[order]])


def finer_labels(case: Case, links: Links, members: ClassMembers, policy: Policy) -> tuple[dict[str, Ints], bool]:
    """For each column, the label of each person one level below the released one; also whether every column has one
    level throughout.

    A column that is at the lowest level that the policy allows keeps its labels.
    """
    assert case.knowledge is not None
    found: dict[str, Ints] = {}
    uniform = True
    for column, name in enumerate(links.columns):
        labels, released = case.knowledge.labels(name), case.release.rows.labels(name)
        tree = build_hierarchy(name, labels, released, policy) if name in policy.attributes else None
        if tree is None:
            continue
        pairs, inverse = np.unique(
            case.knowledge.codes(name)[members.rows] * np.int64(len(released))
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
    """The classes of people with finer labels; None where the classes stay the same."""
    pairs = members.classes * (int(labels.max(initial=0)) + 1) + labels
    distinct, groups = np.unique(pairs, return_inverse=True)
    return groups.astype(np.int64) if len(distinct) > len(np.unique(members.classes)) else None


@dataclass(frozen=True, eq=False, repr=False)
class WorldDealer:
    """Deals the values of classes to their people, and rejects the worlds in which a finer recoding would have
    satisfied the models."""

    values: Histogram  # of the released classes
    domain: Domain
    on_sizes: Sequence[Model]  # models that depend on no values
    on_values: Sequence[Model]
    worlds: int
    random: np.random.Generator

    def is_open(self, step: Ints, limit: int) -> bool:
        """Whether a finer step satisfies the models of sizes, so that its failure says something about values."""
        sizes = np.bincount(step)
        failed = failing_classes(self.on_sizes, Classes(sizes, {}, int(sizes.sum())))
        return int(sizes[failed].sum()) <= limit

    def belief(self, members: ClassMembers, steps: Sequence[Ints], limit: int) -> WorldBelief | None:
        """The beliefs given that every finer step failed; None where all worlds remain, or too few."""
        at_once = max(ROOM // max(len(members), 1), 1)
        wanted = min(self.worlds, max(at_once * 10, FEWEST))
        kept = []
        for begin in range(0, wanted, at_once):
            worlds = self._deal(members, min(at_once, wanted - begin))
            fine = np.zeros(len(worlds), dtype=np.bool_)
            for step in steps:
                fine |= self._passes(worlds, step, limit)
            kept.append(worlds[~fine])
        left = np.concatenate(kept)
        return self._measure_belief(members, left) if FEWEST <= len(left) < wanted else None

    def _deal(self, members: ClassMembers, worlds: int) -> Ints:
        """Worlds × people: the values of each class in a random order."""
        there = np.zeros(len(self.values.offsets) - 1, dtype=np.bool_)
        there[members.classes] = True
        entries = there[self.values.owners]
        values = np.repeat(self.values.values[entries], self.values.counts[entries]).astype(np.int64)
        order = np.argsort(members.classes + self.random.random((worlds, len(members))), axis=1)
        return values[order]

    def _passes(self, worlds: Ints, step: Ints, limit: int) -> Mask:
        """The worlds in which a finer step would have satisfied every model."""
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

    def _measure_belief(self, members: ClassMembers, worlds: Ints) -> WorldBelief:
        """For each person, the value whose share of the worlds exceeds its share of the class most."""
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
