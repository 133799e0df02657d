"""Attacks on synthetic data: do they reveal the people they were made from, or only what such people are like?

They ask the three questions of European data protection: can a person be singled out, can two sets of facts be linked,
can a value be inferred? An attack that succeeds as often against people who are not in the data (``--control``) uses
knowledge of the population; only the excess counts (Giomi, Boenisch, Wehmeyer and Tasnádi 2023).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.errors import PolicyError
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.distance import TablePoints, compare_rates, number_alike_rows, points, sample_rows
from cobogo.examine.attacks.suspects import attacked_attributes
from cobogo.floor.arguments import whole
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr

SLACK = 1e-9
"""Distances that differ by less are ties."""


@dataclass(frozen=True)
class ControlledAttack(Attack):
    """An attack that is run alike on people of the original table and on people of a control table."""

    threshold: float = 0.1
    columns: tuple[str, ...] | None = None
    targets: int = 1000
    seed: int = 0

    needs: ClassVar[frozenset[Input]] = frozenset({"knowledge", "control"})
    defence: ClassVar[str] = tr("Synthetic data from a differentially private model: no single record changes it much.")

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "targets", self.targets, least=10)
        whole(self.name, "seed", self.seed, least=0)

    def compare_with_control(self, struck: Ints, hits: Floats, control: Floats, attacked: int, **more: int) -> Findings:
        """Findings about the rows that were hit: their confidence is the rate of hits, their baseline the control's."""
        rates = compare_rates(float(hits.sum()), len(hits), float(control.sum()), len(control))
        certain = rates["certain"]
        return self.build_findings(
            "knowledge",
            struck + 1,
            np.full(len(struck), rates["rate"] if certain else min(rates["rate"], rates["control"])),
            baseline=np.full(len(struck), rates["control"]),
            by="gain",
            attacked=attacked,
            measures={
                tr("rate of success"): rates["rate"],
                tr("rate against people who are not in the data"): rates["control"],
                tr("risk"): rates["risk"] if certain else 0.0,
                **more,
            },
            notes=()
            if certain
            else (tr("people who are not in the data are found as often, or the difference may be random"),),
        )

    @abstractmethod
    def run(self, case: Case) -> Findings:
        """Attack both tables alike."""


def _tables(case: Case, columns: tuple[str, ...] | None) -> TablePoints:
    assert case.knowledge is not None
    assert case.control is not None
    return points([case.release.rows, case.knowledge, case.control], columns)


