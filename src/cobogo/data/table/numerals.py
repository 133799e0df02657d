"""Floating-point numbers as text: the shortest digits that read back as the same number, as Python writes them."""

from __future__ import annotations

from typing import Any


def shortest(values: Any) -> Any:
    """An Arrow array (or a chunked one) of floats as one of text. Each distinct value is written once.

    >>> import pyarrow as pa
    >>> shortest(pa.array([1.0, 1e16, None, float("nan")])).to_pylist()
    ['1.0', '1e+16', None, 'nan']
    >>> shortest(pa.array([0.1, 4025499.75], pa.float32())).to_pylist()
    ['0.1', '4025499.8']
    """
    import pyarrow as pa

    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    coded = whole.dictionary_encode()
    narrow = values.type != pa.float64()
    known = coded.dictionary.to_numpy(zero_copy_only=False)
    words = [repr(float(str(value)) if narrow else float(value)) for value in known]
    return pa.array(words, pa.string()).take(coded.indices)
