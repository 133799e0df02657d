"""The operators that mask a column, and their edits of single values, each with a check of its released values.

An operator is built from the policy's table for its column; `apply` changes the column of one batch of records.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Label
from cobogo.data.table.columns import Codes, count_values, decode_column, encode_column, read_times, write_times
from cobogo.data.table.read import Table
from cobogo.errors import DataError
from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.floor.language import Text, tr, trn
from cobogo.floor.randomness import Entropy, keys
from cobogo.publish.mask.digits import canonical
from cobogo.publish.mask.fakes import Fake, draw_for_each
from cobogo.publish.mask.secret import Secret, encrypt_values
from cobogo.release.contract import Json


@card("null", title="no value")
def nulls(values: Sequence[str]) -> list[None]:
    r"""No value at all; the column stays in the table.

    Formula: $y = \text{NULL}$
    Example:
        >>> nulls(["Ana", "Rui"])
        [None, None]

    Guarantee: The column reveals nothing except its name.
    Limits: It does not protect the other columns.
    Cost: $O(1)$ for each value.
    Paper: None.
    """
    return [None] * len(values)


@card("truncate", title="the first characters")
def truncate(values: Sequence[str], count: int, end: Literal["right", "left"] = "right") -> list[str]:
    r"""The first characters, or the last.

    ``end`` says at which end characters are cut off.

    Formula: $y = x_1 \ldots x_c$, or $x_{n-c+1} \ldots x_n$
    Example:
        >>> truncate(["60020-270", "61"], 5), truncate(["60020-270"], 3, end="left")
        (['60020', '61'], ['270'])

    Guarantee: None: what is left may still be rare. The same cut as a hierarchy (``mask``) under k-anonymity bounds the
        risk.
    Limits: Short values stay unchanged.
    Cost: $O(v)$ for v distinct values.
    Paper: None.
    """
    return [value[:count] if end == "right" else value[max(len(value) - count, 0) :] for value in values]


@card("mask", title="masked characters")
def mask_characters(value: str, character: str, keep_first: int = 0, keep_last: int = 0) -> str:
    r"""Letters and digits are replaced by one character, except for the first and the last few; other signs stay.

    A value that has no more letters and digits than would be kept is masked completely.

    Formula: $y_i = \ast$ if $x_i$ is a letter or digit beyond the first $f$ and the last $l$ of them, else $x_i$
    Example:
        >>> mask_characters("529.982.247-25", "*", keep_last=2)
        '***.***.***-25'

    Guarantee: None: the length and the characters that are kept may still reveal the value.
    Limits: The last two digits of a number narrow it down to one in a hundred.
    Cost: $O(v)$ for v distinct values.
    Paper: None.
    """
    places = [place for place, one in enumerate(value) if one.isalnum()]
    kept = keep_first + keep_last
    hidden = set(places if len(places) <= kept else places[keep_first : len(places) - keep_last])
    return "".join(character if place in hidden else one for place, one in enumerate(value))


PLAIN = r"^[+-]?\d{1,15}(\.\d{1,9})?$"
"""Numbers that are blurred: up to 15 digits before the point and 9 after it."""


def read_numbers(column: Any, decimal: str) -> tuple[Floats, NDArray[np.int64]]:
    """Read an Arrow column of texts as numbers (NaN for other texts), and how many decimals each has."""
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(column)
    texts = texts if decimal == "." else pc.replace_substring(texts, decimal, ".")
    usable = pc.if_else(pc.match_substring_regex(texts, PLAIN), texts, None)
    numbers = pc.replace_substring_regex(usable, r"^\+", "").cast("float64").to_numpy(zero_copy_only=False)
    whole = pc.find_substring(usable, ".")
    decimals = pc.if_else(pc.less(whole, 0), 0, pc.subtract(pc.subtract(pc.utf8_length(usable), whole), 1))
    return numbers.astype(np.float64), decimals.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)


@card("blur", title="blurred numbers")
def blur(numbers: Floats, words: NDArray[np.uint64], share: float) -> Floats:
    r"""Numbers, each multiplied by a random factor.

    They keep their number of decimals. Zero stays zero, and small whole numbers may stay the same.

    Formula: $y = x\,(1 + b\,u)$ with $u$ uniform in $[-1, 1)$ and the share $b$
    Example:
        >>> blur(np.array([1000.0, 1000.0]), np.array([0, 2**63], dtype=np.uint64), 0.1).tolist()
        [900.0, 1000.0]

    Guarantee: None: a very large number stays the largest, and the order of magnitude is visible.
    Limits: An attacker who sees several blurred versions of one number takes their mean: see the attack `averaging`.
        For test data.
    Cost: $O(n)$ for n numbers.
    Paper: None: multiplicative noise, see noise.
    """
    even = words.astype(np.float64) / 2.0**64
    return numbers * (1 + share * (2 * even - 1))


def write_numbers(numbers: Floats, decimals: NDArray[np.int64], decimal: str) -> Any:
    """Write numbers as an Arrow column of texts; NaN becomes NULL."""
    import pyarrow as pa

    texts = np.full(len(numbers), None, dtype=object)
    known = np.isfinite(numbers)
    for places in np.unique(decimals[known]).tolist():
        rows = np.flatnonzero(known & (decimals == places))
        form = f"%.{places}f"
        texts[rows] = np.char.mod(form, numbers[rows] + 0.0)
    column = pa.array(texts, pa.string())
    if decimal == ".":
        return column
    import pyarrow.compute as pc

    return pc.replace_substring(column, ".", decimal)


Days = NDArray[np.int64]


def keeps_days(form: str) -> bool:
    """Whether the format includes the day, so that the days between two dates can be counted.

    >>> keeps_days("%d/%m/%Y"), keeps_days("%m/%Y")
    (True, False)
    """
    day = np.array(["2004-02-29"], dtype="datetime64[us]")
    return bool((read_times(write_times(day, form).tolist(), form).astype("datetime64[D]") == day).all())


@card("days", title="shifted dates")
def shifts(words: NDArray[np.uint64], most: int) -> Days:
    r"""Dates, moved forward or back by at least one day and at most a given number of days.

    With ``per``, all dates of a person move by the same number of days, in every column and table with the same
    ``days``, so that the days between them stay the same.

    Formula: $y = x + s$ with $s$ uniform in $\{-d, \ldots, -1, 1, \ldots, d\}$, or $s = s(H_K(\text{person}))$
    Example:
        >>> sorted(set(shifts(np.arange(100, dtype=np.uint64), 2).tolist()))
        [-2, -1, 1, 2]

    Guarantee: None: the month mostly stays the same, and with ``per`` so do the days between a person's dates.
    Limits: With ``per``, an attacker who knows one date of a person learns all their others. For test data.
    Cost: $O(v)$ for v distinct dates.
    Paper: None: as HIPAA's expert determinations describe date shifting; no paper of its own.
    """
    drawn = (words % np.uint64(2 * most)).astype(np.int64) - most
    return np.where(drawn >= 0, drawn + 1, drawn)


SECRET_STAYS = tr("the secret would have to be sent to every worker")


class MaskingOperator(ABC):
    """A change to one column: its meaning for recipients, and what the manifest states of it."""

    other_columns: tuple[str, ...] = ()  # that it needs too, as text
    apart: Text | None = None  # why it cannot be done by workers that have a part of the records each; None if it can

    def __init__(self, column: str, meaning: str, stated: Json) -> None:
        self.column = column
        self.meaning = meaning
        self.stated = stated

    def begin(self) -> None:  # noqa: B027
        """Called once, before the first batch."""

    @abstractmethod
    def apply(self, batch: Any) -> Any:
        """The changed column of a batch, as an Arrow array of text."""

    def misfit(self, before: Table, after: Table) -> str | None:  # noqa: ARG002
        """What is wrong with the released column when it is compared with the original, or None.

        What follows from `stated` alone is checked by verification.
        """
        return None


class Substituted(MaskingOperator):
    """The same substitute for the same value, from a dictionary that is built before the first batch."""

    def __init__(
        self,
        column: str,
        meaning: str,
        stated: Json,
        dictionary: Callable[[], Dictionary],
        kind: Fake | None = None,
    ) -> None:
        super().__init__(column, meaning, stated)
        self._build = dictionary
        self._kind = kind

    def begin(self) -> None:
        """Build the dictionary, or take that of the group."""
        self._dictionary = self._build()

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to workers: the dictionary, and not what it was built with, which may know the secret."""
        return {**self.__dict__, "_build": None}

    def apply(self, batch: Any) -> Any:
        known = self._dictionary
        return known.outputs.take(_column_of_places(encode_column(batch.column(self.column), known.places)))

    def misfit(self, before: Table, after: Table) -> str | None:
        """Check that substitutes are of their kind and, where the kind demands it, that none is an original value."""
        new = distinct(after, self.column)
        if self._kind is None:
            return None
        if wrong := self._kind.count_misfits(new):
            return trn(
                "{n:,} value is not a substitute of its kind", "{n:,} values are not substitutes of their kind", n=wrong
            )
        same = len({*new} & {*distinct(before, self.column)}) if self._kind.apart else 0
        if not same:
            return None
        return trn(
            "{n:,} substitute is among the original values", "{n:,} substitutes are among the original values", n=same
        )


