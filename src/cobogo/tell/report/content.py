"""What the report of a recoding says, before it is put into words and pictures, and which plots it has."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.floor.arrays import Ints, Mask
from cobogo.floor.language import Speech, Text


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
    title: str = ""  # what people call it, beside its name


@dataclass(frozen=True)
class SensitiveStory:
    """One sensitive attribute: the probability of the likeliest value in the worst class, before and after."""

    name: str
    worst_before: float
    worst_after: float
    distinct_per_class: Ints  # of each kept class
    baseline: float = 0.0  # the share of the likeliest value in the whole release, which anybody knows
    title: str = ""

    @property
    def called(self) -> str:
        """Its name, with its title if it has one."""
        return f"{self.name} ({self.title})" if self.title else self.name


@dataclass(frozen=True)
class Risk:
    """The probability that an attacker re-identifies the record of a person who is known to be in the table.

    ``over`` is the share of the people for whom it is above the threshold, ``unique`` the share of those who are alone
    in their class. With the population's size, the last three are estimates: the probability for an attacker who does
    not know whether a person is in the table, the expected share of right matches for one who matches everybody, and
    the share of the population that is unique.
    """

    highest: float
    average: float
    over: float | None = None
    unique: float | None = None
    journalist: float | None = None
    marketer: float | None = None
    population: float | None = None


@dataclass(frozen=True)
class Separation:
    """The share of the pairs of records that a quasi-identifier distinguishes; without a name, all of them together."""

    name: str | None
    before: float
    after: float


@dataclass(frozen=True)
class RunnerUp:
    """A solution that was evaluated and not chosen."""

    levels: Mapping[str, int]
    value: float
    suppressed: int
    classes: int


@dataclass(frozen=True)
class LatticeStory:
    """A small lattice: the levels of each node, which nodes satisfy the policy, and the chosen one."""

    attributes: tuple[str, ...]
    levels: Ints  # nodes × attributes
    satisfied: Mask
    chosen: int


NEARLY = 0.05
"""A column that keeps less of its detail than this in the released records is called nearly withheld."""


@dataclass(frozen=True)
class Detail:
    """The detail that a column keeps: over all records, and over those that are released."""

    name: str
    kept: float
    released: float

    @property
    def withheld(self) -> bool:
        """Whether every released value is the most general one."""
        return self.released <= 0

    @property
    def nearly_withheld(self) -> bool:
        """Whether next to nothing of the column can be read."""
        return self.released < NEARLY


@dataclass(frozen=True)
class SuppressedGroup:
    """Records that share a value of a quasi-identifier, and of which suppression took more than chance explains."""

    attribute: str
    value: Label  # None: the value is missing
    records: int
    lost: int

    @property
    def whole(self) -> bool:
        """Whether nothing of the group is released."""
        return self.lost == self.records


@dataclass(frozen=True)
class Way:
    """A change to a policy that keeps more detail. ``key`` is the line to write. ``exact``: the figure is that of the
    best full-domain recoding; otherwise the release will keep at least as much (or ``about`` as much) or, without a
    figure, likely more. One that brings a ``column`` back keeps more of that column, and less of the others."""

    what: Text
    key: str
    kept: float | None = None
    suppressed: int | None = None
    exact: bool = False
    about: bool = False
    column: str = ""
    column_now: float = 0.0
    column_kept: float = 0.0


@dataclass(frozen=True)
class RecodingCost:
    """What a recoding cost. ``groups``: those that suppression hit hardest first."""

    details: tuple[Detail, ...]
    groups: tuple[SuppressedGroup, ...] = ()

    @property
    def kept(self) -> float:
        """The mean of what columns keep."""
        return float(np.mean([one.kept for one in self.details])) if self.details else 0.0


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
    separations: tuple[Separation, ...] = ()
    sensitive: tuple[SensitiveStory, ...] = ()
    runners_up: tuple[RunnerUp, ...] = ()
    lattice: LatticeStory | None = None
    cost: RecodingCost | None = None
    ways: tuple[Way, ...] = ()
    counts_people: bool = False  # whether a person may have several records, and several values
    warnings: tuple[str, ...] = field(default=())


MOST = 12  # plots of one kind: a longer page is not read
SMALL = 200  # nodes of a lattice: more do not fit a page legibly
HIGH = 40  # tiers of a lattice, for the same reason


@dataclass(frozen=True)
class Plot:
    """One plot: its kind, the attribute it shows where there is one for each, and its file's name without ``.png``."""

    kind: str
    stem: str
    attribute: str = ""


def plots_of(content: Content) -> tuple[Plot, ...]:
    """The plots for which the content has data."""
    return tuple(_plots(content))


def _plots(content: Content) -> Iterator[Plot]:
    yield Plot("class_sizes", "class_sizes")
    if content.largest:
        yield Plot("largest_classes", "largest_classes")
    yield from _plots_by_attribute(
        "distinct_values", [story.name for story in content.sensitive if len(story.distinct_per_class)]
    )
    if has_levels(content):
        yield Plot("levels", "levels")
    if content.lattice is not None and _readable(content.lattice):
        yield Plot("lattice", "lattice")
    quasi = set(content.quasi_identifiers)
    changed = [story.name for story in content.attributes if story.name in quasi and (story.before or story.after)]
    yield from _plots_by_attribute("distribution", changed)


def _readable(lattice: LatticeStory) -> bool:
    return 0 < len(lattice.levels) <= SMALL and int(np.ptp(lattice.levels.sum(axis=1))) < HIGH


def _plots_by_attribute(kind: str, names: list[str]) -> Iterator[Plot]:
    used: set[str] = set()
    for number, name in enumerate(names[:MOST], 1):
        stem = f"{kind}_{slug(name) or number}"
        stem = f"{stem}_{number}" if stem in used else stem
        used.add(stem)
        yield Plot(kind, stem, name)


def slug(name: str) -> str:
    """A name that is safe in every file system: small letters, digits, underscores.

    >>> slug("Raça / cor"), slug("../../etc"), slug("年齢")
    ('raca_cor', 'etc', '')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40]


def has_levels(content: Content) -> bool:
    """Whether the release has a level for each attribute, as full-domain recodings do."""
    return bool(content.summary.get("levels")) and any(story.level is not None for story in content.attributes)


def steps(story: AttributeStory, say: Speech) -> tuple[str, ...]:
    """An example label of each level; without a hierarchy, the levels are the values and ``*``."""
    known = tuple(say.label(text or None) for text in story.levels) or (say("original value"), say.label("*"))
    return known + ("",) * ((story.level or 0) + 1 - len(known))


def required_diversity(models: list[dict[str, Any]], attribute: str) -> int | None:
    """The number of distinct values that the policy requires in each class; None where it requires none."""
    asked = [
        int(model["l"])
        for model in models
        if model.get("model") == "l-diversity" and model.get("attribute") == attribute and "l" in model
    ]
    return max(asked, default=None)
