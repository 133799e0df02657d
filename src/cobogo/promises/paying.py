"""Who pays for a release: an analyst's budget on a data set, debited before the data are touched."""

from __future__ import annotations

from dataclasses import dataclass

from cobogo.errors import PolicyError
from cobogo.promises.accounting import Loss, concentrated
from cobogo.promises.ledger import Ledger


@dataclass(frozen=True, eq=False, repr=False)
class Payer:
    """An analyst's budget on a data set."""

    ledger: Ledger
    dataset: str
    analyst: str

    def pay(self, loss: Loss, question: str) -> None:
        """Debit, or refuse. Pure ε is a cost in ρ, too, where the book counts in that."""
        measure = self.ledger.balance(self.dataset, self.analyst).measure
        in_book = concentrated(loss) if measure == "rho" and loss.measure == "epsilon" and not loss.delta else loss
        self.ledger.debit(self.dataset, self.analyst, in_book, question)


def payer(ledger: str | None, dataset: str | None, analyst: str | None) -> Payer | None:
    """The budget that options name; None where they name none."""
    given = {"--ledger": ledger, "--dataset": dataset, "--analyst": analyst}
    if ledger is None and dataset is None and analyst is None:
        return None
    if ledger is None or dataset is None or analyst is None:
        missing = ", ".join(name for name, value in given.items() if value is None)
        what = "a budget is that of an analyst on a data set, in a ledger"
        raise PolicyError(what, where=missing, remedy="Give all three.")
    return Payer(Ledger(ledger), dataset, analyst)
