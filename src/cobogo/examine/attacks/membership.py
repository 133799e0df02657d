"""Membership inference: was this person in the data that the release was made from?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.likeness import SURE, drawn, points
from cobogo.floor.arguments import number, whole
from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card


@card("membership")
@dataclass(frozen=True)
class Membership(Attack):
    r"""Tell members from others by how near the nearest released record is to them.

    A release made by a model that learnt its data by heart has a record next to each member. People of the original
    table (``--knowledge``) and others (``--control``) are measured alike, as many of each: of all who are as near as a
    person or nearer, the share of members, or what it is at least given how few they are, is how surely the person is
    taken for one. Without the release, anybody is with one half.

    Formula: $\frac{\lvert\{u \in M : d_u \le d_t\}\rvert}{\lvert\{u \in M \cup C : d_u \le d_t\}\rvert}$ with $d$ the
        distance to the nearest released record, $M$ the members and $C$ the others; the advantage is $\max_d \Pr_M[d_u
        \le d] - \Pr_C[d_u \le d]$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked import people, roles
        >>> given = {"knowledge": people(1), "control": people(2), "policy": roles("city job age pay", "ill")}
        >>> attack("membership", people(1), **given).measures["advantage"] > 0.9
        True
        >>> attack("membership", people(3), **given).succeeded
        False

    Guarantee: None: an attack finds, it does not protect. ε-differential privacy bounds the advantage by
        $\frac{e^{\varepsilon} - 1}{e^{\varepsilon} + 1}$.
    Limits: Nearness is one test among many: a model may betray its members in other ways.
    Cost: $O(t\,n\,c)$ for t targets, n released records and c columns.
    Paper: J. Hayes, L. Melis, G. Danezis and E. De Cristofaro, LOGAN: membership inference attacks against generative
        models, 2019, for membership of generated data; the measure by the nearest record is our own.
    """

    threshold: float = 0.6
    columns: tuple[str, ...] | None = None
    targets: int = 2000
    seed: int = 0

    finds: ClassVar[Finding] = "presence"
    against: ClassVar[frozenset[str] | None] = frozenset({"synthesis"})
    knows: ClassVar[str] = "a person's record, and records of others who are not in the data"
    defence: ClassVar[str] = "Data from a differentially private model: with a small ε no record shows whose it was."
    needs: ClassVar[frozenset[Input]] = frozenset({"knowledge", "control"})

    def __post_init__(self) -> None:
        number(self.name, "threshold", self.threshold, least=0, most=1)
        whole(self.name, "targets", self.targets, least=10)
        whole(self.name, "seed", self.seed, least=0)

    def run(self, case: Case) -> Findings:
        """For each member, how surely it is taken for one."""
        from cobogo.examine.attacks import kernels

        assert case.knowledge is not None
        assert case.control is not None
        tables = points([case.release.rows, case.knowledge, case.control], self.columns)
        random = np.random.default_rng(self.seed)
        size = min(self.targets, case.knowledge.count, case.control.count)
        rows, others = drawn(case.knowledge.count, size, random), drawn(case.control.count, size, random)
        every = np.arange(len(tables.columns))
        released = np.unique(tables.tables[0], axis=0)
        inside = kernels.nearest(tables.tables[1][rows], released, tables.categorical, every)
        outside = kernels.nearest(tables.tables[2][others], released, tables.categorical, every)
        sure, advantage = _shares(np.round(inside, 9), np.round(outside, 9))
        return self.found(
            "knowledge",
            rows + 1,
            sure,
            baseline=np.full(size, 0.5),
            attacked=size,
            measures={
                "members with a copy in the release": int((inside < 1e-9).sum()),
                "others with a copy in the release": int((outside < 1e-9).sum()),
                "advantage": advantage,
            },
        )


def _shares(inside: Floats, outside: Floats) -> tuple[Floats, float]:
    """For each member, the least share of members among all who are as near; and by how much more members than others
    are caught by the best distance."""
    near, far = np.sort(inside), np.sort(outside)
    members = np.searchsorted(near, inside, side="right").astype(np.float64)
    others = np.searchsorted(far, inside, side="right").astype(np.float64)
    tries = members + others
    rate, square = members / tries, SURE * SURE
    middle = (rate + square / (2 * tries)) / (1 + square / tries)
    reach = SURE * np.sqrt(rate * (1 - rate) / tries + square / (4 * tries * tries)) / (1 + square / tries)
    advantage = float(((members - others) / len(inside)).max(initial=0.0))
    return np.maximum(middle - reach, 0.0), advantage
