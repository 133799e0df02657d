"""Columns randomized value by value: every record has its own draw, and nothing else of it changes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.errors import PolicyError, VerificationFailed
from cobogo.hierarchy import Label
from cobogo.models.base import Floats, Ints
from cobogo.models.check import ModelVerdict
from cobogo.models.promise import made, parameters
from cobogo.perturb import fit
from cobogo.perturb.guarantees import GUARANTEES, Guarantee
from cobogo.perturb.guarantees.base import Exposure
from cobogo.perturb.operators import stated as operators
from cobogo.perturb.operators.base import Operator
from cobogo.perturb.operators.uniform import Uniform, largest_retention
from cobogo.perturb.randomization.asked import Asked, Values
from cobogo.randomness import Source, source
from cobogo.table.read import Table
from cobogo.transform.base import ENTROPY, SEED, Findings, Json, Meaning, Story, Transformation, Written
from cobogo.transform.columns import codes, counted, labelled, replaced, streamed

if TYPE_CHECKING:
    from cobogo.report.words import Words


@dataclass(frozen=True, eq=False)
class Drawn:
    """Attributes whose values are drawn together by one operator: one attribute, or the cross product of several."""

    values: tuple[Values, ...]
    operator: Operator

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(values.attribute for values in self.values)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The size of each one's domain; the operator's is the product."""
        return tuple(len(values.labels) for values in self.values)

    def released(self, batch: Any, source: Source) -> dict[str, Any]:
        """A batch's columns, drawn."""
        before = [codes(batch.column(values.attribute), values.places) for values in self.values]
        after = self.operator.sample(np.ravel_multi_index(before, self.sizes), source)
        return {
            values.attribute: labelled(column, values.labels)
            for values, column in zip(self.values, np.unravel_index(after, self.sizes), strict=True)
        }


@dataclass(frozen=True, eq=False)
class Columns(Transformation):
    """Each record's values of some attributes are exchanged at random; the rest is released as it is."""

    method: str
    drawn: tuple[Drawn, ...]
    guarantees: tuple[Guarantee, ...]
    records_per_person: int = 1
    seed: int | None = None

    kind = "randomization"

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:
        """Batch by batch: memory does not grow with the table."""
        random = source(self.seed)
        names = [name for part in self.drawn for name in part.names]
        for batch in streamed(table, columns, texts=names):
            changed: dict[str, Any] = {}
            for part in self.drawn:
                changed |= part.released(batch, random)
            yield replaced(batch, changed)

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """Of the attributes drawn."""
        return {name: Meaning("randomized: see below; not always what was collected")
                for part in self.drawn for name in part.names}  # fmt: skip

    def stated(self) -> Json:
        """The operators, exactly."""
        return {
            "method": self.method,
            "entropy": ENTROPY if self.seed is None else SEED,
            "records-per-person": self.records_per_person,
            "drawn": [
                {
                    "attributes": list(part.names),
                    "domains": [list(values.labels) for values in part.values],
                    "declared": [values.declared for values in part.values],
                    **part.operator.stated(),
                }
                for part in self.drawn
            ],
        }

    def kept(self) -> Json:
        """The original's counts, and the seed if there is one."""
        counts = {values.attribute: values.records.tolist() for part in self.drawn for values in part.values}
        return {"records": counts, "seed": self.seed}

    @property
    def asked(self) -> tuple[Json, ...]:
        """The guarantees."""
        return tuple(parameters(guarantee) for guarantee in self.guarantees)

    def explained(self) -> str:
        """How to use it."""
        return ""

    def story(self, before: Table, after: Table, say: Words) -> Story:  # noqa: ARG002
        """What became of the attributes."""
        return Story({}, self.method)


