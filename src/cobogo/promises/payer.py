"""Who pays for a release: an analyst's budget on a data set, debited before the data are touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cobogo.errors import CobogoError, LedgerError, PolicyError
from cobogo.floor.language import Text, tr
from cobogo.floor.store import parse_place
from cobogo.floor.untrusted import fraction
from cobogo.promises.accounting import Measure, PrivacyLoss, to_rho
from cobogo.promises.curator_file import CuratorPolicy, find_dataset
from cobogo.promises.ledger import Ledger


@dataclass(frozen=True, eq=False, repr=False)
class Payer:
    """An analyst's budget on a data set; ``file`` is the curator's file that declares it, where there is one."""

    ledger: Ledger
    dataset: str
    analyst: str
    file: str | None = None

    @property
    def measure(self) -> Measure:
        """What the book counts in."""
        return self.ledger.balance(self.dataset, self.analyst).measure

    def pay(self, loss: PrivacyLoss, question: str) -> None:
        """Debit, or refuse. Pure ε is a cost in ρ, too, where the book counts in that."""
        in_rho = self.measure == "rho" and loss.measure == "epsilon" and not loss.delta
        self.ledger.debit(self.dataset, self.analyst, to_rho(loss) if in_rho else loss, question)


def payer_of_options(ledger: str | None, dataset: str | None, analyst: str | None) -> Payer | None:
    """The budget that options of a command name; None where they name none."""
    given = {"--ledger": ledger, "--dataset": dataset, "--analyst": analyst}
    if ledger is None and dataset is None and analyst is None:
        return None
    if ledger is None or dataset is None or analyst is None:
        missing = ", ".join(name for name, value in given.items() if value is None)
        what = tr("a budget needs a ledger, a data set and an analyst, and this option is missing")
        raise PolicyError(what, where=missing, remedy=tr("Give --ledger, --dataset and --analyst together."))
    file = parse_place(ledger, PolicyError, where="--ledger").file
    if file is not None and not file.is_file():  # a new ledger would have no budget, and would hide a wrong path
        raise LedgerError(
            tr("there is no ledger here"),
            where=str(file),
            remedy=tr(
                "Check --ledger. A curator's file declares budgets, and `cobogo answer budget` opens its ledger."
            ),
        )
    return Payer(Ledger(ledger), dataset, analyst)


def payer_of_curator(file: Path, dataset: str, analyst: str, unit: str | None, where: str) -> Payer:
    """The budget that a curator's file declares. The curator must protect the same ``unit`` as the release, or its
    books would mix two kinds of ε."""
    rules = CuratorPolicy.load(file)
    name = find_dataset(dataset, rules.datasets, f"{where}.dataset")
    declared = rules.datasets[name]
    if declared.unit != unit:
        raise PolicyError(
            tr(
                "the curator protects {protected}, and this policy protects {asked}",
                protected=_protected(declared.unit),
                asked=_protected(unit),
            ),
            where=f"{where}.dataset",
            remedy=tr("Name the same unit in both: one budget cannot protect both rows and people."),
        )
    return Payer(rules.open_books(), name, analyst, str(file.absolute()))


def _protected(unit: str | None) -> Text:
    return tr("single rows") if unit is None else tr('people, identified by "{unit}"', unit=unit)


def check_debit(evidence: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What is wrong with a debit that the evidence speaks of, and what could not be looked up."""
    try:
        rules = CuratorPolicy.load(evidence["curator"])
        entries = rules.open_ledger().entries(evidence["dataset"])
    except LedgerError:  # it was changed, or is another one: what it says counts for nothing
        return [tr("the curator's ledger has no debit for this release")], []
    except CobogoError:
        return [], [tr("the curator's ledger cannot be read here, so the debit was not checked")]
    found = [entry for entry in entries if evidence["receipt"] in entry.question]
    if len(found) != 1:
        return [tr("the curator's ledger has no debit for this release")], []
    due = PrivacyLoss(evidence["measure"], fraction(evidence["amount"]), fraction(evidence["delta"]))
    own = found[0].cost.loss(due.measure)
    if own.amount < due.amount or own.delta < due.delta:
        return [tr("the curator's ledger has a smaller debit for this release than it cost")], []
    return [], []
