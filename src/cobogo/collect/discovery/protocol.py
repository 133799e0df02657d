"""A discovery as a protocol: questions whose frequent answers are found without a list of candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from cobogo.collect.collection import Collection
from cobogo.collect.discovery.domains import WordDomain
from cobogo.collect.discovery.methods import Discovery, Prefixes, Puzzles
from cobogo.collect.layout import Layout, Rows, unpack_reports
from cobogo.collect.power import Detectable
from cobogo.collect.protocol import LEVEL, CollectionFindings, PermanentReports, Protocol, distinct_texts, text_array
from cobogo.collect.sketch_protocol import sketch_layout
from cobogo.floor.arrays import Ints


class DiscoveryProtocol(PermanentReports):
    """Reports of pieces of words, by groups of clients."""

    def __init__(self, discovery: Discovery) -> None:
        super().__init__(discovery)
        self.discovery = discovery

    @property
    def layout(self) -> Layout:
        """The group, and what the sketch of its pieces says."""
        inner = sketch_layout(self.discovery.sketch)
        return Layout((("group", self.discovery.groups), *inner.numbers), inner.bits)

    @property
    def shape(self) -> tuple[int, ...]:
        """A sketch for each group."""
        sketch = self.discovery.sketch
        return (self.discovery.groups, sketch.rows, 1 + sketch.width)

    @property
    def detectable(self) -> Detectable:
        """The discovery: its last group decides what is significant."""
        return self.discovery

    def read(self, values: Sequence[str | None]) -> list[str]:
        """Any word; what is too long is cut."""
        words, numbers = distinct_texts(text_array(values))
        return [words[number] for number in numbers.tolist()]

    def canonical_value(self, value: str) -> str:
        """The word that would be found: cut to its length, with unknown letters replaced."""
        domain = self.discovery.domain
        return str(domain.values(domain.sequences(self.read([value])))[0])

    def tally(self, rows: Rows) -> Ints:
        """The sketches of the groups."""
        return np.asarray(
            self.discovery.tally(unpack_reports(rows, self.layout, self.discovery.report)), dtype=np.int64
        )

    def findings(self, counts: Ints, users: int, *, level: float = LEVEL) -> CollectionFindings:
        """The significant words, with the probability that the last group would show as much of one that no client
        holds."""
        found = self.discovery.find(counts, alpha=level)
        sure = np.flatnonzero(found.significant)
        words = tuple(str(found.values[number]) for number in sure)
        chances = found.chances[sure]
        return CollectionFindings(words, found.counts[sure], found.errors[sure], chances, users, found.tested, level)


class DiscoveryCollection(Collection):
    """A question whose answer is a word; the frequent words are wanted, and no candidates are known."""

    mechanism: Literal["pem", "sfp"]
    epsilon: Annotated[float, Field(gt=0, le=20)]
    letters: Annotated[str, Field(min_length=1, max_length=1000)] = "abcdefghijklmnopqrstuvwxyz"
    length: Annotated[int, Field(ge=1, le=60)] = 8
    keep: Annotated[int, Field(ge=1, le=65_536)] = 512
    rows: int | None = None
    width: int | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0

    randomizers: ClassVar[Mapping[str, type[Discovery]]] = {method.name: method for method in (Prefixes, Puzzles)}

    def build(self) -> Protocol:
        """The discovery over words."""
        try:
            method: Any = self.randomizers[self.mechanism]
            sizes = {"keep": self.keep, "rows": self.rows or 0, "width": self.width or 0, "seed": self.seed}
            return DiscoveryProtocol(method(self.epsilon, WordDomain(self.letters, self.length), **sizes))
        except ValueError as error:
            keys = ("letters", "length", "keep", "rows", "width", "seed")
            raise self.refuse_parameter(error, keys) from None
