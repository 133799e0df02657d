"""Minimality: what the choice of a recoding tells of the values that it was chosen for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.data.classes import Domain
from cobogo.data.policy import Policy, Role
from cobogo.data.policy.tables import records_allowed
from cobogo.errors import PolicyError
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.compatible import hierarchy
from cobogo.examine.attacks.linking import Links, link
from cobogo.examine.attacks.masking import followed_by_distance
from cobogo.examine.attacks.suspects import attributes
from cobogo.examine.attacks.worlds import FEWEST, Dealer, Members, finer, settled, split
from cobogo.examine.attacks.worlds import Belief as Believed
from cobogo.floor.arguments import number, whole
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.promises import models
from cobogo.promises.models import Model, Scope


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
        members = settled(links)
        labels, uniform = finer(case, links, members, policy)
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

    def _dealer(self, case: Case, links: Links, attribute: str, policy: Policy) -> Dealer:
        asked = [model for model in models.build(policy.models, policy.sensitive) if _on_classes(model)]
        rows = case.release.rows
        values = rows.histogram(attribute, links.released)
        spec = policy.attributes[attribute].hierarchy if attribute in policy.attributes else None
        tree = None if spec is None else hierarchy(attribute, rows.labels(attribute), (), policy)
        domain = Domain(attribute, values.domain.labels, values.domain.total, tree, policy.data.decimal)
        return Dealer(
            values,
            domain,
            [model for model in asked if not model.attributes],
            [model for model in asked if model.attributes == (attribute,) and not model.blind],
            self.worlds,
            np.random.default_rng(self.seed),
        )


def _choices(
    case: Case, members: Members, labels: dict[str, Ints], dealer: Dealer, policy: Policy, *, whole_table: bool
) -> Iterator[Believed | None]:
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
        steps = [step for column in found.values() if (step := split(part, column)) is not None]
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
