"""An attack on tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.examine.attacks.base import Attack, Finding, Findings
from cobogo.examine.attacks.case import Case
from cobogo.floor.catalogue import card


@card("loneliness")
@dataclass(frozen=True)
class Loneliness(Attack):
    r"""Look for records that no other record of the release is equal to.

    Formula: $\Pr[\text{the record is found}] = \frac{1}{\lvert E\rvert}$ for a record with $\lvert E\rvert$ equal ones
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import table
        >>> attack("loneliness", table("age ill", "31 flu", "44 gout", "31 flu")).exposed.tolist()
        [2]

    Guarantee: None: an attack finds, it does not protect.
    Limits: Takes every column for something that the attacker knows.
    Cost: $O(n)$ for n records.
    Paper: None: made up for the guide of contributors.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "record"
    knows: ClassVar[str] = "every released value of a person"
    defence: ClassVar[str] = "Release no record that is like no other: ask for k-anonymity."

    def run(self, case: Case) -> Findings:
        """One over the number of equal records, for each record."""
        rows = case.release.rows
        groups = rows.group(rows.names)
        return self.build_findings(
            "release", np.arange(rows.count) + 1, 1 / groups.sizes[groups.ids], attacked=rows.count
        )