class Dictionary:
    """The substitute of each value; NULL stays NULL."""

    def __init__(self, values: Sequence[str], outputs: Sequence[str]) -> None:
        self.places: Mapping[Label, int] = {**{value: n for n, value in enumerate(values)}, None: len(values)}
        self.outputs = _text_array([*outputs, None])


class DrawnForEach(MaskingOperator):
    """A substitute for each record, independent of other records."""

    def __init__(self, column: str, meaning: str, stated: Json, kind: Fake) -> None:
        super().__init__(column, meaning, stated)
        self._kind = kind

    def apply(self, batch: Any) -> Any:
        column = _text(batch.column(self.column))
        values = column.to_numpy(zero_copy_only=False)
        there = column.is_valid().to_numpy(zero_copy_only=False)
        made = np.full(len(values), None, dtype=object)
        made[there] = draw_for_each(values[there], self._kind)
        return _text_array(made)


class Changed(MaskingOperator):
    """A function of each distinct value of a batch."""

    def __init__(
        self, column: str, meaning: str, stated: Json, change: Callable[[Sequence[str]], Sequence[str | None]]
    ) -> None:
        super().__init__(column, meaning, stated)
        self._change = change

    def apply(self, batch: Any) -> Any:
        coded = _encode(batch.column(self.column))
        return _text_array(self._change(coded.dictionary.to_pylist())).take(coded.indices)


