"""From a plan and a cost to mechanisms: who gets which share, and how far off each figure may then be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from cobogo.answer.plan import ExactMeasurement, QueryPlan
from cobogo.errors import QueryRefused
from cobogo.promises.accounting import PrivacyLoss, pure_epsilon
from cobogo.promises.mechanisms import Gaussian, Laplace, NoisyMax
from cobogo.promises.mechanisms.base import LARGEST, Noise


@dataclass(frozen=True)
class Noises:
    """The mechanism of each measurement, and how many people a group must seem to have to be told of."""

    plan: QueryPlan
    loss: PrivacyLoss
    additive: dict[ExactMeasurement, Noise]
    choosing: dict[ExactMeasurement, NoisyMax]
    threshold: int | None


def noises(plan: QueryPlan, loss: PrivacyLoss) -> Noises:
    """Every measurement gets the same share of the cost; δ is for telling of groups whose keys are not public."""
    if plan.public is None and not loss.delta:
        unknown = [key for key in plan.query.keys if plan.dataset.columns[key].public_keys is None]
        raise QueryRefused(
            f"the keys of {', '.join(unknown)} are not public, so that telling of a group can tell of a person",
            where="GROUP BY",
            remedy="Give a δ (a small probability that it does), or have the data holder declare the keys.",
        )
    if plan.public is not None and loss.delta:
        raise QueryRefused("this question needs no δ", where="delta", remedy="Leave it out: it would be lost.")
    share = loss.amount / len(plan.measurements)
    additive = {m: _noise(plan, m, loss, share) for m in plan.measurements if m.kind != "ranks"}
    choosing = {m: _choice(plan, m, loss, share) for m in plan.measurements if m.kind == "ranks"}
    for scale in [*(n.scale for n in additive.values()), *(c.scale for c in choosing.values())]:
        if not math.isfinite(scale):  # and whatever else can fail here fails before it is paid for
            raise QueryRefused("no noise is large enough for so little", where="budget", remedy="Spend more.")
    threshold = None if plan.public is not None else _threshold(plan, additive[ExactMeasurement("people")], loss.delta)
    return Noises(plan, loss, additive, choosing, threshold)


def _noise(plan: QueryPlan, measurement: ExactMeasurement, loss: PrivacyLoss, share: Fraction) -> Noise:
    groups, change = plan.groups_of_a_person, plan.sensitivity(measurement)
    if loss.measure == "epsilon":
        if groups * change > LARGEST:
            raise QueryRefused(
                "a person can change the answer by more than can be hidden",
                where="the question",
                remedy="The declared bounds are too wide for its max-groups and max-rows.",
            )
        return Laplace(groups * change, share)
    return Gaussian(groups * change**2, share)


def _choice(plan: QueryPlan, measurement: ExactMeasurement, loss: PrivacyLoss, share: Fraction) -> NoisyMax:
    """One choice a group; a person is in several groups at most, whose costs add up."""
    own = PrivacyLoss(loss.measure, share / plan.groups_of_a_person)
    return NoisyMax(plan.sensitivity(measurement), pure_epsilon(own))


def _threshold(plan: QueryPlan, noise: Noise, delta: Fraction) -> int:
    """The least number of people at which a group of one person is told of with probability δ at most.

    A person is alone in up to L0 groups; each of them may be told of with probability δ / L0.
    """
    chance = float(delta) / plan.groups_of_a_person * (1 - 1e-9)
    low, high = 0, 1
    while noise.two_sided_tail(high) / 2 > chance:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if noise.two_sided_tail(middle) / 2 <= chance else (middle, high)
    return 1 + high


def rank_scores(counts: Sequence[int], share: Fraction) -> list[int]:
    """How well each interval serves as a quantile: minus the distance of what lies below and above from its share.

    A row more changes a score by at most the larger of the share's two parts, in units of its denominator.
    """
    total, below, scores = sum(counts), 0, []
    for count in counts:
        beyond = total - below - count
        scores.append(-abs((share.denominator - share.numerator) * below - share.numerator * beyond))
        below += count
    return scores
