"""Personalized privacy: each person names the values that they do not want to be linked to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.data.classes import Classes, Domain
from cobogo.data.hierarchy import Label
from cobogo.errors import PolicyError
from cobogo.floor.arguments import missing, number, text
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr, trn
from cobogo.promises.models.base import Model

SLACK = 1e-12


@card(
    "personalized",
    plain=(
        "A column states for each person what they do not want to be linked to; an attacker links them to "
        "it with a probability of at most p."
    ),
    title="personalized privacy",
    group="knowledge",
    start={"guard": "", "p": 0.5},
)
@dataclass(frozen=True)
class Personalized(Model):
    r"""No person is linked, with a probability above p, to the values to which they asked not to be linked.

    ``guard`` is a column that names, for each record, a node of the sensitive attribute's hierarchy: a value, a group
    of values at any level, or ``*`` for all of them. NULL asks for no protection. The breach probability of a record is
    the share of its class whose sensitive value lies under that node. A label that appears at several levels means the
    highest of them. In the paper the node lies above the person's own value; here it need not.

    The model is not monotone: a class may be merged with a class that is full of the guarded values and in which no
    person asked for protection. The role of the guard column is "identifier": it is counted, and left out of the
    release. With the role "sensitive" it is released beside the value that it guards, and a wish that is narrower than
    the class reveals something about the person who made it.

    Formula: $\frac{\lvert\{u \in E : x_u \text{ under } g_t\}\rvert}{\lvert E\rvert} \le p$ for every class $E$ and
        each of its records $t$, with the wish $g_t$
    Example: A person of the first class asks not to be linked to any infection, which half of the class has.
        >>> from cobogo.data.hierarchy import Hierarchy
        >>> from cobogo.promises.models.example_classes import classes
        >>> tree = Hierarchy.from_columns("disease", [["flu", "hiv", "gout"], ["infection", "infection", "other"]])
        >>> table = classes(
        ...     disease=[["flu", "hiv", "gout", "gout"], ["hiv", "flu"]],
        ...     wish=[["infection", None, None, None], [None, None]],
        ...     hierarchies={"disease": tree},
        ... )
        >>> Personalized("disease", "wish", p=0.4).measure(table).tolist()
        [0.5, 0.0]

    Guarantee: An attacker who finds a person's class believes that the person has a guarded value with a probability of
        at most p.
    Limits: People who asked for no protection are not protected. Attackers who know the values of other people of the
        class, or how values depend on quasi-identifiers, are not covered.
    Cost: $O(w\,v)$ for w distinct wishes and v pairs of a class and a value.
    Paper: X. Xiao and Y. Tao, Personalized privacy preservation, SIGMOD 2006.
    """

    attribute: str
    guard: str
    p: float
    missing: Literal["value"] | None = None

    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        text(self.name, "guard", self.guard)
        number(self.name, "p", self.p, least=0, most=1)
        missing(self.name, self.missing)
        if self.guard == self.attribute:
            raise ValueError(
                f"The 'guard' parameter of {self.name} must be another column than the attribute that it guards. "
                f"Got {self.guard!r} instead"
            )

    @property
    def attributes(self) -> tuple[str, ...]:
        """The guarded values and the wishes."""
        return (self.attribute, self.guard)

    def check_domains(self, domains: Mapping[str, Domain]) -> None:
        """The attribute has a hierarchy, and every wish is one of its nodes."""
        tree = domains[self.attribute].tree
        nodes = {label for level in tree.labels for label in level}
        unknown = [label for label in domains[self.guard].labels if label is not None and label not in nodes]
        if unknown:
            raise PolicyError(
                trn(
                    '{n:,} value of "{guard}" is not in the hierarchy of "{attribute}"',
                    '{n:,} values of "{guard}" are not in the hierarchy of "{attribute}"',
                    n=len(unknown),
                    guard=self.guard,
                    attribute=self.attribute,
                ),
                where="privacy.models",
                remedy=tr(
                    "Correct these values, or add them to the hierarchy. Leave the field empty for people "
                    "who ask for nothing."
                ),
            )

    def measure(self, classes: Classes) -> Floats:
        """The largest breach probability of each class; 0 where nobody asks for anything."""
        (values, there), wishes = self.known_values(classes), classes.histograms[self.guard]
        found = np.zeros(len(classes))
        for wish in np.unique(wishes.values):
            label = wishes.domain.labels[wish]
            if label is not None:
                asking = wishes.owners[wishes.values == wish]
                under = _values_under(values.domain, label)[values.values]
                people = values.sums(np.where(under, values.counts, 0).astype(float))[asking]
                found[asking] = np.maximum(found[asking], people / np.maximum(there[asking], 1))
        return np.minimum(found, 1.0)  # with several records a person may be counted under several values

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most p."""
        return measured <= self.p + SLACK


def _values_under(domain: Domain, node: Label) -> Mask:
    """Which values of a domain lie under a node of its hierarchy; none under a node that it does not have."""
    tree = domain.tree
    for labels, codes in zip(reversed(tree.labels), reversed(tree.maps), strict=True):
        if node in labels:
            return np.asarray(codes[domain.leaf_codes] == labels.index(node))
    return np.zeros(len(domain), dtype=np.bool_)