@card("shuffle", title="shuffled values")
class Shuffled(MaskingOperator):
    r"""The column's own values, each in another record: the records form one random circle, and each gets its
    neighbour's value.

    Frequencies stay the same; the relation of the column with other columns is lost. NULL moves like any other value.

    Formula: $y_{\sigma(i)} = x_{\sigma(i + 1)}$ with $\sigma$ a random order of the records, in a circle
    Example:
        >>> import pyarrow as pa
        >>> cities = ["Crato", "Icó", "Sobral"]
        >>> column = Shuffled("city", "", {}, lambda: (np.arange(3), cities))
        >>> column.begin()
        >>> moved = column.apply(pa.record_batch({"city": cities})).to_pylist()
        >>> sorted(moved), [before == after for before, after in zip(cities, moved)]
        (['Crato', 'Icó', 'Sobral'], [False, False, False])

    Guarantee: None: a rare value is still in the data, and reveals that the person to whom it belongs is there.
    Limits: If two records have equal values, a record may get the value that it had. For test data.
    Cost: $O(n \log n)$ for n records.
    Paper: None: a random cyclic permutation.
    """

    apart = tr("each value moves to another record, which may be anywhere")

    def __init__(self, column: str, meaning: str, stated: Json, whole: Callable[[], tuple[Codes, Sequence[Label]]]):
        super().__init__(column, meaning, stated)
        self._read = whole

    def begin(self) -> None:
        """Draw the circle."""
        found, self._labels = self._read()
        order = np.argsort(keys(len(found)), kind="stable")
        self._moved = np.empty_like(found)
        self._moved[order] = found[np.roll(order, -1)]
        self._done = 0

    def apply(self, batch: Any) -> Any:
        """The next rows of the shuffled column."""
        start, self._done = self._done, self._done + batch.num_rows
        return decode_column(self._moved[start : self._done], self._labels)

    def misfit(self, before: Table, after: Table) -> str | None:
        """Check that every value occurs as often as before."""
        (old, often), (new, now) = count_values(before, self.column), count_values(after, self.column)
        return None if old == new and (often == now).all() else tr("the values are not those that were shuffled")


