"""Duplicates: a record that stands twice among records that were drawn at random was not drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.examine.attacks.base import Attack, Finding, Findings
from cobogo.examine.attacks.case import Case
from cobogo.floor.arguments import number
from cobogo.floor.catalogue import card


@card("duplicate")
@dataclass(frozen=True)
class Duplicate(Attack):
    r"""Take records that stand several times in a release with made-up records for genuine ones.

    Publishers that hide true records among made-up ones (the α-β algorithm) draw each made-up record at most once, and
    never one that is true. If a true record is kept and drawn again, it stands twice, and no made-up one does: whoever
    sees it twice knows that it is genuine.

    Formula: $\Pr[r \text{ is genuine} \mid r \text{ stands twice}] = 1$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked import table
        >>> attack("duplicate", table("age ill", "31 flu", "44 gout", "31 flu", "52 cold")).exposed.tolist()
        [1, 3]

    Guarantee: None: an attack finds, it does not protect. Publish a set, and draw made-up records from those that are
        not in the table.
    Limits: Only for releases with made-up records: elsewhere a duplicate means nothing.
    Cost: $O(n)$ for n records.
    Paper: R. Chaytor, On the utility of randomization approaches for privacy preserving data publishing, PhD thesis,
        Simon Fraser University, 2010, of the α-β algorithm of V. Rastogi, D. Suciu and S. Hong 2007.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "presence"
    against: ClassVar[frozenset[str] | None] = frozenset({"synthesis"})
    knows: ClassVar[str] = "that made-up records were put among the true ones, each at most once"
    defence: ClassVar[str] = (
        "Publish a set: draw made-up records from those that are not in the table, and let none stand twice."
    )

    def __post_init__(self) -> None:
        number(self.name, "threshold", self.threshold, least=0, most=1)

    def run(self, case: Case) -> Findings:
        """Every row that stands more than once."""
        rows = case.release.rows
        groups = rows.grouped(rows.names)
        repeated = np.flatnonzero(groups.sizes[groups.ids] > 1)
        return self.found(
            "release",
            repeated + 1,
            np.ones(len(repeated)),
            attacked=rows.count,
            measures={"distinct records": len(groups), "largest number of copies": int(groups.sizes.max(initial=0))},
            notes=("copies expose genuine records only where made-up ones were drawn without repetition",),
        )
