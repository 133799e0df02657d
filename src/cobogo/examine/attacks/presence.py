"""Presence: is this person in the release, or in the data that it was made from?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.examine.attacks.base import SLACK, Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.distance import points, sample_rows, wilson_interval
from cobogo.examine.attacks.linking import link
from cobogo.floor.arguments import whole
from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr, trn


@card("presence")
@dataclass(frozen=True)
class TableLinkage(Attack):
    r"""Estimate the probability that each person of a public table is in the release, which may itself be sensitive.

    The release is about some of the people in the table. A record that fits n of them belongs to each with probability
    1/n. The probability of a person is the sum over the records that fit the person.

    Formula: $\Pr[t \in T] = \sum_{r \text{ fits } t} \frac{1}{\lvert\{u : r \text{ fits } u\}\rvert}$; where classes do
        not overlap, $\frac{\lvert T_E\rvert}{\lvert P_E\rvert}$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> patients = table("work sex ill", *["artist F HIV"] * 4, *["professional M HIV"] * 3)
        >>> everybody = table("work sex", *["artist F"] * 5, *["professional M"] * 4)
        >>> found = attack("presence", patients, knowledge=everybody, policy=roles("work sex", "ill"))
        >>> found.confidence.tolist()[0], found.confidence.tolist()[-1]
        (0.8, 0.75)

    Guarantee: None: an attack finds people, it does not protect them. δ-presence bounds it.
    Limits: All people of the release must be in the public table. A record is assumed to belong with equal probability
        to each person that it fits.
    Cost: $O(n + m)$ for n people and m distinct tuples where classes do not overlap.
    Paper: M. E. Nergiz, M. Atzori and C. Clifton, Hiding the presence of individuals from shared databases, SIGMOD
        2007.
    """

    threshold: float = 0.5
    columns: tuple[str, ...] | None = None

    finds: ClassVar[Finding] = "presence"
    knows: ClassVar[str] = tr("a table of everybody who might be in the release")
    defence: ClassVar[str] = tr("δ-presence with that table as population.")
    needs: ClassVar[frozenset[Input]] = frozenset({"knowledge"})
    from_original: ClassVar[bool] = False  # all of its people are in the release

    def lacks(self, case: Case) -> str | None:
        """The people of the data are not enough: all of them are there."""
        if case.releases and case.knowledge is None:
            return tr("needs a table of everybody who might be in the data, not only of those who are (--knowledge)")
        return super().lacks(case)

    def run(self, case: Case) -> Findings:
        """The probability of each person; the baseline is the share of the table that is in the release."""
        assert case.knowledge is not None
        links = link(case.knowledge, case.release, columns=self.columns)
        expected = links.released.sizes / np.maximum(links.people, 1)
        sure = np.minimum(links.sums(expected[links.targets]), 1.0)[links.known.ids]
        before = min(case.release.rows.count / case.knowledge.count, 1.0)
        fitting = links.people > 0
        foreign = int(links.released.sizes[~fitting].sum())
        notes = links.notes
        if foreign:
            notes = (
                *notes,
                trn(
                    "{n:,} released record matches no person in the table: the table is incomplete",
                    "{n:,} released records match no person in the table: the table is incomplete",
                    n=foreign,
                ),
            )
        return self.build_findings(
            "knowledge",
            np.arange(1, case.knowledge.count + 1),
            sure,
            attacked=case.knowledge.count,
            baseline=np.full(len(sure), before),
            measures={
                tr("certainly in the release"): int((sure > 1 - SLACK).sum()),
                tr("certainly not in the release"): int((sure == 0).sum()),
                tr("share of everybody"): before,
            },
            notes=notes,
            untried=links.untried,
        )


@card("membership")
@dataclass(frozen=True)
class Membership(Attack):
    r"""Distinguish members of the data from others by the distance to the nearest released record.

    A model that memorized its data releases a record close to each member. The attack measures equally many people of
    the original table (``--knowledge``) and of a control table (``--control``). The confidence that a person is a
    member is a lower bound of the share of members among all people who are as near or nearer. The baseline is one
    half.

    Formula: $\frac{\lvert\{u \in M : d_u \le d_t\}\rvert}{\lvert\{u \in M \cup C : d_u \le d_t\}\rvert}$ with $d$ the
        distance to the nearest released record, $M$ the members and $C$ the others; the advantage is $\max_d \Pr_M[d_u
        \le d] - \Pr_C[d_u \le d]$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import people, roles
        >>> given = {"knowledge": people(1), "control": people(2), "policy": roles("city job age pay", "ill")}
        >>> attack("membership", people(1), **given).measures["advantage"] > 0.9
        True
        >>> attack("membership", people(3), **given).succeeded
        False

    Guarantee: None: an attack finds people, it does not protect them. ε-differential privacy bounds the advantage by
        $\frac{e^{\varepsilon} - 1}{e^{\varepsilon} + 1}$.
    Limits: Distance is one test among many: a model may reveal its members in other ways.
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
    knows: ClassVar[str] = tr("a person's record, and records of other people who are not in the data")
    defence: ClassVar[str] = tr(
        "Data from a differentially private model: with a small ε, no record reveals whose it was."
    )
    needs: ClassVar[frozenset[Input]] = frozenset({"knowledge", "control"})

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "targets", self.targets, least=10)
        whole(self.name, "seed", self.seed, least=0)

    def run(self, case: Case) -> Findings:
        """For each member, the confidence that it is one."""
        from cobogo.examine.attacks import kernels

        assert case.knowledge is not None
        assert case.control is not None
        tables = points([case.release.rows, case.knowledge, case.control], self.columns)
        random = np.random.default_rng(self.seed)
        size = min(self.targets, case.knowledge.count, case.control.count)
        rows, others = sample_rows(case.knowledge.count, size, random), sample_rows(case.control.count, size, random)
        every = np.arange(len(tables.columns))
        released = np.unique(tables.tables[0], axis=0)
        inside = kernels.nearest_distances(tables.tables[1][rows], released, tables.categorical, every)
        outside = kernels.nearest_distances(tables.tables[2][others], released, tables.categorical, every)
        sure, advantage = _shares(np.round(inside, 9), np.round(outside, 9))
        return self.build_findings(
            "knowledge",
            rows + 1,
            sure,
            baseline=np.full(size, 0.5),
            attacked=size,
            measures={
                tr("members with a copy in the release"): int((inside < 1e-9).sum()),
                tr("others with a copy in the release"): int((outside < 1e-9).sum()),
                tr("advantage"): advantage,
            },
        )


