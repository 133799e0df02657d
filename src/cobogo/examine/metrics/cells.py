"""Metrics that look at each released cell: how far it was generalized, and what it leaves open about its original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.examine.metrics.base import Bracketed, Floor, Numbers, Outcome, Scale, Separable
from cobogo.floor.catalogue import card


@card(
    "loss",
    plain=("The share of the information that was lost: 0 is the original table, 1 a table without information."),
)
@dataclass(frozen=True)
class LossMetric(Separable):
    r"""The granularity that was lost, from 0 to 1: for each attribute the mean share of the domain that a released
    value covers, combined over the attributes by a geometric mean.

    A suppressed record has share 1. An attribute that is lost altogether does not hide what is left of the others. This
    is the default metric of the search.

    Formula: $\prod_A (1 + v_A)^{w_A / \sum w} - 1$ with $v_A = \frac{\frac{1}{N} \sum_r s_{rA} - 1/D_A}{1 - 1/D_A}$,
        where $s_{rA}$ is the share of the $D_A$ leaves of the hierarchy under the released value
    Example: Four records; each released value covers two of four leaves.
        >>> scale = Scale(records=4, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]))
        >>> halves = Outcome(suppressed=0, classes=2, squares=8, leaf_sums=np.array([8]), level_sums=np.array([4]))
        >>> round(float(LossMetric().value(halves, scale)), 4)
        0.3333

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: It compares releases of the same data with the same hierarchies, not different tables. It does not depend on
        how frequent values are: see normalized-entropy.
    Cost: $O(a)$ for a attributes, given the sums that the search keeps for each node.
    Paper: V. S. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002, for the loss of a cell; the
        geometric mean is that of ARX.
    """

    maximize: ClassVar[bool] = False

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """The logarithm of each attribute's factor."""
        shares = outcome.leaf_sums + np.multiply.outer(outcome.suppressed, scale.leaves)
        least = scale.records
        most = np.maximum(scale.leaves - 1, 1) * scale.records
        lost = np.where(scale.leaves > 1, (shares - least) / most, 0.0)
        return np.asarray(np.log1p(lost) * (scale.weights / scale.weights.sum()))

    def combine(self, total: Numbers) -> Numbers:
        """Between 0 (nothing changed) and 1 (nothing left)."""
        return np.asarray(np.expm1(total))


@card(
    "iloss",
    plain=("The average share of all possible values that a released value may stand for, besides the true one."),
)
@dataclass(frozen=True)
class ILoss(Separable):
    r"""The share of the leaves that a released value may stand for besides the true one, weighted over the attributes
    and averaged over the records.

    A suppressed cell stands for all leaves. The divisor is the number of leaves, not the number of leaves minus one, so
    the metric never quite reaches 1.

    Formula: $\frac{1}{N} \sum_r \sum_A \frac{w_A}{\sum w} \cdot \frac{\lvert V_{rA}\rvert - 1}{\lvert D_A\rvert}$ with
        $\lvert V_{rA}\rvert$ the leaves under the released value
    Example:
        >>> scale = Scale(records=4, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]))
        >>> halves = Outcome(suppressed=0, classes=2, squares=8, leaf_sums=np.array([8]), level_sums=np.array([4]))
        >>> float(ILoss().value(halves, scale))
        0.25

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: Those of loss. Also, in a mean over attributes, an attribute that was kept well can hide one that was lost.
    Cost: $O(a)$ for a attributes, given the sums that the search keeps for each node.
    Paper: X. Xiao and Y. Tao, Personalized privacy preservation, SIGMOD 2006.
    """

    maximize: ClassVar[bool] = False

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """Between 0 and 1 − 1/|D_A|, by weight."""
        shares = outcome.leaf_sums + np.multiply.outer(outcome.suppressed, scale.leaves)
        lost = (shares - scale.records) / (scale.leaves * scale.records)
        return np.asarray(lost * (scale.weights / scale.weights.sum()))


@card("iloss-sum", plain="iloss, summed over the attributes by their weights instead of averaged.")
@dataclass(frozen=True)
class ILossSum(ILoss):
    r"""iloss with the weights as they are given, not scaled to sum to 1: the form in which it was published.

    It orders releases as iloss does, and is Σw times as large: with weights of 1, the number of quasi-identifiers.

    Formula: $\frac{1}{N} \sum_r \sum_A w_A \cdot \frac{\lvert V_{rA}\rvert - 1}{\lvert D_A\rvert}$ with $\lvert
        V_{rA}\rvert$ the leaves under the released value
    Example: Two attributes of weight 1, each of which loses a quarter.
        >>> scale = Scale(records=4, leaves=np.array([4, 4]), heights=np.array([2, 2]), weights=np.ones(2))
        >>> halves = Outcome(suppressed=0, classes=2, squares=8, leaf_sums=np.array([8, 8]), level_sums=np.ones(2))
        >>> float(ILoss().value(halves, scale)), float(ILossSum().value(halves, scale))
        (0.25, 0.5)

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: Those of iloss. Also, it grows with the number of attributes, so tables with different columns cannot be
        compared.
    Cost: $O(a)$ for a attributes, given the sums that the search keeps for each node.
    Paper: X. Xiao and Y. Tao, Personalized privacy preservation, SIGMOD 2006.
    """

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """Between 0 and w·(1 − 1/|D_A|)."""
        return np.asarray(super().terms(outcome, scale) * scale.weights.sum())


