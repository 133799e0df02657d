"""The sparse vector technique: which of a stream of questions lie above a threshold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from cobogo.dp.accounting import Loss
from cobogo.dp.mechanisms.laplace import Laplace


@dataclass(frozen=True)
class SparseVector:
    """Tells, one by one, whether scores reach a threshold, and stops after ``most`` that do; only those are paid for.

    Lyu, Su & Li 2017, Algorithm 7 without numeric answers: half of ε for noise on the threshold, drawn once, half for
    noise on each score, with scale 2·most·Δ / (ε/2), or half that where scores are ``monotonic``. The shifts of their
    proof are whole numbers, so it holds for discrete Laplace noise. Pure ε.
    """

    sensitivity: int
    epsilon: Fraction
    most: int = 1
    monotonic: bool = False

    name: ClassVar[str] = "sparse-vector"

    @property
    def loss(self) -> Loss:
        """ε, as it was allowed, however long the stream."""
        return Loss("epsilon", self.epsilon)

    @cached_property
    def of_threshold(self) -> Laplace:
        """The noise of the threshold."""
        return Laplace(self.sensitivity, self.epsilon / 2)

    @cached_property
    def of_scores(self) -> Laplace:
        """The noise of each score."""
        return Laplace((1 if self.monotonic else 2) * self.most * self.sensitivity, self.epsilon / 2)

    def above(self, scores: Iterable[int], threshold: int) -> Iterator[bool]:
        """For each score, whether it seems to reach the threshold; ends after ``most`` that do."""
        (noisy,) = self.of_threshold.release([threshold])
        left = self.most
        for score in scores:
            (tried,) = self.of_scores.release([score])
            yield tried >= noisy
            left -= tried >= noisy
            if not left:
                return