@card("singling-out", title="singling out")
@dataclass(frozen=True)
class SinglingOut(ControlledAttack):
    r"""Find descriptions that fit exactly one person of the original table, from the combinations that are unique in
    the synthetic table.

    A description is a combination of values of ``width`` columns that exactly one synthetic record has. It singles a
    person out if exactly one original record has it. The attack compares equally many original and control records,
    because a description fits exactly one of few records more easily than exactly one of many.

    Formula: $\frac{r_{\text{original}} - r_{\text{control}}}{1 - r_{\text{control}}}$ with $r$ the rate of descriptions
        that fit exactly one; nobody is exposed where chance may explain the difference
    Example: A copy of the original, and people who are not in it.
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import people, roles
        >>> given = {"knowledge": people(1), "control": people(2), "policy": roles("city job age pay", "ill")}
        >>> [attack("singling-out", people(seed), **given).succeeded for seed in (1, 3)]
        [True, False]

    Guarantee: None: an attack finds people, it does not protect them. Synthetic data from a differentially private
        model help.
    Limits: It needs people from the same population who are not in the data. Other attacks may find what it does not.
    Cost: $O(d\,n)$ for d descriptions and n records.
    Paper: M. Giomi, F. Boenisch, C. Wehmeyer and B. Tasnádi, A unified framework for quantifying privacy risk in
        synthetic data, Proceedings on Privacy Enhancing Technologies, 2023.
    """

    width: int = 3
    descriptions: int = 50

    finds: ClassVar[Finding] = "record"
    against: ClassVar[frozenset[str] | None] = frozenset({"synthesis"})
    knows: ClassVar[str] = tr("only the synthetic table")

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "width", self.width, least=1)
        whole(self.name, "descriptions", self.descriptions, least=1)

    def run(self, case: Case) -> Findings:
        """Try descriptions of many sets of columns."""
        assert case.knowledge is not None
        assert case.control is not None
        tables = _tables(case, self.columns)
        random = np.random.default_rng(self.seed)
        size = min(case.knowledge.count, case.control.count)
        people = np.sort(random.choice(case.knowledge.count, size, replace=False))
        others = np.sort(random.choice(case.control.count, size, replace=False))
        each = max(self.targets // self.descriptions, 1)
        hits: list[Ints] = []
        misses: list[Ints] = []
        singled: list[Ints] = []
        for _ in range(self.descriptions):
            width = min(self.width, len(tables.columns))
            chosen = np.sort(random.choice(len(tables.columns), width, replace=False))
            made, true, control = number_alike_rows(tables, chosen)
            true, control = true[people], control[others]
            kinds = int(max(made.max(), true.max(), control.max())) + 1
            single = np.flatnonzero(np.bincount(made, minlength=kinds) == 1)
            if not len(single):
                continue
            tried = random.choice(single, min(each, len(single)), replace=False)
            there = np.bincount(true, minlength=kinds)[tried] == 1
            hits.append(there)
            misses.append(np.bincount(control, minlength=kinds)[tried] == 1)
            singled.append(people[np.isin(true, tried[there])])
        none = np.zeros(0, dtype=np.bool_)
        right, wrong = np.concatenate([none, *hits]) * 1.0, np.concatenate([none, *misses]) * 1.0
        rows = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *singled]))
        return self.compare_with_control(rows, right, wrong, size, **{tr("descriptions tried"): len(right)})


@card("linkability")
@dataclass(frozen=True)
class Linkability(ControlledAttack):
    r"""Link two sets of facts about one person, because the same synthetic record is nearest to both.

    The columns are split into two halves, or ``one-side`` names one of them. The distance is Gower's; if several
    records are equally near, one of them is drawn.

    Formula: $\arg\min_r d(t_A, r_A) = \arg\min_r d(t_B, r_B)$ for the halves $A$ and $B$ of the columns; the rate over
        that of the control group, $\frac{r_{\text{original}} - r_{\text{control}}}{1 - r_{\text{control}}}$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import people, roles
        >>> given = {"knowledge": people(1), "control": people(2), "policy": roles("city job age pay", "ill")}
        >>> [attack("linkability", people(seed), **given).succeeded for seed in (1, 3)]
        [True, False]

    Guarantee: None: an attack finds people, it does not protect them. Synthetic data from a differentially private
        model help.
    Limits: It needs people from the same population who are not in the data.
    Cost: $O(t\,n\,c)$ for t targets, n synthetic records and c columns.
    Paper: M. Giomi, F. Boenisch, C. Wehmeyer and B. Tasnádi, A unified framework for quantifying privacy risk in
        synthetic data, Proceedings on Privacy Enhancing Technologies, 2023.
    """

    one_side: tuple[str, ...] | None = None

    finds: ClassVar[Finding] = "record"
    against: ClassVar[frozenset[str] | None] = frozenset({"synthesis"})
    knows: ClassVar[str] = tr(
        "some columns of each person, and other columns of each, but not which ones belong together"
    )

    def run(self, case: Case) -> Findings:
        """How often the two nearest records are the same."""
        from cobogo.examine.attacks import kernels

        tables = _tables(case, self.columns)
        one = self.one_side or tables.columns[::2]
        other = tuple(name for name in tables.columns if name not in one)
        if not other or not set(one) <= set(tables.columns):
            raise PolicyError(
                tr("both sides of the link need columns"),
                where=self.name,
                remedy=tr("Name the columns of one side: --set one-side=a,b."),
            )
        random = np.random.default_rng(self.seed)
        rows, sides = sample_rows(len(tables.tables[1]), self.targets, random), []
        for place, chosen in ((1, rows), (2, sample_rows(len(tables.tables[2]), self.targets, random))):
            sides.append(
                kernels.same_nearest(
                    tables.tables[place][chosen], tables.tables[0], tables.categorical,
                    tables.places(one), tables.places(other), SLACK,
                )
            )  # fmt: skip
        return self.compare_with_control(rows[sides[0] > 0.5], sides[0], sides[1], len(rows))


