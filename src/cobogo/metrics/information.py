"""Metrics of information theory: what the release leaves open about the original values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.metrics.base import IdealBound, Numbers, Outcome, Scale, Separable


@dataclass(frozen=True)
class Entropy(Separable):
    """Non-uniform entropy: the bits needed to say which original value each released one stands for (Gionis and Tassa
    2009). ``Σ −log2(freq(original)/freq(released))`` over records and attributes; the frequencies are those of the
    whole table, before suppression, and a suppressed value is ``*``, which all N records share."""

    # Suppression moves a record from the frequency of its released value to N, which is no smaller; a step up joins
    # values, whose frequencies add up. So the outcome without suppression is a bound, and it never falls upwards.
    # (Were frequencies counted on what is left after suppression, a record's value could become rarer than it was in
    # the original, and losing records would count as a gain.)

    name: ClassVar[str] = "entropy"
    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("bits",)

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:  # noqa: ARG002
        """From 0 (nothing changed) to N times the attribute's entropy."""
        assert outcome.bits is not None
        return outcome.bits


@dataclass(frozen=True)
class NormalizedEntropy(Separable):
    """Non-uniform entropy, 0 to 1: each attribute's bits as a share of those that full suppression would cost, averaged
    by weight. An attribute of one value has nothing to lose."""

    name: ClassVar[str] = "normalized-entropy"
    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("bits",)

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """Between 0 (nothing changed) and 1 (nothing left), by weight."""
        assert outcome.bits is not None
        assert scale.full_bits is not None
        lost = np.where(scale.full_bits > 0, outcome.bits / np.where(scale.full_bits > 0, scale.full_bits, 1.0), 0.0)
        return np.asarray(lost * (scale.weights / scale.weights.sum()))


@dataclass(frozen=True)
class KLDivergence(IdealBound):
    """How far the table that a reader would rebuild from the release is from the original (Kifer and Gehrke 2006).

    ``Σ p ln(p/q)`` in nats over the quasi-identifier tuples; p is a tuple's share of the records, q its share when each
    class is spread evenly over the tuples that it may stand for, and suppressed records over all tuples there are.
    """

    # Of all q that are even within each class, the one that gives every class its own share has the least divergence
    # (Gibbs). Suppression gives another one, so the outcome without it is a bound; for its sum over all records see
    # `cobogo.recode.outcome.ideal`.

    name: ClassVar[str] = "kl-divergence"
    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("cross_nats",)

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """From 0 (every tuple keeps its share) up."""
        return np.asarray(np.maximum(outcome.cross_nats / max(scale.records, 1) - scale.tuple_nats, 0.0))
