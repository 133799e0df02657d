"""Aggregation: every record of a group is released with one value of the group, which need not be its own.

Numbers become the group's mean or median, ordered values its median, categories the most frequent one. The lowest
common ancestor in the hierarchy, and the range of the numbers, are values of the group as well; they cover every
record's own value, and so stay true.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.errors import PolicyError
from cobogo.examine.metrics import AGGREGATED, Outcome
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.publish.recode.contract.assignment import Assignment, leaf_tuples
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.partition import ranges

Labels = NDArray[np.object_]

NUMERIC = ("mean", "median", "drawn", "range")
"""Methods that treat values as numbers."""

TRUE = ("ancestor", "range")
"""Methods whose values cover every record's own."""

DIGITS_AT_MOST = 6
"""Digits after the decimal mark that a mean is written with; fewer where the data has fewer."""


@dataclass(frozen=True, eq=False, repr=False)
class Aggregation(Assignment):
    """An assignment whose classes are released with values of their own. ``errors`` has each attribute's loss, from 0
    to 1. Levels and leaves are meaningful only for attributes that are released as an ancestor."""

    labels: tuple[Labels, ...] = ()
    methods: tuple[str, ...] = ()
    errors: tuple[float, ...] = ()
    bounds: tuple[Ints, ...] = ()  # of each attribute that is released as a range: classes × first and last place

    @cached_property
    def names(self) -> tuple[Labels, ...]:
        """For each quasi-identifier, the value that each class is released with."""
        generalized = self._hierarchy_values()
        return tuple(
            ancestors if how == "ancestor" else labels
            for how, labels, ancestors in zip(self.methods, self.labels, generalized, strict=True)
        )

    def value_numbers(self) -> list[Ints]:
        indices: list[dict[Label, int]] = [{} for _ in self.names]
        return [
            np.array([index.setdefault(name, len(index)) for name in names.tolist()], dtype=np.int64)
            for index, names in zip(indices, self.names, strict=True)
        ]

    def _class_fields(self, chosen: NDArray[np.intp]) -> dict[str, Any]:
        labels, bounds = tuple(own[chosen] for own in self.labels), tuple(own[chosen] for own in self.bounds)
        return {**super()._class_fields(chosen), "labels": labels, "bounds": bounds}

    @property
    def aggregated(self) -> Mapping[str, str]:
        """The quasi-identifiers whose values are not true of single records, and the method of each."""
        pairs = zip(self.problem.hierarchies, self.methods, strict=True)
        return {h.attribute: how for h, how in pairs if how not in TRUE}

    @property
    def ranged(self) -> tuple[str, ...]:
        """The quasi-identifiers that are released as ranges."""
        pairs = zip(self.problem.hierarchies, self.methods, strict=True)
        return tuple(h.attribute for h, how in pairs if how == "range")

    @cached_property
    def leaf_counts(self) -> Ints:
        """Leaves under an ancestor, or within a range."""
        found = super().leaf_counts.copy()
        for column, h in enumerate(self.problem.hierarchies):
            if self.methods[column] == "range":
                found[:, column] = ranges.widths(h, self.problem.decimal, self.bounds[column])
        return found

    def outcome(self) -> Outcome:
        """The sums for metrics of classes, and the squared error. Sums over covered leaves are unknown (NaN) where some
        attribute is released as a value that covers nothing."""
        found = super().outcome()
        weights = self.problem.scale.weights
        lost = float((weights * self.errors).sum() / weights.sum())
        kept = 1 - self.suppressed / max(self.problem.scale.records, 1)
        unknown = np.full(len(self.methods), np.nan)
        error = lost * kept + (1 - kept)
        if not self.aggregated:
            levels, bits = (unknown, unknown) if "range" in self.methods else (found.level_sums, found.bits)
            return replace(found, level_sums=levels, bits=bits, others={AGGREGATED: error})
        return replace(
            found, leaf_sums=unknown, level_sums=unknown, products=np.nan, bits=unknown, others={AGGREGATED: error}
        )

    def level_shares(self) -> dict[str, list[float]]:
        """The shares for the attributes that are released as an ancestor."""
        own = {h.attribute for h, how in zip(self.problem.hierarchies, self.methods, strict=True) if how == "ancestor"}
        return {name: shares for name, shares in super().level_shares().items() if name in own}

    def faults(self) -> list[str]:
        """Lost or invented records, values that are no ancestor, ranges without the original. Other methods allow any
        value."""
        pairs = list(zip(self.problem.hierarchies, self.methods, strict=True))
        other = [f'"{h.attribute}"' for h, how in pairs if how != "ancestor"]
        found = [fault for fault in super().faults() if not any(fault.startswith(name) for name in other)]
        kept = self.owners >= 0
        leaves = leaf_tuples(self.problem)[self.tuples[kept]]
        for column, (h, how) in enumerate(pairs):
            if how == "range":
                own = ranges.places(h, self.problem.decimal)[leaves[:, column]]
                low, high = self.bounds[column][self.owners[kept]].T
                if ((own < low) | (own > high)).any():
                    found.append(tr('"{attribute}" is released as a range without the original', attribute=h.attribute))
        return found


