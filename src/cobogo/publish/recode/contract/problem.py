"""The question that a recoding algorithm answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes, Histogram
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.table import kernels
from cobogo.data.table.frequency import FrequencyTable
from cobogo.errors import PolicyError
from cobogo.examine.metrics import Metric, Scale
from cobogo.floor.arrays import Ints, Mask, Small
from cobogo.floor.language import tr
from cobogo.promises.models import Model, Scope
from cobogo.promises.models.check import failing_classes
from cobogo.promises.models.k_anonymity import KAnonymity

LARGEST_TRIED = 1 << 20
"""Records of a class up to which `least_size` asks the models whether its size suffices: bounds the array of sizes. A
model that asks for more is taken to ask for as many, and is checked like any other in the end."""

Levels = tuple[int, ...]
"""A node of the generalization lattice: one level per quasi-identifier, in the policy's order."""


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """A frequency table to be recoded over hierarchies until the models hold, best by a metric.

    At most ``limit`` records may be suppressed; levels stay between ``lowest`` and ``highest``. No choice may depend on
    the ``blind`` models: they are checked once the choice is made. ``kind`` is the kind of recoding that the policy
    asks for, where an algorithm has a choice.
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
    apart: Mask | None = None  # tuples that share no group with the others, where an algorithm makes groups

    @property
    def promised(self) -> tuple[Model, ...]:
        """Every model that the release must satisfy."""
        return (*self.models, *self.blind)

    def replace_models(self, models: Iterable[Model]) -> Problem:
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
            k=required_k(self.models),
            small_only=self.table.people is None and all(isinstance(model, KAnonymity) for model in self.models),
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
            found.append(
                tuple(sum_by_group(codes, counts, len(names)) for codes, names in zip(h.maps, h.labels, strict=True))
            )
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


def sum_by_group(ids: Ints | Small, counts: Ints, groups: int) -> Ints:
    """Sums of whole numbers by group; what belongs to no group (−1) is left out."""
    total = np.zeros(groups + 1, dtype=np.int64)
    np.add.at(total, ids, counts)
    return total[:groups]


def label_numbers(hierarchy: Hierarchy) -> tuple[tuple[Label, ...], tuple[Ints, ...]]:
    """The labels of all levels, and for each level a number for every leaf's label there. Equal labels have equal
    numbers, at whatever level."""
    index: dict[Label, int] = {}
    numbers = []
    for labels, codes in zip(hierarchy.labels, hierarchy.maps, strict=True):
        known = np.array([index.setdefault(label, len(index)) for label in labels], dtype=np.int64)
        numbers.append(known[codes])
    return tuple(index), tuple(numbers)


def least_size(problem: Problem) -> int:
    """The size from which on a class satisfies every model that looks at sizes alone; 1 where no model does."""
    alone = [model for model in problem.models if looks_at_sizes(problem, model)]
    if not alone:
        return 1
    sizes = np.arange(1, min(problem.scale.records, LARGEST_TRIED) + 1)
    bad = failing_classes(alone, Classes(sizes, {}, problem.scale.records))
    return int(np.flatnonzero(bad)[-1]) + 2 if bad.any() else 1


def looks_at_sizes(problem: Problem, model: Model) -> bool:
    """Whether a model is a condition on how many records each class has, and on nothing else."""
    return (
        model.scope is Scope.CLASS and not model.attributes and not model.needs_people and problem.table.people is None
    )


def _bits(counts: NDArray[np.int64], sharing: NDArray[np.int64] | int) -> float:
    """Σ counts · log2(sharing / counts). In floating point, too, it never falls when something is shared by more."""
    known = np.maximum(counts, 1)
    return float((counts * np.log2(np.maximum(sharing, 1) / known)).sum())


def _entropy(counts: NDArray[np.int64]) -> float:
    """In nats."""
    shares = counts[counts > 0] / max(int(counts.sum()), 1)
    return float(-(shares * np.log(shares)).sum())


def required_k(models: Sequence[Model]) -> int | None:
    """The k of k-anonymity that the policy requires; None where it requires none."""
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
    """Refuse models that look beyond the classes of the release, at a population or at the tuples behind a class: only
    a recoding that treats equal values alike determines what becomes of those."""
    for model in problem.promised:
        if model.populations or model.needs_members:
            raise PolicyError(
                tr(
                    "{model} needs a population table, and {algorithm} uses only the classes of the release",
                    model=model,
                    algorithm=algorithm,
                )
                if model.populations
                else tr(
                    "{model} needs the original records of each class, and {algorithm} uses only the classes of the "
                    "release",
                    model=model,
                    algorithm=algorithm,
                ),
                where="recoding.algorithm",
                remedy=tr('Set algorithm = "optimal", or leave out the model.'),
            )


def tally(problem: Problem, rows: Ints, ids: Ints, groups: int, attributes: Collection[str]) -> Classes:
    """The classes of the tuples ``rows``, row ``i`` being in class ``ids[i]``; a tuple may be in several."""
    table = problem.table
    histograms = {name: merge_rows(table.histograms[name], rows, ids, groups) for name in attributes}
    if table.people is not None:
        sets = merge_rows(table.people.sets, rows, ids, groups)
        return table.people.classes(sets, histograms)
    return Classes(sum_by_group(ids, table.counts[rows], groups), histograms, problem.scale.records)


def merge_rows(histogram: Histogram, rows: Ints, ids: Ints, groups: int) -> Histogram:
    """The histogram of groups of a histogram's rows."""
    lengths = histogram.distinct[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entries = np.repeat(histogram.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
    found = kernels.merge_histograms(
        ids, groups, offsets, histogram.values[entries], histogram.counts[entries], len(histogram.domain)
    )
    return replace(histogram, offsets=found[0], values=found[1], counts=found[2])
