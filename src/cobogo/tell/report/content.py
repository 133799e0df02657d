"""What a report says, before it is put in words and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cobogo.data.hierarchy import Label
from cobogo.floor.arrays import Ints, Mask


@dataclass(frozen=True)
class AttributeStory:
    """What was done to one attribute."""

    name: str
    role: str
    levels: tuple[str, ...] = ()  # an example label of each level, finest first; empty without a hierarchy
    level: int | None = None  # the level released; None where levels do not apply
    distinct_before: int | None = None
    distinct_after: int | None = None
    before: tuple[tuple[Label, int], ...] = ()  # value and records, most frequent first
    after: tuple[tuple[Label, int], ...] = ()
    shares: tuple[float, ...] = ()  # where each record has its own level: the share of the records at each


@dataclass(frozen=True)
class SensitiveStory:
    """What an attacker could learn about one sensitive attribute: chances of the likeliest value in the worst class."""

    name: str
    worst_before: float
    worst_after: float
    distinct_per_class: Ints  # of each kept class


@dataclass(frozen=True)
class Risk:
    """The chance of pointing at the right record of a person known to be in the table.

    ``over`` is the share of the people for whom it is above the threshold, ``unique`` of those who stand alone. Where
    the population's size is known, the last three are estimates: the chance of who does not know who is in the table,
    the share of all that are found by pointing at everybody, and the share of the population that is unique in it.
    """

    highest: float
    average: float
    over: float | None = None
    unique: float | None = None
    journalist: float | None = None
    marketer: float | None = None
    population: float | None = None


@dataclass(frozen=True)
class Telling:
    """The share of the pairs of records that a quasi-identifier tells apart; without a name, all of them together."""

    name: str | None
    before: float
    after: float


@dataclass(frozen=True)
class RunnerUp:
    """A solution that was looked at and not chosen."""

    levels: Mapping[str, int]
    value: float
    suppressed: int
    classes: int


@dataclass(frozen=True)
class LatticeStory:
    """A small lattice whole: the levels of each node, which satisfy the policy, and the one chosen."""

    attributes: tuple[str, ...]
    levels: Ints  # nodes × attributes
    satisfied: Mask
    chosen: int


@dataclass(frozen=True)
class Content:
    """Everything that a report shows. ``summary`` is what report.json holds."""

    source: str
    created: str  # ISO date and time
    summary: Mapping[str, Any]
    metric: str
    attributes: tuple[AttributeStory, ...]
    class_sizes: Ints  # of the kept classes
    largest: tuple[tuple[tuple[Label, ...], int], ...]  # the largest kept classes: their values and size
    quasi_identifiers: tuple[str, ...]
    risk_before: Risk
    risk_after: Risk
    threshold: float = 0.2
    telling: tuple[Telling, ...] = ()
    sensitive: tuple[SensitiveStory, ...] = ()
    runners_up: tuple[RunnerUp, ...] = ()
    lattice: LatticeStory | None = None
    warnings: tuple[str, ...] = field(default=())
