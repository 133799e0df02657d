"""Metrics of information theory: what the release leaves open about the original values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.examine.metrics.base import Bracketed, Floor, Numbers, Outcome, Scale, Separable
from cobogo.floor.catalogue import card


@card(
    "entropy",
    plain=("The bits that are needed to say which original value each released value stands for, over all records."),
    title="non-uniform entropy",
)
@dataclass(frozen=True)
class EntropyMetric(Separable):
    r"""Non-uniform entropy: the bits that are needed to say which original value each released value stands for.

    The frequencies are those of the whole table, before suppression, and a suppressed value is ``*``, which all N
    records share. So merging a value with rare ones costs little, and suppression never counts as a gain.

    Formula: $-\sum_r \sum_A \log_2 \frac{f(x_{rA})}{f(y_{rA})}$ with $f$ the frequency of an original value $x$ and of
        what is released for it, $y$
    Example: Two values of two records each became one value: one bit for each of the four records.
        >>> scale = Scale(records=4, leaves=np.array([2]), heights=np.array([1]), weights=np.array([1.0]))
        >>> node = Outcome(0, 1, 16, np.array([8]), np.array([4]), bits=np.array([4.0]))
        >>> float(EntropyMetric().value(node, scale))
        4.0

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: Each attribute is measured by itself: what attributes reveal about each other is not counted. An attribute
        with many values outweighs the others; see normalized-entropy.
    Cost: $O(n\,a)$ for each node, with n distinct tuples and a attributes: more than the metrics that need only sums.
    Paper: A. Gionis and T. Tassa, k-anonymization with minimal loss of information, IEEE Transactions on Knowledge and
        Data Engineering, 2009.
    """

    # Suppression moves a record from the frequency of its released value to N, which is no smaller; a step up joins
    # values, whose frequencies add up. So the outcome without suppression is a bound, and it never falls upwards.
    # (Were frequencies counted on what is left after suppression, a record's value could become rarer than it was in
    # the original, and losing records would count as a gain.)

    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("bits",)

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:  # noqa: ARG002
        """From 0 (nothing changed) to N times the attribute's entropy."""
        assert outcome.bits is not None
        return outcome.bits


@card(
    "normalized-entropy",
    plain=(
        "The non-uniform entropy as a share of what suppressing everything would cost: 0 is the original "
        "table, 1 a table without information."
    ),
    title="normalized entropy",
)
@dataclass(frozen=True)
class NormalizedEntropy(Separable):
    r"""Non-uniform entropy from 0 to 1: the bits of each attribute as a share of the bits that suppressing it would
    cost, averaged by weight.

    An attribute with a single value has nothing to lose.

    Formula: $\sum_A \frac{w_A}{\sum w} \cdot \frac{H_A}{H_A^{\ast}}$ with $H_A$ the non-uniform entropy of an attribute
        and $H_A^{\ast}$ that of a table suppressed whole
    Example: One of two attributes lost all its bits.
        >>> scale = Scale(4, np.array([2, 2]), np.array([1, 1]), np.array([1.0, 1.0]), full_bits=np.array([4.0, 4.0]))
        >>> node = Outcome(0, 2, 8, np.array([8, 4]), np.array([4, 0]), bits=np.array([4.0, 0.0]))
        >>> float(NormalizedEntropy().value(node, scale))
        0.5

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: Each attribute is measured by itself: what attributes reveal about each other is not counted.
    Cost: The same as entropy: $O(n\,a)$ for each node, with n distinct tuples and a attributes.
    Paper: A. Gionis and T. Tassa 2009, for non-uniform entropy; normalized as in ARX.
    """

    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("bits",)

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """Between 0 (nothing changed) and 1 (nothing left), by weight."""
        assert outcome.bits is not None
        assert scale.full_bits is not None
        lost = np.where(scale.full_bits > 0, outcome.bits / np.where(scale.full_bits > 0, scale.full_bits, 1.0), 0.0)
        return np.asarray(lost * (scale.weights / scale.weights.sum()))


@card(
    "kl-divergence",
    plain=(
        "The distance between the original table and the table that a reader would rebuild from the "
        "release by spreading each class evenly; 0 means no difference."
    ),
    title="KL divergence",
)
@dataclass(frozen=True)
class KLDivergence(Bracketed):
    r"""The distance between the original table and the table that a reader would rebuild from the release.

    Each class is spread evenly over the tuples that it may stand for, and the suppressed records over all tuples of the
    table.

    Formula: $\sum_t p_t \ln \frac{p_t}{q_t}$ in nats over the quasi-identifier tuples, with $p_t$ a tuple's share of
        the records and $q_t = \frac{\lvert E_t\rvert}{N\,\lvert V(E_t)\rvert} + \frac{\lvert S\rvert}{N \prod_A D_A}$
    Example: Two tuples, one with three of four records and one with one, became a single class, which may be either.
        >>> from math import log
        >>> nats = -(3 * log(3 / 4) + log(1 / 4)) / 4
        >>> scale = Scale(4, np.array([2]), np.array([1]), np.array([1.0]), tuple_nats=nats)
        >>> node = Outcome(0, 1, 16, np.array([8]), np.array([4]), cross_nats=-4 * log(1 / 2))
        >>> round(float(KLDivergence().value(node, scale)), 4)
        0.1308

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: It measures the quasi-identifiers only. It has no upper bound, and rare tuples weigh much.
    Cost: $O(n)$ for each node, with n distinct tuples.
    Paper: D. Kifer and J. Gehrke, Injecting utility into anonymized datasets, SIGMOD 2006.
    """

    # Of all q that are even within each class, the one that gives every class its own share has the least divergence
    # (Gibbs). Suppression gives another one, so the outcome without it is a bound; for its sum over all records see
    # `cobogo.publish.recode.lattice.bounds.ideal_outcomes`.

    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("cross_nats",)

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """From 0 (every tuple keeps its share) up."""
        return np.asarray(np.maximum(outcome.cross_nats / max(scale.records, 1) - scale.tuple_nats, 0.0))

    def surplus(self, floor: Floor, scale: Scale, limit: int) -> float:
        """The doomed records have no share but that of the suppressed ones, which are at most the limit, spread over
        all tuples; the others have at most the whole (Gibbs)."""
        doomed, rest = floor.suppressed, scale.records - floor.suppressed
        starred = doomed * (np.log(scale.records / min(limit, scale.records)) + np.log(scale.leaves).sum())
        relief = rest * np.log(rest / scale.records) if rest else 0.0
        return float(starred + relief - floor.cross_nats) / scale.records
