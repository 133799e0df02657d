"""What attacks on several releases share: each crosses an earlier release with a later one and tells rows apart."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.data.classes import Classes
from cobogo.examine.attacks.base import SLACK, Attack, Findings
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.crossing import Crossing
from cobogo.examine.attacks.pairing import linked, structures
from cobogo.floor.arguments import number
from cobogo.floor.arrays import Floats, Ints

MANY = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Told:
    """Rows of one of two releases, told apart: those that are still alike are ``groups``, ``owners`` tells whose.

    ``confidence`` is how sure an attacker is of each row's person or value, ``baseline`` how sure either release alone
    would make anybody.
    """

    side: Literal["earlier", "later"]
    rows: Ints
    owners: Ints
    groups: Classes
    confidence: Floats
    baseline: Floats


class OnSeveral(Attack):
    """An attack that crosses releases in pairs, the last one with each before it."""

    releases: ClassVar[tuple[int, int]] = (2, MANY)
    threshold: float

    def __post_init__(self) -> None:
        number(self.name, "threshold", self.threshold, least=0, most=1)

    @abstractmethod
    def tell(self, crossing: Crossing) -> Iterator[Told]:
        """What can be told apart by a crossing, however its rows were linked."""

    def run(self, case: Case) -> Findings:
        """Link the rows by what was released, and see how surely each row of the last release is found."""
        sides = structures(case)
        last = len(sides) - 1
        confidence = [np.zeros(len(side)) for side in sides]
        baseline = [np.zeros(len(side)) for side in sides]
        links, ambiguous, untried = 0, 0, []
        for place in range(last):
            found = linked(case, place, last, sides)
            crossing = found.crossing
            links, ambiguous = links + len(crossing.before), ambiguous + found.ambiguous
            untried += [found.untried] if found.untried else []
            for told in self.tell(crossing):
                of = place if told.side == "earlier" else last
                surer = told.confidence > confidence[of][told.rows]
                baseline[of][told.rows[surer]] = told.baseline[surer]
                confidence[of][told.rows[surer]] = told.confidence[surer]
        pairs = zip(confidence, baseline, strict=True)
        exposed = [(had > self.threshold + SLACK) & (had > was + SLACK) for had, was in pairs]
        of = last if exposed[last].any() else int(np.argmax([beyond.sum() for beyond in exposed]))
        of = of if exposed[of].any() else last
        rows = np.flatnonzero(confidence[of] > 0)
        return self.found(
            f"release {of + 1}",
            rows + 1,
            confidence[of][rows],
            attacked=len(sides[of]),
            baseline=baseline[of][rows],
            measures={
                "linked pairs of rows": links,
                "rows that fit several": ambiguous,
                **{f"rows of release {n + 1} exposed": int(beyond.sum()) for n, beyond in enumerate(exposed)},
            },
            untried="; ".join(dict.fromkeys(untried)),
        )
