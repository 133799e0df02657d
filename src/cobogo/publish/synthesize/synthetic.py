"""Synthetic records as a release: what is done, what is said of it, and what stays with the data holder."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from cobogo.data.policy import Policy, Synthesis
from cobogo.data.table.read import Table
from cobogo.floor.randomness import Entropy
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.models.differential_privacy import ConcentratedPrivacy, DifferentialPrivacy
from cobogo.promises.payer import Payer
from cobogo.publish.synthesize.cost import Cost
from cobogo.publish.synthesize.domains import AttributeDomain, CodedRows, encode_rows
from cobogo.publish.synthesize.methods import METHODS, Method
from cobogo.publish.synthesize.private import PaidStep, Private
from cobogo.release.columns import kind_of
from cobogo.release.contract import ENTROPY, Json, Meaning, Story
from cobogo.release.drawn import DrawnRows

if TYPE_CHECKING:
    from cobogo.tell.report.words import Words

NO_GUARANTEE = "this synthetic data gives NO guarantee: it was fitted to exact counts, and may tell of single people"

AT_ONCE = 1 << 20
"""Records of a batch."""


@dataclass(eq=False, repr=False)
class Done:
    """What is known once the records were drawn."""

    steps: list[PaidStep] = field(default_factory=list)
    rows: CodedRows | None = None
    receipt: str | None = None
    paid: PrivacyLoss | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Synthetic(DrawnRows):
    """Records drawn from a model of the table: no released record is anybody's."""

    policy: Policy
    wanted: Synthesis
    domains: tuple[AttributeDomain, ...]
    cost: Cost | None  # None of a method without guarantee
    payer: Payer | None
    max_rows: int
    done: Done = field(default_factory=Done)

    kind = "synthesis"

    @property
    def method(self) -> Method:
        """By which it is made."""
        return METHODS[self.wanted.method]

    def _pay(self, payer: Payer) -> None:
        """Debit, or refuse. The receipt is in the ledger, beside the debit, and in the manifest."""
        assert self.cost is not None
        loss = self.cost.loss(payer.measure, f"{self.policy.name}, synthesis")
        receipt = secrets.token_hex(16)
        payer.pay(loss, f"synthesize {self.wanted.method}, receipt {receipt}")
        self.done.paid, self.done.receipt = loss, receipt

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:
        """Pay, then read, learn and draw."""
        import pyarrow as pa

        decimal = self.policy.data.decimal
        if self.payer is not None:
            self._pay(self.payer)
        unit = self.policy.data.unit
        self.done.rows = encode_rows(table, self.domains, decimal, unit=unit, max_rows=self.max_rows)
        rho = Fraction(0) if self.cost is None else self.cost.rho
        sizes = tuple(domain.size for domain in self.domains)
        private = Private(sizes, self.done.rows.codes, rho, self.max_rows)
        fitted = self.method.fit(private, self.wanted.degree)
        self.done.steps = private.steps
        records, source = self.wanted.records or max(1, round(fitted.records)), Entropy()
        drawn = fitted.draw(records, source)
        kinds = [kind_of(table, name) for name in columns]
        for start in range(0, records, AT_ONCE):
            part = [
                domain.drawn(codes[start : start + AT_ONCE], source, decimal, kind)
                for domain, codes, kind in zip(self.domains, drawn, kinds, strict=True)
            ]
            plain = [p.cast(p.type.value_type) if pa.types.is_dictionary(p.type) else p for p in part]
            yield pa.RecordBatch.from_arrays(plain, names=list(columns))

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """Of every column."""
        how = "with differential privacy" if self.cost is not None else "with NO guarantee"
        return {domain.attribute: Meaning(f"synthetic, drawn {how}: nobody's value") for domain in self.domains}

    def statement(self) -> Json:
        """All that the guarantee follows from: what each step used, of whom, in which domain."""
        said: Json = {
            "method": self.wanted.method,
            "guarantee": "differential-privacy" if self.cost is not None else "NONE",
            "entropy": ENTROPY,
            "degree": self.wanted.degree,
            "records": "as asked for" if self.wanted.records or self.cost is None else "by a noisy count",
            "domains": {domain.attribute: domain.stated() for domain in self.domains},
        }
        if self.cost is None:
            return said | {"warning": NO_GUARANTEE}
        names = [domain.attribute for domain in self.domains]
        return said | {
            "neighbours": "tables that differ in all records of one person"
            if self.policy.data.unit
            else "tables that differ in one record",
            "max-rows": self.max_rows,
            "rho": str(self.cost.rho),
            "steps": [_state_step(step, names) for step in self.done.steps],
            **({"receipt": self.done.receipt} if self.done.receipt else {}),
        }

    def explanation(self) -> str:
        """What whoever receives it must know."""
        about = f"Every record is synthetic: drawn from a model ({self.method.about})."
        if self.cost is None:
            return f"**No guarantee is given.** {about} The model was fitted to exact counts, and may tell of people."
        unit = "all records of one person" if self.policy.data.unit else "one record"
        return (
            f"{about} The model was learnt with differential privacy: with or without {unit}, whatever is released "
            "here is nearly as likely. The manifest states every step and its noise. Counts that the model did not "
            "measure are those of a model, and are no better than it; small ones are mostly noise."
        )

    def private_statement(self) -> Json:
        """What was paid, and by whom."""
        found = {"left-out": None if self.done.rows is None else self.done.rows.left_out}
        loss = self.done.paid
        if self.payer is None or loss is None:
            return found
        return {
            **found,
            "curator": self.payer.file,
            "dataset": self.payer.dataset,
            "receipt": self.done.receipt,
            "measure": loss.measure,
            "amount": str(loss.amount),
            "delta": str(loss.delta),
        }

    @property
    def model_entries(self) -> tuple[Json, ...]:
        """The cost, as a guarantee."""
        if self.cost is None:
            return ()
        if self.cost.epsilon is None or self.cost.delta is None:
            return ({"model": ConcentratedPrivacy.name, "rho": float(self.cost.rho)},)
        promise = {"epsilon": float(self.cost.epsilon), "delta": float(self.cost.delta)}
        return ({"model": DifferentialPrivacy.name, **promise},)

    @property
    def warnings(self) -> tuple[str, ...]:
        """That a baseline protects nobody; that nobody keeps the books."""
        if self.cost is None:
            return (NO_GUARANTEE,)
        if self.payer is None:
            return (
                "no curator keeps the books of this: whatever else is released from these data adds to the cost that "
                "the manifest states",
            )
        return ()

    def story(self, before: Table, after: Table, say: Words) -> Story:
        """How near it is to the original."""
        from cobogo.publish.synthesize.story import tell

        return tell(self, before, after, say)


def _state_step(step: PaidStep, names: Sequence[str]) -> Json:
    said: Json = {
        "mechanism": step.mechanism,
        "attributes": [names[place] for place in step.attributes],
        "sensitivity": step.sensitivity,
    }
    if step.mechanism == "exponential":
        return said | {"candidates": step.candidates, "epsilon": str(step.epsilon)}
    return said | {"scale": step.scale}
