"""Columns randomized value by value: every record has its own draw, and its other columns stay as they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.data.policy import Policy
from cobogo.data.table.columns import (
    arrow_type,
    choose_columns,
    count_values,
    decode_column,
    encode_column,
    replace_columns,
)
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError, VerificationFailed
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import Text, join, tr, trn
from cobogo.floor.randomness import Source, below, coins
from cobogo.promises.guarantees import GUARANTEES, Guarantee
from cobogo.promises.guarantees.base import Exposure
from cobogo.promises.models.check import ModelVerdict
from cobogo.promises.models.promise import build_promises, parameters
from cobogo.promises.operators import (
    Operator,
    Uniform,
    read_operator,
    unexpected_counts,
    unexpectedly_frequent,
    unexpectedly_rare,
)
from cobogo.publish.randomize.request import AttributeValues
from cobogo.release import manifest as manifests
from cobogo.release.contract import ENTROPY, SEED, CheckResult, Json, Meaning, Written
from cobogo.release.drawn import DrawnRows, RowWise, Story, row_source

if TYPE_CHECKING:
    from cobogo.floor.language import Speech


@dataclass(frozen=True, eq=False, repr=False)
class RandomizedAttributes:
    """Attributes whose values are drawn together by one operator: one attribute, or the cross product of several."""

    values: tuple[AttributeValues, ...]
    operator: Operator

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(values.attribute for values in self.values)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The size of each attribute's domain; the operator's is their product."""
        return tuple(len(values.labels) for values in self.values)

    def randomize(self, batch: Any, kinds: Mapping[str, Any], source: Source) -> dict[str, Any]:
        """Randomize a batch's columns; they keep their types."""
        before = [encode_column(batch.column(values.attribute), values.places) for values in self.values]
        return {
            values.attribute: decode_column(column, values.labels, kinds[values.attribute])
            for values, column in zip(self.values, self._draw(before, source), strict=True)
        }

    def _draw(self, before: Sequence[Ints], source: Source) -> Sequence[Ints]:
        if len(before) == 1:
            return [self.operator.sample(before[0], source)]
        if not isinstance(self.operator, Uniform):
            after = self.operator.sample(np.ravel_multi_index(tuple(before), self.sizes), source)
            return list(np.unravel_index(after, self.sizes))
        # One coin for the whole record, then each attribute by itself: the same draw, without numbering the product.
        tails = np.flatnonzero(~coins(self.operator.retention, len(before[0]), source))
        drawn = [column.copy() for column in before]
        for column, size in zip(drawn, self.sizes, strict=True):
            column[tails] = below(size, len(tails), source)
        return drawn


@dataclass(frozen=True, eq=False, repr=False)
class RandomizedColumns(DrawnRows):
    """Each record's values of some attributes are drawn at random; the others are released as they are."""

    method: str
    drawn: tuple[RandomizedAttributes, ...]
    guarantees: tuple[Guarantee, ...]
    policy: Policy
    records_per_person: int = 1
    seed: int | None = None
    notices: tuple[str, ...] = ()

    kind = "randomization"
    together = False

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.notices

    def row_wise(self, table: Table, columns: Sequence[str]) -> RowWise:
        """Randomize batch by batch: memory does not grow with the table."""
        random = row_source(table, self.seed, f"{self.policy.name}, randomization.seed")
        names = [name for part in self.drawn for name in part.names]
        kinds = {name: arrow_type(table, name) for name in names}
        return RowWise(choose_columns(table, columns, names), partial(_randomize, self.drawn, kinds, random))

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        return {name: Meaning(tr("randomized: see below; not always what was collected"))
                for part in self.drawn for name in part.names}  # fmt: skip

    def statement(self) -> Json:
        return {
            "method": self.method,
            "entropy": ENTROPY if self.seed is None else SEED,
            "records-per-person": self.records_per_person,
            "drawn": [
                {
                    "attributes": list(part.names),
                    "domains": [list(values.labels) for values in part.values],
                    "declared": [values.declared for values in part.values],
                    **part.operator.as_dict(),
                }
                for part in self.drawn
            ],
        }

    def private_statement(self) -> Json:
        counts = {values.attribute: values.records.tolist() for part in self.drawn for values in part.values}
        return {"records": counts, "seed": self.seed}

    @property
    def model_entries(self) -> tuple[Json, ...]:
        return tuple(parameters(guarantee) for guarantee in self.guarantees)

    def explanation(self) -> Text:
        return explain(self.drawn)

    def story(self, before: Table, after: Table, say: Speech) -> Story:
        from cobogo.publish.randomize.story import tell

        return tell(self, before, after, say)


