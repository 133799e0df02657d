"""The curator: what the holder may ask, what it costs, what is left. Nobody can ask on another's budget."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cobogo.errors import CobogoError
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.services.operation import NotFound, Subject, Unavailable, operation
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.answer.curator import Curator
    from cobogo.answer.explain import Explanation
    from cobogo.answer.result import Answer
    from cobogo.promises.curator_file import DeclaredDataset
    from cobogo.promises.ledger.balance import Balance

LOG = logging.getLogger("cobogo.faces.server")


@dataclass(frozen=True)
class AnalystBudget:
    """An analyst's budget on a data set. ``shared`` says whether the data set's own budget, which its analysts
    share, allows for less; not how much less, which would reveal what others spent."""

    mine: Balance
    shared: bool


class CuratorService(Subject):
    """The server's curator, where the settings name its file."""

    @property
    def place(self) -> str | None:
        """The curator's file, for the one person of a workbench on their own machine."""
        return self._context.settings.curator

    def check(self) -> bool:
        """Whether there is a curator; one that cannot be opened is an error that says why."""
        return self._context.curator is not None

    @property
    def _curator(self) -> Curator:
        """The curator. An error in its file concerns the administrator: it is written in the server's log."""
        try:
            found = self._context.curator
        except CobogoError as error:
            LOG.error("the curator cannot be opened: %s", error)
            raise Unavailable(tr("The curator cannot be opened now. The server's log says why.")) from None
        if found is None:
            raise NotFound(tr("This server has no curator."), thing="curator")
        return found

    @operation(KeyScope.ASK, reads=True)
    def datasets(self, holder: Holder) -> Mapping[str, DeclaredDataset]:
        """The data sets that the holder may ask about."""
        return self._curator.datasets_for(holder.owner)

    @operation(KeyScope.ASK, reads=True)
    def first_dataset(self, holder: Holder) -> str:  # noqa: ARG002
        """The name of one of the curator's data sets, for the page that shows how to add an analyst."""
        return next(iter(self._curator.datasets))

    @operation(KeyScope.ASK, reads=True)
    def describe(self, holder: Holder) -> list[dict[str, Any]]:
        """The data sets that the holder may ask about, with their declared columns and what is left of the budget."""
        curator = self._curator
        return [
            {
                "name": name,
                "columns": {
                    column: declared.model_dump(mode="json", exclude_none=True, by_alias=True)
                    for column, declared in dataset.columns.items()
                },
                "budget": curator.ledger.balance(name, holder.owner).as_dict(),
            }
            for name, dataset in curator.datasets_for(holder.owner).items()
        ]

    @operation(KeyScope.ASK, reads=True)
    def measure(self, holder: Holder, dataset: str) -> str:  # noqa: ARG002
        """What the budget of a data set is counted in: epsilon or rho."""
        return self._curator.measure(dataset)

    @operation(KeyScope.ASK, reads=True)
    def budget(self, holder: Holder, dataset: str) -> AnalystBudget:
        """What the holder may spend on a data set, and has spent."""
        ledger = self._curator.ledger
        mine, whole = ledger.balance(dataset, holder.owner), ledger.balance(dataset)
        return AnalystBudget(mine, not mine.left.within(whole.left))

    @operation(KeyScope.ASK, reads=True)
    def explain(self, holder: Holder, /, sql: str, **offer: Any) -> Explanation:
        """What a question would cost and how far off its answer would be. Reads and spends nothing."""
        return self._curator.session(holder.owner).estimate(sql, **offer)

    @operation(KeyScope.ASK)
    def ask(self, holder: Holder, /, sql: str, **offer: Any) -> Answer:
        """Answer a question, and charge it."""
        return self._curator.session(holder.owner).sql(sql, **offer)

    @operation(KeyScope.BUDGETS, reads=True)
    def list_balances(self, holder: Holder) -> list[Balance]:  # noqa: ARG002
        """What every data set and analyst may spend, has spent and has left."""
        curator = self._curator
        return [balance for name in curator.datasets for balance in curator.ledger.balances(name)]
