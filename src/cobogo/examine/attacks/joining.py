"""Attacks that join two tables about the same people, each of them harmless alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from cobogo.errors import DataError, PolicyError
from cobogo.examine.attacks.base import Attack, Finding, Findings
from cobogo.examine.attacks.case import Case, PublishedTable
from cobogo.examine.attacks.linking import link
from cobogo.examine.attacks.suspects import suspects
from cobogo.floor.arrays import Mask
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