def _randomize(drawn: Sequence[RandomizedAttributes], kinds: Mapping[str, Any], random: Source, batch: Any) -> Any:
    changed: dict[str, Any] = {}
    for part in drawn:
        changed |= part.randomize(batch, kinds, random)
    return replace_columns(batch, changed)


def explain(drawn: Sequence[RandomizedAttributes]) -> Text:
    """Explain how values were randomized and how to estimate counts, for recipients."""
    lines: list[str] = []
    for part in drawn:
        names = ", ".join(f"`{name}`" for name in part.names)
        if isinstance(part.operator, Uniform):
            p, m = float(part.operator.retention), " × ".join(map(str, part.sizes))
            lines.append(
                tr(
                    "Each record's {names} was kept with the probability p = {p:.9g} and otherwise drawn uniformly "
                    "from the {m} values of the domain, which the manifest lists.",
                    names=names,
                    p=p,
                    m=m,
                )
            )
            if len(part.names) > 1:
                lines.append(tr("These columns were kept or drawn together."))
            lines.append(
                tr(
                    "To estimate how many of n records had one of s values that o of them show: (o − n·s·(1 − p)/m)/p, "
                    "whatever condition on other columns selected the n records."
                )
            )
        else:
            lines.append(
                tr(
                    "Each record's {names} was drawn from the column of the manifest's matrix that belongs to its "
                    "original value (entries are in units of 2⁻⁵³). The inverse of the matrix times the released "
                    "shares estimates the shares of the original values.",
                    names=names,
                )
            )
    title = tr("## {title}", title=tr("How values were randomized"))
    last = tr("The value of a single record says little about the person: use counts over many records.")
    return join([title, join(lines, by="\n"), last], by="\n\n")


def check(written: Written) -> CheckResult:
    """Recompute the guarantees from the stated operators, and test the released values against them."""
    stated, kept = written.statement, written.private_statement
    people = int(stated["records-per-person"])
    problems: list[str] = []
    parts: list[tuple[list[str], Operator]] = []
    priors: dict[str, Floats] = {}
    for entry in stated["drawn"]:
        operator = read_operator(entry)
        sizes = [len(domain) for domain in entry["domains"]]
        if operator.size != math.prod(sizes):
            raise VerificationFailed(tr("the manifest states probabilities that do not fit its list of values"))
        parts.append((entry["attributes"], operator))
        for place, (name, domain) in enumerate(zip(entry["attributes"], entry["domains"], strict=True)):
            true = None if kept is None else np.array(kept["records"][name], dtype=np.int64)
            problems += _misfits(written.rows, name, domain, operator, sizes, place, true)
            if true is not None and len(sizes) == 1:
                priors[name] = true / true.sum()
    found = exposures([(tuple(names), operator) for names, operator in parts], people, priors)
    verdicts, notes = judge(read_promises(written, tuple(found)), found)
    return CheckResult(verdicts, tuple(problems), notes)


def observed_counts(rows: Table, name: str, domain: Sequence[Label]) -> Ints | None:
    """How often each value of a domain was released; None if a column holds other values."""
    found, records = count_values(rows, name)
    place = {label: code for code, label in enumerate(domain)}
    if set(found) - set(place):
        return None
    total = np.zeros(len(domain), dtype=np.int64)
    total[[place[label] for label in found]] = records
    return total