class Blurred(MaskingOperator):
    """Numbers times a random factor."""

    def __init__(
        self, column: str, meaning: str, stated: Json, *, share: float, decimal: str, strict: bool, where: str
    ):
        super().__init__(column, meaning, stated)
        self._share, self._decimal, self._strict, self._where = share, decimal, strict, where

    def apply(self, batch: Any) -> Any:
        column = _text(batch.column(self.column))
        found, decimals = read_numbers(column, self._decimal)
        if self._strict:
            wrong = int((np.isnan(found) & column.is_valid().to_numpy(zero_copy_only=False)).sum())
            what = trn("{n:,} value is not a number", "{n:,} values are not numbers", n=wrong)
            _refuse(wrong, what, self._where)
        blurred = blur(found, Entropy().words(len(found)), self._share)
        return write_numbers(blurred, decimals, self._decimal)


class Shifted(MaskingOperator):
    """Dates moved by days: each by its own, or all dates of a person by the same."""

    def __init__(
        self, column: str, meaning: str, stated: Json, *, days: int, form: str, per: str | None, secret: Secret | None,
        strict: bool, where: str,
    ):  # fmt: skip
        super().__init__(column, meaning, stated)
        self._days, self._form, self._per, self._secret = days, form, per, secret
        self._strict, self._where = strict, where
        self.other_columns = () if per is None else (per,)
        self.apart = None if per is None else SECRET_STAYS

    def apply(self, batch: Any) -> Any:
        column = _encode(batch.column(self.column))
        times = read_times(column.dictionary.to_pylist(), self._form)
        if self._strict:
            wrong = int(np.isnat(times).sum())
            what = trn(
                "{n:,} value is not a date of the form {form}",
                "{n:,} values are not dates of the form {form}",
                n=wrong,
                form=self._form,
            )
            _refuse(wrong, what, self._where)
        rows = column.indices.fill_null(len(times)).to_numpy(zero_copy_only=False)
        moved = np.append(times, np.datetime64("NaT", "us"))[rows] + self._moves(batch).astype("timedelta64[D]")
        return _text_array(write_times(moved, self._form))

    def _moves(self, batch: Any) -> Any:
        drawn = shifts(Entropy().words(batch.num_rows), self._days)
        if self._per is None or self._secret is None:
            return drawn
        people = _encode(batch.column(self._per))
        whose = canonical(people.dictionary.to_pylist()).tolist()
        known = shifts(self._secret.words("days", whose)[:, 0], self._days)
        rows = people.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return np.where(rows < 0, drawn, known[rows]) if len(known) else drawn


class Encrypted(MaskingOperator):
    """Every value encrypted by itself."""

    apart = SECRET_STAYS

    def __init__(self, column: str, meaning: str, stated: Json, secret: Secret) -> None:
        super().__init__(column, meaning, stated)
        self._secret = secret

    def apply(self, batch: Any) -> Any:
        """Encrypt each value; equal values look different."""
        return _text_array(encrypt_values(_text(batch.column(self.column)).to_pylist(), self._secret, self.column))


def _text(column: Any) -> Any:
    import pyarrow as pa

    return column.cast(pa.string())


def _encode(column: Any) -> Any:
    import pyarrow as pa

    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def _text_array(values: Any) -> Any:
    import pyarrow as pa

    return pa.array(values, pa.string())


def _column_of_places(places: Codes) -> Any:
    import pyarrow as pa

    return pa.array(places)


def _refuse(wrong: int, what: str, where: str) -> None:
    if wrong:
        raise DataError(
            what,
            where=where,
            remedy=tr('Correct the format or the values, or release them as NULL: invalid = "null".'),
        )


def distinct(table: Table, name: str) -> list[str]:
    """The distinct values of a column as text, in any order, without NULL."""
    found = table.expression.select(value=table.text(name)).distinct()
    return [
        value
        for batch in table.engine.counts(found)
        for value in batch.column("value").to_pylist()
        if value is not None
    ]
