"""The exponential mechanism, and the exact coins of probability exp(−γ) that it is drawn with: no floats."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from cobogo.errors import PolicyError
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.promises.accounting import PrivacyLoss


def coin(probability: Fraction) -> bool:
    """Heads with exactly the probability given."""
    return secrets.randbelow(probability.denominator) < probability.numerator


def exponential_coin(gamma: Fraction) -> bool:
    """Heads with probability exp(−γ), γ ≥ 0: one coin of exp(−1) for each whole part, then one for the rest.

    >>> exponential_coin(Fraction(0))
    True
    """
    whole, rest = divmod(gamma, 1)
    return all(_small(Fraction(1)) for _ in range(int(whole))) and _small(rest)


def _small(gamma: Fraction) -> bool:
    """The same for γ ≤ 1: the first k for which a coin of γ/k shows tails is odd with that probability."""
    if gamma == 0:
        return True
    k = 1
    while coin(gamma / k):
        k += 1
    return k % 2 == 1


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
        best, step = max(scores), self.epsilon / (2 * self.sensitivity)
        while True:
            drawn = secrets.randbelow(len(scores))
            if exponential_coin(step * (best - scores[drawn])):
                return drawn

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
