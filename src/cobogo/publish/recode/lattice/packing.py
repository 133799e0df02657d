"""Quasi-identifier tuples packed into few digits, so that recoding a tuple takes few look-ups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Floats, Ints
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.lattice import kernels

DIGIT_AT_MOST = 1024
"""Values of a digit of several columns: the look-up tables of a node stay in the processor's nearest memory."""


class Packing:
    """The digits of one problem's table, and what they become at a node."""

    def __init__(self, problem: Problem, apart: Sequence[int] = ()) -> None:
        """``apart``: columns that make the last digit together."""
        self.problem = problem
        width = len(problem.hierarchies)
        self.sizes = np.array([len(leaf) for leaf in problem.leaf_codes], dtype=np.int64)
        groups = _group_columns(self.sizes.tolist(), apart)
        self.columns = np.array([column for group in groups for column in group], dtype=np.int64)
        self.firsts = _ends([len(group) for group in groups])
        self.starts = _ends([int(self.sizes[group].prod()) for group in groups])
        tops = [h.height for h in problem.hierarchies]
        self.distinct = np.ones((width, max(tops, default=0) + 1), dtype=np.int64)
        self._code_starts = np.zeros_like(self.distinct)
        codes, leaves, place = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int64)], 0
        for column, (h, leaf) in enumerate(zip(problem.hierarchies, problem.leaf_codes, strict=True)):
            for level in range(h.height + 1):
                there = h.maps[level][leaf]
                known, numbers = np.unique(there, return_inverse=True)
                codes.append(numbers.astype(np.int32))
                leaves.append(h.leaf_counts[level][there])
                self.distinct[column, level] = max(len(known), 1)
                self._code_starts[column, level] = place
                place += len(leaf)
        self._codes, self._leaves = np.concatenate(codes), np.concatenate(leaves)
        self.leaf_totals = np.zeros_like(self.distinct)  # of each column at each level; see `Problem`
        for column, totals in enumerate(problem.leaf_totals):
            self.leaf_totals[column, : len(totals)] = totals
        self._column_codes, self._column_offsets = self._split_digits()
        self._maps = np.zeros(int(self.starts[-1]), dtype=np.int64)
        self._spans = np.ones(len(groups), dtype=np.int64)

    @property
    def values(self) -> int:
        """How many values all digits have together."""
        return int(self.starts[-1])

    def _split_digits(self) -> tuple[NDArray[np.int32], Ints]:
        """The code of each column in each value of its digit, column by column, and where each column's begin."""
        found, lengths = [np.zeros(0, dtype=np.int32)], []
        for digit, (first, last) in enumerate(zip(self.firsts[:-1], self.firsts[1:], strict=True)):
            rest = np.arange(self.starts[digit + 1] - self.starts[digit])
            own = []
            for column in self.columns[first:last][::-1].tolist():
                rest, codes = np.divmod(rest, self.sizes[column])
                own.append(codes.astype(np.int32))
            found += own[::-1]
            lengths += [len(codes) for codes in own]
        return np.concatenate(found), _ends(lengths)

    def digits(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Tuples as digits; ``codes`` are those of the table's values."""
        packed = np.zeros((len(codes), len(self._spans)), dtype=np.int32)
        for digit, (first, last) in enumerate(zip(self.firsts[:-1], self.firsts[1:], strict=True)):
            for column in self.columns[first:last].tolist():
                packed[:, digit] *= np.int32(self.sizes[column])
                packed[:, digit] += codes[:, column]
        return packed

    def codes(self, digits: NDArray[np.int32], levels: Levels) -> NDArray[np.int32]:
        """What tuples become at a node, in the codes of the hierarchies."""
        found = np.empty((len(digits), len(levels)), dtype=np.int32)
        for digit, (first, last) in enumerate(zip(self.firsts[:-1], self.firsts[1:], strict=True)):
            rest = digits[:, digit]
            for column in self.columns[first:last][::-1].tolist():
                rest, values = np.divmod(rest, np.int32(self.sizes[column]))
                leaf = self.problem.leaf_codes[column][values]
                found[:, column] = self.problem.hierarchies[column].maps[levels[column]][leaf]
        return found

    def digit_of(self, column: int) -> int:
        """The digit that a column is part of."""
        place = int(np.flatnonzero(self.columns == column)[0])
        return int(np.searchsorted(self.firsts, place, side="right")) - 1

    def recode(self, levels: Ints) -> tuple[Ints, Ints, Ints]:
        """What the digits' values become at a node, where each digit's begin, and how many it has there."""
        kernels.recode_digits(
            levels, self.columns, self.firsts, self.sizes, self._codes, self._code_starts, self.distinct,
            self._maps, self.starts, self._spans,
        )  # fmt: skip
        return self._maps, self.starts, self._spans

    def leaf_sums(self, weights: Ints, levels: Levels) -> Ints:
        """Per column, the leaves under the released values, summed by the weight of each digit's values."""
        return self._value_sums(weights, levels, self._leaves)

    def bits(self, weights: Ints, levels: Levels) -> Floats:
        """Per column, the bits that suppressing the released values costs, summed likewise: it makes a value one that
        all records share."""
        return self._value_sums(weights, levels, self._suppression_bits)

    def _value_sums(self, weights: Ints, levels: Levels, figures: NDArray[Any]) -> NDArray[Any]:
        found = np.zeros(len(levels), dtype=figures.dtype)
        kernels.value_sums(
            weights, np.array(levels, dtype=np.int64), self.columns, self.firsts, self.starts, self._column_codes,
            self._column_offsets, figures, self._code_starts, found,
        )  # fmt: skip
        return found

    @cached_property
    def _suppression_bits(self) -> Floats:
        problem, found = self.problem, [np.zeros(0)]
        for h, leaf, sharing in zip(problem.hierarchies, problem.leaf_codes, problem.sharing, strict=True):
            for codes, there in zip(h.maps, sharing, strict=True):
                found.append(np.log2(problem.scale.records / np.maximum(there[codes[leaf]], 1)))
        return np.concatenate(found)

    def tuples(self, digits: NDArray[np.int32], levels: Levels) -> Floats:
        """How many original tuples each of some tuples covers at a node; infinite where no number can hold it."""
        with np.errstate(over="ignore"):
            return self._over_columns(np.multiply, np.ones(1), digits, levels, self._leaves)

    def log_tuples(self, digits: NDArray[np.int32], levels: Levels) -> Floats:
        """ln of that number."""
        return self._over_columns(np.add, np.zeros(1), digits, levels, self._log_leaves)

    def _over_columns(
        self, combine: np.ufunc, nothing: Floats, digits: NDArray[np.int32], levels: Levels, figures: NDArray[Any]
    ) -> Floats:
        """The figures of the values of each of some tuples at a node, combined over the columns."""
        of_digits = []
        for first, last in zip(self.firsts[:-1], self.firsts[1:], strict=True):
            values = nothing
            for column in self.columns[first:last].tolist():
                start = self._code_starts[column, levels[column]]
                values = combine.outer(values, figures[start : start + self.sizes[column]]).reshape(-1)
            of_digits.append(values)
        found = np.empty(len(digits))
        by_value = np.concatenate([*of_digits, nothing[:0]])
        kernels.over_digits(digits, by_value, self.starts, combine is np.multiply, found)
        return found

    @cached_property
    def _log_leaves(self) -> Floats:
        return np.log(self._leaves)


def _group_columns(sizes: Sequence[int], apart: Sequence[int]) -> list[list[int]]:
    """Columns that make a digit together: the largest first, each where it still fits; those apart at the end."""
    groups: list[list[int]] = []
    products: list[int] = []
    others = [column for column in range(len(sizes)) if column not in apart]
    for column in sorted(others, key=lambda column: -sizes[column]):
        for number, product in enumerate(products):
            if product * sizes[column] <= DIGIT_AT_MOST:
                groups[number].append(column)
                products[number] *= sizes[column]
                break
        else:
            groups.append([column])
            products.append(sizes[column])
    return [*groups, list(apart)] if apart else groups


def _ends(lengths: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