def make(wanted: Asked, table: Table) -> Columns:  # noqa: ARG001
    """Settle the operators: with the retention asked for, or the largest that meets the guarantees."""
    parts = [wanted.values] if wanted.table.joint else [(values,) for values in wanted.values]
    draws = len(parts) * wanted.records_per_person
    allowed = min((guarantee.largest_amplification for guarantee in wanted.guarantees), default=None)
    drawn = []
    for part in parts:
        size = math.prod(len(values.labels) for values in part)
        if wanted.table.retention is not None:
            retention = Fraction(str(wanted.table.retention))
        elif allowed is None:
            raise PolicyError(
                "says neither how much is retained nor what must be guaranteed",
                where=wanted.where,
                remedy='Give retention, or a guarantee: models = [{ model = "rho1-rho2-privacy", rho1 = 0.05, '
                "rho2 = 0.5 }] under [privacy].",
            )
        else:
            retention = largest_retention(allowed ** (1 / draws), size)
        drawn.append(Drawn(tuple(part), Uniform(size, retention)))
    return Columns(wanted.table.method, tuple(drawn), wanted.guarantees, wanted.records_per_person, wanted.table.seed)


def check(written: Written) -> Findings:
    """The guarantees from the stated operators; the released values against them."""
    stated, kept = written.stated, written.kept
    people = int(stated["records-per-person"])
    problems: list[str] = []
    operator_of: dict[str, Operator] = {}
    for entry in stated["drawn"]:
        operator = operators.read(entry)
        sizes = [len(domain) for domain in entry["domains"]]
        if operator.size != math.prod(sizes):
            raise VerificationFailed("the manifest states an operator of another size than its domain")
        operator_of |= dict.fromkeys(entry["attributes"], operator)
        for place, (name, domain) in enumerate(zip(entry["attributes"], entry["domains"], strict=True)):
            true = None if kept is None else np.array(kept["records"][name], dtype=np.int64)
            problems += _misfits(written.rows, name, domain, operator, sizes, place, true)
    everything = math.prod({id(o): o.amplification for o in operator_of.values()}.values()) ** people
    asked = made([_promise(entry) for entry in written.asked if entry.get("model") in GUARANTEES],
                 tuple(operator_of), GUARANTEES)  # fmt: skip
    verdicts: list[ModelVerdict] = []
    for guarantee in asked:
        operator = operator_of[guarantee.attributes[0]]
        verdicts.append(guarantee.check(Exposure(operator, everything / operator.amplification)))
    return Findings(tuple(verdicts), tuple(problems))


def _promise(entry: Mapping[str, Any]) -> Json:
    return {key: value for key, value in entry.items() if key not in ("satisfied", "measured")}


def _misfits(
    rows: Table, name: str, domain: Sequence[Label], operator: Operator, sizes: Sequence[int], place: int,
    true: Ints | None,
) -> Iterator[str]:  # fmt: skip
    """What in a released column cannot have been drawn by its operator."""
    found, counts = counted(rows, name)
    position = {label: code for code, label in enumerate(domain)}
    if set(found) - set(position):
        yield f'"{name}" holds values that are not in the domain stated'
        return
    observed = np.zeros(len(domain), dtype=np.int64)
    observed[[position[label] for label in found]] = counts
    least, most = _marginal_bounds(operator, sizes, place)
    records = int(observed.sum())
    odd = [*fit.too_few(observed, records, least), *fit.too_many(observed, records, most)]
    if odd:
        yield f'{len(odd)} values of "{name}" are released too often or too seldom for the operator stated'
    elif true is not None and len(sizes) == 1 and len(fit.unlike(observed, operator.spread(true.astype(float)))):
        yield f'the released values of "{name}" are not such as the operator draws from the original ones'


def _marginal_bounds(operator: Operator, sizes: Sequence[int], place: int) -> tuple[Floats, Floats]:
    """The least and largest probabilities of each value of one attribute, of those that are drawn together."""
    if len(sizes) == 1:
        return operator.bounds()
    assert isinstance(operator, Uniform)  # whose marginals are uniform perturbations of the same retention
    return Uniform(sizes[place], operator.retention).bounds()
