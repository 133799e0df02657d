"""Quasi-identifier tuples packed into few digits, so that recoding a tuple takes few look-ups.

A class is known by the original digits of one of its members: what they become at any node above follows from the node
alone, so a table can be rolled up from whichever table below it is at hand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Ints
from cobogo.publish.recode import kernels
from cobogo.publish.recode.problem import Levels, Problem

DIGIT_AT_MOST = 1024
"""Values of a digit of several columns: the look-up tables of a node stay in the processor's nearest memory."""


class Packing:
    """The digits of one problem's table, and what they become at a node."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        width = len(problem.hierarchies)
        self.sizes = np.array([len(leaf) for leaf in problem.leaf_codes], dtype=np.int64)
        groups = _grouped(self.sizes.tolist())
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
        self._maps = np.zeros(int(self.starts[-1]), dtype=np.int64)
        self._spans = np.ones(len(groups), dtype=np.int64)

    @property
    def values(self) -> int:
        """How many values all digits have together."""
        return int(self.starts[-1])

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

    def recode(self, levels: Ints) -> tuple[Ints, Ints, Ints]:
        """What the digits' values become at a node, where each digit's begin, and how many it has there."""
        kernels.recode_digits(
            levels, self.columns, self.firsts, self.sizes, self._codes, self._code_starts, self.distinct,
            self._maps, self.starts, self._spans,
        )  # fmt: skip
        return self._maps, self.starts, self._spans

    def leaf_sums(self, weights: Ints, levels: Ints) -> Ints:
        """Per column, the leaves under the released values, summed by the weight of each digit's values."""
        found = np.zeros(len(levels), dtype=np.int64)
        kernels.leaf_sums(
            weights, levels, self.columns, self.firsts, self.sizes, self.starts, self._leaves, self._code_starts, found
        )
        return found


def _grouped(sizes: Sequence[int]) -> list[list[int]]:
    """Columns that make a digit together: the largest first, each where it still fits."""
    groups: list[list[int]] = []
    products: list[int] = []
    for column in sorted(range(len(sizes)), key=lambda column: -sizes[column]):
        for number, product in enumerate(products):
            if product * sizes[column] <= DIGIT_AT_MOST:
                groups[number].append(column)
                products[number] *= sizes[column]
                break
        else:
            groups.append([column])
            products.append(sizes[column])
    return groups


def _ends(lengths: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
