"""The sparse vector technique: which of a stream of questions lie above a threshold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from cobogo.floor.catalogue import card
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.mechanisms.laplace import Laplace


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
