"""What an analyst sees of the curator: questions, their prices, and no rows."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from cobogo.answer.chain import Chain
from cobogo.answer.explain import Explanation, explain, price_for
from cobogo.answer.plan import plan
from cobogo.answer.query import CuratorQuery
from cobogo.answer.result import Answer
from cobogo.answer.sql.parse import parse
from cobogo.promises.accounting import Amount, exact_amount, loss_of
from cobogo.promises.curator_file import find_dataset
from cobogo.promises.ledger import Balance

if TYPE_CHECKING:
    from cobogo.answer.curator import Curator
    from cobogo.promises.curator_file import DeclaredDataset


class AnalystSession:
    """One analyst's way to ask."""

    def __init__(self, curator: Curator, analyst: str) -> None:
        self.curator = curator
        self.analyst = analyst

    @property
    def datasets(self) -> dict[str, DeclaredDataset]:
        """The data sets that this analyst may ask about."""
        return self.curator.open_to(self.analyst)

    def sql(self, text: str, *, epsilon: Amount | None = None, rho: Amount | None = None, delta: Amount = 0) -> Answer:
        """Answer a question in SQL for a price."""
        query = parse(text, self.datasets, self.curator.public)
        loss = loss_of(epsilon, rho, delta, measure=self.curator.measure(query.dataset))
        return self.curator.answer(query, self.analyst, loss, text)

    def table(self, dataset: str) -> Chain:
        """Begin to chain a question about a data set."""
        return Chain(self, CuratorQuery(find_dataset(dataset, self.datasets, "table"), ()))

    def estimate(
        self,
        text: str,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount = 0,
        rows: int | None = None,
        confidence: float = 0.95,
    ) -> Explanation:
        """What a question in SQL would be computed by, and how far off, for a price. Nothing is spent or read."""
        query = parse(text, self.datasets, self.curator.public)
        return self.explained(query, epsilon=epsilon, rho=rho, delta=delta, rows=rows, confidence=confidence)

    def epsilon_for(
        self, text: str, error: Amount, *, delta: Amount = 0, rows: int | None = None, confidence: float = 0.95
    ) -> Fraction:
        """The ε (or ρ) at which no figure of a question is farther off than ``error``, as a rule. Nothing is spent."""
        query = parse(text, self.datasets, self.curator.public)
        return self.priced(query, error, delta=delta, rows=rows, confidence=confidence)

    def budget(self, dataset: str) -> Balance:
        """What this analyst has spent on a data set, and may still."""
        return self.curator.ledger.balance(find_dataset(dataset, self.datasets, "budget"), self.analyst)

    def explained(
        self,
        query: CuratorQuery,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount = 0,
        rows: int | None = None,
        confidence: float = 0.95,
    ) -> Explanation:
        """The same of a typed question."""
        loss = loss_of(epsilon, rho, delta, measure=self.curator.measure(query.dataset))
        return explain(plan(query, self.datasets[query.dataset]), loss, rows=rows, confidence=confidence)

    def priced(
        self,
        query: CuratorQuery,
        error: Amount,
        *,
        delta: Amount = 0,
        rows: int | None = None,
        confidence: float = 0.95,
    ) -> Fraction:
        """The same of a typed question."""
        return price_for(
            plan(query, self.datasets[query.dataset]),
            error,
            measure=self.curator.measure(query.dataset),
            delta=exact_amount(delta, "delta", zero=True),
            confidence=confidence,
            rows=rows,
        ).amount
