"""A million reports, drawn and counted, against the plain NumPy that one would write: bytes or words of the operating
system's entropy, compared with a rounded probability; the law is met to one part in 256 or 2⁶⁴, ours exactly."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from math import exp
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Result, in_turn, of_call
from cobogo.collect.discovery import DiscoveryCollection
from cobogo.collect.mechanisms import MECHANISMS
from cobogo.collect.rappor.filters import RapporParameters, bloom_filters, count_reports, encode
from cobogo.floor.randomness import Entropy

USERS, VALUES, EPSILON = 1_000_000, 100, 1.0
AT_ONCE = 1 << 16

Array = np.ndarray[Any, np.dtype[Any]]


def collecting(_: Path, users: int = USERS) -> Iterator[Result]:
    """Frequency oracles and RAPPOR beside NumPy; then what NumPy has no plain form of."""
    held = np.random.default_rng(1).integers(0, VALUES, users)  # generated data: nothing here is private
    plain: dict[str, Callable[[Array], Array]] = {"grr": grr, "hadamard": hadamard, "olh": olh, "oue": oue}
    for name, theirs in plain.items():
        oracle = MECHANISMS[name](VALUES, EPSILON)
        ours, other = in_turn(
            lambda oracle=oracle: of_call(lambda: oracle.support(oracle.encode(held, Entropy())), 1),
            lambda theirs=theirs: of_call(lambda: theirs(held), 1),
        )
        yield Result(f"{name}, {users:,} users, {VALUES} values, drawn and counted", ours, "NumPy", other)
    strings = [f"string {number}" for number in range(VALUES)]
    parameters = RapporParameters()
    blooms = bloom_filters(strings, parameters)
    ours, other = in_turn(
        lambda: of_call(lambda: count_reports(encode(strings, held, parameters, Entropy()), parameters), 1),
        lambda: of_call(lambda: rappor(held, blooms, parameters), 1),
    )
    yield Result(f"RAPPOR, 128 bits, {users:,} users, drawn and counted", ours, "NumPy", other)
    for name in ("cms", "hcms", "flh"):
        oracle = MECHANISMS[name](VALUES, EPSILON)
        spent = of_call(lambda oracle=oracle: oracle.support(oracle.encode(held, Entropy())), 1)
        yield Result(f"{name}, {users:,} users, {VALUES} values, drawn and counted", spent)
    words = np.array([f"w{number:07d}" for number in range(VALUES)])[np.minimum(held, held[::-1])]
    for name, kind in DiscoveryCollection.randomizers.items():
        discovery = kind(EPSILON)
        spent = of_call(lambda d=discovery: d.find(d.tally(d.encode(words, Entropy()))), 1)
        yield Result(f"{name}, {users:,} users, words of 8 letters, drawn and found", spent)


def grr(held: Array) -> Array:
    """The value kept where a word is below the probability, else any."""
    kept = _words(len(held)) < _scaled((exp(EPSILON) - 1) / (exp(EPSILON) + VALUES - 1))
    return np.bincount(np.where(kept, held, (_words(len(held)) % VALUES).astype(np.int64)), minlength=VALUES)


def hadamard(held: Array) -> Array:
    """A column by chance, or the one across; a fast transform of the counts."""
    size = 1 << VALUES.bit_length()
    rows, columns = held + 1, (_words(len(held)) % size).astype(np.int64)
    differs = _words(len(held)) >= _scaled(exp(EPSILON) / (exp(EPSILON) + 1))
    wrong = (np.bitwise_count(columns & rows) % 2).astype(bool) != differs
    found = np.bincount(columns ^ np.where(wrong, rows & -rows, 0), minlength=size)
    width = 1
    while width < size:
        pairs = found.reshape(-1, 2, width)
        found = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
        width *= 2
    return found[1 : VALUES + 1]


def olh(held: Array) -> Array:
    """A hash function for each client; every value's cell under every function is compared."""
    cells = round(exp(EPSILON)) + 1
    functions = _words(len(held))
    kept = _words(len(held)) < _scaled((exp(EPSILON) - 1) / (exp(EPSILON) + cells - 1))
    answers = np.where(kept, _cell(functions, held.astype(np.uint64), cells), _words(len(held)) % np.uint64(cells))
    found = [(_cell(functions, np.uint64(value), cells) == answers).sum() for value in range(VALUES)]
    return np.array(found)


def oue(held: Array) -> Array:
    """A byte for each bit."""
    found = np.zeros(VALUES, dtype=np.int64)
    for start in range(0, len(held), AT_ONCE):
        part = held[start : start + AT_ONCE]
        bits = _bytes(len(part), VALUES) < round(256 / (exp(EPSILON) + 1))
        bits[np.arange(len(part)), part] = _bytes(len(part)) < 128
        found += bits.sum(axis=0)
    return found


def rappor(held: Array, blooms: Array, parameters: RapporParameters) -> Array:
    """A byte for each bit and draw: forgotten or not, a coin, shown or not."""
    f, p, q = (round(256 * float(share)) for share in (parameters.f, parameters.p, parameters.q))
    found = np.zeros((parameters.cohorts, parameters.bits), dtype=np.int64)
    for start in range(0, len(held), AT_ONCE):
        part = held[start : start + AT_ONCE]
        cohorts = (_words(len(part)) % parameters.cohorts).astype(np.int64)
        bits = blooms[cohorts, part]
        kept = np.where(_bytes(*bits.shape) < f, _bytes(*bits.shape) < 128, bits)
        shown = _bytes(*bits.shape) < np.where(kept, np.uint8(q), np.uint8(p))
        for cohort in range(parameters.cohorts):
            found[cohort] += shown[cohorts == cohort].sum(axis=0)
    return found


def _cell(functions: Array, value: Any, cells: int) -> Array:
    mixed = (functions ^ (np.atleast_1d(value) * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xFF51AFD7ED558CCD)
    return (mixed >> np.uint64(33)) % np.uint64(cells)


def _scaled(share: float) -> np.uint64:
    return np.uint64(int(share * 2**64))


def _words(count: int) -> Array:
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def _bytes(*shape: int) -> Array:
    return np.frombuffer(os.urandom(int(np.prod(shape))), dtype=np.uint8).reshape(shape)