def _shares(inside: Floats, outside: Floats) -> tuple[Floats, float]:
    """For each member, a lower bound of the share of members among all who are as near; and the advantage of the best
    threshold on the distance."""
    near, far = np.sort(inside), np.sort(outside)
    members = np.searchsorted(near, inside, side="right").astype(np.float64)
    others = np.searchsorted(far, inside, side="right").astype(np.float64)
    tries = members + others
    middle, reach = wilson_interval(members / tries, tries)
    advantage = float(((members - others) / len(inside)).max(initial=0.0))
    return np.maximum(middle - reach, 0.0), advantage


@card("duplicate")
@dataclass(frozen=True)
class Duplicate(Attack):
    r"""Recognize true records among invented ones because they appear several times.

    Publishers that hide true records among invented ones (the α-β algorithm) draw each invented record at most once. A
    true record that is kept and also drawn appears twice, and no invented record does. So an attacker who finds a
    record twice knows that it is true.

    Formula: $\Pr[r \text{ is genuine} \mid r \text{ appears twice}] = 1$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import table
        >>> attack("duplicate", table("age ill", "31 flu", "44 gout", "31 flu", "52 cold")).exposed.tolist()
        [1, 3]

    Guarantee: None: an attack finds people, it does not protect them. Publish a set, and draw invented records from
        those that are not in the table.
    Limits: It is only for releases with invented records: in others a duplicate means nothing.
    Cost: $O(n)$ for n records.
    Paper: R. Chaytor, On the utility of randomization approaches for privacy preserving data publishing, PhD thesis,
        Simon Fraser University, 2010, of the α-β algorithm of V. Rastogi, D. Suciu and S. Hong 2007.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "presence"
    against: ClassVar[frozenset[str] | None] = frozenset({"synthesis"})
    knows: ClassVar[str] = tr("that invented records were added to the true ones, each at most once")
    defence: ClassVar[str] = tr(
        "Publish a set: draw invented records that are not in the table, and use each only once."
    )

    def run(self, case: Case) -> Findings:
        """Every row that appears more than once."""
        rows = case.release.rows
        groups = rows.group(rows.names)
        repeated = np.flatnonzero(groups.sizes[groups.ids] > 1)
        return self.build_findings(
            "release",
            repeated + 1,
            np.ones(len(repeated)),
            attacked=rows.count,
            measures={
                tr("distinct records"): len(groups),
                tr("largest number of copies"): int(groups.sizes.max(initial=0)),
            },
            notes=(tr("copies expose true records only if invented ones were drawn without repetition"),),
        )
