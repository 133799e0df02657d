"""How much is yours? The mean of a bounded number as a protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from cobogo.collect.collection import Collection
from cobogo.collect.frequency import packed, texts_of, unpacked
from cobogo.collect.layout import Layout, Rows
from cobogo.collect.means import MEANS, Mean
from cobogo.collect.protocol import LEVEL, Findings, Protocol, UnknownValue
from cobogo.floor.arrays import Ints
from cobogo.floor.randomness import Source


class Numeric(Protocol):
    """Reports that each stand for a number; their mean is that of the numbers held."""

    def __init__(self, mean: Mean) -> None:
        self.mean = mean
        self.name = mean.name  # type: ignore[misc]

    @property
    def layout(self) -> Layout:
        """The number of a report."""
        return Layout((("report", len(self.mean.worth)),))

    @property
    def shape(self) -> tuple[int, ...]:
        """How often each report came."""
        return (len(self.mean.worth),)

    @property
    def epsilon_once(self) -> float:
        """The mechanism's."""
        return self.mean.epsilon

    @property
    def epsilon_forever(self) -> float:
        """The same: the report is the permanent answer."""
        return self.mean.epsilon

    def read(self, values: Sequence[str | None]) -> Ints:
        """Points of the grid; numbers beyond the bounds count as the bounds."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = texts_of(values)
        plain = pc.match_substring_regex(texts, r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*$")
        known = pc.fill_null(plain, False).to_numpy(zero_copy_only=False)
        if not known.all():
            wrong = np.flatnonzero(~known)
            raise UnknownValue(int(wrong[0]), f"{wrong.size:,} of {len(texts):,} are not numbers")
        return self.mean.points(pc.utf8_trim_whitespace(texts).cast(pa.float64()).to_numpy(zero_copy_only=False))

    def answered_as(self, value: str) -> str:
        """The point of the grid: a number that moves by less than a step is the same."""
        return str(int(self.read([value])[0]))

    def permanent(self, held: Ints, standing: Ints, source: Source) -> Rows:  # noqa: ARG002
        """The mechanism's reports."""
        return packed(self.mean.encode(held, source), self.layout)

    def tally(self, rows: Rows) -> Ints:
        """How often each report came."""
        return np.asarray(self.mean.tally(unpacked(rows, self.layout)), dtype=np.int64)

    def findings(self, counts: Ints, users: int, *, level: float = LEVEL) -> Findings:
        """One figure."""
        if not users:
            nothing = np.zeros(0)
            return Findings((), nothing, nothing, nothing, 0, 1, level, counted=False)
        found = self.mean.estimate(counts)
        return Findings(
            ("mean",), np.array([found.mean]), np.array([found.error]), np.zeros(1), users, 1, level, counted=False
        )


class MeanCollection(Collection):
    """A question for a number between bounds, of which the mean is wanted."""

    mechanism: Literal[tuple(MEANS)]  # type: ignore[valid-type]
    epsilon: Annotated[float, Field(gt=0, le=20)]
    low: Annotated[float, Field(allow_inf_nan=False)]
    high: Annotated[float, Field(allow_inf_nan=False)]
    steps: Annotated[int, Field(ge=1, le=2**20)] = 4096

    def build(self) -> Protocol:
        """The mechanism over the grid."""
        try:
            return Numeric(MEANS[self.mechanism](self.low, self.high, self.epsilon, self.steps))
        except ValueError as error:
            raise self.refused("low", str(error)) from None
