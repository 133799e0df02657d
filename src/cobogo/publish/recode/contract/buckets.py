"""Buckets of records: within a bucket, the release does not show which sensitive value belongs to which tuple."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes, Histogram
from cobogo.data.table.frequency import number_tuples
from cobogo.examine.metrics import BUCKETED, Outcome
from cobogo.floor import randomness
from cobogo.floor.arrays import Ints
from cobogo.promises.models.check import check
from cobogo.publish.recode.contract.problem import Problem


@dataclass(frozen=True, eq=False, repr=False)
class Buckets:
    """``counts[p]`` records of the original tuple ``tuples[p]`` with the value ``values[p]`` of the one sensitive
    attribute are in bucket ``owners[p]``; −1 marks suppressed records. No bucket is empty."""

    problem: Problem
    tuples: Ints
    values: NDArray[np.int32]
    counts: Ints
    owners: Ints

    def __len__(self) -> int:
        return int(self.owners.max(initial=-1)) + 1

    @cached_property
    def names(self) -> NDArray[np.object_]:
        """The name of each bucket: a number in random order."""
        order = np.argsort(randomness.keys(len(self)))
        return np.array([str(number + 1) for number in order.tolist()], dtype=object)

    @cached_property
    def sizes(self) -> Ints:
        """The records of each bucket."""
        kept = self.owners >= 0
        return np.bincount(self.owners[kept], self.counts[kept], len(self)).astype(np.int64)

    @property
    def suppressed(self) -> int:
        """How many records are in no bucket."""
        return int(self.counts[self.owners < 0].sum())

    @property
    def attribute(self) -> str:
        """The sensitive attribute."""
        return next(iter(self.problem.table.histograms))

    @cached_property
    def histogram(self) -> Histogram:
        """The sensitive values of each bucket."""
        known = self.problem.table.histograms[self.attribute]
        kept = self.owners >= 0
        owners, values = self.owners[kept], self.values[kept]
        ids, first = number_tuples([owners, values], [len(self), len(known.domain)], len(owners))
        counts = np.bincount(ids, self.counts[kept], len(first)).astype(np.int64)
        offsets = np.searchsorted(owners[first], np.arange(len(self) + 1)).astype(np.int64)
        return replace(known, offsets=offsets, values=values[first], counts=counts)

    def classes(self) -> Classes:
        """The buckets as the models see them."""
        return Classes(self.sizes, {self.attribute: self.histogram}, self.problem.scale.records)

    def hold(self) -> bool:
        """Whether every model holds, by its plain definition."""
        return all(verdict.satisfied for verdict in check(self.problem.promised, self.classes()))

    def reconstruction_error(self) -> float:
        """The mean over all records of ½ Σ(share of a value in the bucket − 1 if it is the record's own)²: the error of
        an analyst who takes each bucket's shares for its records' values (Xiao and Tao 2006). Suppressed records count
        1."""
        h = self.histogram
        shares = h.shares(self.sizes)
        squares = h.sums(shares**2)
        per_entry = h.counts * (1 - 2 * shares + squares[h.owners]) / 2
        return float((per_entry.sum() + self.suppressed) / max(self.problem.scale.records, 1))

    def outcome(self) -> Outcome:
        """What is lost is whose value is whose; metrics that look at how far values were generalized say nothing."""
        unknown = np.full(len(self.problem.hierarchies), np.nan)
        return Outcome(
            suppressed=self.suppressed,
            classes=len(self),
            squares=int((self.sizes * self.sizes).sum()),
            leaf_sums=unknown,
            level_sums=unknown,
            others={BUCKETED: self.reconstruction_error()},
        )
