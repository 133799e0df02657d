"""The contract of a mechanism that adds noise, and the way to OpenDP.

Values are whole numbers (fixed point where they were not), and so is the noise: its distribution is exact, and the last
bits of floats reveal nothing (Mironov 2012). A mechanism is made for a sensitivity and a privacy loss. OpenDP computes
the loss of a scale, and the scale is raised until its loss is within the one allowed. OpenDP draws the noise of a few
values; that of many is drawn all at once (`draws`), with the same scale and the same distribution, in a twentieth of
the time.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from cobogo.errors import PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.extras import require
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.mechanisms.draws import SCALES

LARGEST = 2**62
"""Values are clamped to ± this before noise, so that 64 bits hold the sum. Clamping never increases a sensitivity."""

MANY = 64
"""Values from which on their noise is drawn all at once: OpenDP takes 7 µs for each, and whole arrays some 0.4 ms."""


def _clamp(values: Sequence[int]) -> list[int]:
    return [max(-LARGEST, min(LARGEST, int(value))) for value in values]


def draws_many(scale: float, number: int) -> bool:
    """Whether so many draws of a scale are made all at once."""
    return number >= MANY and SCALES[0] <= scale <= SCALES[1]


class Noise(ABC):
    """A mechanism that adds noise to a vector of whole numbers.

    ``sensitivity`` is the most by which one person can change the vector, in the norm that the mechanism names.
    """

    name: ClassVar[str]

    @property
    @abstractmethod
    def loss(self) -> PrivacyLoss:
        """What one release costs."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """The parameter of the noise."""

    @abstractmethod
    def variance(self) -> float:
        """The variance of the noise, by its exact distribution."""

    @abstractmethod
    def two_sided_tail(self, distance: int) -> float:
        """The probability that the noise of one value is at least ``distance`` away from 0, on either side."""

    @property
    @abstractmethod
    def measurement(self) -> Any:
        """OpenDP's measurement."""

    @abstractmethod
    def draw(self, scale: Fraction, number: int, source: Source) -> Ints:
        """So much noise of a scale, drawn all at once."""

    def release(self, values: Sequence[int]) -> list[int]:
        """The values with noise."""
        if draws_many(self.scale, len(values)):
            try:
                exact = np.array(values, dtype=np.int64)
            except OverflowError:
                exact = np.array(_clamp(values), dtype=np.int64)
            noise = self.draw(Fraction(self.scale), len(exact), Entropy())
            return list((np.clip(exact, -LARGEST, LARGEST) + noise).tolist())
        return list(self.measurement(_clamp(values))) if values else []

    def error(self, confidence: float = 0.95) -> int:
        """The least distance within which the noise of one value stays with the probability given."""
        if not 0 < confidence < 1:
            raise PolicyError(
                tr("must be between 0 and 1. Got {confidence!r} instead", confidence=confidence), where="confidence"
            )
        low, high = -1, 1
        while self.two_sided_tail(high + 1) > 1 - confidence:
            low, high = high, high * 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.two_sided_tail(middle + 1) <= 1 - confidence else (middle, high)
        return high


@functools.cache
def opendp() -> Any:
    """OpenDP's core, loaded when noise is first needed: its domains, distances and, as ``m``, its measurements. Its
    prelude would load pandas, polars and scikit-learn, which take longer than a question."""
    missing = tr("answers with differential privacy need OpenDP, which is not installed")
    require("opendp", "dp", missing, where="cobogo answer")
    from opendp import domains, measurements, measures, metrics, mod

    mod.enable_features("contrib")
    return SimpleNamespace(
        m=measurements,
        atom_domain=domains.atom_domain,
        vector_domain=domains.vector_domain,
        l1_distance=metrics.l1_distance,
        l2_distance=metrics.l2_distance,
        linf_distance=metrics.linf_distance,
        max_divergence=measures.max_divergence,
    )


@functools.cache
def vectors() -> Any:
    """Vectors of 64-bit whole numbers (OpenDP's ``int`` would be of 32 bits)."""
    core = opendp()
    return core.vector_domain(core.atom_domain(T="i64"))


def next_scale(scale: float) -> float:
    """The next scale to try where rounding made one too small."""
    return math.nextafter(scale, math.inf)
