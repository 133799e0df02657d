"""Who pays: the budget that a curator keeps, debited before a row is looked at."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cobogo.data.policy import Policy, Synthesis
from cobogo.errors import CobogoError, LedgerError, PolicyError
from cobogo.floor.untrusted import fraction
from cobogo.promises.accounting import Loss, rho_of
from cobogo.promises.ledger import Ledger
from cobogo.promises.units import exact


@dataclass(frozen=True)
class Cost:
    """What a release may cost anybody's privacy: ρ, and the (ε, δ) that it was found from."""

    rho: Fraction
    epsilon: Fraction | None = None
    delta: Fraction | None = None

    @classmethod
    def of(cls, wanted: Synthesis, where: str) -> Cost:
        """As a policy says it; ρ is the largest that stays within (ε, δ)."""
        if wanted.rho is not None:
            return cls(exact(wanted.rho, f"{where}.rho"))
        if wanted.epsilon is None or wanted.delta is None:
            raise PolicyError(
                "nobody said what this may cost anybody's privacy",
                where=where,
                remedy="Give epsilon and delta, as in epsilon = 1.0 and delta = 1e-9.",
            )
        epsilon, delta = exact(wanted.epsilon, f"{where}.epsilon"), exact(wanted.delta, f"{where}.delta")
        return cls(rho_of(epsilon, delta).limit_denominator(10**15), epsilon, delta)

    def loss(self, measure: str, where: str) -> Loss:
        """The same as a book counts it."""
        if measure == "rho":
            return Loss("rho", self.rho)
        if self.epsilon is None or self.delta is None:
            raise PolicyError(
                "the curator's book counts in ε, and the cost is given in ρ",
                where=where,
                remedy="Give epsilon and delta instead of rho.",
            )
        return Loss("epsilon", self.epsilon, self.delta)


@dataclass(frozen=True, eq=False, repr=False)
class Payer:
    """A budget of a curator's."""

    ledger: Ledger
    file: str
    dataset: str
    analyst: str
    loss: Loss

    def pay(self, method: str) -> str:
        """Debit, or refuse. What it returns stands in the ledger beside the debit, and in the manifest."""
        receipt = secrets.token_hex(16)
        self.ledger.debit(self.dataset, self.analyst, self.loss, f"synthesize {method}, receipt {receipt}")
        return receipt


def payer(policy: Policy, wanted: Synthesis, cost: Cost) -> Payer | None:
    """The budget that a policy names. The curator must mean the same people, or its books would mix two kinds of ε."""
    if wanted.curator is None:
        return None
    from cobogo.answer.curator import Curator
    from cobogo.answer.metadata import CuratorPolicy
    from cobogo.answer.metadata.datasets import dataset_named

    file, where = policy.resolve(wanted.curator), f"{policy.name}, synthesis"
    rules = CuratorPolicy.load(file)
    name = dataset_named(str(wanted.dataset), rules.datasets, f"{where}.dataset")
    declared = rules.datasets[name]
    if declared.unit != policy.data.unit:
        raise PolicyError(
            f"the curator protects {_who(declared.unit)}, and this policy {_who(policy.data.unit)}",
            where=f"{where}.dataset",
            remedy="Name the same unit in both: a budget is of one kind of privacy.",
        )
    ledger = Curator.load(rules).ledger
    measure = ledger.balance(name, str(wanted.analyst)).measure
    return Payer(ledger, str(file.absolute()), name, str(wanted.analyst), cost.loss(measure, where))


def _who(unit: str | None) -> str:
    return "single rows" if unit is None else f'people, whom "{unit}" tells apart'


def unpaid(kept: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What is wrong with a debit that the evidence speaks of, and what could not be looked up."""
    from cobogo.answer.curator import open_ledger
    from cobogo.answer.metadata import CuratorPolicy

    try:
        rules = CuratorPolicy.load(kept["curator"])
        entries = open_ledger(rules).entries(kept["dataset"])
    except LedgerError:  # it was changed, or is another one: what it says counts for nothing
        return ["the curator's ledger has no debit for this release"], []
    except CobogoError:
        return [], ["the curator's ledger cannot be read here, so the debit was not looked up"]
    found = [entry for entry in entries if kept["receipt"] in entry.question]
    if len(found) != 1:
        return ["the curator's ledger has no debit for this release"], []
    due = Loss(kept["measure"], fraction(kept["amount"]), fraction(kept["delta"]))
    own = found[0].cost.loss(due.measure)
    if own.amount < due.amount or own.delta < due.delta:
        return ["the curator's ledger debits less for this release than it cost"], []
    return [], []
