"""Synthetic COVID-19 cases of the state of Ceará, in the form of the guide's ``dados_covid-ce.csv``.

No person here is real. A name, a CPF, a place, a date of birth and a race are drawn at random from tables of
frequencies (rounded census counts for places, the general course of the first wave for ages, impressions for names),
and the check digits of every CPF are wrong, so that it belongs to nobody. No real case was looked at, and nothing about
real cases can be learnt from this data.

Row *i* depends on the seed and on *i* alone: a shorter table is the beginning of a longer one, and any part of a table
can be made without the rest. All arithmetic that decides on a value is in integers, and the random bits are PCG64's
own, whose stream NumPy promises not to change; so a seed gives the same table on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from cobogo.examples.places import RACES, localities, race_shares
from cobogo.examples.words import DECADES, given_names, surnames

Integers = NDArray[np.int64]

SCHEMA = pa.schema([(name, pa.string()) for name in ("nome", "cpf", "localidade", "data_nascimento", "raca_cor")])
MOST_ROWS = 10**8  # as many as there are CPFs that differ in their first eight digits
BATCH_ROWS = 1 << 17

# Cases by age on 30 June 2020, in bands of five years from 0–4 to 95–99.
_CASES_BY_AGE = (16, 14, 17, 34, 76, 106, 121, 123, 104, 86, 76, 63, 49, 37, 29, 21, 15, 9, 4, 1)
_SUFFIXES = {None: 940, "Filho": 26, "Júnior": 18, "Neto": 13, "Sobrinho": 3}  # of a man; women have none
_CPF_REGION = [2, 2, 2, 86, 2, 2, 1, 1, 1, 1]  # the ninth digit tells where a CPF was issued; 3 is Ceará's


def generate(rows: int = 20_000, *, seed: int = 2020) -> pa.Table:
    """A table of that many cases.

    >>> generate(2)["localidade"].to_pylist()
    ['Bom Jardim/Fortaleza/CE', 'Zona Rural/Icó/CE']
    >>> generate(2).equals(generate(3).slice(0, 2))
    True
    """
    _require("generate", rows, seed)
    return pa.Table.from_batches(batches(rows, seed=seed), SCHEMA)


def write(path: Path, rows: int = 20_000, seed: int = 2020) -> None:
    """Writes the cases as CSV: ``;`` between the fields, UTF-8 without BOM, LF, a header; in bounded memory.

    The file appears under its name only when it is whole.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     write(Path(directory, "cases.csv"), 1)
    ...     print(Path(directory, "cases.csv").read_text(encoding="utf-8"), end="")
    nome;cpf;localidade;data_nascimento;raca_cor
    Rogério de Oliveira de Aguiar;027.245.743-34;Bom Jardim/Fortaleza/CE;08/03/1980;PARDA
    """
    _require("write", rows, seed)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    # Arrow quotes every string or none; none of these needs quotes, and if one did, Arrow would refuse it.
    options = pyarrow.csv.WriteOptions(include_header=False, delimiter=";", quoting_style="none")
    try:
        with partial.open("wb") as file:
            file.write((";".join(SCHEMA.names) + "\n").encode())
            for batch in batches(rows, seed=seed):
                pyarrow.csv.write_csv(batch, file, options)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def batches(rows: int, *, seed: int = 2020, size: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
    """The rows of `generate`, ``size`` at a time, for whoever cannot hold them all.

    >>> [batch.num_rows for batch in batches(5, size=2)]
    [2, 2, 1]
    """
    _require("batches", rows, seed)
    if size < 1:
        raise ValueError(f"The 'size' parameter of batches must be at least 1. Got {size} instead.")
    return (_batch(start, min(start + size, rows), seed) for start in range(0, rows, size))


def check_digits(first_nine: Integers) -> Integers:
    """The two check digits, as a number from 0 to 99, that make each nine-digit number a valid CPF.

    Each is 11 minus the weighted sum of the digits before it modulo 11, or 0 where that has two digits; the weights
    count down to 2.

    >>> check_digits(np.array([111444777, 529982247]))
    array([35, 25])
    """
    digits = first_nine[:, np.newaxis] // 10 ** np.arange(8, -1, -1) % 10
    first = -(digits @ np.arange(10, 1, -1)) % 11 % 10
    second = -(digits @ np.arange(11, 2, -1) + 2 * first) % 11 % 10
    return np.asarray(10 * first + second)


class Urns:
    """Weighted draws from one of several urns with the same kinds of things, exact to 2⁻³².

    >>> Urns([[1, 3], [1, 0]]).draw(np.array([0, 2**30, 2**32 - 1]), np.array([0, 0, 1]))
    array([0, 1, 0])
    """

    def __init__(self, weights: Sequence[Sequence[int]]) -> None:
        upto = np.cumsum(np.array(weights, dtype=np.int64), axis=1)
        self.kinds = upto.shape[1]
        # One line for all urns, 2³² tickets each: a ticket wins the first kind whose bound lies beyond it.
        self.bounds = ((upto << 32) // upto[:, -1:] + (np.arange(len(upto))[:, np.newaxis] << 32)).ravel()

    def draw(self, tickets: Integers, urn: Integers | int = 0) -> Integers:
        """The kind that each ticket, from 0 to 2³² − 1, wins in its urn."""
        lined_up = (np.asarray(urn, dtype=np.int64) << 32) + tickets
        return np.asarray(np.searchsorted(self.bounds, lined_up, side="right") % self.kinds)


class _Tickets(NamedTuple):
    """What a row draws: 32 random bits for each question."""

    place: Integers
    race: Integers
    sex: Integers
    age: Integers
    day: Integers
    given: Integers
    surname: Integers
    second: Integers
    surnames: Integers
    suffix: Integers
    region: Integers
    error: Integers


def _tickets(start: int, stop: int, seed: int) -> _Tickets:
    words = len(_Tickets._fields) // 2
    stream = np.random.PCG64(seed)
    stream.advance(start * words)
    raw = np.asarray(stream.random_raw((stop - start) * words))
    return _Tickets(*raw.astype("<u8").view("<u4").reshape(-1, 2 * words).T.astype(np.int64))


def _batch(start: int, stop: int, seed: int) -> pa.RecordBatch:
    tickets = _tickets(start, stop, seed)
    locality, places, races = _places()
    place = places.draw(tickets.place)
    birth = _births(tickets)
    columns = [
        _names(tickets, birth),
        _digits(_cpfs(np.arange(start, stop), tickets, seed), "###.###.###-##"),
        locality.take(pa.array(place)),
        _digits(_day_month_year(birth), "##/##/####"),
        pa.array(RACES).take(pa.array(races.draw(tickets.race, place))),
    ]
    return pa.record_batch(columns, schema=SCHEMA)


@cache
def _places() -> tuple[pa.Array, Urns, Urns]:
    """Localities, the urn that they are drawn from, and for each an urn of races."""
    residents = localities()
    return pa.array(list(residents)), Urns([list(residents.values())]), Urns([race_shares(one) for one in residents])


def _births(tickets: _Tickets) -> NDArray[np.datetime64]:
    """Dates of birth: an age on 30 June 2020, then any day on which people of that age were born."""
    year = 2020 - 1970 - Urns([np.repeat(_CASES_BY_AGE, 5).tolist()]).draw(tickets.age)
    july = year.astype("M8[Y]").astype("M8[M]") + 6
    earliest, after = (july - 12).astype("M8[D]"), july.astype("M8[D]")
    return np.asarray(earliest + (tickets.day * (after - earliest).astype(np.int64) >> 32))


def _day_month_year(dates: NDArray[np.datetime64]) -> Integers:
    """Dates as numbers of eight digits, the day first."""
    months = dates.astype("M8[M]")
    day = (dates - months).astype(np.int64) + 1
    year, month = np.divmod(months.astype(np.int64), 12)
    return np.asarray(day * 1_000_000 + (month + 1) * 10_000 + year + 1970)


@cache
def _given_names() -> tuple[pa.Array, Urns]:
    """Given names, and an urn for each sex and decade of birth."""
    weights = given_names()
    return pa.array(list(weights)), Urns(np.array(list(weights.values())).T.tolist())


@cache
def _surnames() -> tuple[pa.Array, Integers, Urns]:
    """Surnames as borne, for each the number of the surname without its particle, and their urn."""
    borne, bare, weights = zip(*surnames(), strict=True)
    return pa.array(borne), np.unique(bare, return_inverse=True)[1], Urns([weights])


def _names(tickets: _Tickets, birth: NDArray[np.datetime64]) -> pa.Array:
    male = (tickets.sex >= 54 * 2**32 // 100).astype(np.int64)  # women were tested a little more often
    decade = np.clip((birth.astype("M8[Y]").astype(np.int64) + 1970 - DECADES[0]) // 10, 0, len(DECADES) - 1)
    given, given_urns = _given_names()
    surname, bare, surname_urn = _surnames()
    first, second = surname_urn.draw(tickets.surname), surname_urn.draw(tickets.second)
    single = (tickets.surnames < 3 * 2**32 // 10) | (bare[first] == bare[second])
    suffix = Urns([[1, 0, 0, 0, 0], list(_SUFFIXES.values())]).draw(tickets.suffix, male)
    return pc.binary_join_element_wise(
        given.take(pa.array(given_urns.draw(tickets.given, male * len(DECADES) + decade))),
        surname.take(pa.array(first)),
        surname.take(pa.array(second, mask=single)),
        pa.array(list(_SUFFIXES)).take(pa.array(suffix)),
        " ",
        null_handling="skip",
    )


def _cpfs(rows: Integers, tickets: _Tickets, seed: int) -> Integers:
    """Numbers of eleven digits: eight that no other row has, the region, and two wrong check digits."""
    first_nine = _permute(rows, seed) * 10 + Urns([_CPF_REGION]).draw(tickets.region)
    wrong = (check_digits(first_nine) + 1 + (99 * tickets.error >> 32)) % 100
    return np.asarray(first_nine * 100 + wrong)


def _permute(numbers: Integers, seed: int) -> Integers:
    """A permutation of the numbers below 10⁸: a Feistel network on their two halves, its rounds keyed by the seed."""
    left, right = np.divmod(numbers, 10_000)
    for table in _round_tables(seed):
        left, right = right, (left + table[right]) % 10_000
    return np.asarray(left * 10_000 + right)


@lru_cache(maxsize=8)
def _round_tables(seed: int) -> Integers:
    """What each of six rounds adds to one half, by the other: the same for all batches of a seed."""
    keys = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(1,))).random_raw(6 * 10_000)
    return (np.asarray(keys) % 10_000).astype(np.int64).reshape(6, 10_000)


def _digits(numbers: Integers, template: str) -> pa.Array:
    """Numbers as text of one form: each ``#`` is a digit, everything else stands as it is."""
    text = np.empty((len(numbers), len(template)), dtype=np.uint8)
    for column in reversed(range(len(template))):
        text[:, column] = ord(template[column])
        if template[column] == "#":
            numbers, text[:, column] = numbers // 10, ord("0") + numbers % 10
    ends = np.arange(len(text) + 1, dtype=np.int32) * len(template)
    return pa.StringArray.from_buffers(len(text), pa.py_buffer(ends), pa.py_buffer(text))


def _require(function: str, rows: int, seed: int) -> None:
    if not 0 <= rows <= MOST_ROWS:
        raise ValueError(f"The 'rows' parameter of {function} must be from 0 to {MOST_ROWS:,}. Got {rows:,} instead.")
    if seed < 0:
        raise ValueError(f"The 'seed' parameter of {function} must not be negative. Got {seed} instead.")
