"""Attacks that join two tables, each of them harmless alone: about the same people, or in the same order of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from cobogo.data.policy import Policy
from cobogo.data.table.columns import Column
from cobogo.errors import DataError, PolicyError
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case, PublishedTable
from cobogo.examine.attacks.crossing import Meeting, distinct_pairs
from cobogo.examine.attacks.linking import Links, link
from cobogo.examine.attacks.pairing import column_meeting
from cobogo.examine.attacks.rows import Rows, code_alike
from cobogo.examine.attacks.suspects import suspects
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr


def join_columns(one: PublishedTable, other: PublishedTable, asked: tuple[str, ...] | None) -> tuple[str, ...]:
    """The columns to join two tables by: those asked for, or all that both have."""
    names = asked or tuple(name for name in one.rows.names if name in other.rows.columns)
    lacking = [name for name in names for part in (one, other) if name not in part.rows.columns]
    if not names or lacking:
        raise DataError(
            tr("the columns {lacking} are not in both tables", lacking=", ".join(lacking))
            if lacking
            else tr("has no column in common with the other table"),
            where=one.name,
            remedy=tr("Give the columns the same names in both tables, or name the ones that both have: --columns."),
        )
    return names


@card("join")
@dataclass(frozen=True)
class Join(Attack):
    r"""Join two tables of the same people by a column that both have, such as a number that identifies the person.

    One table has the names of customers, another the balances of accounts; neither reveals much by itself. Rows in
    which all shared columns are NULL are not joined.

    Formula: $\frac{1}{\lvert\{r' : r'_C = r_C\}\rvert}$ over the rows of the second table with the same values in the
        shared columns $C$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import table
        >>> customers = table("id name", "1 David", "2 John", "3 Helton")
        >>> accounts = table("id balance", "3 515.09", "1 1033.25", "2 814.92")
        >>> attack("join", customers, accounts).records.tolist()
        [2, 3, 1]

    Guarantee: None: an attack finds people, it does not protect them. Release no identifier, not even one without a
        meaning.
    Limits: It compares texts: a number that is written in two ways is not joined.
    Cost: $O(n + m)$ for tables of n and m rows.
    Paper: L. Sweeney, k-anonymity: a model for protecting privacy, 2002, for linking.
    """

    threshold: float = 0.5
    columns: tuple[str, ...] | None = None

    finds: ClassVar[Finding] = "record"
    knows: ClassVar[str] = tr("two tables of the same people")
    defence: ClassVar[str] = tr(
        "Release no identifier, not even one without a meaning: drop it, or use different pseudonyms in each table."
    )
    releases: ClassVar[tuple[int, int]] = (2, 2)

    def skip_reason(self, case: Case) -> str | None:
        """Joining tables with the same columns adds nothing."""
        one, *others = case.releases
        if others and all(set(other.rows.names) <= set(one.rows.names) for other in others):
            return tr("finds nothing in releases that have the same columns")
        return super().skip_reason(case)

    def run(self, case: Case) -> Findings:
        """For each row of the first table, the rows of the second that have the same values."""
        one, other = case.releases
        names = join_columns(one, other, self.columns)
        links = link(one.rows, other, columns=names, exact=True)
        there = links.records[links.known.ids] * _rows_with_values(one, names)
        rows = np.flatnonzero(there > 0)
        only = there[rows] == 1
        record = np.zeros(len(rows), dtype=np.int64)
        tuples = links.known.ids[rows[only]]
        record[only] = links.released.first_rows()[links.targets[links.offsets[tuples]]]
        gained = [name for name in other.rows.names if name not in one.rows.columns]
        return self.build_findings(
            "release",
            rows + 1,
            1 / there[rows],
            baseline=np.full(len(rows), 1 / other.rows.count),
            attacked=one.rows.count,
            measures={
                tr("columns used"): len(names),
                tr("columns that the second table adds"): len(gained),
                tr("rows that join with exactly one"): int(only.sum()),
            },
            records=record,
        )


@card("projections")
@dataclass(frozen=True)
class Projections(Attack):
    r"""Combine the answers to several queries: which patients a doctor has, and which drugs the doctor prescribes.

    A table (doctor, patient, drug) is released as (doctor, patient) and as (doctor, drug), because patient and drug
    together are sensitive. Both lists have the doctor. If a doctor has a single patient, all drugs of the doctor are
    that patient's.

    Formula: $\Pr[\text{patient has } d] = \frac{n(\text{doctor}, d)}{\sum_{d'} n(\text{doctor}, d')}$, or 1 where the
        doctor has one patient
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import table
        >>> visits = table("doctor patient", "Ana p1", "Ana p2", "Bia p3", "Caio p4", "Caio p5")
        >>> drugs = table("doctor drug", "Ana statin", "Bia iron", "Bia insulin", "Caio iron", "Caio statin")
        >>> attack("projections", visits, drugs).exposed.tolist()
        [1, 2, 3]

    Guarantee: None: an attack finds people, it does not protect them. Answer every query from one anonymized table, or
        with differential privacy.
    Limits: It combines two answers at a time.
    Cost: $O(n + m)$ for answers of n and m rows.
    Paper: L. Sweeney, k-anonymity: a model for protecting privacy, 2002, after D. E. Denning.
    """

    threshold: float = 0.5
    attribute: str | None = None
    columns: tuple[str, ...] | None = None

    finds: ClassVar[Finding] = "value"
    against: ClassVar[frozenset[str] | None] = frozenset()
    knows: ClassVar[str] = tr("two answers with a column in common")
    defence: ClassVar[str] = tr(
        "Answer every query from one anonymized table, or with differential privacy, instead of from the original."
    )
    releases: ClassVar[tuple[int, int]] = (2, 2)

    def run(self, case: Case) -> Findings:
        """For each row of the first answer, the likeliest value in the second."""
        one, other = case.releases
        names = join_columns(one, other, self.columns)
        news = [name for name in other.rows.names if name not in one.rows.columns]
        if self.attribute is None and len(news) != 1:
            raise PolicyError(
                tr(
                    "the second answer adds {number} columns to the first, and the attack needs exactly one",
                    number=len(news),
                ),
                where=self.name,
                remedy=tr("Name the column to learn: --attribute."),
            )
        attribute = self.attribute or news[0]
        if attribute not in other.rows.columns:
            raise PolicyError(
                tr('the second answer has no column "{attribute}"', attribute=attribute),
                where="--attribute",
                remedy=tr("Its columns: {names}.", names=", ".join(other.rows.names)),
            )
        second = replace(other, quasi_identifiers=names, sensitive=(attribute,), policy=None, manifest=None)
        found = suspects(Case((second,), one.rows), attribute, names)
        best = found.best(found.shares)
        filled = best >= 0
        sure, before = np.zeros(len(found)), np.zeros(len(found))
        sure[filled], before[filled] = found.shares[best[filled]], found.priors[best[filled]]
        alone = _rows_with_one_partner(one, names)
        confidence = np.where(alone & (found.sizes[found.ids] > 0), 1.0, sure[found.ids])
        rows = np.flatnonzero((found.sizes[found.ids] > 0) & _rows_with_values(one, names))
        return self.build_findings(
            "release",
            rows + 1,
            confidence[rows],
            baseline=before[found.ids][rows],
            attacked=one.rows.count,
            measures={tr("columns used"): len(names), tr("rows that are alone with theirs"): int(alone[rows].sum())},
        )


def _rows_with_values(release: PublishedTable, names: tuple[str, ...]) -> Mask:
    """The rows that have a value in at least one of the columns."""
    known = np.zeros(release.rows.count, dtype=np.bool_)
    for name in names:
        codes, labels = release.rows.columns[name]
        known |= np.array([label is not None for label in labels] + [False], dtype=np.bool_)[codes]
    return known


def _rows_with_one_partner(release: PublishedTable, names: tuple[str, ...]) -> Mask:
    """The rows whose values in some columns appear with a single combination of the other columns."""
    groups = release.rows.group(names)
    whole = release.rows.group(release.rows.names)
    pairs = np.unique(groups.ids * len(whole) + whole.ids)
    single: Mask = np.bincount(pairs // len(whole), minlength=len(groups)) == 1
    return single[groups.ids]


STEPS = 400
"""Points of the grid of shares of rows in the same order, over which the posterior is summed."""


@card("unsorted-matching", title="unsorted matching")
@dataclass(frozen=True)
class UnsortedMatching(Attack):
    r"""Join two releases of the same people by the position of their rows.

    Each release may be k-anonymous: one generalizes race, the other the ZIP code; side by side they are the table
    itself. It is visible that the order is the same: rows at the same position never contradict each other. The number
    of rows that agree is compared with the number expected if the order is random; beforehand, the order is assumed to
    be random with probability 1/2.

    Formula: $\Pr[q \mid a \text{ of } n \text{ rows agree}] \propto \pi(q)\,(q + (1 - q)\,c)^a\,((1 - q)(1 - c))^{n -
        a}$ for the share $q$ of rows in the same order and the probability $c$ to agree by chance; a row that agrees
        is the right one with $\frac{q}{q + (1 - q)\,c}$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> races, zips = ["asian", "black", "white"], ["02138", "02139", "02141", "02142"]
        >>> first = table("race zip", *[f"person {code}" for code in zips * 3])
        >>> second = table("race zip", *[f"{race} {code[:4]}0" for race in races for code in zips])
        >>> trees = {"race": {"tree": {"person": races}}, "zip": {"tree": {"02130": zips[:2], "02140": zips[2:]}}}
        >>> len(attack("unsorted-matching", first, second, policy=roles("race zip", **trees)).exposed)
        12

    Guarantee: None: an attack finds people, it does not protect them. A random order of the rows makes it useless;
        every Cobogó release has one.
    Limits: It finds nothing unless both releases have the same rows in the same order.
    Cost: $O(n)$ for n rows.
    Paper: L. Sweeney, k-anonymity: a model for protecting privacy, 2002.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "record"
    knows: ClassVar[str] = tr("two releases of the same people")
    defence: ClassVar[str] = tr("A new random order of rows for each release; Cobogó always does so.")
    releases: ClassVar[tuple[int, int]] = (2, 2)
    uses: ClassVar[frozenset[Input]] = frozenset({"knowledge"})

    def run(self, case: Case) -> Findings:
        """For each row that agrees with the row at its place, the probability that both are of one person."""
        one, other = case.releases
        if one.rows.count != other.rows.count:
            return self._empty_findings(
                one, tr("the releases have different numbers of rows, so their orders cannot be the same")
            )
        shared = tuple(name for name in one.rows.names if name in other.rows.columns)
        if not shared:
            return self._empty_findings(
                one, tr("the releases have no common column that could show that their order is the same")
            )
        links = link(one.rows, _with_policy(other, one.policy), columns=shared)
        agrees, chance = _agreement(links)
        sure = _posterior(int(agrees.sum()), len(agrees), chance)
        agreeing = np.flatnonzero(agrees)
        whole, finer = combine_releases(one, other)
        completed = agreeing[finer[agreeing]]
        measures: dict[str, float | int | None] = {
            tr("rows that agree"): len(agreeing),
            tr("rows that would agree by chance"): float(chance * len(agrees)),
            tr("rows that the other release completes"): len(completed),
        }
        if case.knowledge is not None:
            measures[tr("rows of the knowledge that the join gives back")] = _count_recovered(whole, case.knowledge)
        return self.build_findings(
            "release",
            completed + 1,
            np.full(len(completed), sure),
            baseline=1 / np.maximum(links.records[links.known.ids][completed], 1),
            attacked=one.rows.count,
            measures=measures,
            records=completed + 1,
        )

    def _empty_findings(self, release: PublishedTable, why: str) -> Findings:
        nothing = np.zeros(0, dtype=np.int64)
        return self.build_findings("release", nothing, np.zeros(0), attacked=release.rows.count, notes=(why,))


