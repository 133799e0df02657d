"""From what a steward wants to know to a collection: every mechanism that could ask it, compared, and its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np

from cobogo.collect.collection import TABLE, Collection
from cobogo.collect.discovering import Discovered
from cobogo.collect.discovery import DISCOVERIES
from cobogo.collect.discovery.domains import Words
from cobogo.collect.frequency import LISTED, Frequency
from cobogo.collect.means import MEANS
from cobogo.collect.numeric import Numeric
from cobogo.collect.planning import NEARLY, rappor_of
from cobogo.collect.power import smallest_share, users_needed
from cobogo.collect.protocol import Protocol
from cobogo.collect.rappor.collect import Rappor
from cobogo.collect.sketching import SKETCHES, Sketched
from cobogo.data.schema.starter import toml
from cobogo.errors import PolicyError

Kind = Literal["listed", "strings", "words", "number"]
KINDS: tuple[Kind, ...] = ("listed", "strings", "words", "number")
"""What can be asked for: one of a list, any string with candidates, words that nobody knows, a number."""

SHARES = tuple(10 ** (step / 8) for step in range(-28, 0))
"""Shares of the clients that a curve goes through: from about one in 3,000 to most of them."""


@dataclass(frozen=True)
class Wish:
    """A question before it has a mechanism. ``values`` are those listed, or the candidates to look for."""

    kind: Kind = "listed"
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
            return {name: Numeric(kind(self.low, self.high, epsilon)) for name, kind in MEANS.items()}
        if self.kind == "words":
            return {name: Discovered(kind(epsilon, Words(), 512)) for name, kind in DISCOVERIES.items()}
        if self.kind == "listed":
            return {name: Frequency(kind(len(values), epsilon), values) for name, kind in LISTED.items()}
        made: dict[str, Protocol] = {
            name: Sketched(kind(len(values), epsilon), values) for name, kind in SKETCHES.items()
        }
        return {**made, "rappor": Rappor(rappor_of(epsilon), values)}

    def _check(self) -> None:
        if not 0 < self.epsilon <= 20:
            raise PolicyError("must be above 0 and at most 20", where="ε")
        if self.kind in ("listed", "strings") and (len(self.values) < 2 or len(set(self.values)) < len(self.values)):
            raise PolicyError("must be two values or more, each once", where="values", remedy="Write one a line.")
        if self.kind == "number" and not self.low < self.high:
            raise PolicyError("the least number must be below the greatest", where="low, high")

    def described(self, mechanism: str) -> dict[str, Any]:
        """The collection that asks it through a mechanism, as its file has it."""
        table: dict[str, Any] = {
            "name": self.name, "question": self.question, "version": 1, "mechanism": mechanism,
        }  # fmt: skip
        if mechanism == "rappor":
            parameters = rappor_of(self.epsilon)
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
class Compared:
    """What a mechanism would do with so many users: ``needed`` of them show a value of the share asked about (or bring
    a mean to the error asked for), None where no number would; ``smallest`` is the share that they show at best;
    ``error`` the standard error, of a share or of a mean."""

    mechanism: str
    needed: int | None
    width: int
    smallest: float | None
    error: float | None


def compared(wish: Wish, users: int, goal: float) -> list[Compared]:
    """Every mechanism with that many users, the least error first. ``goal``: the share to be seen, or a mean's error.

    >>> found = compared(Wish(values=("a", "b", "c", "d", "e", "f")), users=100_000, goal=0.02)
    >>> found[0].mechanism, found[0].needed
    ('grr', 77398)
    """
    if users < 1:
        raise PolicyError("must be 1 or more", where="users")
    if not goal > 0 or (wish.kind != "number" and goal > 1):
        raise PolicyError("must be above 0, and a share at most 1", where="goal")
    found = [_compared(name, protocol, users, goal) for name, protocol in wish.protocols().items()]
    return sorted(found, key=lambda one: (one.error is None, one.error or 0.0, one.width))


def best(found: list[Compared]) -> str:
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
            needed = [(share, users_needed(what, share)) for share in SHARES]
            found[name] = [(share, users) for share, users in needed if users is not None]
    return found


def written(content: Mapping[str, Any]) -> str:
    """The file of a collection, which is checked first: long lists one line a value."""
    Collection.of(content, name="collection")
    lines = [f"[{TABLE}]"]
    for key, value in content[TABLE].items():
        if isinstance(value, list) and sum(map(len, value)) > 70:
            lines += [f"{key} = [", *(f"  {toml(one)}," for one in value), "]"]
        else:
            lines.append(f"{key} = {toml(value)}")
    return "\n".join(lines) + "\n"


def _compared(name: str, protocol: Protocol, users: int, goal: float) -> Compared:
    width = protocol.layout.width
    if isinstance(protocol, Numeric):
        mean = protocol.mean
        worst = float(mean.variance(np.arange(mean.steps + 1)).max())
        return Compared(name, mean.users_needed(goal), width, None, sqrt(worst / users))
    what = protocol.detectable
    assert what is not None
    variance = what.variance(np.array([goal * users, (1 - goal) * users]), users)[0]
    return Compared(
        name, users_needed(what, goal), width, smallest_share(what, users), sqrt(max(float(variance), 0.0)) / users
    )
