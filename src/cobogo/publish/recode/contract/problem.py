"""The question that a recoding algorithm answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes, Histogram
from cobogo.data.hierarchy import Hierarchy
from cobogo.data.table import kernels
from cobogo.data.table.frequency import FrequencyTable, number_tuples
from cobogo.errors import PolicyError
from cobogo.examine.metrics import Metric, Scale
from cobogo.floor.arrays import Ints
from cobogo.promises.models import Model
from cobogo.promises.models.k_anonymity import KAnonymity

Levels = tuple[int, ...]
"""A node of the generalization lattice: one level per quasi-identifier, in the policy's order."""


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """A frequency table to be recoded over hierarchies until the models hold, best by a metric.

    ``limit`` is how many records may be suppressed; levels stay between ``lowest`` and ``highest``. ``blind`` are
    models that no choice may depend on: they are checked when the choice is made. ``kind`` is the kind of recoding
    asked for, where an algorithm has a choice.
    """

    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]
    models: tuple[Model, ...]
    metric: Metric
    limit: int
    lowest: Levels
    highest: Levels
    weights: tuple[float, ...]
    blind: tuple[Model, ...] = ()
    kind: str | None = None
    aggregates: tuple[str | None, ...] = ()  # what a group's values become where an algorithm aggregates; None: as fits
    decimal: str = "."  # how the data writes its numbers
    marginals: tuple[tuple[str, ...], ...] = ()  # the sets of attributes asked for, where these are released
    withholds: bool = False  # whether a class that fails for its sensitive values keeps its records without them
    apart: NDArray[np.bool_] | None = (
        None  # of the tuples: those that are put in groups by themselves, where groups are made
    )

    @property
    def promised(self) -> tuple[Model, ...]:
        """Every model that the release must satisfy."""
        return (*self.models, *self.blind)

    def promising(self, models: Iterable[Model]) -> Problem:
        """The same problem under other models."""
        wanted = tuple(dict.fromkeys(models))
        steering = tuple(model for model in wanted if not model.blind)
        return replace(self, models=steering, blind=tuple(model for model in wanted if model.blind))

    @cached_property
    def scale(self) -> Scale:
        """What stays the same for all solutions."""
        return Scale(
            records=self.table.records,
            leaves=np.array([len(h.leaves) for h in self.hierarchies], dtype=np.int64),
            heights=np.array([h.height for h in self.hierarchies], dtype=np.int64),
            weights=np.array(self.weights, dtype=float),
            k=asked_k(self.models),
            tuple_nats=self.table.tuple_nats,
            full_bits=np.array([_bits(counts[0], self.table.records) for counts in self.sharing], dtype=float),
        )

    @cached_property
    def leaf_codes(self) -> tuple[NDArray[np.int32], ...]:
        """For each quasi-identifier, the hierarchy's leaf for each value of the table."""
        return tuple(h.encode(self.table.values[h.attribute]) for h in self.hierarchies)

    @cached_property
    def histograms_needed(self) -> tuple[str, ...]:
        """The sensitive attributes whose distribution some model looks at."""
        return tuple(dict.fromkeys(name for model in self.promised for name in model.attributes))

    @cached_property
    def sharing(self) -> tuple[tuple[NDArray[np.int64], ...], ...]:
        """For each quasi-identifier and level: how many records have each value there, before suppression."""
        found = []
        for position, (h, leaf) in enumerate(zip(self.hierarchies, self.leaf_codes, strict=True)):
            counts = np.zeros(len(h.leaves), dtype=np.int64)
            counts[leaf] = self.table.marginal(position)
            found.append(tuple(_sums(codes, counts, len(names)) for codes, names in zip(h.maps, h.labels, strict=True)))
        return tuple(found)

    @cached_property
    def leaf_totals(self) -> tuple[NDArray[np.int64], ...]:
        """For each quasi-identifier and level: over all records, the leaves under the value each would have there."""
        return tuple(
            np.array([int((there * leaves).sum()) for there, leaves in zip(counts, h.leaf_counts, strict=True)])
            for h, counts in zip(self.hierarchies, self.sharing, strict=True)
        )

    @cached_property
    def distinct(self) -> tuple[NDArray[np.int64], ...]:
        """For each quasi-identifier and level: how many distinct values the table would have there."""
        return tuple(
            np.array([len(np.unique(codes[leaf])) for codes in h.maps], dtype=np.int64)
            for h, leaf in zip(self.hierarchies, self.leaf_codes, strict=True)
        )

    @cached_property
    def bit_totals(self) -> tuple[NDArray[np.float64], ...]:
        """For each quasi-identifier and level: over all records, −log2(freq(original)/freq(value there))."""
        return tuple(
            np.array([_bits(counts[0], there[codes]) for codes, there in zip(h.maps, counts, strict=True)])
            for h, counts in zip(self.hierarchies, self.sharing, strict=True)
        )

    @cached_property
    def log_leaf_totals(self) -> tuple[NDArray[np.float64], ...]:
        """For each quasi-identifier and level: over all records, ln(leaves under the value each would have there)."""
        return tuple(
            np.array([(there * np.log(leaves)).sum() for there, leaves in zip(counts, h.leaf_counts, strict=True)])
            for h, counts in zip(self.hierarchies, self.sharing, strict=True)
        )

    @cached_property
    def value_nats(self) -> tuple[NDArray[np.float64], ...]:
        """For each quasi-identifier and level: the entropy of the values there, in nats."""
        return tuple(np.array([_entropy(there) for there in counts]) for counts in self.sharing)

    @cached_property
    def raised_majorities(self) -> tuple[NDArray[np.int64], ...]:
        """For each quasi-identifier and level: the records with their class's most frequent label, were this attribute
        at that level and every other at its lowest. No node at or above has more."""
        assert self.table.label is not None
        leaves = [leaf[self.table.codes[:, column]] for column, leaf in enumerate(self.leaf_codes)]
        bottom = list(zip(self.hierarchies, self.lowest, strict=True))
        columns = [h.maps[level][leaf] for (h, level), leaf in zip(bottom, leaves, strict=True)]
        sizes = [len(h.labels[level]) for h, level in bottom]
        found = []
        for column, (h, leaf) in enumerate(zip(self.hierarchies, leaves, strict=True)):
            most = np.full(h.height + 1, self.table.records, dtype=np.int64)
            for level in range(self.lowest[column], self.highest[column] + 1):
                raised, wide = columns.copy(), sizes.copy()
                raised[column], wide[column] = h.maps[level][leaf], len(h.labels[level])
                ids, _ = number_tuples(raised, wide, len(self.table.counts))
                most[level] = _majority(self.table.label, ids)
            found.append(most)
        return tuple(found)


