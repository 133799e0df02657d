"""Table linkage: is this person in the release at all?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.examine.attacks.base import SLACK, Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.linking import link
from cobogo.floor.arguments import number
from cobogo.floor.catalogue import card


@card("presence")
@dataclass(frozen=True)
class Presence(Attack):
    r"""Tell how probably each person of a public table is in the release, to be in which may be sensitive itself.

    The release speaks of some of the people in the table. A record fits n of them, and is each one's with 1/n; what the
    records that fit a person add up to is the person's probability.

    Formula: $\Pr[t \in T] = \sum_{r \text{ fits } t} \frac{1}{\lvert\{u : r \text{ fits } u\}\rvert}$; where classes do
        not overlap, $\frac{\lvert T_E\rvert}{\lvert P_E\rvert}$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked import roles, table
        >>> patients = table("work sex ill", *["artist F HIV"] * 4, *["professional M HIV"] * 3)
        >>> everybody = table("work sex", *["artist F"] * 5, *["professional M"] * 4)
        >>> found = attack("presence", patients, knowledge=everybody, policy=roles("work sex", "ill"))
        >>> found.confidence.tolist()[0], found.confidence.tolist()[-1]
        (0.8, 0.75)

    Guarantee: None: an attack finds, it does not protect. δ-presence bounds it.
    Limits: Everybody of the release must be in the public table; records are taken to be equally likely to be anybody's
        that they fit.
    Cost: $O(n + m)$ for n people and m distinct tuples where classes do not overlap.
    Paper: M. E. Nergiz, M. Atzori and C. Clifton, Hiding the presence of individuals from shared databases, SIGMOD
        2007.
    """

    threshold: float = 0.5
    columns: tuple[str, ...] | None = None

    finds: ClassVar[Finding] = "presence"
    knows: ClassVar[str] = "a table of everybody who might be in the release"
    defence: ClassVar[str] = "δ-presence with that table as population."
    needs: ClassVar[frozenset[Input]] = frozenset({"knowledge"})
    from_original: ClassVar[bool] = False  # everybody of it is known to be in

    def __post_init__(self) -> None:
        number(self.name, "threshold", self.threshold, least=0, most=1)

    def run(self, case: Case) -> Findings:
        """The probability of each person; anybody's, without looking at columns, is the baseline."""
        assert case.knowledge is not None
        links = link(case.knowledge, case.release, columns=self.columns)
        expected = links.released.sizes / np.maximum(links.people, 1)
        sure = np.minimum(links.sums(expected[links.targets]), 1.0)[links.known.ids]
        before = min(case.release.rows.count / case.knowledge.count, 1.0)
        fitting = links.people > 0
        foreign = int(links.released.sizes[~fitting].sum())
        notes = links.notes
        if foreign:
            notes = (*notes, f"{foreign:,} released records fit nobody in the table: it does not hold everybody")
        return self.found(
            "knowledge",
            np.arange(1, case.knowledge.count + 1),
            sure,
            attacked=case.knowledge.count,
            baseline=np.full(len(sure), before),
            measures={
                "certainly in the release": int((sure > 1 - SLACK).sum()),
                "certainly not in the release": int((sure == 0).sum()),
                "share of everybody": before,
            },
            notes=notes,
            untried=links.untried,
        )
