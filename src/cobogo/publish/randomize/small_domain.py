"""Small-domain randomization: the table in parts, each with few of the values, so that more of them can be retained.

The idea is Chaytor and Wang's (2010: Perturbation Partitioning): perturb each part within its own sub-domain, and
release the part of each record. How the parts are found here, and the argument that they tell no more than was
allowed, are our own constructions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cobogo.data.table.columns import choose_columns, decode_column, encode_column, replace_columns
from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import Table
from cobogo.errors import NoSolution, VerificationFailed
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import join, tr
from cobogo.floor.randomness import Source
from cobogo.floor.untrusted import fraction
from cobogo.promises.guarantees import Exposure, Guarantee
from cobogo.promises.guarantees.prior_posterior import RhoPrivacy, UpwardRhoPrivacy
from cobogo.promises.models.check import ModelVerdict
from cobogo.promises.models.promise import parameters
from cobogo.promises.operators import Uniform, largest_retention, unexpectedly_frequent, unexpectedly_rare
from cobogo.publish.randomize.choose import require_rho_privacy
from cobogo.publish.randomize.columns import read_promises
from cobogo.publish.randomize.request import AttributeValues, RandomizationRequest
from cobogo.publish.recode.plans.base import free_name
from cobogo.release.contract import ENTROPY, SEED, CheckResult, Json, Meaning, Written
from cobogo.release.drawn import DrawnRows, RowWise, Story, row_source

if TYPE_CHECKING:
    from cobogo.floor.language import Speech


@dataclass(frozen=True, eq=False, repr=False)
class DomainPart:
    """Some values that no other part has, and the operator of their records."""

    codes: Ints  # into the whole domain
    records: int
    operator: Uniform

    @property
    def retention(self) -> Fraction:
        """The retention within the part."""
        return self.operator.retention


def largest_amplification_within(rho1: float, rho2: float, share: float, *, both: bool) -> float | None:
    """The largest amplification of a part, or None where its share of the records is too small to protect them.

    A property with a share of at most ρ1 in the whole table has a share of at most ρ1·n/|T_i| in part T_i. An attacker
    who knows a person's part starts from that prior, so (ρ1·n/|T_i|, ρ2)-privacy within the part is upward
    (ρ1, ρ2)-privacy of the whole. ``both``: the opposite property must not rise from 1 − ρ2 above 1 − ρ1 either, so
    that a part has more than 1 − ρ2 of the records.
    """
    found = []
    for low, high in [(rho1, rho2), (1 - rho2, 1 - rho1)][: 1 + both]:
        inner = low / share
        if inner >= high:
            return None
        found.append(high * (1 - inner) / (inner * (1 - high)))
    return min(found)


@card("small-domain", title="small-domain randomization")
def partition_domain(
    counts: Ints,
    rho1: float,
    rho2: float,
    *,
    both: bool = False,
    objective: Literal["total", "maximin"] = "total",
    min_retention: float = 0.0,
) -> tuple[DomainPart, ...]:
    r"""Splits the table by its sensitive values into parts, and perturbs each part within its own few values.

    A dynamic programme sorts the values by frequency and cuts them into contiguous runs. ``objective`` chooses what is
    maximized: the number of records that are retained, or the smallest retention of all parts. If values are about
    equally frequent, one part is best: splitting pays off only if frequencies are skewed. ``both`` also requires that a
    probable property does not become improbable; that leaves few parts, often one. The idea is that of Chaytor and
    Wang; the partition and its argument are our own.

    Formula: a part $T_i$ of $n$ records must meet $(\rho_1 n / \lvert T_i\rvert,\, \rho_2)$-privacy by itself: $p_i =
        \frac{\gamma_i - 1}{\gamma_i - 1 + m_i}$ with $\gamma_i = \frac{\rho_2 (1 - \rho_{1i})}{\rho_{1i} (1 - \rho_2)}$
        and $\rho_{1i} = \rho_1 n / \lvert T_i\rvert$; $\max \sum_i \lvert T_i\rvert\,p_i$
    Example: Fifty values with frequencies by Zipf's law: uniform perturbation would retain 26.5 %.
        >>> counts = np.array([1_000_000 // rank for rank in range(1, 51)])
        >>> parts = partition_domain(counts, 0.05, 0.5)
        >>> round(sum(part.records * float(part.operator.retention) for part in parts) / int(counts.sum()), 2)
        0.39

    Guarantee: Upward (ρ1, ρ2)-privacy for the table's distribution: every property with a share of at most ρ1 in the
        table has a posterior of at most ρ2. If the policy asks for `rho1-rho2-privacy`, it holds in both directions.
    Limits: The part of each record is released, and it reveals for certain among which values the true one is: this is
        not local differential privacy. Rare parts may retain almost nothing; see ``objective``.
    Cost: $O(m^2)$ for m values.
    Paper: R. Chaytor and K. Wang, Small domain randomization: same privacy, more utility, PVLDB 2010, for the idea.
    """
    order = np.argsort(-counts, kind="stable")
    m, records = len(order), int(counts.sum())
    ends = np.concatenate([[0], np.cumsum(counts[order])])
    best = np.full(m + 1, -np.inf)
    best[0] = 0.0 if objective == "total" else 1.0
    cut = np.zeros(m + 1, dtype=np.int64)
    for end in range(1, m + 1):
        for start in range(end):
            size = int(ends[end] - ends[start])
            if not size or not np.isfinite(best[start]):
                continue
            gamma = largest_amplification_within(rho1, rho2, size / records, both=both)
            if gamma is None:
                continue
            retention = (gamma - 1) / (gamma - 1 + end - start)
            if retention < min_retention or retention <= 0:
                continue
            value = best[start] + size * retention if objective == "total" else min(best[start], retention)
            if value > best[end]:
                best[end], cut[end] = value, start
    if not np.isfinite(best[m]):
        raise NoSolution(
            tr("no partition of the values gives the guarantee"),
            remedy=tr("Raise rho2, lower rho1, or lower min-retention."),
        )
    parts: list[DomainPart] = []
    end = m
    while end:
        start = int(cut[end])
        size = int(ends[end] - ends[start])
        gamma = largest_amplification_within(rho1, rho2, size / records, both=both)
        assert gamma is not None
        parts.append(
            DomainPart(np.sort(order[start:end]), size, Uniform(end - start, largest_retention(gamma, end - start)))
        )
        end = start
    return tuple(reversed(parts))


WARNING = tr(
    "each record's part is released, and it reveals for certain that the record has one of a few values; the "
    "guarantee is for attackers who know the distribution of the whole table and nothing more about a person"
)


@dataclass(frozen=True, eq=False, repr=False)
class SmallDomain(DrawnRows):
    """One attribute, randomized within the parts of its domain."""

    values: AttributeValues
    parts: tuple[DomainPart, ...]
    guarantee: RhoPrivacy
    column: str  # that names the part
    seed: int | None = None

    kind = "randomization"
    method = "small-domain"
    together = False

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        return (*kept, self.column)

    def row_wise(self, table: Table, columns: Sequence[str]) -> RowWise:
        """Randomize batch by batch, and add the part."""
        own = [name for name in columns if name != self.column]
        random = row_source(table, self.seed, "randomization.seed")
        return RowWise(choose_columns(table, own, [self.values.attribute]), partial(self._randomize, random))

    def _randomize(self, random: Source, batch: Any) -> Any:
        import pyarrow as pa

        name = self.values.attribute
        part_of = np.zeros(len(self.values.labels), dtype=np.int64)
        for number, part in enumerate(self.parts):
            part_of[part.codes] = number
        before = encode_column(batch.column(name), self.values.places)
        after = self._draw(before, part_of, random)
        changed = replace_columns(batch, {name: decode_column(after, self.values.labels)})
        names = [str(number + 1) for number in range(len(self.parts))]
        arrays = [*changed.columns, decode_column(part_of[before], names)]
        return pa.RecordBatch.from_arrays(arrays, names=[*changed.schema.names, self.column])

    def _draw(self, before: Ints, part_of: Ints, random: Source) -> Ints:
        after = before.copy()
        for number, part in enumerate(self.parts):
            rows = np.flatnonzero(part_of[before] == number)
            inner = np.searchsorted(part.codes, before[rows])
            after[rows] = part.codes[part.operator.sample(inner, random)]
        return after

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        return {
            self.values.attribute: Meaning(tr("randomized within its part: see below; not always what was collected")),
            self.column: Meaning(tr("the part: the set of values that contains the collected one"), truthful=True),
        }

    def statement(self) -> Json:
        return {
            "method": self.method,
            "entropy": ENTROPY if self.seed is None else SEED,
            "attribute": self.values.attribute,
            "column": self.column,
            "parts": [
                {
                    "domain": [self.values.labels[code] for code in part.codes.tolist()],
                    "retention": str(part.retention),
                    "records": part.records,
                }
                for part in self.parts
            ],
        }

    def private_statement(self) -> Json:
        return {"records": {self.values.attribute: self.values.records.tolist()}, "seed": self.seed}

    @property
    def model_entries(self) -> tuple[Json, ...]:
        return (parameters(self.guarantee),)

    @property
    def warnings(self) -> tuple[str, ...]:
        return (WARNING,)

    def explanation(self) -> str:
        head = tr("`{column}` says which part a record is in.", column=self.column)
        lines = [tr("| part | values | records | kept with probability p |"), "|---|---|---|---|"]
        for number, part in enumerate(self.parts, 1):
            lines.append(f"| {number} | {len(part.codes)} | {part.records} | {float(part.retention):.9g} |")
        what = tr(
            "A `{attribute}` that was not kept was drawn uniformly from the m values of its part. If o of n records "
            "of a part show one of s values, about (o − n·s·(1 − p)/m)/p records had one of them; add up the parts.",
            attribute=self.values.attribute,
        )
        title = tr("## {title}", title=tr("How values were randomized"))
        return join([title, head, join(lines, by="\n"), what], by="\n\n")

    def story(self, before: Table, after: Table, say: Speech) -> Story:
        from cobogo.publish.randomize.story import tell_parts

        return tell_parts(self, before, after, say)


def make(wanted: RandomizationRequest, table: Table) -> SmallDomain:
    """Find the parts that retain most."""
    rho = require_rho_privacy(wanted)
    (values,) = wanted.values
    asked = wanted.table
    both = not isinstance(rho, UpwardRhoPrivacy)
    try:
        parts = partition_domain(
            values.records, rho.rho1, rho.rho2, both=both, objective=asked.objective, min_retention=asked.min_retention
        )
    except NoSolution as error:
        raise NoSolution(error.what, where=wanted.where, remedy=error.remedy) from None
    return SmallDomain(values, parts, rho, free_name("part", table.columns), asked.seed)


def check(written: Written) -> CheckResult:
    """Recompute the guarantee from the stated parts, and check the parts and values of the rows."""
    stated, rows = written.statement, written.rows
    parts = stated["parts"]
    operators = [Uniform(len(part["domain"]), fraction(part["retention"])) for part in parts]
    domains = [{label: place for place, label in enumerate(part["domain"])} for part in parts]
    if sum(map(len, domains)) != len(set().union(*domains)):
        raise VerificationFailed(tr("the manifest lists a value in several parts"))
    counted = frequency_table(rows, [stated["column"], stated["attribute"]], [])
    problems: list[str] = []
    observed = [np.zeros(len(domain), dtype=np.int64) for domain in domains]
    for number, count in enumerate(counted.counts.tolist()):
        part, label = counted.tuple_labels(number)
        place = int(part) - 1 if part is not None and part.isdigit() else -1
        if not 0 <= place < len(parts) or label not in domains[place]:
            return CheckResult((), (tr("a record has a value that is not in its part"),))
        observed[place][domains[place][label]] += count
    for found, part, operator in zip(observed, parts, operators, strict=True):
        if int(found.sum()) != part["records"]:
            problems.append(tr("a part does not have as many records as the manifest says"))
        least, most = operator.bounds()
        records = int(found.sum())
        if len(unexpectedly_rare(found, records, least)) or len(unexpectedly_frequent(found, records, most)):
            problems.append(tr("values of a part are released too often or too rarely for the stated retention"))
    total = sum(int(part["records"]) for part in parts)
    shown = [
        Exposure(operator, share=part["records"] / max(total, 1))
        for part, operator in zip(parts, operators, strict=True)
    ]
    verdicts = tuple(_worst(guarantee, shown) for guarantee in read_promises(written, [stated["attribute"]]))
    return CheckResult(verdicts, tuple(problems))


def _worst(guarantee: Guarantee, shown: Sequence[Exposure]) -> ModelVerdict:
    """The verdict on the part that reveals most."""
    verdicts = [guarantee.check(exposure) for exposure in shown]
    return replace(
        max(verdicts, key=lambda verdict: verdict.measured or 0.0), satisfied=all(v.satisfied for v in verdicts)
    )