def aggregation_methods(problem: Problem) -> tuple[str, ...]:
    """The method for each attribute: the policy's, or by default the mean for numbers, the ancestor for hierarchies of
    more than one step, and the mode for other categories. Digits that begin with 0, or that the hierarchy masks, are a
    code and no number."""
    found = []
    asked = problem.aggregates or (None,) * len(problem.hierarchies)
    for column, (h, how) in enumerate(zip(problem.hierarchies, asked, strict=True)):
        numeric = ranges.is_numeric(h, problem.decimal)
        bounded = problem.lowest[column] > 0 or problem.highest[column] < h.height
        amount = numeric and not _is_code(h)
        chosen = how or ("ancestor" if bounded or (h.height > 1 and not amount) else "mean" if amount else "mode")
        if set(problem.table.values[h.attribute]) == {None} and not bounded:
            chosen = "mode"  # whatever was asked for, nothing is there to be aggregated
        if chosen in ("mean", "range") and not numeric:
            raise PolicyError(
                tr("{chosen} needs numbers, and the attribute has values that are not numbers", chosen=chosen),
                where=tr('attribute "{attribute}", aggregate', attribute=h.attribute),
                remedy=tr('Set "median" (in the order of the hierarchy), "mode" or "ancestor".'),
            )
        if chosen != "ancestor" and bounded:
            bound = "min-level" if problem.lowest[column] else "max-level"
            raise PolicyError(
                tr(
                    "{bound} limits generalized values, and aggregate = {chosen!r} does not generalize",
                    bound=bound,
                    chosen=chosen,
                ),
                where=tr('attribute "{attribute}"', attribute=h.attribute),
                remedy=tr('Leave out {bound}, or set aggregate = "ancestor".', bound=bound),
            )
        found.append(chosen)
    return tuple(found)


def _is_code(hierarchy: Hierarchy) -> bool:
    """Whether values that look like numbers are codes, such as postal codes."""
    known = [leaf for leaf in hierarchy.leaves if leaf is not None]
    masked = hierarchy.height > 1 and all(
        label is None or (len(label) == len(leaf) and label[:1] + label[-1:] != leaf[:1] + leaf[-1:])
        for leaf, label in ((leaf, hierarchy.generalize(leaf, 1)) for leaf in known)
    )
    return masked or any(len(leaf) > 1 and leaf[0] == "0" and leaf.isdigit() for leaf in known)


def aggregate(assignment: Assignment, chosen: tuple[str, ...]) -> Aggregation:
    """An assignment's classes released as what their records have in common, attribute by attribute."""
    problem = assignment.problem
    kept = assignment.owners >= 0
    owners, counts, groups = assignment.owners[kept], assignment.counts[kept], len(assignment)
    labels, errors = [], []
    bounds = [np.zeros((groups, 2), dtype=np.int64) for _ in chosen]
    for column, (h, how) in enumerate(zip(problem.hierarchies, chosen, strict=True)):
        leaf = problem.leaf_codes[column][problem.table.codes[assignment.tuples[kept], column]].astype(np.int64)
        if how == "mean":
            found, error = _means(h, problem.decimal, leaf, owners, counts, groups)
        elif how == "median":
            found, error = _medians(h, problem.decimal, leaf, owners, counts, groups)
        elif how == "range":
            bounds[column] = ranges.bounds(h, problem.decimal, leaf, owners, groups)
            wide = ranges.widths(h, problem.decimal, bounds[column])
            found = ranges.labels(h, problem.decimal, bounds[column])
            error = float((counts * (wide[owners] - 1)).sum() / max(int(counts.sum()), 1) / max(len(h.leaves) - 1, 1))
        elif how == "mode":
            found, error = _modes(h, leaf, owners, counts, groups)
        else:
            found, error = np.empty(groups, dtype=object), _ancestors(assignment, column)
        labels.append(found)
        errors.append(error)
    return Aggregation(
        problem, assignment.levels, assignment.leaves, assignment.tuples, assignment.owners, assignment.counts,
        assignment.values, tuple(labels), chosen, tuple(errors), tuple(bounds),
    )  # fmt: skip


