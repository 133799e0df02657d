"""Coding columns of text as they come: what is kept of a value is a number, and of each distinct value one text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Label

Column = tuple[NDArray[np.int32], tuple[Label, ...]]
"""A coded column: each row's code, and the label of each code."""


class Coder:
    """Codes of a column whose batches come one by one.

    >>> import pyarrow as pa
    >>> coder = Coder()
    >>> coder.add(pa.array(["b", None]))
    >>> coder.add(pa.array(["a", "b"]))
    >>> codes, labels = coder.column()
    >>> codes.tolist(), labels
    ([1, 2, 0, 1], ('a', 'b', None))
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._parts: list[NDArray[np.int32]] = []

    def add(self, column: Any) -> None:
        """The next batch: an Arrow array of text, or of codes of texts (not all of which need occur)."""
        import pyarrow as pa

        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        places = encoded.indices.cast(pa.int32()).fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False)
        there = np.unique(places[places < len(encoded.dictionary)])
        words: list[str] = encoded.dictionary.take(pa.array(there)).to_pylist()
        numbers = np.full(len(encoded.dictionary) + 1, -1, dtype=np.int32)
        numbers[there] = [self._numbers.setdefault(word, len(self._numbers)) for word in words]
        self._parts.append(numbers[places])

    def column(self) -> Column:
        """All of them, as codes into the sorted distinct values, NULL last."""
        codes = np.concatenate([*self._parts, np.zeros(0, dtype=np.int32)])
        self._parts.clear()
        words = sorted(self._numbers)
        labels: list[Label] = [*words]
        rank = np.empty(len(words) + 1, dtype=np.int32)
        rank[[self._numbers[word] for word in words]] = np.arange(len(words), dtype=np.int32)
        rank[-1] = len(words)
        if (codes < 0).any():
            labels.append(None)
        return rank[codes], tuple(labels)
