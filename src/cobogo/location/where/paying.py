"""Who pays: a budget that a curator keeps, debited before the noise is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cobogo.dp.accounting import Loss, concentrated
from cobogo.dp.ledger import Ledger
from cobogo.errors import PolicyError


@dataclass(frozen=True, eq=False)
class Payer:
    """An analyst's budget on a data set."""

    ledger: Ledger
    dataset: str
    analyst: str
    measure: str

    def pay(self, epsilon: Fraction, question: str) -> None:
        """Debit, or refuse. Pure ε is a cost in ρ, too, where the book counts in that."""
        loss = Loss("epsilon", epsilon)
        self.ledger.debit(
            self.dataset, self.analyst, loss if self.measure == "epsilon" else concentrated(loss), question
        )


def payer(ledger: str | None, dataset: str | None, analyst: str | None) -> Payer | None:
    """The budget that options name; None where they name none."""
    given = {"--ledger": ledger, "--dataset": dataset, "--analyst": analyst}
    if all(value is None for value in given.values()):
        return None
    if ledger is None or dataset is None or analyst is None:
        missing = ", ".join(name for name, value in given.items() if value is None)
        what = "a budget is that of an analyst on a data set, in a ledger"
        raise PolicyError(what, where=missing, remedy="Give all three.")
    books = Ledger(ledger)
    return Payer(books, dataset, analyst, books.balance(dataset, analyst).measure)
