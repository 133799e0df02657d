"""Re-identification risk as a criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.data.classes import Classes
from cobogo.floor.arguments import number
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.promises.models.base import Model, Monotone, Records, Scope

SLACK = 1e-12


@card(
    "highest-risk",
    plain=(
        "The probability of re-identifying the most exposed person stays below a limit: k-anonymity, "
        "expressed as a risk. 0.2 is the same as k = 5."
    ),
    title="highest risk",
    group="identity",
    start={"max": 0.2},
)
@dataclass(frozen=True)
class HighestRisk(Model):
    r"""An attacker who knows the quasi-identifiers, and that the person is in the table, re-identifies the person with
    a probability of at most ``max`` (prosecutor risk). This probability is one over the size of the class.

    Formula: $\max_E \frac{1}{\lvert E\rvert} \le r$
    Example:
        >>> from cobogo.promises.models.example_classes import classes
        >>> HighestRisk(max=0.3).measure(classes(disease=[["flu"] * 5, ["flu"] * 2])).tolist()
        [0.2, 0.5]

    Guarantee: The same as k-anonymity with $k = \lceil 1/r \rceil$.
    Limits: Those of k-anonymity: sensitive values are not protected.
    Cost: $O(c)$ for c classes.
    Paper: K. El Emam and F. K. Dankar, Protecting privacy using k-anonymity, 2008, for the attackers (prosecutor,
        journalist); the criterion as used by ARX.
    """

    max: float

    records_tell: ClassVar[Records] = Records.TOO_MANY
    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        number(self.name, "max", self.max, above=0, most=1)

    @property
    def monotone(self) -> Monotone:
        """Classes only grow."""
        return Monotone.EVEN_WITH_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """One over the size of each class."""
        return 1.0 / np.maximum(classes.sizes, 1)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most ``max``."""
        return measured <= self.max + SLACK


@card(
    "average-risk",
    plain=(
        "An attacker who tries to re-identify everybody succeeds for at most this share of the people. "
        "The most exposed people may have a higher risk: combine it with a limit for everybody."
    ),
    title="average risk",
    group="identity",
    start={"max": 0.05},
)
@dataclass(frozen=True)
class AverageRisk(Model):
    r"""An attacker who tries to re-identify everybody succeeds with a probability of at most ``max`` on average. This
    average is the number of classes over the number of people.

    This is a condition on the whole table. Where it fails, suppressing a class does not help; only a coarser recoding
    does.

    Formula: $\frac{1}{n} \sum_E \lvert E\rvert \cdot \frac{1}{\lvert E\rvert} = \frac{\text{classes}}{n} \le r$
    Example: Of six people in two classes, the attacker finds a third.
        >>> from cobogo.promises.models.example_classes import classes
        >>> AverageRisk(max=0.5).measure(classes(disease=[["flu"] * 5, ["flu"]])).round(3).tolist()
        [0.333]

    Guarantee: It holds on average over the people, not for each person: an attacker who guesses the record of each
        person is right for a share of at most r.
    Limits: One person may be alone in a class, as above. Combine it with k-anonymity or highest-risk.
    Cost: $O(c)$ for c classes.
    Paper: K. El Emam and F. K. Dankar, Protecting privacy using k-anonymity, 2008, for the attackers; the criterion as
        used by ARX.
    """

    max: float

    records_tell: ClassVar[Records] = Records.TOO_MANY
    scope: ClassVar[Scope] = Scope.TABLE
    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        number(self.name, "max", self.max, above=0, most=1)

    @property
    def monotone(self) -> Monotone:
        """Classes only become fewer; with suppression, the largest may be the ones that go."""
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """Classes over people."""
        return np.array([(classes.sizes > 0).sum() / max(int(classes.sizes.sum()), 1)])

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most ``max``."""
        return measured <= self.max + SLACK
