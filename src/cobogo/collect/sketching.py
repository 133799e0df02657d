"""Which word is yours? A sketch as a protocol: any string can be answered for, and looked for later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field

from cobogo.collect.collection import Collection, listed
from cobogo.collect.families import fingerprints
from cobogo.collect.frequency import packed, texts_of, unpacked
from cobogo.collect.judging import judged
from cobogo.collect.layout import Layout, Rows
from cobogo.collect.oracles import ORACLES
from cobogo.collect.power import Detectable
from cobogo.collect.protocol import LEVEL, Findings, Protocol, strings_read
from cobogo.collect.sketch import Sketch
from cobogo.floor.arrays import Ints
from cobogo.floor.randomness import Source

SKETCHES = {name: kind for name, kind in ORACLES.items() if issubclass(kind, Sketch)}


def sketch_layout(sketch: Sketch) -> Layout:
    """The fields of a sketch's reports: rows, cells or columns of a row, a sign, a bit for each cell."""
    bounds = {"row": sketch.rows, "column": sketch.width, "cell": sketch.width, "negative": 2}
    names = sketch.report.names or ()
    numbers = tuple((name, bounds[name]) for name in names if name != "bits")
    return Layout(numbers, sketch.width if "bits" in names else 0)


class Sketched(Protocol):
    """Reports about cells of a sketch; candidates are only needed to look for them in it."""

    def __init__(self, oracle: Sketch, candidates: Sequence[str]) -> None:
        self.oracle = oracle
        self.name = oracle.name  # type: ignore[misc]
        self.candidates = tuple(candidates)

    @property
    def layout(self) -> Layout:
        """That of the sketch."""
        return sketch_layout(self.oracle)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sketch: for each row its reports, then how many of them support each cell."""
        return (self.oracle.rows, 1 + self.oracle.width)

    @property
    def epsilon_once(self) -> float:
        """The oracle's."""
        return self.oracle.epsilon

    @property
    def epsilon_forever(self) -> float:
        """The same: the report is the permanent answer."""
        return self.oracle.epsilon

    @property
    def detectable(self) -> Detectable:
        """The oracle, asked for the candidates."""
        return self.oracle

    def read(self, values: Sequence[str | None]) -> Ints:
        """The keys of strings."""
        words, numbers = strings_read(texts_of(values))
        return fingerprints(words)[numbers]

    def permanent(self, held: Ints, standing: Ints, source: Source) -> Rows:  # noqa: ARG002
        """The oracle's reports."""
        return packed(self.oracle.encode(held, source), self.layout)

    def tally(self, rows: Rows) -> Ints:
        """The sketch of the reports."""
        return np.asarray(self.oracle.sketch(unpacked(rows, self.layout, self.oracle.report)), dtype=np.int64)

    def findings(self, counts: Ints, users: int, *, level: float = LEVEL) -> Findings:
        """The candidates, each read from its cells. Chance is what the noise and the collisions of others show."""
        asked = self.candidates
        found = judged(self.oracle, counts, fingerprints(asked))
        return Findings(asked, found.counts, found.errors, found.chances, users, len(asked), level)


class SketchCollection(Collection):
    """A question whose answer is any string, asked through a sketch."""

    mechanism: Literal[tuple(SKETCHES)]  # type: ignore[valid-type]
    epsilon: Annotated[float, Field(gt=0, le=20)]
    rows: int | None = None
    width: int | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    candidates: Annotated[tuple[str, ...], Field(max_length=1_000_000), AfterValidator(listed)] = ()

    server_only: ClassVar[frozenset[str]] = frozenset({"candidates"})

    def build(self) -> Protocol:
        """The sketch, of the oracle's own size where none is given."""
        given: dict[str, Any] = {"rows": self.rows, "width": self.width, "seed": self.seed}
        kept = {key: value for key, value in given.items() if value is not None}
        try:
            oracle = SKETCHES[self.mechanism](max(len(self.candidates), 1), self.epsilon, **kept)
        except ValueError as error:
            raise self.refused(
                next((key for key in given if f"'{key}'" in str(error)), "mechanism"), str(error)
            ) from None
        assert isinstance(oracle, Sketch)
        return Sketched(oracle, self.candidates)
