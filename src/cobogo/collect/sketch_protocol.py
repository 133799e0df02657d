"""A sketch as a protocol: clients answer with any string, and the server looks candidates up in the sketch later.

Candidates are estimated together: first the effect of the frequent ones on the cells of the others is subtracted; then
the probability that noise alone would show as much is computed from what is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field

from cobogo.collect.collection import Collection, check_values
from cobogo.collect.hashing import cells, fingerprints, read
from cobogo.collect.layout import Layout, Rows, unpack_reports
from cobogo.collect.oracle import FrequencyEstimate, Oracle, tail_probability
from cobogo.collect.power import Detectable
from cobogo.collect.protocol import (
    BONFERRONI,
    LEVEL,
    CollectionFindings,
    PermanentReports,
    Protocol,
    distinct_texts,
    text_array,
)
from cobogo.collect.sketch import CountMeanSketch, FastHashing, HadamardSketch, SketchOracle
from cobogo.floor.arrays import Floats, Ints


def sketch_layout(sketch: SketchOracle) -> Layout:
    """The fields of a sketch's reports: rows, cells or columns of a row, a sign, a bit for each cell."""
    bounds = {"row": sketch.rows, "column": sketch.width, "cell": sketch.width, "negative": 2}
    names = sketch.report.names or ()
    numbers = tuple((name, bounds[name]) for name in names if name != "bits")
    return Layout(numbers, sketch.width if "bits" in names else 0)


class SketchProtocol(PermanentReports):
    """Reports about cells of a sketch; candidates are only needed to look for them in it."""

    def __init__(self, oracle: SketchOracle, candidates: Sequence[str]) -> None:
        super().__init__(oracle)
        self.oracle = oracle
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
    def detectable(self) -> Detectable:
        """The oracle, asked for the candidates."""
        return self.oracle

    def read(self, values: Sequence[str | None]) -> Ints:
        """The keys of strings."""
        words, numbers = distinct_texts(text_array(values))
        return fingerprints(words)[numbers]

    def tally(self, rows: Rows) -> Ints:
        """The sketch of the reports."""
        return np.asarray(self.oracle.sketch(unpack_reports(rows, self.layout, self.oracle.report)), dtype=np.int64)

    def findings(self, counts: Ints, users: int, *, level: float = LEVEL, rule: str = BONFERRONI) -> CollectionFindings:
        """The candidates, each read from its cells, with the probability that noise and collisions show as much."""
        asked = self.candidates
        found = judge(self.oracle, counts, fingerprints(asked))
        return CollectionFindings(asked, found.counts, found.errors, found.chances, users, len(asked), level, rule=rule)


class SketchCollection(Collection):
    """A question whose answer is any string, asked through a sketch."""

    mechanism: Literal["cms", "hcms", "flh"]
    epsilon: Annotated[float, Field(gt=0, le=20)]
    rows: int | None = None
    width: int | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    candidates: Annotated[tuple[str, ...], Field(max_length=1_000_000), AfterValidator(check_values)] = ()

    randomizers: ClassVar[Mapping[str, type[SketchOracle]]] = {
        sketch.name: sketch for sketch in (CountMeanSketch, HadamardSketch, FastHashing)
    }
    server_only: ClassVar[frozenset[str]] = frozenset({"candidates"})

    def build(self) -> Protocol:
        """The sketch, of the oracle's own size where none is given."""
        given: dict[str, Any] = {"rows": self.rows, "width": self.width, "seed": self.seed}
        kept = {key: value for key, value in given.items() if value is not None}
        try:
            oracle = self.randomizers[self.mechanism](max(len(self.candidates), 1), self.epsilon, **kept)
        except ValueError as error:
            raise self.refuse_parameter(error, given) from None
        assert isinstance(oracle, SketchOracle)
        return SketchProtocol(oracle, self.candidates)


HEAVY = 512
"""How many of the most frequent values are estimated together. More correct more collisions, and take time and
memory in proportion."""

SURE = 3.0
"""Standard errors above zero from which on a value counts as frequent in the first step."""

ROUNDS = 12
"""Rounds that correct the effect of frequent values on each other. Each reduces the error at least tenfold."""


@dataclass(frozen=True, eq=False)
class SketchEstimate(FrequencyEstimate):
    """Estimates, and for each value the probability that its support would be as high if no client held it."""

    chances: Floats


def judge(oracle: SketchOracle, sketch: Ints, keys: Ints, support: Ints | None = None) -> SketchEstimate:
    """Estimate how many users hold each of some distinct values; ``support`` is what `SketchOracle.read` gives for
    them, where it is known already."""
    users = int(sketch[:, 0].sum())
    keys = np.ascontiguousarray(keys, dtype=np.int64)
    if not users or not len(keys):
        nothing = np.zeros(len(keys))
        return SketchEstimate(nothing, nothing, users, np.ones(len(keys)))
    own, other, width = float(oracle.supports_own), float(oracle.supports_other), oracle.width
    support = oracle.read(sketch, keys) if support is None else support
    pairs = oracle.pairs(sketch)
    at_first = oracle.estimate(support, users, pairs)
    frequent = np.flatnonzero(at_first.counts > SURE * at_first.errors)
    frequent = frequent[np.argsort(-at_first.counts[frequent], kind="stable")[:HEAVY]]
    shown = (support - users * other) / (own - other)  # by the value itself, and by whatever shares its cells
    places = _cells(oracle, keys[frequent])
    held = np.clip(at_first.counts[frequent], 0, users)
    for _ in range(ROUNDS):
        beside = _count_sharing(oracle, places, held, keys[frequent]) - held
        spread = (users - (held.sum() - held)) / width
        held = np.clip((shown[frequent] - beside - spread) * width / (width - 1), 0, users)
    beside = _count_sharing(oracle, places, held, keys)
    beside[frequent] -= held
    taken = np.full(len(keys), held.sum())
    taken[frequent] -= held
    spread = (users - taken) / width
    counts = (shown - beside - spread) * width / (width - 1)
    rest = max(pairs - float((held**2).sum()), 0.0) / (oracle.rows * (width - 1))
    noise = Oracle.variance(oracle, np.clip(counts, 0, users), users)
    expected = users * other + (own - other) * (beside + spread)
    disturbed = ((own - other) * (1 - 1 / width)) ** 2 * rest
    return SketchEstimate(counts, np.sqrt(noise + rest), users, tail_probability(support, expected, users, disturbed))


def _cells(oracle: SketchOracle, keys: Ints) -> Ints:
    """The cells of keys: [row, key]."""
    rows = np.repeat(np.arange(oracle.rows), len(keys))
    found = cells(rows, np.tile(keys, oracle.rows), oracle.rows, oracle.width, oracle.seed)
    return found.reshape(oracle.rows, len(keys))


def _count_sharing(oracle: SketchOracle, places: Ints, held: Floats, keys: Ints) -> Floats:
    """How many holders of frequent values share the cells of each key, on average over the rows."""
    sums = np.zeros((oracle.rows, oracle.width))
    np.add.at(sums, (np.arange(oracle.rows)[:, None], places), held / oracle.rows)
    found: Floats = read(sums, keys, oracle.seed)
    return found
