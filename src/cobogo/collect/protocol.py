"""The contract of a protocol: everything that a client and a server do with an answer, for any mechanism.

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

from cobogo.collect.layout import Layout, Rows, pack_reports
from cobogo.collect.power import Detectable
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import trn
from cobogo.floor.randomness import Source

LEVEL = 0.05
"""The probability that any value is called significant that no client holds; divided among all values tested."""


@dataclass(frozen=True, eq=False)
class CollectionFindings:
    """Estimates from reports: for each of ``labels`` an estimate, its standard error, and the probability that noise
    alone would show as much of a value that no client holds (``chances``). ``tested`` is the number of values tested,
    ``fit`` the share of the variance that the findings explain, where it is defined.

    ``counts`` are numbers of ``users`` where ``counted``, and else figures such as a mean. ``too_few``: there are so
    few reports that even a value that every client holds would drown in noise; then nothing is significant.
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
        """The counts as shares of the users."""
        return self.counts / max(self.users, 1)

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Which values are significant, at the level divided among all values tested (Bonferroni)."""
        return (self.chances <= self.level / max(self.tested, 1)) & (not self.too_few)

    def as_dict(self) -> dict[str, Any]:
        """The content for JSON."""
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


def tail_probabilities(scores: Floats) -> Floats:
    """The probability that a normal variable is at least so many standard deviations above its mean.

    >>> tail_probabilities(np.array([0.0, 1.6449])).round(3).tolist()
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
        """The privacy loss of one report, at most."""

    @property
    @abstractmethod
    def epsilon_forever(self) -> float:
        """The privacy loss of all reports of one value, at most, while its permanent answer is kept."""

    @property
    def detectable(self) -> Detectable | None:
        """What predicts the errors of counts; None where nothing is counted, as for a mean."""
        return None

    @abstractmethod
    def read(self, values: Sequence[str | None]) -> Any:
        """Read values as they are encoded; `UnknownValue` for the first that cannot be. The error never quotes a
        value."""

    def canonical_value(self, value: str) -> str:
        """The value whose permanent answer is given: values that are read alike share one."""
        self.read([value])
        return value

    def draw_standing(self, count: int, source: Source) -> Ints:  # noqa: ARG002
        """Draw what clients keep whatever their values are: the number of a cohort, or 0."""
        return np.zeros(count, dtype=np.int64)

    @abstractmethod
    def draw_permanent(self, held: Any, standing: Ints, source: Source) -> Rows:
        """Draw permanent answers: once for each value of a client, to be kept."""

    def draw_reports(self, permanent: Rows, source: Source) -> Rows:  # noqa: ARG002
        """Draw reports of permanent answers: the answers themselves, unless the mechanism adds noise to each report."""
        return permanent

    @abstractmethod
    def tally(self, rows: Rows) -> Ints:
        """Count reports. The counts of several parts of the reports add up."""

    def likelihoods(self, rows: Rows) -> tuple[tuple[str, ...], Floats]:
        """Some values, and the likelihood of each report for a client who holds each of them, up to a factor for each
        report. The association of two questions uses it; not every protocol has it."""
        raise NotImplementedError(f"{self.name} does not tell how likely a report is")

    @abstractmethod
    def findings(self, counts: Ints, users: int, *, level: float = LEVEL) -> CollectionFindings:
        """Estimates from the counts."""


class PermanentReports(Protocol):
    """A protocol whose report is the permanent answer: sending it again reveals nothing more."""

    def __init__(self, randomizer: Any) -> None:
        self.randomizer = randomizer  # an oracle, a mean or a discovery: with a name, an ε, and reports to encode
        self.name = randomizer.name  # type: ignore[misc]

    @property
    def epsilon_once(self) -> float:
        """That of the randomizer."""
        return float(self.randomizer.epsilon)

    @property
    def epsilon_forever(self) -> float:
        """The same."""
        return self.epsilon_once

    def draw_permanent(self, held: Any, standing: Ints, source: Source) -> Rows:  # noqa: ARG002
        """The reports of the randomizer."""
        return pack_reports(self.randomizer.encode(held, source), self.layout)


def text_array(values: Sequence[str | None]) -> Any:
    """Values as one Arrow array of text."""
    import pyarrow as pa

    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else pa.array(values, pa.string())
    return whole.cast(pa.string())


def distinct_texts(texts: Any) -> tuple[list[str], Ints]:
    """The distinct strings of an Arrow array, and for each entry the number of its string; no entry may be null."""
    if texts.null_count:
        missing = np.flatnonzero(texts.is_null().to_numpy(zero_copy_only=False))
        raise UnknownValue(
            int(missing[0]),
            trn("{n:,} of {all:,} is empty", "{n:,} of {all:,} are empty", n=missing.size, all=len(texts)),
        )
    coded = texts.dictionary_encode()
    return coded.dictionary.to_pylist(), coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


class UnknownValue(Exception):
    """A value that the protocol has no answer for: its place, from 0, and what is wrong with it."""

    def __init__(self, place: int, what: str) -> None:
        super().__init__(what)
        self.place = place
        self.what = what
