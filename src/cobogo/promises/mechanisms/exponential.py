"""The exponential mechanism, drawn without floats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from cobogo.errors import PolicyError
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, below
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.mechanisms.draws import exponential_coins

AT_ONCE = 256
"""Candidates that are drawn together at most: one of them is mostly chosen, or they are many."""


@card("exponential", title="exponential mechanism")
@dataclass(frozen=True)
class ExponentialMechanism:
    r"""Chooses a candidate; the higher its score, the more probable it is.

    ``sensitivity`` is the largest amount by which one person can change the score of a candidate. It is declared, and
    so are the candidates. Scores are whole numbers. The sampler draws a candidate uniformly and keeps it with
    probability exp(−ε(u* − u(o)) / 2Δu). All of this is done in whole numbers: no float underflows or is rounded.

    Formula: $\Pr[o] = \frac{e^{\varepsilon\,u(o) / 2 \Delta u}}{\sum_{o'} e^{\varepsilon\,u(o') / 2 \Delta u}}$
    Example: The numbers of the example in the surveys; Δu = 28 is declared here, not computed from the table.
        >>> [round(100 * p, 2) for p in ExponentialMechanism(28, Fraction(1)).probabilities([16, 10, 28, 4])]
        [25.35, 22.78, 31.41, 20.46]

    Guarantee: ε-differential privacy for one person, whatever an attacker knows.
    Limits: Candidates must be public: candidates that are read from the data reveal people. With many candidates
        `noisy-max` is never worse.
    Cost: $O(c)$ draws for c candidates, more if almost all scores are far below the best; with probability $1 - \beta$
        the score is below the best by at most $\frac{2 \Delta u}{\varepsilon} \ln \frac{c}{\beta}$.
    Paper: F. McSherry and K. Talwar, Mechanism design via differential privacy, FOCS 2007; without floats as C.
        Ilvento, Implementing the exponential mechanism with base-2 differential privacy, CCS 2020, asks for.
    """

    name: ClassVar[str]
    sensitivity: int
    epsilon: Fraction

    @property
    def loss(self) -> PrivacyLoss:
        """ε, as it was allowed."""
        return PrivacyLoss("epsilon", self.epsilon)

    def choose(self, scores: Sequence[int]) -> int:
        """Draw a candidate; its position."""
        if not scores:
            raise PolicyError(
                tr("there are no candidates to choose from"),
                where="candidates",
                remedy=tr("Declare at least one candidate."),
            )
        best, step, source = max(scores), self.epsilon / (2 * self.sensitivity), Entropy()
        losses = np.array([(best - score) * step.numerator for score in scores], dtype=object)
        while True:
            drawn = below(len(scores), min(len(scores), AT_ONCE), source)
            heads = exponential_coins(losses[drawn], step.denominator, source)
            if heads.any():
                return int(drawn[heads.argmax()])

    def probabilities(self, scores: Sequence[float]) -> list[float]:
        """The distribution. For public or made-up scores only: on private ones it would reveal them.

        >>> [round(100 * p, 2) for p in ExponentialMechanism(28, Fraction(1)).probabilities([16, 10, 28, 4])]
        [25.35, 22.78, 31.41, 20.46]
        """
        best, step = max(scores), float(self.epsilon) / (2 * self.sensitivity)
        weights = [math.exp(step * (score - best)) for score in scores]
        return [weight / sum(weights) for weight in weights]

    def shortfall(self, candidates: int, confidence: float = 0.95) -> float:
        """How far below the best score the choice may lie, with the probability given: 2Δu/ε · ln(candidates/β)."""
        return 2 * self.sensitivity / float(self.epsilon) * math.log(candidates / (1 - confidence))