@card("precision", plain="The detail that was kept: 1 is the original table, 0 a table generalized to the top.")
@dataclass(frozen=True)
class Precision(Separable):
    r"""One minus the mean height to which cells were generalized, each height as a share of its hierarchy's height.

    Higher is better: 1 is the original table. A suppressed cell counts with its full height.

    Formula: $1 - \frac{1}{N\,a} \sum_r \sum_A \frac{h_{rA}}{H_A}$ with $h_{rA}$ the level of a cell and $H_A$ the
        height of its hierarchy, a the number of attributes
    Example: All cells are at the first of two levels.
        >>> scale = Scale(records=4, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]))
        >>> halves = Outcome(suppressed=0, classes=2, squares=8, leaf_sums=np.array([8]), level_sums=np.array([4]))
        >>> float(Precision().value(halves, scale))
        0.5

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: It counts levels only: a step costs the same whether it merges two values or two thousand. Weights have no
        effect.
    Cost: $O(a)$ for a attributes, given the sums that the search keeps for each node.
    Paper: L. Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, International
        Journal of Uncertainty, Fuzziness and Knowledge-Based Systems, 2002.
    """

    maximize: ClassVar[bool] = True

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """The mean share of its height that each attribute climbed, over the number of attributes."""
        heights = np.maximum(scale.heights, 1)
        climbed = outcome.level_sums + np.multiply.outer(outcome.suppressed, heights)
        return np.asarray(climbed / heights / (scale.records * len(heights)))

    def combine(self, total: Numbers) -> Numbers:
        """Between 0 and 1; 1 is the original table."""
        return np.asarray(1.0 - total)


@card("height", plain=("The sum of the levels of all quasi-identifiers: how many steps of generalization were taken."))
@dataclass(frozen=True)
class Height(Separable):
    r"""The sum of the levels of a full-domain recoding: its distance from the bottom of the lattice.

    Formula: $\sum_A h_A$ with $h_A$ the level of attribute A
    Example:
        >>> scale = Scale(records=4, leaves=np.array([4, 3]), heights=np.array([2, 1]), weights=np.array([1.0, 1.0]))
        >>> node = Outcome(0, 1, 16, leaf_sums=np.array([8, 12]), level_sums=np.array([4, 4]))
        >>> float(Height().value(node, scale))
        2.0

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: It adds up levels of hierarchies that may have nothing in common. Many nodes have the same height, so ties
        decide.
    Cost: $O(a)$ for a attributes.
    Paper: P. Samarati, Protecting respondents' identities in microdata release, IEEE Transactions on Knowledge and Data
        Engineering, 2001.
    """

    maximize: ClassVar[bool] = False

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """The mean level of the kept records: a whole number for a full-domain recoding."""
        kept = np.maximum(scale.records - np.asarray(outcome.suppressed), 1)
        return np.asarray(outcome.level_sums / kept[..., None])


@card("ambiguity", plain="How many combinations of original values a released record may stand for, on average.")
@dataclass(frozen=True)
class Ambiguity(Bracketed):
    r"""The mean number of original tuples that a released record may stand for. For one record this number is the
    product, over the attributes, of the leaves that its values cover.

    A suppressed record may stand for any tuple.

    Formula: $\frac{1}{N} \sum_r \prod_A \lvert V_{rA}\rvert$ with $\lvert V_{rA}\rvert$ the leaves under the released
        value
    Example: Each record may have either of two ages and either of two sexes.
        >>> scale = Scale(records=4, leaves=np.array([4, 2]), heights=np.array([2, 1]), weights=np.array([1.0, 1.0]))
        >>> node = Outcome(
        ...     suppressed=0, classes=2, squares=8, leaf_sums=np.array([8, 8]), level_sums=np.array([4, 4]), products=16
        ... )
        >>> float(Ambiguity().value(node, scale))
        4.0

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: Coarse values and suppressed records outweigh everything else. It has no value where the number is too large
        to compute.
    Cost: $O(c\,a)$ for c classes and a attributes.
    Paper: J. Goldberger and T. Tassa, Efficient anonymizations with enhanced utility, Transactions on Data Privacy,
        2010.
    """

    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("products",)
    first_look: ClassVar[float] = 0.9  # what is lost grows so fast upwards that half as many nodes are looked at

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """From 1 (nothing changed) to the product of all domains; infinite where no number can hold it."""
        with np.errstate(over="ignore", invalid="ignore"):
            every = np.prod(scale.leaves.astype(float))
            lost = np.where(np.asarray(outcome.suppressed) > 0, outcome.suppressed * every, 0.0)
            return np.asarray((outcome.products + lost) / max(scale.records, 1))

    def surplus(self, floor: Floor, scale: Scale, limit: int) -> float:  # noqa: ARG002
        """A doomed record may stand for any tuple instead of those that its class would have covered."""
        with np.errstate(over="ignore", invalid="ignore"):
            more = floor.suppressed * np.prod(scale.leaves.astype(float)) - floor.products
        return float(more / max(scale.records, 1)) if np.isfinite(more) else 0.0


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
