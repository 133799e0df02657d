"""Who pays: a budget that a curator keeps, debited before the noise is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

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


def payer(config: Path | None, dataset: str | None, analyst: str | None) -> Payer | None:
    """The budget that options name. The curator must mean people, or its books would mix two kinds of ε."""
    given = {"--config": config, "--dataset": dataset, "--analyst": analyst}
    if all(value is None for value in given.values()):
        return None
    if config is None or dataset is None or analyst is None:
        missing = ", ".join(name for name, value in given.items() if value is None)
        what = "a budget is of an analyst on a data set of a curator"
        raise PolicyError(what, where=missing, remedy="Give all three.")
    from cobogo.dp.curator import Curator
    from cobogo.dp.metadata import CuratorPolicy
    from cobogo.dp.metadata.datasets import dataset_named

    rules = CuratorPolicy.load(config)
    name = dataset_named(dataset, rules.datasets, "--dataset")
    if rules.datasets[name].unit is None:
        raise PolicyError(
            "the curator protects single rows of this data set, and the model protects people",
            where=f"{config}, datasets.{name}.unit",
            remedy="Name the column that tells people apart: a budget is of one kind of privacy.",
        )
    ledger = Curator.load(rules).ledger
    return Payer(ledger, name, analyst, ledger.balance(name, analyst).measure)