def exposures(
    parts: Sequence[tuple[tuple[str, ...], Operator]], people: int, priors: Mapping[str, Floats]
) -> dict[str, Exposure]:
    """The exposure of a person's value of each attribute, given everything else that was drawn from that person."""
    found: dict[str, Exposure] = {}
    for number, (names, operator) in enumerate(parts):
        others = [other.amplification for place, (_, other) in enumerate(parts) if place != number]
        beside = compound([*others * people, *[operator.amplification] * (people - 1)])
        found |= {name: Exposure(operator, beside, prior=priors.get(name)) for name in names}
    return found


def compound(amplifications: Sequence[float]) -> float:
    """The amplification of several draws together: their product, or infinity where it overflows."""
    return math.exp(exponent) if (exponent := math.fsum(map(math.log, amplifications))) < 700 else math.inf


def read_promises(written: Written, names: Sequence[str]) -> tuple[Guarantee, ...]:
    """The guarantees that a release must meet: its own, and those of a policy that it is checked against."""
    aside = ("satisfied", "measured")
    asked = [
        {key: value for key, value in entry.items() if key not in aside}
        for entry in written.model_entries
        if entry.get("model") in GUARANTEES
    ]
    try:
        return build_promises(asked, names, GUARANTEES, where=manifests.NAME)
    except PolicyError as error:
        raise VerificationFailed(tr("a guarantee cannot be checked: {what}", what=error.what)) from None


def judge(
    guarantees: Sequence[Guarantee], exposures: Mapping[str, Exposure]
) -> tuple[tuple[ModelVerdict, ...], tuple[str, ...]]:
    """The verdicts on the exposure of each attribute, and a note for each that cannot be decided without evidence."""
    verdicts, notes = [], []
    for guarantee in guarantees:
        exposure = exposures[guarantee.attributes[0]]
        if guarantee.needs_prior and exposure.prior is None:
            verdicts.append(ModelVerdict(guarantee, False, None, None, 0, undecided=True))
            notes.append(
                tr(
                    "{guarantee} is about the original distribution, which only the evidence contains",
                    guarantee=str(guarantee),
                )
            )
        else:
            verdicts.append(guarantee.check(exposure))
    return tuple(verdicts), tuple(notes)


def _misfits(
    rows: Table, name: str, domain: Sequence[Label], operator: Operator, sizes: Sequence[int], place: int,
    true: Ints | None,
) -> Iterator[str]:  # fmt: skip
    """What shows that a released column was not drawn by its operator."""
    observed = observed_counts(rows, name, domain)
    if observed is None:
        yield tr('"{name}" has values that the manifest does not list', name=name)
        return
    alone = _marginal(operator, sizes, place)
    least, most = alone.bounds()
    records = int(observed.sum())
    odd = [*unexpectedly_rare(observed, records, least), *unexpectedly_frequent(observed, records, most)]
    if odd:
        yield trn(
            '{n:,} value of "{name}" is released too often or too rarely for the stated probabilities',
            '{n:,} values of "{name}" are released too often or too rarely for the stated probabilities',
            n=len(odd),
            name=name,
        )
    elif true is not None and len(unexpected_counts(observed, alone.spread(true.astype(float)))):
        yield tr('the released values of "{name}" cannot have been drawn from the original ones as stated', name=name)


def _marginal(operator: Operator, sizes: Sequence[int], place: int) -> Operator:
    """The operator of one attribute among those that are drawn together."""
    if len(sizes) == 1:
        return operator
    if not isinstance(operator, Uniform):  # whose marginals are uniform perturbations of the same retention
        raise VerificationFailed(tr("the manifest states a matrix for attributes that were drawn together"))
    return Uniform(sizes[place], operator.retention)
