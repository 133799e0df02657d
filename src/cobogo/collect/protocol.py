"""The contract of a protocol: all that a client and a server do with an answer, whatever the mechanism under it.

A client reads its value, draws a permanent answer once, keeps it, and sends reports of it. A server tallies reports
into counts that add up, and estimates from the counts. Clients, wire format, aggregates and commands know protocols
and nothing else. To add one: a class that extends `Protocol`, a description of it that extends
`cobogo.collect.collection.Collection`, and one line in `cobogo.collect.mechanisms`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.collect.layout import Layout, Rows
from cobogo.collect.power import Detectable
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Source

LEVEL = 0.05
"""The probability that anything at all is called significant that is not there: shared out among all that is tested."""


@dataclass(frozen=True, eq=False)
class CollectionFindings:
    """What the reports tell: for each of ``labels`` an estimate, its standard error, and how likely chance alone would
    show as much where there is nothing (``chances``). ``tested`` is how many were asked about, ``fit`` the share of the
    variance that the findings explain, where that says something.

    ``counts`` are numbers of ``users`` where ``counted``, and else figures of their own, as a mean is. ``too_few`` are
    the reports where even a value that every client holds would not stand out of their noise: then nothing is
    significant.
    """

    labels: tuple[str, ...]
    counts: Floats
    errors: Floats
    chances: Floats
    users: int
    tested: int
    level: float = LEVEL
    fit: float | None = None
    counted: bool = True
    too_few: bool = False

    @property
    def shares(self) -> Floats:
        """The same as shares of the users."""
        return self.counts / max(self.users, 1)

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Which of them are there, at the level divided among all that were tested (Bonferroni)."""
        return (self.chances <= self.level / max(self.tested, 1)) & (not self.too_few)

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        scale = max(self.users, 1) if self.counted else 1
        entries = [
            {
                "value": label,
                **({"share": count / scale, "share_error": error / scale} if self.counted else {}),
                "estimate": count,
                "error": error,
                **({"chance": chance, "significant": bool(there)} if self.counted else {}),
            }
            for label, count, error, chance, there in zip(
                self.labels, self.counts.tolist(), self.errors.tolist(), self.chances.tolist(), self.significant,
                strict=True,
            )
        ]  # fmt: skip
        fit = {} if self.fit is None else {"fit": self.fit}
        few = {"too_few": self.too_few} if self.counted else {}
        return {"reports": self.users, "tested": self.tested, "level": self.level, **few, **fit, "found": entries}


def chances_of(scores: Floats) -> Floats:
    """How likely a normal variable is at least so many standard deviations above its mean.

    >>> chances_of(np.array([0.0, 1.6449])).round(3).tolist()
    [0.5, 0.05]
    """
    return np.array([erfc(score / sqrt(2)) / 2 for score in scores.tolist()], dtype=np.float64)


class Protocol(ABC):
    """One mechanism with its parameters."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def layout(self) -> Layout:
        """How a report lies in bytes; a permanent answer lies in the same way."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of the counts."""

    @property
    @abstractmethod
    def epsilon_once(self) -> float:
        """What one report tells of a value, at most."""

    @property
    @abstractmethod
    def epsilon_forever(self) -> float:
        """What all the reports of one value tell, at most, while its permanent answer is kept."""

    @property
    def detectable(self) -> Detectable | None:
        """What foretells the errors of counts; None where nothing is counted, as for a mean."""
        return None

    @abstractmethod
    def read(self, values: Sequence[str | None]) -> Any:
        """Values as they are encoded, or `UnknownValue` for the first that is none; it never quotes one."""

    def answered_as(self, value: str) -> str:
        """What a value is answered for as: values that are read alike share a permanent answer."""
        self.read([value])
        return value

    def standing(self, count: int, source: Source) -> Ints:  # noqa: ARG002
        """What clients keep whatever their values are: the number of a cohort, or nothing, which is 0."""
        return np.zeros(count, dtype=np.int64)

    @abstractmethod
    def permanent(self, held: Any, standing: Ints, source: Source) -> Rows:
        """Permanent answers: drawn once for a client's value, and kept."""

    def reports(self, permanent: Rows, source: Source) -> Rows:  # noqa: ARG002
        """Reports of permanent answers: these themselves, unless a mechanism adds noise to each."""
        return permanent

    @abstractmethod
    def tally(self, rows: Rows) -> Ints:
        """Counts of reports. Of several parts of the reports, the counts add up."""

    def likelihoods(self, rows: Rows) -> tuple[tuple[str, ...], Floats]:
        """How likely each report is of a client who holds each of some values, up to a factor for each report: what an
        association of two questions rests on. Not every protocol tells it."""
        raise NotImplementedError(f"{self.name} does not tell how likely a report is")

    @abstractmethod
    def findings(self, counts: Ints, users: int, *, level: float = LEVEL) -> CollectionFindings:
        """What the counts tell."""


def text_array(values: Sequence[str | None]) -> Any:
    """Values as one Arrow array of text."""
    import pyarrow as pa

    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else pa.array(values, pa.string())
    return whole.cast(pa.string())


def distinct_texts(texts: Any) -> tuple[list[str], Ints]:
    """The different strings of an Arrow array, and the number of each entry's; every entry must be there."""
    if texts.null_count:
        missing = np.flatnonzero(texts.is_null().to_numpy(zero_copy_only=False))
        raise UnknownValue(int(missing[0]), f"{missing.size:,} of {len(texts):,} are empty")
    coded = texts.dictionary_encode()
    return coded.dictionary.to_pylist(), coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


class UnknownValue(Exception):
    """A value that the protocol has no answer for: the number of its place, from 0, and what is wrong with it."""

    def __init__(self, place: int, what: str) -> None:
        super().__init__(what)
        self.place = place
        self.what = what
