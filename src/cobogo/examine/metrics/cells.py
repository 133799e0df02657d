"""Metrics that look at each released cell: how far it was generalized."""

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