def combine_releases(one: PublishedTable, other: PublishedTable) -> tuple[Rows, Mask]:
    """Join two releases by position, each value from the release where it is finer; also which rows are finer than in
    the first release."""
    columns: dict[str, Column] = {}
    finer = np.zeros(one.rows.count, dtype=np.bool_)
    case = Case((one, other))
    for name in dict.fromkeys((*one.rows.names, *other.rows.names)):
        if name not in one.rows.columns or name not in other.rows.columns:
            source = one if name in one.rows.columns else other
            columns[name] = source.rows.columns[name]
            if source is other:
                finer[:] = True
            continue
        both = one.rows.columns[name], other.rows.columns[name]
        better = _finer_rows(*both, column_meeting(name, case))
        (first, second), labels = code_alike(both)
        columns[name] = np.where(better, second, first).astype(np.int32), labels
        finer |= better
    return Rows("the releases joined by position", columns, one.rows.count), finer


def _with_policy(release: PublishedTable, policy: Policy | None) -> PublishedTable:
    return replace(release, policy=release.policy or policy, manifest=None, public=None)


def _finer_rows(first: Column, second: Column, meet: Meeting) -> Mask:
    """The rows whose second value is finer than the first, and does not contradict it."""
    pairs, inverse = distinct_pairs(first, second)
    finer = [meet(*pair)[0] and not meet.earlier_implies(*pair) for pair in pairs]
    return np.array(finer, dtype=np.bool_)[inverse]


