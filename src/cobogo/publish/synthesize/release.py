"""Synthetic records as a release: what a policy asks for, how records are drawn, what is stated, and its verification.

Everything that can be refused is refused before any row is read. Verification holds values to the declared domains, and
the guarantee to the stated steps.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from cobogo.data.policy import Policy, Role, Synthesis
from cobogo.data.table.columns import arrow_type, count_values
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError, VerificationFailed
from cobogo.floor.language import Text, join, tr
from cobogo.floor.randomness import Entropy
from cobogo.floor.untrusted import fraction
from cobogo.promises.accounting import PrivacyLoss, epsilon_of, exact_amount, rho_of
from cobogo.promises.mechanisms.base import opendp
from cobogo.promises.models.check import ModelVerdict
from cobogo.promises.models.differential_privacy import MEASURES, ConcentratedPrivacy, DifferentialPrivacy
from cobogo.promises.payer import Payer, check_debit, payer_of_curator
from cobogo.publish.synthesize import METHODS, Method, domains, model
from cobogo.publish.synthesize.domains import AttributeDomain, CodedRows, declared_domains, encode_rows
from cobogo.publish.synthesize.private import PaidStep, PrivateTable
from cobogo.release.contract import ENTROPY, CheckResult, Json, Meaning, Written
from cobogo.release.drawn import DrawnRows, Story

if TYPE_CHECKING:
    from cobogo.floor.language import Speech


@dataclass(frozen=True)
class Cost:
    """The privacy loss that a release may cause: ρ, and the (ε, δ) that it was computed from."""

    rho: Fraction
    epsilon: Fraction | None = None
    delta: Fraction | None = None

    @classmethod
    def from_policy(cls, wanted: Synthesis, where: str) -> Cost:
        """Read the cost from a policy; ρ is the largest that stays within (ε, δ)."""
        if wanted.rho is not None:
            return cls(exact_amount(wanted.rho, f"{where}.rho"))
        if wanted.epsilon is None or wanted.delta is None:
            raise PolicyError(
                tr("the policy does not say how much privacy this may cost"),
                where=where,
                remedy=tr("Give epsilon and delta, for example epsilon = 1.0 and delta = 1e-9."),
            )
        epsilon, delta = exact_amount(wanted.epsilon, f"{where}.epsilon"), exact_amount(wanted.delta, f"{where}.delta")
        return cls(rho_of(epsilon, delta).limit_denominator(10**15), epsilon, delta)

    def loss(self, measure: str, where: str) -> PrivacyLoss:
        """The cost in the measure of a ledger."""
        if measure == "rho":
            return PrivacyLoss("rho", self.rho)
        if self.epsilon is None or self.delta is None:
            raise PolicyError(
                tr("the curator's ledger counts in ε, and the cost is given in ρ"),
                where=where,
                remedy=tr("Give epsilon and delta instead of rho."),
            )
        return PrivacyLoss("epsilon", self.epsilon, self.delta)


NO_GUARANTEE = tr(
    "these synthetic data give NO guarantee: the model was fitted to exact counts, and may reveal single people"
)

AT_ONCE = 1 << 20
"""Records in a batch."""


@dataclass(eq=False, repr=False)
class SynthesisOutcome:
    """What is known after the records were drawn."""

    steps: list[PaidStep] = field(default_factory=list)
    rows: CodedRows | None = None
    receipt: str | None = None
    paid: PrivacyLoss | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Synthetic(DrawnRows):
    """Records drawn from a model of the table: no released record is a person's."""

    policy: Policy
    wanted: Synthesis
    domains: tuple[AttributeDomain, ...]
    cost: Cost | None  # None for a method without guarantee
    payer: Payer | None
    max_rows: int
    outcome: SynthesisOutcome = field(default_factory=SynthesisOutcome)

    kind = "synthesis"

    @property
    def method(self) -> Method:
        """The method of synthesis."""
        return METHODS[self.wanted.method]

    def _pay(self, payer: Payer) -> None:
        """Debit the cost, or refuse. The receipt is recorded in the ledger, with the debit, and in the manifest."""
        assert self.cost is not None
        loss = self.cost.loss(payer.measure, f"{self.policy.name}, synthesis")
        receipt = secrets.token_hex(16)
        payer.pay(loss, f"synthesize {self.wanted.method}, receipt {receipt}")
        self.outcome.paid, self.outcome.receipt = loss, receipt

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:
        """Pay, then read the rows, fit a model and draw records."""
        import pyarrow as pa

        decimal = self.policy.data.decimal
        if self.payer is not None:
            self._pay(self.payer)
        unit = self.policy.data.unit
        self.outcome.rows = encode_rows(table, self.domains, decimal, unit=unit, max_rows=self.max_rows)
        rho = Fraction(0) if self.cost is None else self.cost.rho
        sizes = tuple(domain.size for domain in self.domains)
        private = PrivateTable(sizes, self.outcome.rows.codes, rho, self.max_rows)
        fitted = self.method.fit(private, self.wanted.degree)
        self.outcome.steps = private.steps
        records, source = self.wanted.records or max(1, round(fitted.records)), Entropy()
        drawn = fitted.draw(records, source)
        kinds = [arrow_type(table, name) for name in columns]
        for start in range(0, records, AT_ONCE):
            part = [
                domain.draw_column(codes[start : start + AT_ONCE], source, decimal, kind)
                for domain, codes, kind in zip(self.domains, drawn, kinds, strict=True)
            ]
            plain = [p.cast(p.type.value_type) if pa.types.is_dictionary(p.type) else p for p in part]
            yield pa.RecordBatch.from_arrays(plain, names=list(columns))

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        text = (
            tr("synthetic, drawn with NO guarantee: not the value of any person")
            if self.cost is None
            else tr("synthetic, drawn with differential privacy: not the value of any person")
        )
        return {domain.attribute: Meaning(text) for domain in self.domains}

    def statement(self) -> Json:
        """Everything that the guarantee follows from: the steps with their noise, the neighbours, the domains."""
        said: Json = {
            "method": self.wanted.method,
            "guarantee": "differential-privacy" if self.cost is not None else "NONE",
            "entropy": ENTROPY,
            "degree": self.wanted.degree,
            "records": "as asked for" if self.wanted.records or self.cost is None else "by a noisy count",
            "domains": {domain.attribute: domain.statement() for domain in self.domains},
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
            "steps": [_state_step(step, names) for step in self.outcome.steps],
            **({"receipt": self.outcome.receipt} if self.outcome.receipt else {}),
        }

    def explanation(self) -> str:
        about = tr("Every record is synthetic: it was drawn from a model."), Text(f"{self.method.about}.")
        if self.cost is None:
            none = tr("**There is no guarantee.**")
            return join([none, *about, tr("The model was fitted to exact counts, and may reveal people.")])
        same = (
            tr("The output is almost equally probable with or without all records of one person.")
            if self.policy.data.unit
            else tr("The output is almost equally probable with or without any one record.")
        )
        what = tr(
            "The manifest states every step and its noise. Counts that the model did not measure are estimates, and "
            "small counts are mostly noise."
        )
        return join([*about, tr("The model was learnt with differential privacy."), same, what])

    def private_statement(self) -> Json:
        found = {"left-out": None if self.outcome.rows is None else self.outcome.rows.left_out}
        loss = self.outcome.paid
        if self.payer is None or loss is None:
            return found
        return {
            **found,
            "curator": self.payer.file,
            "dataset": self.payer.dataset,
            "receipt": self.outcome.receipt,
            "measure": loss.measure,
            "amount": str(loss.amount),
            "delta": str(loss.delta),
        }

    @property
    def model_entries(self) -> tuple[Json, ...]:
        if self.cost is None:
            return ()
        if self.cost.epsilon is None or self.cost.delta is None:
            return ({"model": ConcentratedPrivacy.name, "rho": float(self.cost.rho)},)
        promise = {"epsilon": float(self.cost.epsilon), "delta": float(self.cost.delta)}
        return ({"model": DifferentialPrivacy.name, **promise},)

    @property
    def warnings(self) -> tuple[str, ...]:
        if self.cost is None:
            return (NO_GUARANTEE,)
        if self.payer is None:
            what = tr(
                "no curator records this cost: every other release of these data adds to the cost that the manifest "
                "states"
            )
            return (what,)
        return ()

    def story(self, before: Table, after: Table, say: Speech) -> Story:
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