@card("inference")
@dataclass(frozen=True)
class Inference(ControlledAttack):
    r"""Infer a sensitive value from the synthetic records that are nearest to what is known about a person.

    The attacker knows all other columns, and guesses the most frequent value among the nearest records. A guess of a
    number is right if it is within a twentieth of the range.

    Formula: $\hat{x}_t = x_{r^{\ast}}$ with $r^{\ast} = \arg\min_r d(t_{\text{known}}, r_{\text{known}})$; the rate of
        right guesses over that of the control group, $\frac{r_{\text{original}} - r_{\text{control}}}{1 -
        r_{\text{control}}}$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import people, roles
        >>> given = {"knowledge": people(1), "control": people(2), "policy": roles("city job age pay", "ill")}
        >>> [attack("inference", people(seed), **given).succeeded for seed in (1, 3)]
        [True, False]

    Guarantee: None: an attack finds people, it does not protect them. Synthetic data from a differentially private
        model help.
    Limits: It needs people from the same population who are not in the data: if their values can be guessed equally
        well, the guess comes from knowledge of the population.
    Cost: $O(t\,n\,c)$ for t targets, n synthetic records and c columns.
    Paper: M. Giomi, F. Boenisch, C. Wehmeyer and B. Tasnádi, A unified framework for quantifying privacy risk in
        synthetic data, Proceedings on Privacy Enhancing Technologies, 2023.
    """

    attribute: str | None = None

    finds: ClassVar[Finding] = "value"
    against: ClassVar[frozenset[str] | None] = frozenset({"synthesis"})
    knows: ClassVar[str] = tr("all columns of each person except one")

    def run(self, case: Case) -> Findings:
        """How often the guess is right."""
        from cobogo.examine.attacks import kernels

        (secret,) = attacked_attributes(case, self.attribute)[:1]
        tables = _tables(case, None if self.columns is None else tuple(dict.fromkeys((*self.columns, secret))))
        if secret not in tables.columns or len(tables.columns) < 2:
            raise PolicyError(
                tr('"{secret}" and another column must be in all three tables', secret=secret), where=self.name
            )
        at = tables.columns.index(secret)
        known = tables.places([name for name in tables.columns if name != secret])
        random = np.random.default_rng(self.seed)
        rows, sides = sample_rows(len(tables.tables[1]), self.targets, random), []
        numbers = np.full(tables.labels[secret], np.nan)
        for codes, values in zip(tables.codes, tables.tables, strict=True):
            numbers[codes[:, at]] = values[:, at]
        for place, chosen in ((1, rows), (2, sample_rows(len(tables.tables[2]), self.targets, random))):
            guesses, _ = kernels.guess_values(
                tables.tables[place][chosen], tables.tables[0], tables.categorical, known,
                tables.codes[0][:, at], tables.labels[secret], SLACK,
            )  # fmt: skip
            right = guesses == tables.codes[place][chosen, at]
            if not tables.categorical[at]:
                right |= np.abs(numbers[guesses] - tables.tables[place][chosen, at]) <= 0.05
            sides.append(right * 1.0)
        return self.compare_with_control(rows[sides[0] > 0.5], sides[0], sides[1], len(rows))
