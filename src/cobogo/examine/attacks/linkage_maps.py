"""Null-map and wrong-map: how often linking a release with a table of names leads nowhere, or astray.

Measures, not guarantees (Sweeney 2002): they compare with one external table and need to know the truth. They say
something of perturbed, swapped and synthetic records; generalized ones always match their owner if that is there.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from cobogo.data.hierarchy import Label

Row = tuple[Label, ...]


@dataclass(frozen=True)
class Maps:
    """The shares of released tuples that match nobody, only wrong people, and the right one among others or alone."""

    null: float
    wrong: float
    right: float


def maps(released: Sequence[Row], owners: Sequence[Hashable | None], external: Mapping[Hashable, Row]) -> Maps:
    """Link released tuples with an external table, and see whom they lead to.

    ``owners`` is the truth: whose record each released tuple is, None for one that is nobody's. ``external`` holds each
    known person's values in the form of the release: where that was generalized, the external table is first too.
    NULL matches NULL alone. Of an empty release all shares are 0.

    >>> external = {"Ann": ("f", "60*"), "Bob": ("m", "60*"), "Eve": ("f", "71*")}
    >>> maps([("f", "60*"), ("m", "71*"), ("f", "71*")], ["Ann", "Bob", "Bob"], external)
    Maps(null=0.3333333333333333, wrong=0.3333333333333333, right=0.3333333333333333)
    """
    matching: dict[Row, set[Hashable]] = {}
    for person, row in external.items():
        matching.setdefault(tuple(row), set()).add(person)
    null = wrong = 0
    for row, owner in zip(released, owners, strict=True):
        found = matching.get(tuple(row), set())
        null += not found
        wrong += bool(found) and (owner is None or owner not in found)
    total = max(len(released), 1)
    return Maps(null / total, wrong / total, (len(released) - null - wrong) / total)


def null_map(released: Sequence[Row], external: Mapping[Hashable, Row]) -> float:
    """The share of released tuples that match nobody; this needs no knowledge of the truth.

    >>> null_map([("f",), ("x",)], {"Ann": ("f",)})
    0.5
    """
    return maps(released, [None] * len(released), external).null


def wrong_map(released: Sequence[Row], owners: Sequence[Hashable | None], external: Mapping[Hashable, Row]) -> float:
    """The share of released tuples that match only people whose record they are not.

    >>> wrong_map([("f",)], ["Bob"], {"Ann": ("f",)})
    1.0
    """
    return maps(released, owners, external).wrong
