"""What an analyst sees of the curator: questions, their prices, and no rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cobogo.dp.answer import Answer
from cobogo.dp.ledger import Balance
from cobogo.dp.metadata.datasets import dataset_named, loss_of
from cobogo.dp.sql.parse import parse
from cobogo.dp.units import Amount

if TYPE_CHECKING:
    from cobogo.dp.curator import Curator


class Session:
    """One analyst's way to ask."""

    def __init__(self, curator: Curator, analyst: str) -> None:
        self._curator = curator
        self.analyst = analyst

    def sql(self, text: str, *, epsilon: Amount | None = None, rho: Amount | None = None, delta: Amount = 0) -> Answer:
        """Answer a question in SQL for a price."""
        query = parse(text, self._curator.datasets)
        loss = loss_of(epsilon, rho, delta, measure=self._curator.measure(query.dataset))
        return self._curator.answer(query, self.analyst, loss, text)

    def budget(self, dataset: str) -> Balance:
        """What this analyst has spent on a data set, and may still."""
        return self._curator.balance(dataset_named(dataset, self._curator.datasets, "budget"), self.analyst)