def _means(h: Hierarchy, decimal: str, leaf: Ints, owners: Ints, counts: Ints, groups: int) -> tuple[Labels, float]:
    """The mean of the known numbers, written with as many digits as the data has; NULL where most are NULL."""
    numeric = ranges.numbers(h, decimal)
    places = digits(h, decimal)
    known = ~np.isnan(numeric)[leaf]
    many = np.bincount(owners[known], counts[known], groups)
    total = np.bincount(owners[known], counts[known] * numeric[leaf[known]], groups)
    missing = np.bincount(owners, counts, groups) > 2 * many
    means = np.round(np.divide(total, many, out=np.full(groups, np.nan), where=many > 0), places) + 0.0
    labels = format_numbers(np.where(missing, np.nan, means), places, decimal)
    return labels, squared_error(numeric[leaf], np.where(missing, np.nan, means)[owners], counts)


def digits(hierarchy: Hierarchy, decimal: str) -> int:
    """How many digits after the decimal mark the data have."""
    return max((_digits(label, decimal) for label in hierarchy.leaves), default=0)


def format_numbers(values: Floats, places: int, decimal: str) -> Labels:
    """Numbers as text with so many digits; NULL for NaN."""
    rounded = (np.round(values, places) + 0.0).tolist()
    texts = [None if math.isnan(value) else f"{value:.{places}f}".replace(".", decimal) for value in rounded]
    return np.array([*texts, None], dtype=object)[:-1]


def _digits(label: Label, decimal: str) -> int:
    text = (label or "").strip()
    return min(len(text.rpartition(decimal)[2]), DIGITS_AT_MOST) if decimal in text else 0


def _medians(h: Hierarchy, decimal: str, leaf: Ints, owners: Ints, counts: Ints, groups: int) -> tuple[Labels, float]:
    """The value in the middle, the lower of two: in the order of numbers, or that of the hierarchy's leaves."""
    numeric = ranges.is_numeric(h, decimal)
    places = np.nan_to_num(ranges.numbers(h, decimal), nan=np.inf) if numeric else np.arange(len(h.leaves), dtype=float)
    order = np.lexsort((places[leaf], owners))
    ends = np.cumsum(counts[order])
    sizes = np.bincount(owners, counts, groups)
    before = np.cumsum(sizes) - sizes
    middle = np.searchsorted(ends, before + (sizes + 1) // 2)
    chosen = leaf[order][np.minimum(middle, len(order) - 1)]
    labels = np.array(h.leaves, dtype=object)[chosen]
    scale = np.where(np.isinf(places), np.nan, places)
    return labels, squared_error(scale[leaf], scale[chosen][owners], counts)


def _modes(h: Hierarchy, leaf: Ints, owners: Ints, counts: Ints, groups: int) -> tuple[Labels, float]:
    """The most frequent value; of several, the first of the hierarchy."""
    pairs, inverse = np.unique(owners * len(h.leaves) + leaf, return_inverse=True)
    many = np.bincount(inverse, counts)
    order = np.lexsort((pairs % len(h.leaves), -many, pairs // len(h.leaves)))
    chosen = (pairs[order] % len(h.leaves))[np.searchsorted(pairs[order] // len(h.leaves), np.arange(groups))]
    wrong = float(counts[leaf != chosen[owners]].sum())
    whole = np.bincount(leaf, counts)
    all_wrong = float(whole.sum() - whole.max(initial=0))
    return np.array(h.leaves, dtype=object)[chosen], wrong / all_wrong if all_wrong else 0.0


def _ancestors(assignment: Assignment, column: int) -> float:
    """The mean share of the domain that a released value covers besides the true one."""
    leaves = len(assignment.problem.hierarchies[column].leaves)
    kept = max(int(assignment.sizes.sum()), 1)
    return float((assignment.sizes * (assignment.leaf_counts[:, column] - 1)).sum() / kept / max(leaves - 1, 1))


def squared_error(before: Floats, after: Floats, counts: Ints) -> float:
    """Σ(x − released)² / Σ(x − mean)². NULL for a number, or a number for NULL, counts as one standard deviation."""
    known = ~np.isnan(before)
    many = max(float(counts[known].sum()), 1.0)
    total = float((counts[known] * (before[known] - (counts[known] * before[known]).sum() / many) ** 2).sum())
    both = known & ~np.isnan(after)
    lost = float((counts[both] * (before[both] - after[both]) ** 2).sum())
    lost += float(counts[known != ~np.isnan(after)].sum()) * total / many
    return min(lost / total, 1.0) if total else 0.0
