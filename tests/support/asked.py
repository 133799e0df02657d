"""A collection of every kind, to ask of each what is asked of all."""

from __future__ import annotations

from typing import Any

import numpy as np

from cobogo.collect.collection import Collection
from cobogo.collect.discovery import DiscoveryCollection
from cobogo.collect.frequency import FrequencyCollection
from cobogo.collect.layout import Rows
from cobogo.collect.means import MeanCollection
from cobogo.collect.pilot import encode_shuffled
from cobogo.collect.sketch_protocol import SketchCollection
from cobogo.floor.randomness import Seeded

LISTED, SKETCHES = FrequencyCollection.randomizers, SketchCollection.randomizers
DISCOVERIES, MEANS = DiscoveryCollection.randomizers, MeanCollection.randomizers
ORACLES = {**LISTED, **SKETCHES}
"""Frequency oracles, those over listed values and those that are sketches."""

VALUES = tuple(f"value {number}" for number in range(11))
"""Eleven: reports that have a bit for each do not end at a byte."""

PARAMETERS: dict[str, dict[str, Any]] = {
    "rappor": {"bits": 32, "cohorts": 5, "candidates": list(VALUES)},
    **{name: {"epsilon": 1.5, "rows": 6, "width": 16, "candidates": list(VALUES)} for name in SKETCHES},
    **{
        name: {"epsilon": 1.5, "letters": "value 0123456789", "length": 8, "rows": 4, "width": 8}
        for name in DISCOVERIES
    },
    **{name: {"epsilon": 1.5, "low": -1, "high": 12, "steps": 26} for name in MEANS},
}

NUMBERS = tuple(f"{number}.5" for number in range(11))


def asked(mechanism: str, **changes: Any) -> Collection:
    listed = {"epsilon": 1.5, "values": list(VALUES)} if mechanism in LISTED else {}
    parameters = {**listed, **PARAMETERS.get(mechanism, {}), **changes}
    return Collection.of({"collection": {"name": "a test", "question": "q", "mechanism": mechanism, **parameters}})


def answers(mechanism: str) -> tuple[str, ...]:
    """Eleven values that can be answered for."""
    return NUMBERS if mechanism in MEANS else VALUES


def some_reports(collection: Collection, count: int, seed: int = 1) -> Rows:
    held = np.array(answers(collection.mechanism), dtype=object)[np.arange(count) ** 2 % 7].tolist()
    return encode_shuffled(collection, held, Seeded(seed))
