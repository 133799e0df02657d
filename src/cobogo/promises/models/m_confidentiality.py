"""m-confidentiality: what the choice of the recoding itself gives away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import ClassVar, Literal, TypeVar

import numpy as np

from cobogo.data.classes import Classes
from cobogo.data.hierarchy import Label
from cobogo.errors import SearchTooLarge
from cobogo.floor.arguments import missing, whole
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.promises.models.base import Model, Monotone

SLACK = 1e-12
WORLDS_AT_MOST = 1_000_000
"""Tables that `beliefs` goes through one by one: bounds its time. It is meant for small examples."""

Quasi = TypeVar("Quasi")


@card(
    "m-confidentiality",
    plain=(
        "No person's value is believed with a probability above 1/m, even by an attacker who knows how "
        "the algorithm decides: it decides without looking at the sensitive values."
    ),
    group="knowledge",
    start={"m": 2},
)
@dataclass(frozen=True)
class MConfidentiality(Model):
    r"""An attacker who knows everybody's quasi-identifiers, and that the algorithm generalizes no more than its models
    require, believes no person's sensitive value with a probability above 1/m.

    Such an attacker reasons from what was not released: a less general table must have failed. This reveals nothing
    where the recoding was chosen without looking at the sensitive attribute, as by k-anonymity. So this model does not
    steer the search, and cannot be combined with a model that looks at its attribute. The other models choose the
    recoding, and then no value may make up more than 1/m of a class. Where a value does, there is no solution, unless
    ``distort`` applies the paper's remedy (MASK): values in such a class are exchanged for others until its
    distribution is like that of a class that passes. Those values are then no longer the ones that were collected.
    `beliefs` computes, for small tables, what the attacker believes.

    Formula: $\Pr[\,o \text{ has } s \mid T^{\ast}, \text{everybody's quasi-identifiers}, \text{the algorithm}\,] \le
        \frac{1}{m}$, checked as $\frac{c_s}{\lvert E\rvert} \le \frac{1}{m}$ on a recoding that was chosen blindly
    Example: A release that looked at the disease reveals both patients: seven people in one class were necessary only
        because two of them had it.
        >>> people = ["q1", "q1", *["q2"] * 5]
        >>> recodings = [{"q1": "q1", "q2": "q2"}, {"q1": "Q", "q2": "Q"}]
        >>> at_most_half = lambda values: 2 * values.count("HIV") <= len(values)
        >>> beliefs(people, ["HIV", "HIV", *["flu"] * 5], recodings, at_most_half)[0]["HIV"]
        Fraction(1, 1)

    Guarantee: Against minimality attacks: a confidence of at most $1/m$ in any value of any person.
    Limits: It holds because the other models do not look at the attribute: it cannot be combined with, for example,
        l-diversity on the same attribute. With ``distort``, counts from the release are no longer exact.
    Cost: $O(v)$ to check v pairs of a class and a value; `beliefs` goes through up to a million tables.
    Paper: R. C.-W. Wong, A. W.-C. Fu, K. Wang and J. Pei, Minimality attack in privacy preserving data publishing, VLDB
        2007.
    """

    attribute: str
    m: int
    distort: bool = False
    missing: Literal["value"] | None = None

    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        whole(self.name, "m", self.m, least=1)
        missing(self.name, self.missing)
        if not isinstance(self.distort, bool):
            raise ValueError(
                f"The 'distort' parameter of {self.name} must be true or false. Got {self.distort!r} instead"
            )

    @property
    def monotone(self) -> Monotone:
        """A union's share is a mean of its parts' shares."""
        return Monotone.WITHOUT_SUPPRESSION

    @property
    def blind(self) -> bool:
        """A choice that depends on the values tells something of them."""
        return True

    @property
    def distorts(self) -> bool:
        """Only where the policy says so: values are no longer true."""
        return self.distort

    def measure(self, classes: Classes) -> Floats:
        """The largest share of a value in each class."""
        histogram, there = self.known_values(classes)
        return histogram.most(np.minimum(histogram.shares(there), 1.0))

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most 1/m."""
        return measured <= 1 / self.m + SLACK


def beliefs(
    quasi: Sequence[Quasi],
    values: Sequence[Label],
    recodings: Sequence[Mapping[Quasi, str]],
    satisfies: Callable[[Sequence[Label]], bool],
) -> list[dict[Label, Fraction]]:
    """What a minimality attacker believes of each person's value: exactly, by going through all tables.

    The publisher tries the recodings in order, least general first, and releases the first one every class of which
    ``satisfies`` the model. The attacker sees the values of each released class, knows everybody's quasi-identifiers
    and how the publisher chooses, and takes every table that leads to this release to be equally likely.

    >>> two_groups, one_group = {"q1": "q1", "q2": "q2"}, {"q1": "Q", "q2": "Q"}
    >>> half = lambda values: 2 * values.count("HIV") <= len(values)
    >>> people = ["q1", "q1", "q2", "q2", "q2", "q2", "q2"]
    >>> beliefs(people, ["HIV", "HIV", *["flu"] * 5], [two_groups, one_group], half)[0]["HIV"]
    Fraction(1, 1)
    """
    classes = [[recoding[value] for value in quasi] for recoding in recodings]
    chosen = _choose_recoding(classes, values, satisfies)
    if chosen is None:
        raise ValueError("no recoding satisfies the model: there is no release to attack")
    released = _group(classes[chosen], range(len(values)))
    held = [[values[person] for person in people] for people in released.values()]
    worlds = prod(factorial(len(group)) // prod(map(factorial, Counter(group).values())) for group in held)
    if worlds > WORLDS_AT_MOST:
        raise SearchTooLarge(
            tr(
                "{worlds:,} tables would have to be examined, and the limit is {most:,}",
                worlds=worlds,
                most=WORLDS_AT_MOST,
            ),
            remedy=tr("Examine fewer people."),
        )
    seen: list[Counter[Label]] = [Counter() for _ in values]
    consistent = 0
    for world in _worlds(list(released.values()), held, list(values)):
        if _choose_recoding(classes[: chosen + 1], world, satisfies) == chosen:
            consistent += 1
            for person, value in enumerate(world):
                seen[person][value] += 1
    return [{value: Fraction(times, consistent) for value, times in counted.items()} for counted in seen]


def _choose_recoding(
    classes: Sequence[Sequence[str]], values: Sequence[Label], satisfies: Callable[[Sequence[Label]], bool]
) -> int | None:
    """The first recoding whose classes all satisfy the model."""
    for number, owners in enumerate(classes):
        if all(satisfies(group) for group in _group(owners, values).values()):
            return number
    return None


Thing = TypeVar("Thing")


def _group(owners: Sequence[str], things: Sequence[Thing]) -> dict[str, list[Thing]]:
    groups: dict[str, list[Thing]] = {}
    for owner, thing in zip(owners, things, strict=True):
        groups.setdefault(owner, []).append(thing)
    return groups


def _worlds(people: list[list[int]], held: list[list[Label]], world: list[Label]) -> Iterator[list[Label]]:
    """Every way to assign the values of each class to its people, in one list that is filled again and again."""
    if not people:
        yield world
        return
    for dealt in _arrangements(Counter(held[0])):
        for person, value in zip(people[0], dealt, strict=True):
            world[person] = value
        yield from _worlds(people[1:], held[1:], world)


def _arrangements(left: Counter[Label]) -> Iterator[tuple[Label, ...]]:
    """The distinct orders of a multiset."""
    if not +left:
        yield ()
    for value in list(+left):
        rest = left - Counter([value])
        for others in _arrangements(rest):
            yield (value, *others)
