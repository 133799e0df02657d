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
from cobogo.publish.synthesize import METHODS, domains
from cobogo.publish.synthesize.private import PaidStep
from cobogo.publish.synthesize.release import NO_GUARANTEE
from cobogo.release.contract import CheckResult, Written

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
