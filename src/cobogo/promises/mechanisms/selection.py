"""Selection: the exponential mechanism, report noisy max and the sparse vector technique."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cobogo.errors import PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, below
from cobogo.promises.accounting import PrivacyLoss, float_above
from cobogo.promises.mechanisms.base import LARGEST, draws_many, next_scale, opendp, vectors
from cobogo.promises.mechanisms.draws import exponential_coins, permute_and_flip
from cobogo.promises.mechanisms.noise import Laplace

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


@card("sparse-vector", title="sparse vector technique")
@dataclass(frozen=True)
class SparseVector:
    r"""Says of one score after another whether it reaches a threshold, and stops after a given number that do; only
    those cost privacy.

    ``most`` is the number of scores that reach the threshold after which it stops. Half of ε pays for noise on the
    threshold, which is drawn once; the other half pays for noise on each score, which is halved if scores are
    ``monotonic``. The shifts in the proof are whole numbers, so the proof holds for discrete Laplace noise.

    Formula: $u_i + X_i \ge T + Y$ with $Y \sim \mathrm{Lap}\left(\frac{\Delta}{\varepsilon / 2}\right)$ drawn once and
        $X_i \sim \mathrm{Lap}\left(\frac{2\,c\,\Delta}{\varepsilon / 2}\right)$, for at most $c$ answers above
    Example:
        >>> stream = SparseVector(sensitivity=1, epsilon=Fraction(4), most=1)
        >>> list(stream.compare([-1000, 1000, 5], threshold=0))
        [False, True]

    Guarantee: ε-differential privacy for one person, however many scores below the threshold there are.
    Limits: It says only whether a score reaches the threshold, and may be wrong for a score near it. The variants that
        were published without a valid proof are not included.
    Cost: $O(q)$ draws for q questions; an error of the order of $\frac{c \Delta \ln q}{\varepsilon}$.
    Paper: M. Lyu, D. Su and N. Li, Understanding the sparse vector technique for differential privacy, PVLDB 2017
        (Algorithm 7).
    """

    name: ClassVar[str]
    sensitivity: int
    epsilon: Fraction
    most: int = 1
    monotonic: bool = False

    @property
    def loss(self) -> PrivacyLoss:
        """ε, as it was allowed, however long the stream."""
        return PrivacyLoss("epsilon", self.epsilon)

    @cached_property
    def threshold_noise(self) -> Laplace:
        """The noise of the threshold."""
        return Laplace(self.sensitivity, self.epsilon / 2)

    @cached_property
    def score_noise(self) -> Laplace:
        """The noise of each score."""
        return Laplace((1 if self.monotonic else 2) * self.most * self.sensitivity, self.epsilon / 2)

    def compare(self, scores: Iterable[int], threshold: int) -> Iterator[bool]:
        """For each score, whether it seems to reach the threshold; ends after ``most`` that do."""
        (noisy,) = self.threshold_noise.release([threshold])
        left = self.most
        for score in scores:
            (tried,) = self.score_noise.release([score])
            yield tried >= noisy
            left -= tried >= noisy
            if not left:
                return
