"""Tables and releases whose use is measured."""

from __future__ import annotations

import random
from importlib.util import find_spec
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import settings

import cobogo as cb
from support.effort import examples

learns = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed (cobogo[utility])")


def release(columns: dict[str, list[str]], levels: dict[str, int], **more: Any) -> cb.Release:
    """A release at the levels given; columns without a level are sensitive."""
    attributes: dict[str, Any] = {
        name: {"role": "quasi-identifier", "min-level": levels[name], "max-level": levels[name]}
        if name in levels
        else {"role": "sensitive"}
        for name in columns
    }
    content = {"attributes": attributes, "privacy": {"models": [{"model": "k-anonymity", "k": 1}]}, **more}
    return cb.anonymize(pa.table(columns), content)


def population(rows: int, seed: int = 0) -> dict[str, list[str]]:
    """Sex tells the label for sure, town tells it a little, and illness nothing."""
    source = random.Random(seed)
    sex = [source.choice("FM") for _ in range(rows)]
    return {
        "sex": sex,
        "town": [source.choice("ab" if one == "F" else "bc") for one in sex],
        "label": ["yes" if one == "F" else "no" for one in sex],
        "ill": [source.choice("xyz") for _ in sex],
    }


few = settings(deadline=None, max_examples=examples(100))
