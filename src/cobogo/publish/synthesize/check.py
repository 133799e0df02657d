"""Verifying synthetic data: the values are of the declared domains, and the guarantee follows from the stated steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from cobogo.data.table.columns import count_values
from cobogo.errors import VerificationFailed
from cobogo.floor.language import tr
from cobogo.floor.untrusted import fraction
from cobogo.promises.accounting import epsilon_of
from cobogo.promises.models.check import ModelVerdict
from cobogo.promises.models.differential_privacy import MEASURES, ConcentratedPrivacy, DifferentialPrivacy
from cobogo.promises.payer import check_debit
from cobogo.publish.synthesize import domains
from cobogo.publish.synthesize.methods import METHODS
from cobogo.publish.synthesize.private import PaidStep
from cobogo.publish.synthesize.release import NO_GUARANTEE
from cobogo.release.contract import CheckResult, Written

ON_TRUST = "that the noise stated was really drawn cannot be seen in the records; the guarantee follows from it"


def check(written: Written) -> CheckResult:
    """Check every released value, add up what the steps cost and, with the evidence, look up the debit."""
    stated = written.statement
    method = METHODS.find(stated["method"], raising=VerificationFailed)
    problems = [*_misfits(written)]
    if "entropy" not in stated:
        problems.append("the manifest does not say where the randomness came from")
    if not method.private:
        problems += [
            f"{entry.get('model')} is asked for, and this method promises nothing" for entry in written.model_entries
        ]
        return CheckResult(problems=tuple(problems), notes=(NO_GUARANTEE,))
    steps = [_step(entry) for entry in stated["steps"]]
    problems += _understated_steps(stated, steps)
    spent = sum((step.cost for step in steps), Fraction(0))
    if spent > fraction(stated["rho"]):
        problems.append("the steps stated cost more than the manifest allows for")
    verdicts: list[ModelVerdict] = []
    for entry in written.model_entries:
        if entry.get("model") not in MEASURES:
            problems.append(f"{entry.get('model')} is asked for, and does not follow from differential privacy")
            continue
        wanted = {key: value for key, value in entry.items() if key not in ("model", "satisfied", "measured")}
        verdicts.append(_verdict(MEASURES[entry["model"]](**wanted), spent))
    if not verdicts:
        problems.append("the manifest promises nothing")
    notes: list[str] = [ON_TRUST]
    if "receipt" in stated:
        lacking, unseen = (
            check_debit(written.private_statement)
            if written.private_statement
            else ([], ["the debit is known to the evidence"])
        )
        problems += lacking
        notes += unseen
        if written.private_statement and written.private_statement.get("receipt") != stated["receipt"]:
            problems.append("the evidence speaks of another debit than the manifest")
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
        yield "the manifest states domains of other columns than there are"
        return
    for name, content in stated.items():
        domain = domains.read_domain(name, content)
        labels, _ = count_values(written.rows, name)
        if any(not (domain.null if label is None else domain.holds(label, decimal)) for label in labels):
            yield f'"{name}" holds values that are not in its domain'


def _step(entry: Mapping[str, Any]) -> PaidStep:
    """Read a step as the manifest states it."""
    attributes = tuple(range(len(entry["attributes"])))
    sensitivity = int(entry["sensitivity"])
    if entry["mechanism"] == "gaussian":
        return PaidStep("gaussian", attributes, Fraction(0), scale=float(entry["scale"]), sensitivity=sensitivity)
    if entry["mechanism"] == "exponential":
        epsilon = fraction(entry["epsilon"])
        return PaidStep("exponential", attributes, Fraction(0), epsilon=epsilon, sensitivity=sensitivity)
    raise VerificationFailed(tr("the manifest states a step by an unknown mechanism"))


def _understated_steps(stated: Mapping[str, Any], steps: list[PaidStep]) -> Iterator[str]:
    """Steps that state a smaller sensitivity than one person has."""
    rows, width = int(stated["max-rows"]), len(stated["domains"])
    change = METHODS[stated["method"]].change(width, int(stated["degree"])) * rows
    if rows < 1 or not steps or any(step.cost <= 0 for step in steps):
        yield "the manifest states steps that cannot be"
    for step in steps:
        if step.sensitivity < (rows**2 if step.mechanism == "gaussian" else change):
            yield "a step takes a person to change less than a person can"
            return
