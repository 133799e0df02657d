"""Every frequency oracle, by its name."""

from __future__ import annotations

from cobogo.collect.base import Oracle
from cobogo.collect.direct import Direct
from cobogo.collect.hadamard import Hadamard
from cobogo.collect.hashing import LocalHashing
from cobogo.collect.sketch import CountMeanSketch, FastHashing, HadamardSketch
from cobogo.collect.unary import Optimized, Symmetric

ORACLES: dict[str, type[Oracle]] = {
    kind.name: kind
    for kind in (Direct, Symmetric, Optimized, LocalHashing, Hadamard, CountMeanSketch, HadamardSketch, FastHashing)
}
"""A new one is registered here."""
