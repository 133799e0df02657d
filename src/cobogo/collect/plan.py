"""Planning a collection: which mechanisms suit a question, how many clients each needs, and the file of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, sqrt
from pathlib import Path
from typing import Any, Literal

import numpy as np

from cobogo.collect.collection import TABLE, Collection
from cobogo.collect.discovery import DiscoveryCollection, DiscoveryProtocol
from cobogo.collect.frequency import FrequencyProtocol
from cobogo.collect.means import MeanCollection, MeanProtocol
from cobogo.collect.mechanisms import frequency_oracles
from cobogo.collect.power import ALPHA, POWER, required_users, smallest_share
from cobogo.collect.protocol import Protocol
from cobogo.collect.rappor.filters import RapporParameters
from cobogo.collect.rappor.protocol import Rappor
from cobogo.collect.sequences import WordDomain
from cobogo.collect.sketch_protocol import SketchCollection, SketchProtocol
from cobogo.data.policy.toml_file import toml
from cobogo.errors import OutputError, PolicyError
from cobogo.floor.files import stage_file
from cobogo.floor.language import speech, tr
from cobogo.floor.untrusted import shorten

NEARLY = 1.05
"""Mechanisms that need at most so many times the fewest users are equally good: then the shortest report decides."""


@dataclass(frozen=True)
class Offer:
    """What one mechanism needs: ``users`` is None where no number suffices; ``share`` is the smallest that a given
    number of users detects, if one was given."""

    mechanism: str
    users: int | None
    width: int
    share: float | None = None


@dataclass(frozen=True)
class CollectionPlan:
    """The offers, the fewest users first."""

    offers: tuple[Offer, ...]
    epsilon: float

    @property
    def cheapest(self) -> Offer | None:
        """Of those that need about the fewest users, the one with the shortest reports."""
        able = [offer for offer in self.offers if offer.users is not None]
        if not able:
            return None
        fewest = min(offer.users or 0 for offer in able)
        return min((offer for offer in able if (offer.users or 0) <= NEARLY * fewest), key=lambda offer: offer.width)

    def as_dict(self) -> dict[str, Any]:
        """The content for JSON."""
        return {
            "epsilon": self.epsilon,
            "cheapest": None if self.cheapest is None else self.cheapest.mechanism,
            "mechanisms": [
                {"mechanism": o.mechanism, "users": o.users, "bytes": o.width, "smallest_share": o.share}
                for o in self.offers
            ],
        }


def rappor_parameters(epsilon: float, *, hashes: int = 2) -> RapporParameters:
    """Parameters of RAPPOR with a loss of at most ε that sends its permanent answer unchanged (p = 0, q = 1): each bit
    is forgotten with probability f = 2 / (1 + e^(ε / 2h)), rounded up.

    >>> rappor_parameters(1.0).epsilon_forever <= 1.0
    True
    """
    f = min(Fraction(1), Fraction(ceil(2 / (1 + exp(epsilon / 2 / hashes)) * 10**9), 10**9))
    return RapporParameters(hashes=hashes, f=f, p=Fraction(0), q=Fraction(1))


def counting_protocols(values: int, epsilon: float) -> dict[str, Protocol]:
    """Every mechanism that counts the clients who hold each of so many values, at one ε for all reports of a value."""
    names = [str(number) for number in range(values)]
    found: list[Protocol] = [FrequencyProtocol(kind(values, epsilon), names) for kind in frequency_oracles().values()]
    found += [SketchProtocol(kind(values, epsilon), names) for kind in SketchCollection.randomizers.values()]
    return {protocol.name: protocol for protocol in [*found, Rappor(rappor_parameters(epsilon), names)]}


def alternatives(collection: Collection | None, values: int, epsilon: float) -> dict[str, Protocol]:
    """The alternatives to a collection's mechanism; with the mechanism itself, where its parameters differ from those
    that `counting_protocols` chooses. The alternatives to a discovery are discoveries: nothing else finds unknown
    words."""
    protocol = None if collection is None else collection.protocol
    if isinstance(protocol, DiscoveryProtocol):
        given = (epsilon, protocol.discovery.domain, protocol.discovery.keep)
        return {name: DiscoveryProtocol(kind(*given)) for name, kind in DiscoveryCollection.randomizers.items()}
    found = counting_protocols(values, epsilon)
    return (
        found
        if protocol is None or protocol.name in frequency_oracles()
        else {**found, tr("{mechanism}, as described", mechanism=protocol.name): protocol}
    )


def plan(
    protocols: Mapping[str, Protocol],
    epsilon: float,
    share: float,
    *,
    power: float = POWER,
    level: float = ALPHA,
    users: int | None = None,
) -> CollectionPlan:
    """How many users each mechanism needs to detect a value of a share, with that power."""
    offers = []
    for name, protocol in protocols.items():
        what = protocol.detectable
        if what is None:
            continue
        needed = required_users(what, share, alpha=level, power=power)
        seen = None if users is None else smallest_share(what, users, alpha=level, power=power)
        offers.append(Offer(name, needed, protocol.layout.width, seen))
    return _sort_offers(offers, epsilon)


def plan_mean(collection: Collection, error: float) -> CollectionPlan:
    """How many users each mechanism for means needs for a standard error, whatever they hold."""
    protocol = collection.protocol
    assert isinstance(protocol, MeanProtocol)
    asked = protocol.mean
    kinds = [
        MeanProtocol(kind(asked.low, asked.high, asked.epsilon, asked.steps))
        for kind in MeanCollection.randomizers.values()
    ]
    return _sort_offers(
        [Offer(kind.name, kind.mean.required_users(error), kind.layout.width) for kind in kinds], asked.epsilon
    )


def draw_plan(
    protocols: Mapping[str, Protocol], path: Path, what: str, *, power: float, level: float, language: str = "en"
) -> None:
    """Draw a PNG: the users needed by the share to detect, a curve for each mechanism; its words in a language."""
    from cobogo.tell.report.curves import COLORS, Axis, Curve, decades
    from cobogo.tell.report.curves import draw as drawn

    if path.exists():
        raise OutputError(tr("already exists"), where=str(path), remedy=tr("Choose another name for --plot."))
    say = speech(language)
    shares = [10 ** (step / 10) for step in range(-40, 0)]
    curves = []
    able = {name: kind.detectable for name, kind in protocols.items() if kind.detectable is not None}
    for number, (name, what_is_seen) in enumerate(able.items()):
        needed = [(share, required_users(what_is_seen, share, alpha=level, power=power)) for share in shares]
        points = [(share, float(users)) for share, users in needed if users is not None]
        curves.append(Curve(say(name), points, COLORS[number % len(COLORS)], dashed=number >= len(COLORS)))
    counts = [users for curve in curves for _, users in curve.points]
    with stage_file(path) as stage:
        drawn(
            stage, say("A rare value needs many clients"), what, curves,
            across=Axis(say("share of the clients that hold the value"), decades([1e-4, 1]), logarithmic=True),
            up=Axis(say("clients needed"), decades(counts), logarithmic=True),
        )  # fmt: skip


def _sort_offers(offers: Sequence[Offer], epsilon: float) -> CollectionPlan:
    return CollectionPlan(
        tuple(sorted(offers, key=lambda offer: (offer.users is None, offer.users or 0, offer.width))), epsilon
    )


Wanted = Literal["listed", "strings", "words", "number"]
WANTED: tuple[Wanted, ...] = ("listed", "strings", "words", "number")
"""What a question asks for: one of a list, any string with candidates, unknown words, a number."""

SHARES = tuple(10 ** (step / 8) for step in range(-28, 0))
"""Shares of the clients that a curve goes through: from about one in 3,000 to most of them."""


@dataclass(frozen=True)
class Wish:
    """A question before it has a mechanism. ``values`` are those listed, or the candidates to look for."""

    kind: Wanted = "listed"
    name: str = "A question"
    question: str = "question"
    epsilon: float = 1.0
    values: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 100.0
    lifetime: int = 1

    def protocols(self) -> dict[str, Protocol]:
        """Every mechanism that could ask it, at the same ε for all reports of a value."""
        self._check()
        epsilon, values = self.epsilon, list(self.values)
        if self.kind == "number":
            return {
                name: MeanProtocol(kind(self.low, self.high, epsilon))
                for name, kind in MeanCollection.randomizers.items()
            }
        if self.kind == "words":
            return {
                name: DiscoveryProtocol(kind(epsilon, WordDomain(), 512))
                for name, kind in DiscoveryCollection.randomizers.items()
            }
        if self.kind == "listed":
            return {
                name: FrequencyProtocol(kind(len(values), epsilon), values)
                for name, kind in frequency_oracles().items()
            }
        made: dict[str, Protocol] = {
            name: SketchProtocol(kind(len(values), epsilon), values)
            for name, kind in SketchCollection.randomizers.items()
        }
        return {**made, "rappor": Rappor(rappor_parameters(epsilon), values)}

    def _check(self) -> None:
        if not 0 < self.epsilon <= 20:
            raise PolicyError(
                tr("must be above 0 and at most 20. Got {value} instead", value=shorten(self.epsilon)),
                where="ε",
                remedy=tr("Start with ε = 1."),
            )
        if self.kind in ("listed", "strings") and (len(self.values) < 2 or len(set(self.values)) < len(self.values)):
            raise PolicyError(
                tr("there must be at least two values, each of them once"),
                where="values",
                remedy=tr("Write one value in each line."),
            )
        if self.kind == "number" and not self.low < self.high:
            raise PolicyError(
                tr("the lowest number must be below the highest"),
                where="low, high",
                remedy=tr("Give bounds that hold the numbers of all clients."),
            )

    def description(self, mechanism: str) -> dict[str, Any]:
        """The collection that asks it through a mechanism, as its file has it."""
        table: dict[str, Any] = {
            "name": self.name, "question": self.question, "version": 1, "mechanism": mechanism,
        }  # fmt: skip
        if mechanism == "rappor":
            parameters = rappor_parameters(self.epsilon)
            table |= {"hashes": parameters.hashes, "f": float(parameters.f), "p": 0.0, "q": 1.0}
        else:
            table["epsilon"] = self.epsilon
        if self.kind == "listed":
            table["values"] = list(self.values)
        elif self.kind == "strings":
            table["candidates"] = list(self.values)
        elif self.kind == "number":
            table |= {"low": self.low, "high": self.high}
        return {TABLE: {**table, "lifetime-values": self.lifetime}}


@dataclass(frozen=True)
class MechanismComparison:
    """One mechanism with a number of users. ``needed`` users detect a value of the share asked for (or bring a mean to
    the error asked for), None where no number does. ``smallest`` is the smallest share that the users detect, ``error``
    the standard error of a share or of a mean."""

    mechanism: str
    needed: int | None
    width: int
    smallest: float | None
    error: float | None


def compare(wish: Wish, users: int, goal: float) -> list[MechanismComparison]:
    """Every mechanism with that many users, the least error first. ``goal``: the share to be seen, or a mean's error.

    >>> found = compare(Wish(values=("a", "b", "c", "d", "e", "f")), users=100_000, goal=0.02)
    >>> found[0].mechanism, found[0].needed
    ('grr', 77398)
    """
    if users < 1:
        raise PolicyError(
            tr("must be 1 or more. Got {value} instead", value=shorten(users)),
            where="users",
            remedy=tr("Give the number of clients that you expect."),
        )
    if not goal > 0 or (wish.kind != "number" and goal > 1):
        raise PolicyError(
            tr("must be above 0, and a share must be at most 1. Got {value} instead", value=shorten(goal)),
            where="goal",
            remedy=tr("Write 0.01 for a share of 1 %."),
        )
    found = [_comparison(name, protocol, users, goal) for name, protocol in wish.protocols().items()]
    return sorted(found, key=lambda one: (one.error is None, one.error or 0.0, one.width))


def best(found: list[MechanismComparison]) -> str:
    """Of those that need about the fewest users, the one with the shortest reports."""
    able = [one for one in found if one.needed is not None] or found
    fewest = min(one.needed or 0 for one in able)
    return min((one for one in able if (one.needed or 0) <= NEARLY * fewest), key=lambda one: one.width).mechanism


def curves(wish: Wish) -> Mapping[str, list[tuple[float, int]]]:
    """For each mechanism that counts: how many users show a value, by the share of them that hold it."""
    found: dict[str, list[tuple[float, int]]] = {}
    for name, protocol in wish.protocols().items():
        what = protocol.detectable
        if what is not None:
            needed = [(share, required_users(what, share)) for share in SHARES]
            found[name] = [(share, users) for share, users in needed if users is not None]
    return found


def collection_file(content: Mapping[str, Any]) -> str:
    """The file of a collection, which is checked first: long lists one line a value."""
    Collection.of(content, name="collection")
    lines = [f"[{TABLE}]"]
    for key, value in content[TABLE].items():
        if isinstance(value, list) and sum(map(len, value)) > 70:
            lines += [f"{key} = [", *(f"  {toml(one)}," for one in value), "]"]
        else:
            lines.append(f"{key} = {toml(value)}")
    return "\n".join(lines) + "\n"


def _comparison(name: str, protocol: Protocol, users: int, goal: float) -> MechanismComparison:
    width = protocol.layout.width
    if isinstance(protocol, MeanProtocol):
        mean = protocol.mean
        worst = float(mean.variance(np.arange(mean.steps + 1)).max())
        return MechanismComparison(name, mean.required_users(goal), width, None, sqrt(worst / users))
    what = protocol.detectable
    assert what is not None
    variance = what.variance(np.array([goal * users, (1 - goal) * users]), users)[0]
    return MechanismComparison(
        name, required_users(what, goal), width, smallest_share(what, users), sqrt(max(float(variance), 0.0)) / users
    )
