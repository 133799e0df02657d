"""Operators as manifests state them, read again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cobogo.floor.untrusted import fraction
from cobogo.promises.operators.base import Operator
from cobogo.promises.operators.matrix import Matrix
from cobogo.promises.operators.uniform import Uniform

READERS: dict[str, Callable[[Mapping[str, Any]], Operator]] = {
    "uniform": lambda stated: Uniform(int(stated["size"]), fraction(stated["retention"])),
    "matrix": lambda stated: Matrix(int(stated["size"]), np.array(stated["columns"], dtype=np.int64).T),
}


def read(stated: Mapping[str, Any]) -> Operator:
    """The operator that a statement describes; ValueError or KeyError where it describes none."""
    return READERS[stated["operator"]](stated)
