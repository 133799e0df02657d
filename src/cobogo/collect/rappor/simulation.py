"""A simulation of RAPPOR with made-up clients: which strings of a distribution are found, and with which error.

The distributions, the candidates that are missing and those that nobody holds, and the measures are those of the
simulation that RAPPOR's authors published with their code: strings ``v1`` … ``v100`` that are as frequent as a normal,
an exponential, a Zipf or a uniform law says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.collect.protocol import BONFERRONI, LEVEL
from cobogo.collect.rappor.decode import DecodedStrings, decode
from cobogo.collect.rappor.filters import RapporParameters, count_reports, encode
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Source, below

SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "normal": lambda place: np.exp(-((6 * (place - 0.5)) ** 2) / 2),
    "exponential": lambda place: np.exp(-5 * place),
    "zipf": lambda place: 1 / place,
    "zipf-1.5": lambda place: 1 / (place * np.sqrt(place)),
    "uniform": np.ones_like,
}
"""How frequent each string is, up to a factor, by its place among all: from 0 to 1."""

PAPER = RapporParameters(bits=128, hashes=2, cohorts=64)
"""The parameters of the paper's experiment: f = 0.5, p = 0.5, q = 0.75."""

DEMO = RapporParameters.from_decimals(bits=16, hashes=2, cohorts=64, f="0.2", p="0.1", q="0.9")
"""Those of the demonstration that comes with the authors' code, at 100,000 reports."""


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """The true shares, and the strings that were found."""

    names: tuple[str, ...]
    shares: Floats
    candidates: tuple[str, ...]
    found: DecodedStrings

    @property
    def detected(self) -> int:
        """How many strings that somebody holds were found."""
        return len(set(self.found.strings) & set(self.names))

    @property
    def invented(self) -> int:
        """How many were found that nobody holds."""
        return len(set(self.found.strings) - set(self.names))

    @property
    def estimated(self) -> Floats:
        """The share found of each string; 0 where it was not."""
        shares = dict(zip(self.found.strings, self.found.shares.tolist(), strict=True))
        return np.array([shares.get(name, 0.0) for name in self.names])

    @property
    def total_variation(self) -> float:
        """Half the sum of all differences between true and estimated shares: 0 is perfect, what is not found counts."""
        made_up = sum(
            share for name, share in zip(self.found.strings, self.found.shares, strict=True) if name not in self.names
        )
        return (float(np.abs(self.shares - self.estimated).sum()) + float(made_up)) / 2

    @property
    def covered(self) -> float:
        """The share of the strings found whose interval of 95 % holds the truth."""
        true = dict(zip(self.names, self.shares.tolist(), strict=True))
        inside = [
            abs(share - true.get(name, 0.0)) <= 1.96 * error / self.found.users
            for name, share, error in zip(self.found.strings, self.found.shares, self.found.errors, strict=True)
        ]
        return float(np.mean(inside)) if inside else 1.0

    def as_dict(self) -> dict[str, Any]:
        """The content for JSON."""
        return {
            "reports": self.found.users, "strings": len(self.names), "detected": self.detected,
            "invented": self.invented, "total_variation": self.total_variation, "covered": self.covered,
        }  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class DrawnCounts:
    """The counts of made-up clients' reports: the strings with their true shares, and the candidates."""

    names: tuple[str, ...]
    shares: Floats
    candidates: tuple[str, ...]
    counted: Ints


def draw_counts(
    shape: str,
    clients: int,
    parameters: RapporParameters,
    source: Source,
    *,
    strings: int = 100,
    missing: int | None = None,
    extra: int = 0,
) -> DrawnCounts:
    """Report for made-up clients, and count. Every ``missing``-th string is no candidate, and ``extra`` candidates are
    strings that nobody holds."""
    weights = SHAPES[shape](np.arange(1, strings + 1) / strings)
    bounds = np.cumsum(weights / weights.sum())
    drawn = np.searchsorted(bounds, below(2**53, clients, source) / 2.0**53, side="right")
    held = np.minimum(drawn, strings - 1)
    names = tuple(f"v{number}" for number in range(1, strings + 1))
    known = [name for number, name in enumerate(names, 1) if missing is None or number % missing]
    candidates = (*known, *(f"v{strings + number}" for number in range(1, extra + 1)))
    counted = count_reports(encode(names, held, parameters, source), parameters)
    return DrawnCounts(names, np.bincount(held, minlength=strings) / clients, candidates, counted)


def simulate(
    shape: str,
    clients: int,
    parameters: RapporParameters,
    source: Source,
    *,
    level: float = LEVEL,
    rule: str = BONFERRONI,
    **others: Any,
) -> Simulation:
    """Draw counts of made-up clients (the other options are those of `draw_counts`), and decode them."""
    drawn = draw_counts(shape, clients, parameters, source, **others)
    return decode_drawn(drawn, parameters, level=level, rule=rule)


def decode_drawn(
    drawn: DrawnCounts, parameters: RapporParameters, *, level: float = LEVEL, rule: str = BONFERRONI
) -> Simulation:
    """Decode counts that were drawn, by a rule."""
    found = decode(drawn.counted, drawn.candidates, parameters, level=level, rule=rule)
    return Simulation(drawn.names, drawn.shares, drawn.candidates, found)
