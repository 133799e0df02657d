"""The curator as the server's faces use it: what somebody may ask, what it costs, what is left. Who asks is whoever is
logged in; nobody can ask on another's budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cobogo.promises.ledger.balance import Balance

if TYPE_CHECKING:
    from cobogo.answer.curator import Curator
    from cobogo.promises.curator_file import Dataset


@dataclass(frozen=True)
class Books:
    """An analyst's budget on a data set; ``shared``: whether the data set's own, which all its analysts share, allows
    for less. How much less is not told: it says what others spent."""

    mine: Balance
    shared: bool


def described(dataset: Dataset) -> dict[str, dict[str, Any]]:
    """The declared columns, which are no secret."""
    return {
        name: column.model_dump(mode="json", exclude_none=True, by_alias=True)
        for name, column in dataset.columns.items()
    }


def books(curator: Curator, dataset: str, analyst: str) -> Books:
    """What may be spent on a data set, and was."""
    mine, whole = curator.ledger.balance(dataset, analyst), curator.ledger.balance(dataset)
    return Books(mine, not mine.left.within(whole.left))


def everybody(curator: Curator) -> list[Balance]:
    """What every data set and analyst may spend, has spent and has left."""
    return [balance for name in curator.datasets for balance in curator.ledger.balances(name)]
