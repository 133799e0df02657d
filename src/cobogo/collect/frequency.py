"""Questions with listed answers: any frequency oracle as a protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import numpy as np
from pydantic import AfterValidator, Field

from cobogo.collect.collection import Collection, check_values
from cobogo.collect.hashing import Hadamard, LocalHashing
from cobogo.collect.layout import Layout, Rows, unpack_reports
from cobogo.collect.oracle import Oracle
from cobogo.collect.power import Detectable
from cobogo.collect.protocol import (
    BONFERRONI,
    LEVEL,
    CollectionFindings,
    PermanentReports,
    Protocol,
    UnknownValue,
    text_array,
)
from cobogo.collect.randomized_response import Direct, Optimized, Symmetric
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr, trn


class FrequencyProtocol(PermanentReports):
    """Reports of an oracle about listed values. Values that are not listed count as ``other``, if there is one."""

    def __init__(self, oracle: Oracle, values: Sequence[str], other: str | None = None) -> None:
        super().__init__(oracle)
        self.oracle = oracle
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
    def detectable(self) -> Detectable:
        """The oracle."""
        return self.oracle

    def read(self, values: Sequence[str | None]) -> Ints:
        """The numbers of values."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found = pc.index_in(text_array(values), value_set=pa.array(self.values, pa.string()))
        unknown = np.flatnonzero(found.is_null().to_numpy(zero_copy_only=False))
        if self._other is not None:
            return np.asarray(pc.fill_null(found, self._other).to_numpy(zero_copy_only=False), dtype=np.int64)
        if unknown.size:
            raise UnknownValue(
                int(unknown[0]),
                trn(
                    "{n:,} of {all:,} is not among the listed values",
                    "{n:,} of {all:,} are not among the listed values",
                    n=unknown.size,
                    all=len(found),
                ),
            )
        return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)

    def canonical_value(self, value: str) -> str:
        """Itself, or the other."""
        return self.values[int(self.read([value])[0])]

    def tally(self, rows: Rows) -> Ints:
        """For each value, the reports that support it."""
        return np.asarray(self.oracle.support(unpack_reports(rows, self.layout)), dtype=np.int64)

    def likelihoods(self, rows: Rows) -> tuple[tuple[str, ...], Floats]:
        """The likelihoods of the oracle, for all values."""
        return self.values, self.oracle.likelihoods(unpack_reports(rows, self.layout))

    def findings(self, counts: Ints, users: int, *, level: float = LEVEL, rule: str = BONFERRONI) -> CollectionFindings:
        """Estimates of the oracle, with the probability of each count if no client held the value."""
        found = self.oracle.estimate(counts, users)
        chances = self.oracle.chances(counts, users)
        return CollectionFindings(
            self.values, found.counts, found.errors, chances, users, len(self.values), level, rule=rule
        )


class FrequencyCollection(Collection):
    """A question with listed answers, asked through a frequency oracle: one of ours, or of another package."""

    epsilon: Annotated[float, Field(gt=0, le=20)]
    values: Annotated[tuple[str, ...], Field(min_length=2, max_length=1_000_000), AfterValidator(check_values)]
    other: str | None = None

    randomizers: ClassVar[Mapping[str, type[Oracle]]] = {
        oracle.name: oracle for oracle in (Direct, Symmetric, Optimized, LocalHashing, Hadamard)
    }

    def build(self) -> Protocol:
        """The oracle over the values."""
        if self.other is not None and self.other not in self.values:
            raise self.refusal(
                "other",
                tr("must be one of the values: clients with a value that is not listed answer with it"),
                tr("Add it to the values."),
            )
        from cobogo.collect.mechanisms import frequency_oracles

        oracle = frequency_oracles()[self.mechanism]
        return FrequencyProtocol(oracle(len(self.values), self.epsilon), self.values, self.other)
