"""Which group is the largest: a choice among public groups, without any figure."""

from __future__ import annotations

from dataclasses import dataclass

from cobogo.answer.measure import Exact
from cobogo.answer.plan import Key, QueryPlan
from cobogo.errors import QueryRefused
from cobogo.floor.untrusted import shortened
from cobogo.promises.accounting import PrivacyLoss, pure_epsilon
from cobogo.promises.mechanisms import ExponentialMechanism, NoisyMax


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
        """How far below the largest figure that of the group chosen may lie, in the figure's own units."""
        (measurement,) = self.plan.measurements
        steps: int = 10 ** self.plan.dataset.columns[measurement.column].decimals if measurement.column else 1
        return self.mechanism.shortfall(len(self.plan.public or ()), confidence) / steps


def plan_choice(plan: QueryPlan, loss: PrivacyLoss, *, k: int, exponential: bool) -> Choice:
    """The mechanism of a choice. A person changes each score by the measurement's sensitivity at most, in however
    many groups; counts all grow with a person, so that half the noise will do for them.
    Both mechanisms are of pure ε, whatever the book counts in."""
    if plan.public is None or not plan.query.keys:
        raise QueryRefused(
            "a choice is made among groups whose keys are public",
            where="group_by",
            remedy="Group by columns with declared keys.",
        )
    if type(k) is not int or not 1 <= k <= len(plan.public):
        raise QueryRefused(f"there are {len(plan.public)} groups to choose {shortened(k)} from", where="k")
    (measurement,) = plan.measurements
    change, epsilon = plan.sensitivity(measurement), pure_epsilon(loss)
    if exponential:
        return Choice(plan, ExponentialMechanism(change, epsilon))
    return Choice(plan, NoisyMax(change, epsilon, monotonic=measurement.kind != "sum", k=k))