def _agreement(links: Links) -> tuple[Mask, float]:
    """Which rows are compatible with the row at their place, and the share of all pairs that are."""
    width = max(len(links.released), 1)
    pairs = np.unique(links.owners * width + links.targets)
    here = links.known.ids * width + links.released.ids
    rows = len(links.known.ids)
    by_chance = float((links.records * links.known.sizes).sum()) / max(rows * rows, 1)
    return np.isin(here, pairs), by_chance


def _posterior(agreeing: int, rows: int, chance: float) -> float:
    """The probability that a row that agrees is the right one.

    A share q of the rows is in the same order and agrees; the others agree by chance. A priori, q is 0 with probability
    1/2, 1 with probability 1/4, and otherwise uniform between them.
    """
    if chance >= 1 - 1e-12 or not agreeing:
        return 0.0  # all rows agree in any order
    share = np.concatenate([[0.0], (np.arange(STEPS) + 0.5) / STEPS, [1.0]])
    prior = np.concatenate([[0.5], np.full(STEPS, 0.25 / STEPS), [0.25]])
    agree = share + (1 - share) * chance
    with np.errstate(divide="ignore", invalid="ignore"):
        missing = np.where(rows > agreeing, (rows - agreeing) * np.log(1 - agree), 0.0)
        likely: Floats = np.log(prior) + agreeing * np.log(np.maximum(agree, 1e-300)) + missing
    weight = np.exp(likely - likely.max())
    right = np.divide(share, agree, out=np.zeros(len(share)), where=agree > 0)
    return float((weight * right).sum() / weight.sum())


def _count_recovered(whole: Rows, knowledge: Rows) -> int:
    """How many rows of the knowledge are in a table, by the columns that both have; a row that occurs twice counts only
    as often as the table has it."""
    names = [name for name in whole.names if name in knowledge.columns]
    both: dict[str, Column] = {}
    for name in names:
        codes, labels = code_alike([whole.columns[name], knowledge.columns[name]])
        both[name] = np.concatenate(codes).astype(np.int32), labels
    if not names:
        return 0
    groups = Rows("both", both, whole.count + knowledge.count).group(names)
    first = np.bincount(groups.ids[: whole.count], minlength=len(groups))
    second = np.bincount(groups.ids[whole.count :], minlength=len(groups))
    return int(np.minimum(first, second).sum())
