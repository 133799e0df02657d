"""Before anybody is asked: how many clients are needed, by mechanism, and which is the cheapest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp
from pathlib import Path
from typing import Any

from cobogo.collect.collection import Collection
from cobogo.collect.discovering import Discovered
from cobogo.collect.discovery import DISCOVERIES
from cobogo.collect.frequency import LISTED, Frequency
from cobogo.collect.means import MEANS
from cobogo.collect.numeric import Numeric
from cobogo.collect.power import ALPHA, POWER, smallest_share, users_needed
from cobogo.collect.protocol import Protocol
from cobogo.collect.rappor.collect import Rappor
from cobogo.collect.rappor.parameters import Parameters
from cobogo.collect.sketching import SKETCHES, Sketched
from cobogo.errors import OutputError
from cobogo.floor.files import staged_file

NEARLY = 1.05
"""Mechanisms that need so many times the fewest users are as good: the shortest report decides."""


@dataclass(frozen=True)
class Offer:
    """What one mechanism needs: ``users`` is None where no number of them would do; ``share`` is the smallest that a
    given number of users would show, if one was given."""

    mechanism: str
    users: int | None
    width: int
    share: float | None = None


@dataclass(frozen=True)
class Plan:
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
        """For programs."""
        return {
            "epsilon": self.epsilon,
            "cheapest": None if self.cheapest is None else self.cheapest.mechanism,
            "mechanisms": [
                {"mechanism": o.mechanism, "users": o.users, "bytes": o.width, "smallest_share": o.share}
                for o in self.offers
            ],
        }


def rappor_of(epsilon: float, *, hashes: int = 2) -> Parameters:
    """RAPPOR that shows its permanent answer as it is (p = 0, q = 1), whose loss is at most so much: each bit is
    forgotten with f = 2 / (1 + e^(ε / 2h)), rounded up.

    >>> rappor_of(1.0).epsilon_forever <= 1.0
    True
    """
    f = min(Fraction(1), Fraction(ceil(2 / (1 + exp(epsilon / 2 / hashes)) * 10**9), 10**9))
    return Parameters(hashes=hashes, f=f, p=Fraction(0), q=Fraction(1))


def counting(values: int, epsilon: float) -> dict[str, Protocol]:
    """Every mechanism that tells how many clients hold each of so many values, at one ε for all reports of a value."""
    names = [str(number) for number in range(values)]
    found: list[Protocol] = [Frequency(kind(values, epsilon), names) for kind in LISTED.values()]
    found += [Sketched(kind(values, epsilon), names) for kind in SKETCHES.values()]
    return {protocol.name: protocol for protocol in [*found, Rappor(rappor_of(epsilon), names)]}


def alternatives(collection: Collection | None, values: int, epsilon: float) -> dict[str, Protocol]:
    """What could be asked through instead of a collection's mechanism; and this itself, where it has parameters that
    `counting` does not choose as it does. Nothing but a discovery finds words that nobody knows."""
    protocol = None if collection is None else collection.protocol
    if isinstance(protocol, Discovered):
        given = (epsilon, protocol.discovery.domain, protocol.discovery.keep)
        return {name: Discovered(kind(*given)) for name, kind in DISCOVERIES.items()}
    found = counting(values, epsilon)
    return (
        found if protocol is None or protocol.name in LISTED else {**found, f"{protocol.name}, as described": protocol}
    )


def plan(
    protocols: Mapping[str, Protocol],
    epsilon: float,
    share: float,
    *,
    power: float = POWER,
    level: float = ALPHA,
    users: int | None = None,
) -> Plan:
    """How many users each needs to show a value that such a share of them holds, with that power."""
    offers = []
    for name, protocol in protocols.items():
        what = protocol.detectable
        if what is None:
            continue
        needed = users_needed(what, share, alpha=level, power=power)
        seen = None if users is None else smallest_share(what, users, alpha=level, power=power)
        offers.append(Offer(name, needed, protocol.layout.width, seen))
    return _sorted(offers, epsilon)


def plan_mean(collection: Collection, error: float) -> Plan:
    """How many users each mechanism for means needs to bring the standard error to that, whatever they hold."""
    protocol = collection.protocol
    assert isinstance(protocol, Numeric)
    asked = protocol.mean
    kinds = [Numeric(kind(asked.low, asked.high, asked.epsilon, asked.steps)) for kind in MEANS.values()]
    return _sorted(
        [Offer(kind.name, kind.mean.users_needed(error), kind.layout.width) for kind in kinds], asked.epsilon
    )


def draw(protocols: Mapping[str, Protocol], path: Path, what: str, *, power: float, level: float) -> None:
    """A PNG of users against the share that they show, a curve for each mechanism."""
    from cobogo.tell.report.curves import COLORS, Axis, Curve, decades
    from cobogo.tell.report.curves import draw as drawn

    if path.exists():
        raise OutputError("is there already", where=str(path), remedy="Choose another name for --plot.")
    shares = [10 ** (step / 10) for step in range(-40, 0)]
    curves = []
    able = {name: kind.detectable for name, kind in protocols.items() if kind.detectable is not None}
    for number, (name, what_is_seen) in enumerate(able.items()):
        needed = [(share, users_needed(what_is_seen, share, alpha=level, power=power)) for share in shares]
        points = [(share, float(users)) for share, users in needed if users is not None]
        curves.append(Curve(name, points, COLORS[number % len(COLORS)], dashed=number >= len(COLORS)))
    counts = [users for curve in curves for _, users in curve.points]
    with staged_file(path) as stage:
        drawn(
            stage, "A rare value needs many clients", what, curves,
            across=Axis("share of the clients that hold the value", decades([1e-4, 1]), logarithmic=True),
            up=Axis("clients needed", decades(counts), logarithmic=True),
        )  # fmt: skip


def _sorted(offers: Sequence[Offer], epsilon: float) -> Plan:
    return Plan(tuple(sorted(offers, key=lambda offer: (offer.users is None, offer.users or 0, offer.width))), epsilon)
