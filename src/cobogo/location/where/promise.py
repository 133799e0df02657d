"""What a mobility model promises."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from cobogo.models.arguments import number
from cobogo.models.check import ModelVerdict
from cobogo.models.promise import Promise


@dataclass(frozen=True)
class DifferentialPrivacy(Promise):
    """Whatever anybody sees is at most e^ε times as likely with a person's records, all of them, as without (Dwork et
    al. 2006). Measured: the sum of what the parts of the model cost."""

    epsilon: float

    name: ClassVar[str] = "differential-privacy"

    def __post_init__(self) -> None:
        number(self.name, "epsilon", self.epsilon, above=0)

    def check(self, spent: Fraction) -> ModelVerdict:
        """The verdict on what was spent."""
        return ModelVerdict(self, spent <= Fraction(self.epsilon) * (1 + Fraction(1, 10**12)), float(spent), None, 0)
