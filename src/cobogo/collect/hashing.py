"""Local hashing: each client draws a hash function and answers for the hash of its value by randomized response."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp

import numpy as np

from cobogo.collect.layout import Layout
from cobogo.collect.oracle import Oracle, Reports
from cobogo.collect.randomized_response import Direct
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.kernels import kernel
from cobogo.floor.randomness import Source

REPORT = np.dtype([("function", np.uint32), ("cell", np.uint32)])


@card("olh", title="optimal local hashing", group="values")
@dataclass(frozen=True)
class LocalHashing(Oracle):
    r"""Optimal local hashing: randomized response for a hash of the value into about e^ε + 1 cells, with a hash
    function that the client draws.

    The hash function does not depend on the value. A report is a hash function and a cell, and is small however many
    values there are. The variance is that of `oue`.

    Formula: $g = \mathrm{round}(e^{\varepsilon}) + 1$ cells; $p = \frac{e^{\varepsilon}}{e^{\varepsilon} + g - 1}$ and
        $q = \frac{1}{g}$; the variance of a count is about $n\,\frac{4 e^{\varepsilon}}{(e^{\varepsilon} - 1)^2}$
    Example:
        >>> oracle = LocalHashing(values=1_000_000, epsilon=1.0)
        >>> oracle.answer.values, round(oracle.p, 3), oracle.q
        (4, 0.475, 0.25)

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: The server hashes every value with the function of every client. In `flh` clients share functions, which
        saves this work.
    Cost: $O(1)$ for a client; $O(n\,m)$ for the server with n reports of m values.
    Paper: T. Wang, J. Blocki, N. Li and S. Jha, Locally differentially private protocols for frequency estimation,
        USENIX Security 2017.
    """

    @cached_property
    def answer(self) -> Direct:
        """Randomized response for cells."""
        return Direct(max(2, round(exp(self.epsilon)) + 1), self.epsilon)

    @property
    def p(self) -> float:
        """The cell of the value held is answered."""
        return self.answer.p

    @property
    def q(self) -> float:
        """Another value falls in the cell that is answered: one in as many as there are cells."""
        return 1 / self.answer.values

    @property
    def layout(self) -> Layout:
        """The number of the function, and of the cell."""
        return Layout((("function", 2**32), ("cell", self.answer.values)))

    def encode(self, held: Ints, source: Source) -> Reports:
        """The number of the function and of the cell."""
        reports = np.empty(len(held), dtype=REPORT)
        reports["function"] = source.words((len(held) + 1) // 2).view(np.uint32)[: len(held)]
        cells = cells_of(reports["function"], held, self.answer.values)
        reports["cell"] = self.answer.encode(cells, source)
        return reports

    def support(self, reports: Reports) -> Ints:
        """A report supports the values that its function puts in its cell."""
        found: Ints = _support(reports["function"], reports["cell"], self.values, self.answer.values)
        return found

    def law(self, held: int) -> Mapping[tuple[int, int], Fraction]:
        """Of a few functions with equal probability: the function does not depend on the value."""
        functions = np.arange(16, dtype=np.uint32)
        cells = cells_of(functions, np.full(16, held), self.answer.values)
        chances: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for function, cell in zip(functions.tolist(), cells.tolist(), strict=True):
            for shown, chance in self.answer.law(cell).items():
                chances[function, shown] += chance / 16
        return dict(chances)

    def likelihoods(self, reports: Reports) -> Floats:
        """p or q, by whether the function of the report puts each value into the cell named."""
        values = np.arange(self.values)
        cells = cells_of(np.repeat(reports["function"], len(values)), np.tile(values, len(reports)), self.answer.values)
        named = cells.reshape(len(reports), -1) == reports["cell"][:, None]
        return np.where(named, self.answer.p, self.answer.q)


@kernel()
def _cell(function, value, cells):  # type: ignore[no-untyped-def]
    """The cell of a value under a function: the finalizer of MurmurHash3 over both."""
    mixed = (np.uint64(function) << np.uint64(32)) ^ (np.uint64(value) * np.uint64(0x9E3779B97F4A7C15))
    mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    mixed = mixed ^ (mixed >> np.uint64(33))
    return np.int64(((mixed >> np.uint64(32)) * np.uint64(cells)) >> np.uint64(32))


@kernel()
def cells_of(functions, values, cells):  # type: ignore[no-untyped-def]
    found = np.empty(len(functions), dtype=np.int64)
    for number in range(len(functions)):
        found[number] = _cell(functions[number], values[number], cells)
    return found


@kernel()
def _support(functions, answers, values, cells):  # type: ignore[no-untyped-def]
    found = np.zeros(values, dtype=np.int64)
    for number in range(len(functions)):
        for value in range(values):
            found[value] += _cell(functions[number], value, cells) == answers[number]
    return found
