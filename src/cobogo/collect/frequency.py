"""Which of a list of values is yours? Any frequency oracle as a protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field

from cobogo.collect.base import Oracle, Reports
from cobogo.collect.collection import Collection, listed
from cobogo.collect.layout import Layout, Rows
from cobogo.collect.likelihood import likelihoods
from cobogo.collect.oracles import ORACLES
from cobogo.collect.power import Detectable
from cobogo.collect.protocol import LEVEL, Findings, Protocol, UnknownValue
from cobogo.collect.sketch import Sketch
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Source

LISTED = {name: kind for name, kind in ORACLES.items() if not issubclass(kind, Sketch)}
"""Oracles whose values must be known beforehand."""


class Frequency(Protocol):
    """Reports of an oracle about listed values; what is not listed is answered for as ``other``, if there is one."""

    def __init__(self, oracle: Oracle, values: Sequence[str], other: str | None = None) -> None:
        self.oracle = oracle
        self.name = oracle.name  # type: ignore[misc]
        self.values = tuple(values)
        self._other = None if other is None else self.values.index(other)

    @property
    def layout(self) -> Layout:
        """The oracle's."""
        return self.oracle.layout

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each value."""
        return (len(self.values),)

    @property
    def epsilon_once(self) -> float:
        """The oracle's."""
        return self.oracle.epsilon

    @property
    def epsilon_forever(self) -> float:
        """The same: the report is the permanent answer, and showing it again tells nothing more."""
        return self.oracle.epsilon

    @property
    def detectable(self) -> Detectable:
        """The oracle."""
        return self.oracle

    def read(self, values: Sequence[str | None]) -> Ints:
        """The numbers of values."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found = pc.index_in(texts_of(values), value_set=pa.array(self.values, pa.string()))
        unknown = np.flatnonzero(found.is_null().to_numpy(zero_copy_only=False))
        if self._other is not None:
            return np.asarray(pc.fill_null(found, self._other).to_numpy(zero_copy_only=False), dtype=np.int64)
        if unknown.size:
            raise UnknownValue(int(unknown[0]), f"{unknown.size:,} of {len(found):,} are not among the values")
        return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)

    def answered_as(self, value: str) -> str:
        """Itself, or the other."""
        return self.values[int(self.read([value])[0])]

    def permanent(self, held: Ints, standing: Ints, source: Source) -> Rows:  # noqa: ARG002
        """The oracle's reports."""
        return packed(self.oracle.encode(held, source), self.layout)

    def tally(self, rows: Rows) -> Ints:
        """For each value, the reports that support it."""
        return np.asarray(self.oracle.support(unpacked(rows, self.layout)), dtype=np.int64)

    def likelihoods(self, rows: Rows) -> tuple[tuple[str, ...], Floats]:
        """Of every value: more likely where the report supports it."""
        return self.values, likelihoods(self.oracle, unpacked(rows, self.layout))

    def findings(self, counts: Ints, users: int, *, level: float = LEVEL) -> Findings:
        """Estimates of the oracle. Chance is what nobody's holding a value would show of it."""
        found = self.oracle.estimate(counts, users)
        chances = self.oracle.chances(counts, users)
        return Findings(self.values, found.counts, found.errors, chances, users, len(self.values), level)


def texts_of(values: Sequence[str | None]) -> Any:
    """Values as one Arrow array of text."""
    import pyarrow as pa

    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else pa.array(values, pa.string())
    return whole.cast(pa.string())


def packed(reports: Reports, layout: Layout) -> Rows:
    """An oracle's reports as bytes.

    >>> packed(np.array([3, 1]), Layout((("value", 5),))).tolist()
    [[3], [1]]
    """
    if not layout.numbers:
        return np.ascontiguousarray(reports)
    if reports.dtype.names is None:
        return layout.pack([reports])
    return layout.pack([reports[name] for name, _ in layout.numbers], reports["bits"] if layout.bits else None)


def unpacked(rows: Rows, layout: Layout, record: np.dtype[Any] | None = None) -> Reports:
    """The same reports as the oracle gave them; where they are records, of the type given or of as many bits as do."""
    numbers, bits = layout.unpack(rows)
    if not numbers:
        return bits
    if len(numbers) == 1 and not layout.bits:
        return numbers[0]
    fields: list[Any] = [(name, np.uint32 if bound <= 2**32 else np.uint64) for name, bound in layout.numbers]
    fields += [("bits", np.uint8, (bits.shape[1],))] if layout.bits else []
    reports = np.empty(len(rows), dtype=fields if record is None else record)
    for number, (name, _) in zip(numbers, layout.numbers, strict=True):
        reports[name] = number
    if layout.bits:
        reports["bits"] = bits
    return reports


class FrequencyCollection(Collection):
    """A question with listed answers, asked through a frequency oracle."""

    mechanism: Literal[tuple(LISTED)]  # type: ignore[valid-type]
    epsilon: Annotated[float, Field(gt=0, le=20)]
    values: Annotated[tuple[str, ...], Field(min_length=2, max_length=1_000_000), AfterValidator(listed)]
    other: str | None = None

    def build(self) -> Protocol:
        """The oracle over the values."""
        if self.other is not None and self.other not in self.values:
            raise self.refused("other", "must be one of the values: those who hold none of them answer with it")
        return Frequency(LISTED[self.mechanism](len(self.values), self.epsilon), self.values, self.other)
