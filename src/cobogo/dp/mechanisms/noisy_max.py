"""Report noisy max: the best of several, and the k best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from cobogo.dp.accounting import Loss
from cobogo.dp.mechanisms.base import LARGEST, opendp, raised, vectors
from cobogo.dp.units import above
from cobogo.errors import PolicyError


@dataclass(frozen=True)
class NoisyMax:
    """Adds exponential noise to each score and tells which are the ``k`` largest, and nothing else.

    ``sensitivity`` is the most by which a person changes any one score. ``monotonic``: a person changes all scores in
    one direction, as with counts; the noise may then be halved. With k = 1 its law is that of permute-and-flip
    (McKenna & Sheldon 2020; Ding et al. 2021), never worse than the exponential mechanism. Pure ε.
    """

    sensitivity: int
    epsilon: Fraction
    monotonic: bool = False
    k: int = 1

    name: ClassVar[str] = "noisy-max"

    @property
    def loss(self) -> Loss:
        """ε, as it was allowed, for all k."""
        return Loss("epsilon", self.epsilon)

    @cached_property
    def scale(self) -> float:
        """(2)·k·sensitivity / ε, raised until OpenDP finds the cost within ε."""
        scale = above(self.k * (1 if self.monotonic else 2) * self.sensitivity / self.epsilon)
        while Fraction(self._made(scale).map(self.sensitivity)) > self.epsilon:
            scale = raised(scale)
        return scale

    @cached_property
    def measurement(self) -> Any:
        """OpenDP's noisy max, or noisy top k."""
        return self._made(self.scale)

    def choose(self, scores: Sequence[int]) -> list[int]:
        """The positions of the k chosen, the largest first."""
        if len(scores) < self.k:
            raise PolicyError(f"there are {len(scores)} to choose {self.k} from", where="candidates")
        held = [max(-LARGEST, min(LARGEST, int(score))) for score in scores]
        found = self.measurement(held)
        return list(found) if self.k > 1 else [found]

    def shortfall(self, candidates: int, confidence: float = 0.95) -> float:
        """How far below the best score the choice may lie, the second below the second best, and so on.

        Every one of k rounds draws fresh noise, and with the probability given none of it all is larger than this.
        """
        return self.scale * math.log(self.k * candidates / (1 - confidence))

    def _made(self, scale: float) -> Any:
        core = opendp()
        distance = core.linf_distance(T="i64", monotonic=self.monotonic)
        if self.k == 1:
            return core.m.make_noisy_max(vectors(), distance, core.max_divergence(), scale=scale)
        return core.m.make_noisy_top_k(vectors(), distance, core.max_divergence(), k=self.k, scale=scale)
