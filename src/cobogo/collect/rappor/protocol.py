"""RAPPOR as a protocol: permanent answers to keep, a fresh report of them each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field

from cobogo.collect.collection import Collection, check_values
from cobogo.collect.layout import Layout, Rows
from cobogo.collect.power import Detectable
from cobogo.collect.protocol import LEVEL, CollectionFindings, Protocol, distinct_texts, tail_probabilities, text_array
from cobogo.collect.rappor.decode import Decoding, decode
from cobogo.collect.rappor.filters import (
    AT_ONCE,
    OTHER,
    RapporParameters,
    Reports,
    client_filters,
    count_reports,
    likelihoods,
    randomize_permanently,
    randomize_report,
)
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source, below


@dataclass(frozen=True, eq=False, repr=False)
class Strings:
    """Clients' strings: the different ones, and the number of each client's."""

    texts: tuple[str, ...]
    numbers: Ints

    def __len__(self) -> int:
        return len(self.numbers)


@card("rappor", title="RAPPOR", group="strings")
class Rappor(Protocol):
    r"""RAPPOR: a Bloom filter of any string, randomized once for a permanent answer, and again for each report.

    The permanent answer keeps a bit with probability 1 − f and otherwise sets it by a fair coin. Each report then sets
    a bit with probability q if it is set in the permanent answer, and with probability p if not. Candidates are needed
    only for decoding, which is a regression on the bit counts of each cohort.

    Formula: for ever $\varepsilon_{\infty} = 2 h \ln \frac{1 - f/2}{f/2}$; one report $\varepsilon_1 = h \ln
        \frac{q^{\ast} (1 - p^{\ast})}{p^{\ast} (1 - q^{\ast})}$ with $q^{\ast} = \frac{f}{2}(p + q) + (1 - f)\,q$ and
        $p^{\ast} = \frac{f}{2}(p + q) + (1 - f)\,p$
    Example:
        >>> protocol = Rappor(RapporParameters(bits=128, hashes=2, cohorts=64), candidates=["a", "b"])
        >>> round(protocol.epsilon_forever, 3), round(protocol.epsilon_once, 3)
        (4.394, 1.074)

    Guarantee: ε∞-local differential privacy for all reports of one value together, ε₁ for a single report; no party
        needs to be trusted.
    Limits: The guarantee is for one constant value: a client whose value changes reveals more. Only candidates can be
        found, and only frequent ones.
    Cost: $O(b)$ bits for a client; $O(n\,b)$ to count n reports, and a regression with a column for each candidate.
    Paper: Ú. Erlingsson, V. Pihur and A. Korolova, RAPPOR: randomized aggregatable privacy-preserving ordinal response,
        CCS 2014.
    """

    def __init__(self, parameters: RapporParameters, candidates: Sequence[str] = ()) -> None:
        self.parameters = parameters
        self.candidates = tuple(candidates)

    @cached_property
    def _layout(self) -> Layout:
        return Layout((("cohort", self.parameters.cohorts),), self.parameters.bits)

    @property
    def layout(self) -> Layout:
        """The cohort, and the bits."""
        return self._layout

    @property
    def shape(self) -> tuple[int, ...]:
        """For each cohort its reports, then how many of them show each bit."""
        return (self.parameters.cohorts, 1 + self.parameters.bits)

    @property
    def epsilon_once(self) -> float:
        """As published."""
        return self.parameters.epsilon_once

    @property
    def epsilon_forever(self) -> float:
        """That of the permanent answer."""
        return self.parameters.epsilon_forever

    @property
    def detectable(self) -> Detectable:
        """Its decoding, with the candidates."""
        return Decoding(self.parameters, max(len(self.candidates), 1))

    def read(self, values: Sequence[str | None]) -> Strings:
        """Any string will do; its absence is none."""
        words, numbers = distinct_texts(text_array(values))
        return Strings(tuple(words), numbers)

    def draw_standing(self, count: int, source: Source) -> Ints:
        """A cohort, by chance."""
        return below(self.parameters.cohorts, count, source)

    def draw_permanent(self, held: Strings, standing: Ints, source: Source) -> Rows:
        """The filter of a string in the client's cohort, randomized once."""
        rows = np.empty((len(held), self.layout.width), dtype=np.uint8)
        filters, which = client_filters(held.texts, held.numbers, standing, self.parameters)
        for start in range(0, len(held), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            kept = randomize_permanently(filters[which[part]], self.parameters, source)
            rows[part] = self.layout.pack([standing[part]], kept)
        return rows

    def draw_reports(self, permanent: Rows, source: Source) -> Rows:
        """Each bit shown by chance, anew each time."""
        rows = np.array(permanent)
        bits = rows[:, -self.parameters.bits // 8 :]
        for start in range(0, len(rows), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            bits[part] = randomize_report(bits[part], self.parameters, source)
        return rows

    def tally(self, rows: Rows) -> Ints:
        """Bits counted by cohort."""
        (cohorts,), bits = self.layout.unpack(rows)
        return count_reports(Reports(cohorts, bits), self.parameters)

    def likelihoods(self, rows: Rows) -> tuple[tuple[str, ...], Floats]:
        """For the candidates, and for any other string, whose filter is taken to be random."""
        (cohorts,), bits = self.layout.unpack(rows)
        return (*self.candidates, OTHER), likelihoods(cohorts, bits, self.candidates, self.parameters)

    def findings(self, counts: Ints, users: int, *, level: float = LEVEL) -> CollectionFindings:
        """The candidates that clients hold."""
        found = decode(counts, self.candidates, self.parameters, level=level)
        scores = np.divide(found.counts, found.errors, out=np.zeros(len(found.counts)), where=found.errors > 0)
        return CollectionFindings(
            found.strings,
            found.counts,
            found.errors,
            tail_probabilities(scores),
            users,
            len(self.candidates),
            level,
            found.fit,
        )


Share = Annotated[Decimal, Field(ge=0, le=1, max_digits=12)]


class RapporCollection(Collection):
    """A question whose answer is any string; the server needs candidates to find it among."""

    mechanism: Literal["rappor"]
    bits: int = 128
    hashes: int = 2
    cohorts: int = 64
    f: Share = Decimal("0.5")
    p: Share = Decimal("0.5")
    q: Share = Decimal("0.75")
    candidates: Annotated[tuple[str, ...], Field(max_length=1_000_000), AfterValidator(check_values)] = ()

    randomizers: ClassVar[Mapping[str, type[Rappor]]] = {"rappor": Rappor}
    server_only: ClassVar[frozenset[str]] = frozenset({"candidates"})

    def build(self) -> Protocol:
        """RAPPOR with these parameters."""
        sizes: dict[str, Any] = {"bits": self.bits, "hashes": self.hashes, "cohorts": self.cohorts}
        try:
            parameters = RapporParameters.from_decimals(**sizes, f=str(self.f), p=str(self.p), q=str(self.q))
        except ValueError as error:
            raise self.refuse_parameter(error, (*sizes, "f", "p", "q")) from None
        return Rappor(parameters, self.candidates)