def _sums(codes: NDArray[np.int32], counts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, codes, counts)
    return total


def _bits(counts: NDArray[np.int64], sharing: NDArray[np.int64] | int) -> float:
    """Σ counts · log2(sharing / counts). In floating point, too, it never falls when something is shared by more."""
    known = np.maximum(counts, 1)
    return float((counts * np.log2(np.maximum(sharing, 1) / known)).sum())


def _entropy(counts: NDArray[np.int64]) -> float:
    """In nats."""
    shares = counts[counts > 0] / max(int(counts.sum()), 1)
    return float(-(shares * np.log(shares)).sum())


def _majority(label: Histogram, ids: NDArray[np.int64]) -> int:
    """Over the groups that tuples fall into, the records that have their group's most frequent label."""
    groups = ids[label.owners]
    pairs, inverse = np.unique(groups * len(label.domain) + label.values, return_inverse=True)
    counts = _sums(inverse, label.counts, len(pairs))
    most = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(most, pairs // len(label.domain), counts)
    return int(most.sum())


def asked_k(models: Sequence[Model]) -> int | None:
    """The k of the k-anonymity asked for; None where none is."""
    return max((model.k for model in models if isinstance(model, KAnonymity)), default=None)


def level_range(
    hierarchies: Sequence[Hierarchy], lowest: Sequence[int], highest: Sequence[int | None]
) -> tuple[Levels, Levels]:
    """The levels to search, with no upper bound meaning the hierarchy's height."""
    tops = tuple(
        h.height if most is None else min(most, h.height) for h, most in zip(hierarchies, highest, strict=True)
    )
    return tuple(lowest), tops


def refuse_beyond_classes(problem: Problem, algorithm: str) -> None:
    """Refuse models that look at more than a table's own classes: what becomes of another table's values, or of the
    tuples behind a class, is told by a recoding only that treats equal values alike."""
    for model in problem.promised:
        if model.populations or model.needs_members:
            what = "a population table" if model.populations else "the original tuples behind each class"
            raise PolicyError(
                f"{model} looks at {what}, and {algorithm} answers for the classes of the release alone",
                where="recoding.algorithm",
                remedy='Say algorithm = "optimal", or leave out the model.',
            )


def tally(problem: Problem, rows: Ints, ids: Ints, groups: int, attributes: Collection[str]) -> Classes:
    """The classes of the tuples ``rows``, row ``i`` being in class ``ids[i]``; a tuple may be in several."""
    table = problem.table
    histograms = {name: merged(table.histograms[name], rows, ids, groups) for name in attributes}
    if table.people is not None:
        sets = merged(table.people.sets, rows, ids, groups)
        return table.people.classes(sets, histograms)
    sizes = np.zeros(groups, dtype=np.int64)
    np.add.at(sizes, ids, table.counts[rows])
    return Classes(sizes, histograms, problem.scale.records)


def merged(histogram: Histogram, rows: Ints, ids: Ints, groups: int) -> Histogram:
    """The histogram of groups of a histogram's rows."""
    lengths = histogram.distinct[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entries = np.repeat(histogram.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
    found = kernels.merge_histograms(
        ids, groups, offsets, histogram.values[entries], histogram.counts[entries], len(histogram.domain)
    )
    return replace(histogram, offsets=found[0], values=found[1], counts=found[2])
