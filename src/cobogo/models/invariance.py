"""m-invariance: for tables that are released again and again while people come and go."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.errors import DataError, PolicyError
from cobogo.hierarchy import Label
from cobogo.models.arguments import text, whole
from cobogo.models.base import Classes, Floats, Histogram, Mask, Model

Signature = frozenset[Label]
"""The sensitive values of a class: what a release tells of each of its people."""


@dataclass(frozen=True)
class MInvariance(Model):
    """Every class holds at least m people, no two with the same sensitive value, and whoever was in an earlier release
    of the series is still in a class with the same values (Xiao and Tao 2007).

    So crossing the releases tells no more about a person than one of them does: one value out of m. Not monotone: two
    classes that share a value cannot be merged. Without ``previous`` only the first half is asked for, as of a first
    release. ``previous`` is the directory of the last release of the series; checking against it needs to know who is
    who (data.unit), which the models are not told yet, and is refused rather than passed over. `check_series` checks
    a series outside of a job. Counterfeit records, which the paper adds where a value has died out, are not made.
    """

    attribute: str
    m: int
    previous: str | None = None

    name: ClassVar[str] = "m-invariance"

    def __post_init__(self) -> None:
        whole(self.name, "m", self.m, least=1)
        if self.previous is not None:
            text(self.name, "previous", self.previous)

    def measure(self, classes: Classes) -> Floats:
        """The people of each class; 0 where two of them share a value."""
        if self.previous is not None:
            raise PolicyError(
                f"{self.name} cannot look into an earlier release yet",
                where="privacy.models",
                remedy="Leave previous out, and compare the series with cobogo.models.invariance.check_series.",
            )
        histogram = classes.histograms[self.attribute]
        return np.where(histogram.most(histogram.counts.astype(float)) > 1, 0.0, classes.sizes.astype(float))

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At least m."""
        return measured >= self.m


def signatures(rows: Iterable[tuple[str, Hashable, Label]]) -> dict[str, Signature]:
    """Everybody's signature in a release, from its rows of person, class and sensitive value.

    >>> found = signatures([("Ann", 1, "flu"), ("Bob", 1, "cough"), ("Eve", 2, "flu")])
    >>> sorted(found["Ann"])
    ['cough', 'flu']
    """
    places: dict[str, Hashable] = {}
    values: dict[Hashable, set[Label]] = {}
    for person, place, value in rows:
        if places.setdefault(person, place) != place:
            raise DataError(
                "a person stands in several classes, and m-invariance knows one record for each",
                remedy="Release one record for each person, or name another column as data.unit.",
            )
        values.setdefault(place, set()).add(value)
    return {person: frozenset(values[place]) for person, place in places.items()}


def compare(previous: Mapping[str, Signature], current: Mapping[str, Signature]) -> tuple[str, ...]:
    """Those who are in both releases with different signatures: about them, the two tell more than either alone."""
    both = previous.keys() & current.keys()
    return tuple(sorted(person for person in both if previous[person] != current[person]))


def check_series(releases: Sequence[Mapping[str, Signature]]) -> tuple[tuple[int, str], ...]:
    """The breaks of a series: the release (counted from 0) and the person whose signature is not what it last was.

    Who left and comes back is held to the signature they left with.

    >>> before, after = {"Ann": frozenset({"flu", "cough"})}, {"Ann": frozenset({"flu", "fever"})}
    >>> check_series([before, {}, after])
    ((2, 'Ann'),)
    """
    known: dict[str, Signature] = {}
    breaks: list[tuple[int, str]] = []
    for number, release in enumerate(releases):
        breaks += [(number, person) for person in compare(known, release)]
        known |= release
    return tuple(breaks)


def pseudonym(person: str, key: bytes) -> str:
    """What stands for a person in the evidence: the same throughout a series, which shares one key."""
    return hmac.new(key, person.encode(), hashlib.sha256).hexdigest()


def changed(previous: Mapping[str, Signature], pseudonyms: Sequence[str], people: Histogram, values: Histogram) -> Mask:
    """The classes that hold somebody whose earlier signature was another.

    ``people`` tells who is in each class, as codes into ``pseudonyms``; ``values`` the sensitive values there.
    """
    broken = np.zeros(len(people.offsets) - 1, dtype=np.bool_)
    labels = values.domain.labels
    for place in range(len(broken)):
        held = slice(int(values.offsets[place]), int(values.offsets[place + 1]))
        here = frozenset(labels[code] for code in values.values[held])
        crowd = people.values[int(people.offsets[place]) : int(people.offsets[place + 1])]
        broken[place] = any(previous.get(pseudonyms[code], here) != here for code in crowd)
    return broken
