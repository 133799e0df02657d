"""From a plan and a price to mechanisms: the noise of each measurement, and the choice of the largest groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from cobogo.answer.plan import Exact, ExactMeasurement, Key, QueryPlan
from cobogo.errors import QueryRefused
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr
from cobogo.floor.untrusted import shorten
from cobogo.promises.accounting import PrivacyLoss, pure_epsilon
from cobogo.promises.mechanisms import ExponentialMechanism, Gaussian, Laplace, NoisyMax
from cobogo.promises.mechanisms.base import LARGEST, Noise


@dataclass(frozen=True)
class NoisePlan:
    """The mechanism of each measurement, and the noisy number of people from which on a group is released."""

    plan: QueryPlan
    loss: PrivacyLoss
    additive: dict[ExactMeasurement, Noise]
    choosing: dict[ExactMeasurement, NoisyMax]
    threshold: int | None


def choose_noise(plan: QueryPlan, loss: PrivacyLoss) -> NoisePlan:
    """Divide the price evenly among the measurements. δ pays for releasing groups whose keys are not public."""
    if plan.public is None and not loss.delta:
        unknown = [key for key in plan.query.keys if plan.dataset.columns[key].public_keys is None]
        raise QueryRefused(
            tr(
                "the keys of {unknown} are not public, so a released group can reveal that a person is in the data",
                unknown=", ".join(unknown),
            ),
            where="GROUP BY",
            remedy=tr("Give a δ (a small probability that this happens), or ask the data holder to declare the keys."),
        )
    if plan.public is not None and loss.delta:
        raise QueryRefused(
            tr("this question needs no δ"), where="delta", remedy=tr("Leave δ out: it would be spent for nothing.")
        )
    share = loss.amount / len(plan.measurements)
    additive = {m: _noise(plan, m, loss, share) for m in plan.measurements if m.kind != "ranks"}
    choosing = {m: _choice(plan, m, loss, share) for m in plan.measurements if m.kind == "ranks"}
    for scale in [*(n.scale for n in additive.values()), *(c.scale for c in choosing.values())]:
        if not math.isfinite(scale):  # and whatever else can fail here fails before it is paid for
            raise QueryRefused(
                tr("the budget is so small that no noise is large enough"),
                where="budget",
                remedy=tr("Spend more on this question."),
            )
    threshold = None if plan.public is not None else _threshold(plan, additive[ExactMeasurement("people")], loss.delta)
    return NoisePlan(plan, loss, additive, choosing, threshold)


def _noise(plan: QueryPlan, measurement: ExactMeasurement, loss: PrivacyLoss, share: Fraction) -> Noise:
    groups, change = plan.groups_of_a_person, plan.sensitivity(measurement)
    if loss.measure == "epsilon":
        if groups * change > LARGEST:
            raise QueryRefused(
                tr("one person can change the answer by more than noise can hide"),
                where=tr("the question"),
                remedy=tr("Ask the data holder for narrower bounds, or for a smaller max-groups or max-rows."),
            )
        return Laplace(groups * change, share)
    return Gaussian(groups * change**2, share)


def _choice(plan: QueryPlan, measurement: ExactMeasurement, loss: PrivacyLoss, share: Fraction) -> NoisyMax:
    """One choice for each group; the losses of the groups that a person can be in add up."""
    own = PrivacyLoss(loss.measure, share / plan.groups_of_a_person)
    return NoisyMax(plan.sensitivity(measurement), pure_epsilon(own))


def _threshold(plan: QueryPlan, noise: Noise, delta: Fraction) -> int:
    """The threshold above which groups that have nobody but one person are released with a probability of at most δ.

    A person is alone in up to L0 groups; each of them may be released with probability δ / L0.
    """
    return max(people + _least_tail(noise, float(delta) / groups) for groups, people in plan.ways_to_be_alone)


def _least_tail(noise: Noise, allowed: float) -> int:
    """The least noise, of 1 or more, that is reached with a probability of at most ``allowed``."""
    allowed *= 1 - 1e-9
    low, high = 0, 1
    while noise.two_sided_tail(high) / 2 > allowed:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if noise.two_sided_tail(middle) / 2 <= allowed else (middle, high)
    return high


def rank_scores(counts: Ints, share: Fraction) -> Ints:
    """The score of each interval of each group (a row) as a quantile: minus how far the rows below and above it are
    from their shares.

    One more row changes a score by at most the larger of the two shares, in units of the denominator.

    >>> rank_scores(np.array([[3, 1, 0], [0, 0, 4]]), Fraction(1, 2)).tolist()
    [[-1, -3, -4], [-4, -4, 0]]
    """
    up_to = np.cumsum(counts, axis=1)
    below, beyond = up_to - counts, up_to[:, -1:] - up_to
    return -np.abs((share.denominator - share.numerator) * below - share.numerator * beyond)


@dataclass(frozen=True)
class Choice:
    """A plan of one measurement whose public groups are the candidates, and its values their scores."""

    plan: QueryPlan
    mechanism: NoisyMax | ExponentialMechanism

    def release(self, exact: Exact) -> list[Key]:
        """The groups chosen, the largest first."""
        (measurement,) = self.plan.measurements
        groups = self.plan.public or ()
        scores = [exact[measurement].get(group, 0) for group in groups]
        found = self.mechanism.choose(scores)
        return [groups[at] for at in ([found] if isinstance(found, int) else found)]

    def shortfall(self, confidence: float) -> float:
        """How far the figure of the chosen group may be below the largest, in the figure's own units."""
        (measurement,) = self.plan.measurements
        steps: int = 10 ** self.plan.dataset.columns[measurement.column].decimals if measurement.column else 1
        return self.mechanism.shortfall(len(self.plan.public or ()), confidence) / steps


def plan_choice(plan: QueryPlan, loss: PrivacyLoss, *, k: int, exponential: bool) -> Choice:
    """Choose the mechanism that finds the k largest groups. Both mechanisms have a pure ε, in any measure of the book.

    A person changes each score by at most the measurement's sensitivity, in any number of groups. Counts only grow with
    a person, so that half the noise suffices for them, unless the person may leave one of two tables.
    """
    if plan.public is None or not plan.query.keys:
        raise QueryRefused(
            tr("a choice needs groups whose keys are public"),
            where="group_by",
            remedy=tr("Group by columns with declared keys."),
        )
    if type(k) is not int or not 1 <= k <= len(plan.public):
        raise QueryRefused(
            tr("there are {groups:,} groups to choose from. Got {k} instead", groups=len(plan.public), k=shorten(k)),
            where="k",
            remedy=tr("Give a whole number from 1 to {groups:,}.", groups=len(plan.public)),
        )
    (measurement,) = plan.measurements
    change, epsilon = plan.sensitivity(measurement), pure_epsilon(loss)
    if exponential:
        return Choice(plan, ExponentialMechanism(change, epsilon))
    return Choice(plan, NoisyMax(change, epsilon, monotonic=measurement.kind != "sum" and plan.stability == 1, k=k))
