"""Small-domain randomization: each record's part is released, and its value drawn from those of the part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import Table
from cobogo.errors import NoSolution, VerificationFailed
from cobogo.floor.arrays import Ints
from cobogo.floor.randomness import Source, source
from cobogo.floor.untrusted import fraction
from cobogo.promises.guarantees import Exposure, Guarantee
from cobogo.promises.guarantees.prior_posterior import RhoPrivacy, UpwardRhoPrivacy
from cobogo.promises.models.check import ModelVerdict
from cobogo.promises.models.promise import parameters
from cobogo.promises.operators.inference import unexpectedly_frequent, unexpectedly_rare
from cobogo.promises.operators.uniform import Uniform
from cobogo.publish.randomize.choose import only_rho
from cobogo.publish.randomize.columns import promised
from cobogo.publish.randomize.optimal.parts import DomainPart, partition_domain
from cobogo.publish.randomize.request import AttributeValues, RandomizationRequest
from cobogo.publish.recode.plans.base import free_name
from cobogo.release.columns import codes, labelled, replaced, streamed
from cobogo.release.contract import ENTROPY, SEED, CheckResult, Json, Meaning, Story, Written
from cobogo.release.drawn import DrawnRows

if TYPE_CHECKING:
    from cobogo.tell.report.words import Words

WARNING = (
    "each record's part is released, and with it for certain which few values its own is among; the guarantee is for "
    "attackers who know the distribution of the whole table and no more of a person"
)


@dataclass(frozen=True, eq=False, repr=False)
class SmallDomain(DrawnRows):
    """One attribute, in parts."""

    values: AttributeValues
    parts: tuple[DomainPart, ...]
    guarantee: RhoPrivacy
    column: str  # that names the part
    seed: int | None = None

    kind = "randomization"
    method = "small-domain"

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """Those of the original, and the part."""
        return (*kept, self.column)

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:
        """Batch by batch."""
        import pyarrow as pa

        random, name = source(self.seed), self.values.attribute
        part_of = np.zeros(len(self.values.labels), dtype=np.int64)
        for number, part in enumerate(self.parts):
            part_of[part.codes] = number
        names = [str(number + 1) for number in range(len(self.parts))]
        for batch in streamed(table, [c for c in columns if c != self.column], texts=[name]):
            before = codes(batch.column(name), self.values.places)
            after = self._sampled(before, part_of, random)
            changed = replaced(batch, {name: labelled(after, self.values.labels)})
            arrays = [*changed.columns, labelled(part_of[before], names)]
            yield pa.RecordBatch.from_arrays(arrays, names=[*changed.schema.names, self.column])

    def _sampled(self, before: Ints, part_of: Ints, random: Source) -> Ints:
        after = before.copy()
        for number, part in enumerate(self.parts):
            rows = np.flatnonzero(part_of[before] == number)
            inner = np.searchsorted(part.codes, before[rows])
            after[rows] = part.codes[part.operator.sample(inner, random)]
        return after

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """Of the attribute and the part."""
        return {
            self.values.attribute: Meaning("randomized within its part: see below; not always what was collected"),
            self.column: Meaning("the part: which values the collected one is among", truthful=True),
        }

    def statement(self) -> Json:
        """The parts."""
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
        """The original's counts, and the seed if there is one."""
        return {"records": {self.values.attribute: self.values.records.tolist()}, "seed": self.seed}

    @property
    def model_entries(self) -> tuple[Json, ...]:
        """The guarantee."""
        return (parameters(self.guarantee),)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a part gives away."""
        return (WARNING,)

    def explanation(self) -> str:
        """How to use it."""
        lines = ["## How values were randomized", "", f"`{self.column}` says which part a record is in.", ""]
        lines += ["| part | values | records | kept with probability p |", "|---|---|---|---|"]
        for number, part in enumerate(self.parts, 1):
            lines.append(f"| {number} | {len(part.codes)} | {part.records} | {float(part.retention):.9g} |")
        lines += [
            "",
            f"A `{self.values.attribute}` that was not kept was drawn uniformly from the m values of its part. Of n "
            "records of a part about (o − n·s·(1 − p)/m)/p had one of s of its values of which o are shown; parts add "
            "up.",
        ]
        return "\n".join(lines)

    def story(self, before: Table, after: Table, say: Words) -> Story:
        """What became of the attribute."""
        from cobogo.publish.randomize.story import tell_parts

        return tell_parts(self, before, after, say)


def make(wanted: RandomizationRequest, table: Table) -> SmallDomain:
    """Find the parts."""
    rho = only_rho(wanted)
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
    """The guarantee from the parts stated; the parts and their values in the rows."""
    stated, rows = written.statement, written.rows
    parts = stated["parts"]
    operators = [Uniform(len(part["domain"]), fraction(part["retention"])) for part in parts]
    domains = [{label: place for place, label in enumerate(part["domain"])} for part in parts]
    if sum(map(len, domains)) != len(set().union(*domains)):
        raise VerificationFailed("the manifest states a value in several parts")
    counted = frequency_table(rows, [stated["column"], stated["attribute"]], [])
    problems: list[str] = []
    observed = [np.zeros(len(domain), dtype=np.int64) for domain in domains]
    for number, count in enumerate(counted.counts.tolist()):
        part, label = counted.tuple_labels(number)
        place = int(part) - 1 if part is not None and part.isdigit() else -1
        if not 0 <= place < len(parts) or label not in domains[place]:
            return CheckResult((), ("a record has a value that is not of its part",))
        observed[place][domains[place][label]] += count
    for found, part, operator in zip(observed, parts, operators, strict=True):
        if int(found.sum()) != part["records"]:
            problems.append("a part has another number of records than the manifest says")
        least, most = operator.bounds()
        records = int(found.sum())
        if len(unexpectedly_rare(found, records, least)) or len(unexpectedly_frequent(found, records, most)):
            problems.append("values of a part are released too often or too seldom for the retention stated")
    total = sum(int(part["records"]) for part in parts)
    shown = [
        Exposure(operator, share=part["records"] / max(total, 1))
        for part, operator in zip(parts, operators, strict=True)
    ]
    verdicts = tuple(_worst(guarantee, shown) for guarantee in promised(written, [stated["attribute"]]))
    return CheckResult(verdicts, tuple(problems))


def _worst(guarantee: Guarantee, shown: Sequence[Exposure]) -> ModelVerdict:
    """The verdict on whichever part tells most."""
    verdicts = [guarantee.check(exposure) for exposure in shown]
    return replace(
        max(verdicts, key=lambda verdict: verdict.measured or 0.0), satisfied=all(v.satisfied for v in verdicts)
    )
