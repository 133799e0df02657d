"""How well RAPPOR's decoding will see a string, foretold from the parameters alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.collect.rappor.parameters import Parameters
from cobogo.floor.arrays import Floats


@dataclass(frozen=True)
class Decoding:
    """Reports under ``parameters``, to be decoded with so many candidate strings (``values``).

    What weighted least squares makes of N reports: a bit of the string's filter tells its count with variance
    N·r(1 − r) / (q* − p*)², r the rate at which the bit is shown; a string has h bits in each cohort, and one h-th of
    that variance is left. The other candidates, fitted beside it, take away the share of the evidence that they are of
    all bits: the variance grows by bits / (bits − candidates), up to 2, where as many are chosen first.
    """

    parameters: Parameters
    values: int

    name: ClassVar[str] = "rappor"

    def __post_init__(self) -> None:
        if self.values < 1:
            raise ValueError(f"The 'values' parameter of RAPPOR must be 1 or more. Got {self.values!r} instead")

    def variance(self, held: Floats, users: int) -> Floats:
        """The variance of the estimate of each string, where so many of the users hold each."""
        q, p = float(self.parameters.shown_if_set), float(self.parameters.shown_if_not)
        share = np.asarray(held, dtype=np.float64) / users
        loaded = share + (1 - share) * (1 - (1 - 1 / self.parameters.bits) ** self.parameters.hashes)
        rate = p + loaded * (q - p)
        everything = self.parameters.bits * self.parameters.cohorts
        crowd = everything / (everything - min(self.values - 1, everything / 2))
        return users * rate * (1 - rate) / (q - p) ** 2 / self._bits_of_a_string * crowd

    @property
    def _bits_of_a_string(self) -> float:
        """How many bits of a filter a string has on average: a little fewer than hashes, since some coincide."""
        bits = self.parameters.bits
        return bits * (1 - (1 - 1 / bits) ** self.parameters.hashes)
