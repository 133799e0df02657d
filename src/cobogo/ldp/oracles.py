"""Every frequency oracle, by its name."""

from __future__ import annotations

from cobogo.ldp.base import Oracle
from cobogo.ldp.direct import Direct
from cobogo.ldp.hadamard import Hadamard
from cobogo.ldp.hashing import LocalHashing
from cobogo.ldp.sketch import CountMeanSketch, FastHashing, HadamardSketch
from cobogo.ldp.unary import Optimized, Symmetric

ORACLES: dict[str, type[Oracle]] = {
    kind.name: kind
    for kind in (Direct, Symmetric, Optimized, LocalHashing, Hadamard, CountMeanSketch, HadamardSketch, FastHashing)
}
"""A new one is registered here."""