def make(policy: Policy, table: Table) -> Synthetic:
    """Prepare a synthesis: refuse everything that can be refused without reading the rows."""
    wanted = policy.synthesis
    assert wanted is not None
    where = f"{policy.name}, synthesis"
    method = METHODS.find(wanted.method, f"{where}.method")
    if policy.privacy is not None:
        raise PolicyError(
            tr("the policy asks for models, and synthetic records have no classes to measure them on"),
            where=f"{policy.name}, privacy",
            remedy=tr("Leave out [privacy]: epsilon and delta under [synthesis] are the guarantee."),
        )
    gone = set(policy.with_role(Role.IDENTIFIER))
    names = [name for name in table.columns if name not in gone]
    if not names:
        raise PolicyError(
            tr("every column is an identifier, so there is nothing to synthesize"),
            where=where,
            remedy=tr("Give another role to the columns to synthesize."),
        )
    rows = _max_rows(policy, wanted, method, where)
    domains = declared_domains(policy, names)
    if not method.private:
        _refuse_budget(wanted, where)
        model.require_scipy(where)
        return Synthetic(policy, wanted, domains, None, None, rows)
    model.require_mbi(where)
    opendp()
    cost = Cost.from_policy(wanted, where)
    return Synthetic(policy, wanted, domains, cost, _payer(policy, wanted, cost, where), rows)


