"""Report noisy max: the best of several, and the k best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cobogo.errors import PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy
from cobogo.promises.accounting import PrivacyLoss, float_above
from cobogo.promises.mechanisms.base import LARGEST, draws_many, next_scale, opendp, vectors
from cobogo.promises.mechanisms.draws import permute_and_flip


@card("noisy-max", title="report noisy max")
@dataclass(frozen=True)
class NoisyMax:
    r"""Adds exponential noise to each score and reveals only which k are the largest.

    ``sensitivity`` is the largest amount by which a person changes any one score. ``monotonic`` says that a person
    changes all scores in the same direction, as with counts; the noise is then halved. With k = 1 the distribution is
    that of permute-and-flip, which is never worse than the exponential mechanism.

    Formula: $\arg\max_o\, (u(o) + X_o)$ with $X_o \sim \mathrm{Exp}$ of scale $\frac{2 k \Delta}{\varepsilon}$, or half
        of that where scores are monotonic
    Example:
        >>> counts = NoisyMax(sensitivity=1, epsilon=Fraction(1), monotonic=True)
        >>> counts.scale, counts.choose([5, 90, 7])
        (1.0, [1])

    Guarantee: ε-differential privacy for one person, for all k together.
    Limits: It reveals which scores are largest, not how large they are: the scores themselves cost extra. Candidates
        must be public.
    Cost: $O(c)$ draws for c candidates; with probability $1 - \beta$ the score is below the best by at most $b \ln
        \frac{c}{\beta}$, with the scale b.
    Paper: R. McKenna and D. Sheldon, Permute-and-flip: a new mechanism for differentially private selection, NeurIPS
        2020; Z. Ding, D. Kifer, S. M. Saghaian N. E., T. Steinke, Y. Wang, Y. Xiao and D. Zhang, The permute-and-flip
        mechanism is identical to report-noisy-max with exponential noise, 2021.
    """

    name: ClassVar[str]
    sensitivity: int
    epsilon: Fraction
    monotonic: bool = False
    k: int = 1

    @property
    def loss(self) -> PrivacyLoss:
        """ε, as it was allowed, for all k."""
        return PrivacyLoss("epsilon", self.epsilon)

    @cached_property
    def scale(self) -> float:
        """(2)·k·sensitivity / ε, raised until OpenDP finds the cost within ε."""
        scale = float_above(self.k * (1 if self.monotonic else 2) * self.sensitivity / self.epsilon)
        while Fraction(self._opendp_noise(scale).map(self.sensitivity)) > self.epsilon:
            scale = next_scale(scale)
        return scale

    @cached_property
    def measurement(self) -> Any:
        """OpenDP's noisy max, or noisy top k."""
        return self._opendp_noise(self.scale)

    def choose(self, scores: Sequence[int]) -> list[int]:
        """The positions of the k chosen, the largest first."""
        if len(scores) < self.k:
            raise PolicyError(
                tr("{k} candidates are asked for, and there are only {number}", number=len(scores), k=self.k),
                where="candidates",
                remedy=tr("Lower k, or declare more candidates."),
            )
        clamped = [max(-LARGEST, min(LARGEST, int(score))) for score in scores]
        found = self.measurement(clamped)
        return list(found) if self.k > 1 else [found]

    def choose_each(self, scores: Ints) -> list[int]:
        """For each row of scores the position of the one chosen; of several, the first."""
        if self.k == 1 and draws_many(self.scale, len(scores)):
            clamped = np.clip(scores, -(LARGEST // 2), LARGEST // 2)  # so that their differences fit, too
            return list(permute_and_flip(clamped, Fraction(self.scale), Entropy()).tolist())
        return [self.choose(row)[0] for row in scores.tolist()]

    def shortfall(self, candidates: int, confidence: float = 0.95) -> float:
        """How far below the best score the choice may lie, the second below the second best, and so on.

        Each of the k rounds draws fresh noise; with the probability given, all of it is at most this large.
        """
        return self.scale * math.log(self.k * candidates / (1 - confidence))

    def _opendp_noise(self, scale: float) -> Any:
        core = opendp()
        distance = core.linf_distance(T="i64", monotonic=self.monotonic)
        if self.k == 1:
            return core.m.make_noisy_max(vectors(), distance, core.max_divergence(), scale=scale)
        return core.m.make_noisy_top_k(vectors(), distance, core.max_divergence(), k=self.k, scale=scale)
