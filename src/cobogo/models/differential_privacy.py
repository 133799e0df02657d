"""(ε, δ)-differential privacy, as what a release promises. It is a property of how the release was drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from cobogo.models.check import ModelVerdict
from cobogo.models.promise import Promise


@dataclass(frozen=True)
class DifferentialPrivacy(Promise):
    """Nothing that may be released is likelier by more than e^ε, except by δ, for any one record (Dwork et al. 2006).

    Protects whoever is in the table against anyone, whatever they know already; says nothing of what holds of people
    in general, whether they are in it or not. It cannot be read off a release: the chance that it was drawn by is what
    protects, so that verification checks the parameters, and trusts the procedure that the manifest states.
    """

    epsilon: float
    delta: float = 0.0

    name: ClassVar[str] = "differential-privacy"

    def __post_init__(self) -> None:
        for key, value, most in (("epsilon", self.epsilon, 1e6), ("delta", self.delta, 1.0)):
            fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            if not fits or not 0 <= value < most or (key == "epsilon" and value == 0):
                raise ValueError(f"The '{key}' parameter of {self.name} must be above 0. Got {value!r} instead")

    def verdict(self, epsilon: float, delta: float) -> ModelVerdict:
        """Whether a procedure that costs so much keeps the promise; both must."""
        held = epsilon <= self.epsilon * (1 + 1e-12) and delta <= self.delta * (1 + 1e-12)
        return ModelVerdict(self, held, epsilon, None, 0 if held else 1)