def _payer(policy: Policy, wanted: Synthesis, cost: Cost, where: str) -> Payer | None:
    """The payer that a policy names; the cost must be given in its ledger's measure."""
    if wanted.curator is None:
        return None
    file, dataset, analyst = policy.resolve(wanted.curator), str(wanted.dataset), str(wanted.analyst)
    payer = payer_of_curator(file, dataset, analyst, policy.data.unit, where)
    cost.loss(payer.measure, where)
    return payer


def _max_rows(policy: Policy, wanted: Synthesis, method: Method, where: str) -> int:
    if policy.data.unit is None:
        if wanted.max_rows not in (None, 1):
            raise PolicyError(
                tr("max-rows limits the rows of a person, and the policy does not say which column identifies people"),
                where=f"{where}.max-rows",
                remedy=tr("Name the column that identifies people: data.unit."),
            )
        return 1
    if wanted.max_rows is None and method.private:
        raise PolicyError(
            tr("a person may have several rows, and the policy does not limit them"),
            where=f"{where}.max-rows",
            remedy=tr(
                "Set max-rows. Of a person with more rows, this many are drawn at random; the noise grows with it."
            ),
        )
    return wanted.max_rows or 10**6


def _refuse_budget(wanted: Synthesis, where: str) -> None:
    given = [key for key in ("epsilon", "rho", "curator") if getattr(wanted, key) is not None]
    if given:
        raise PolicyError(
            tr("{method} gives no guarantee, so {given} has no effect", method=wanted.method, given=given[0]),
            where=f"{where}.{given[0]}",
            remedy=tr("Leave out this key, or choose a method with a guarantee: mst, aim, privbayes."),
        )


ON_TRUST = tr("the guarantee depends on the stated noise, and the records cannot show whether it was really drawn")


