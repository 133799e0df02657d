"""A pilot with made-up people: what the answers to a question would look like, before any client is asked.

Every made-up client draws its report with the code that runs on devices, reports travel in the wire format, and the
server's code counts and decodes them. Only the values are made up. A gateway that sees true values encodes a whole
column of them in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.collect.aggregate import Aggregate
from cobogo.collect.collection import Collection
from cobogo.collect.discovery import DiscoveryProtocol
from cobogo.collect.layout import Rows
from cobogo.collect.means import MeanProtocol
from cobogo.collect.protocol import CollectionFindings, UnknownValue
from cobogo.collect.wire import batch_messages, parse
from cobogo.data.files.settle import reading_options
from cobogo.data.table.read import read
from cobogo.errors import DataError, PolicyError
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source, below, source
from cobogo.floor.untrusted import shorten


def encode_column(
    collection: Collection,
    data: str,
    column: str,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    seed: int | None = None,
) -> Rows:
    """One report for each row of a column, in a random order, which reveals nothing about whose they are."""
    table = read(data, reading_options(separator=separator, encoding=encoding))
    if column not in table.columns:
        raise DataError(
            tr('there is no column "{name}"', name=column),
            where=data,
            remedy=tr("Its columns: {columns}.", columns=", ".join(table.columns)),
        )
    values = table.engine.fetch(table.expression.select(value=table.text(column)))["value"]
    try:
        return encode_shuffled(collection, values, source(seed))
    except UnknownValue as error:
        raise DataError(
            tr("the collection has no answer for some values: {what}", what=error.what),
            where=tr("{data}, column {column}, row {place}", data=data, column=column, place=error.place + 1),
            remedy=tr("Leave these rows out, or list their values in the collection."),
        ) from None


def encode_pairs(
    first: Collection, first_values: object, second: Collection, second_values: object, drawn_from: Source
) -> tuple[Rows, Rows]:
    """One report to each of two questions for each client, in the same random order: for `cobogo.collect.associate`."""
    both = [
        protocol.draw_reports(
            protocol.draw_permanent(held, protocol.draw_standing(len(held), drawn_from), drawn_from), drawn_from
        )
        for protocol, held in (
            (first.protocol, first.protocol.read(first_values)),  # type: ignore[arg-type]
            (second.protocol, second.protocol.read(second_values)),  # type: ignore[arg-type]
        )
    ]
    order = np.argsort(drawn_from.words(len(both[0])))
    return both[0][order], both[1][order]


def encode_shuffled(collection: Collection, values: object, drawn_from: Source) -> Rows:
    """One report for each value, in a random order."""
    protocol = collection.protocol
    held = protocol.read(values)  # type: ignore[arg-type]
    standing = protocol.draw_standing(len(held), drawn_from)
    rows = protocol.draw_reports(protocol.draw_permanent(held, standing, drawn_from), drawn_from)
    return np.ascontiguousarray(rows[np.argsort(drawn_from.words(len(rows)))])


MOST = 200_000
"""Made-up people, at most: enough to see what a plan predicts, and a matter of seconds."""

WORDS = ("cobogo", "jangada", "caju", "rede", "sertao", "farol", "maracuja", "forro")
"""What made-up people type where the collection lists no values."""


@dataclass(frozen=True, eq=False, repr=False)
class Pilot:
    """The true shares (or the mean) by label, and the findings."""

    users: int
    truth: dict[str, float]
    found: CollectionFindings
    bytes: int

    def rows(self) -> list[dict[str, Any]]:
        """Truth and estimate of every label of either, the most frequent first."""
        scale = max(self.found.users, 1) if self.found.counted else 1
        there = {
            label: (float(count) / scale, float(error) / scale, bool(sure))
            for label, count, error, sure in zip(
                self.found.labels, self.found.counts, self.found.errors, self.found.significant, strict=True
            )
        }
        labels = sorted({**self.truth, **there}, key=lambda label: -self.truth.get(label, 0.0))
        return [
            {
                "label": label,
                "truth": self.truth.get(label, 0.0),
                "estimate": there[label][0] if label in there else None,
                "error": there[label][1] if label in there else None,
                "significant": label in there and there[label][2],
            }
            for label in labels
        ]


def pilot(collection: Collection, users: int, source: Source | None = None) -> Pilot:
    """Ask so many made-up people. Their values follow Zipf's law in the order of the list; small numbers are
    frequent."""
    if not 1 <= users <= MOST:
        raise PolicyError(
            tr("must be from 1 to {most:,}. Got {value} instead", most=MOST, value=shorten(users)),
            where="users",
            remedy=tr("Ask fewer invented people."),
        )
    source = source or Entropy()
    uniform = below(2**53, users, source) / 2.0**53
    if isinstance(collection.protocol, MeanProtocol):
        mean = collection.protocol.mean
        numbers = mean.low + (mean.high - mean.low) * uniform**2
        held = [repr(number) for number in numbers.tolist()]
        truth = {"mean": float(numbers.mean())}
    else:
        values = _values(collection)
        weights = 1 / np.arange(1, len(values) + 1)
        drawn = np.minimum(np.searchsorted(np.cumsum(weights / weights.sum()), uniform, side="right"), len(values) - 1)
        held = [values[number] for number in drawn.tolist()]
        shares = np.bincount(drawn, minlength=len(values)) / users
        truth = dict(zip(values, shares.tolist(), strict=True))
    sent = b"".join(batch_messages(collection, encode_shuffled(collection, held, source), seeded=not source.safe))
    counted = Aggregate.of(collection, *parse(collection, sent))
    return Pilot(users, truth, counted.findings(), len(sent))


def _values(collection: Collection) -> tuple[str, ...]:
    if isinstance(collection.protocol, DiscoveryProtocol):
        return WORDS
    values: tuple[str, ...] = getattr(collection, "values", ()) or getattr(collection, "candidates", ())
    if not values:
        raise PolicyError(
            tr("a pilot needs values or candidates, and the collection lists none"),
            where=collection.where,
            remedy=tr("List some values or candidates."),
        )
    return values