def check(written: Written) -> CheckResult:
    """Check every released value, add up what the steps cost and, with the evidence, look up the debit."""
    stated = written.statement
    method = METHODS.find(stated["method"], raising=VerificationFailed)
    problems: list[str] = [*_misfits(written)]
    if "entropy" not in stated:
        problems.append(tr("the manifest does not state the source of the randomness"))
    if not method.private:
        problems += [
            tr("{model} is requested, and this method promises nothing", model=entry.get("model"))
            for entry in written.model_entries
        ]
        return CheckResult(problems=tuple(problems), notes=(NO_GUARANTEE,))
    steps = [_step(entry) for entry in stated["steps"]]
    problems += _understated_steps(stated, steps)
    spent = sum((step.cost for step in steps), Fraction(0))
    if spent > fraction(stated["rho"]):
        problems.append(tr("the stated steps cost more than the manifest allows"))
    verdicts: list[ModelVerdict] = []
    for entry in written.model_entries:
        if entry.get("model") not in MEASURES:
            problems.append(
                tr("{model} is requested, and does not follow from differential privacy", model=entry.get("model"))
            )
            continue
        wanted = {key: value for key, value in entry.items() if key not in ("model", "satisfied", "measured")}
        verdicts.append(_verdict(MEASURES[entry["model"]](**wanted), spent))
    if not verdicts:
        problems.append(tr("the manifest promises nothing"))
    notes: list[str] = [ON_TRUST]
    if "receipt" in stated:
        lacking, unseen = (
            check_debit(written.private_statement)
            if written.private_statement
            else ([], [tr("only the evidence shows the debit")])
        )
        problems += lacking
        notes += unseen
        if written.private_statement and written.private_statement.get("receipt") != stated["receipt"]:
            problems.append(tr("the evidence and the manifest name different debits"))
    return CheckResult(tuple(verdicts), tuple(problems), tuple(notes))


def _verdict(promise: DifferentialPrivacy | ConcentratedPrivacy, rho: Fraction) -> ModelVerdict:
    """The verdict on a cost in ρ; a promise in ε is checked at its own δ."""
    if isinstance(promise, ConcentratedPrivacy):
        return promise.verdict(float(rho))
    return promise.verdict(epsilon_of(float(rho), promise.delta) if rho else 0.0, promise.delta)


def _misfits(written: Written) -> Iterator[str]:
    """Columns without a declared domain, and values outside of theirs."""
    stated, decimal = written.statement["domains"], written.manifest.data.decimal
    if list(stated) != list(written.manifest.columns_in()):
        yield tr("the domains in the manifest are not those of its columns")
        return
    for name, content in stated.items():
        domain = domains.read_domain(name, content)
        labels, _ = count_values(written.rows, name)
        if any(not (domain.null if label is None else domain.holds(label, decimal)) for label in labels):
            yield tr('"{name}" has values that are not in its domain', name=name)


def _step(entry: Mapping[str, Any]) -> PaidStep:
    """Read a step as the manifest states it."""
    attributes = tuple(range(len(entry["attributes"])))
    sensitivity = int(entry["sensitivity"])
    if entry["mechanism"] == "gaussian":
        return PaidStep("gaussian", attributes, Fraction(0), scale=float(entry["scale"]), sensitivity=sensitivity)
    if entry["mechanism"] == "exponential":
        epsilon = fraction(entry["epsilon"])
        return PaidStep("exponential", attributes, Fraction(0), epsilon=epsilon, sensitivity=sensitivity)
    raise VerificationFailed(tr("the manifest states a step with an unknown mechanism"))


def _understated_steps(stated: Mapping[str, Any], steps: list[PaidStep]) -> Iterator[str]:
    """Steps that state a smaller sensitivity than one person has."""
    rows, width = int(stated["max-rows"]), len(stated["domains"])
    change = METHODS[stated["method"]].change(width, int(stated["degree"])) * rows
    if rows < 1 or not steps or any(step.cost <= 0 for step in steps):
        yield tr("the manifest states impossible steps")
    for step in steps:
        if step.sensitivity < (rows**2 if step.mechanism == "gaussian" else change):
            yield tr("a step assumes that one person changes less than a person can")
            return
