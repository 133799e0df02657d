"""The books: limits and debits, in SQLite or PostgreSQL.

A debit is one transaction that locks the data set's book, looks at both budgets, and appends one entry. It is committed
before the engine is touched: a process that dies after it has spent, and never the other way round.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import SQLAlchemyError

from cobogo.dp.accounting import Loss, Measure
from cobogo.dp.ledger.balance import Balance, Debit, Units, shown
from cobogo.dp.ledger.tables import BOOKS, DEBITS, LIMITS, alone, create
from cobogo.errors import BudgetSpent, LedgerError, PolicyError
from cobogo.outside import is_writable
from cobogo.store import new_file, opened, placed

LONGEST_NAME = 200

WAIT = 120
"""Seconds to wait for others who write to the same SQLite file."""


class Ledger:
    """A ledger at a path (SQLite) or a URL (``sqlite:///…``, ``postgresql://…``)."""

    def __init__(self, place: str | Path) -> None:
        found = placed(place, "ledger", PolicyError, where="ledger")
        if found.file is not None:
            new_file(found.file, "ledger", LedgerError)
        self._engine = opened(found, patience=WAIT, pragmas=["synchronous = FULL"], pooled=True)
        weakref.finalize(self, self._engine.dispose)
        with self._writing() as connection:
            create(connection)

    def close(self) -> None:
        """Let go of its connections."""
        self._engine.dispose()

    def open(self, dataset: str, limit: Loss) -> None:
        """Open the book of a data set, or set its limit anew. What a book counts in cannot change."""
        with self._writing() as connection:
            alone(connection)
            found = connection.execute(select(BOOKS.c.measure).where(BOOKS.c.dataset == dataset)).scalar()
            if found is None:
                row = {"dataset": dataset, "measure": limit.measure, "opened": datetime.now(UTC)}
                connection.execute(insert(BOOKS).values(row))
            elif found != limit.measure:
                raise LedgerError(
                    f"the book of this data set counts in {found}, and its budget is now given in {limit.measure}",
                    where=dataset,
                    remedy="Give the budget in the same measure, or register the data under another name.",
                )
            _set_limit(connection, dataset, "", Units.allowed(limit))

    def grant(self, dataset: str, analyst: str, limit: Loss) -> None:
        """Say what an analyst may spend on a data set, in all; the data set's own limit holds beside it."""
        check_name(analyst)
        with self._writing() as connection:
            measure = _measure(connection, dataset)
            if measure != limit.measure:
                raise LedgerError(
                    f"the book of this data set counts in {measure}, and the grant is in {limit.measure}",
                    where=f"{dataset}, {analyst}",
                    remedy="Give the grant in the same measure.",
                )
            _set_limit(connection, dataset, analyst, Units.allowed(limit))

    def debit(self, dataset: str, analyst: str, loss: Loss, question: str) -> Balance:
        """Spend, or refuse; the analyst's balance after it. When this returns the debit is on disk."""
        check_name(analyst)
        cost = Units.charged(loss)
        with self._writing() as connection:
            measure = _measure(connection, dataset, lock=True)
            if loss.measure != measure:
                raise LedgerError(f"the book counts in {measure}, and the cost is in {loss.measure}", where=dataset)
            whole, number = _state(connection, dataset, None, measure)
            own, own_number = _state(connection, dataset, analyst, measure)
            for balance in (own, whole):
                if not (balance.spent + cost).within(balance.limit):
                    raise _refusal(balance, cost)
            own_spent, whole_spent = own.spent + cost, whole.spent + cost
            row = {
                "dataset": dataset, "number": number + 1, "analyst": analyst, "analyst_number": own_number + 1,
                "amount": cost.amount, "delta": cost.delta,
                "total_amount": whole_spent.amount, "total_delta": whole_spent.delta,
                "analyst_total_amount": own_spent.amount, "analyst_total_delta": own_spent.delta,
                "question": question, "at": datetime.now(UTC),
            }  # fmt: skip
            connection.execute(insert(DEBITS).values(row))
        return Balance(dataset, analyst, measure, own.limit, own_spent)

    def balance(self, dataset: str, analyst: str | None = None) -> Balance:
        """What a data set, or an analyst on it, has spent and may spend."""
        if analyst is not None:
            check_name(analyst)
        with self._writing() as connection:
            return _state(connection, dataset, analyst, _measure(connection, dataset))[0]

    def balances(self, dataset: str) -> list[Balance]:
        """The data set's budget, then every analyst's, by name."""
        with self._writing() as connection:
            measure = _measure(connection, dataset)
            names = select(LIMITS.c.analyst).where(LIMITS.c.dataset == dataset).distinct().order_by(LIMITS.c.analyst)
            return [
                _state(connection, dataset, name or None, measure)[0] for name in connection.execute(names).scalars()
            ]

    def entries(self, dataset: str) -> list[Debit]:
        """Every debit, in order."""
        with self._writing() as connection:
            rows = connection.execute(select(DEBITS).where(DEBITS.c.dataset == dataset).order_by(DEBITS.c.number))
            return [_debit(row) for row in rows]

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            cause = getattr(error, "orig", None)
            raise LedgerError(
                f"cannot be used: {type(cause or error).__name__}",
                where="the ledger",
                remedy="Check its place, its rights and its disk. Nothing was answered.",
            ) from None


def check_name(analyst: str) -> None:
    """Refuse an empty name, under which stands the data set's own budget, and one that cannot be written down."""
    if not analyst.strip() or len(analyst) > LONGEST_NAME or not is_writable(analyst):
        raise PolicyError(f"an analyst needs a name, of {LONGEST_NAME} characters at most", where="analyst")


def _measure(connection: Connection, dataset: str, *, lock: bool = False) -> Measure:
    query = select(BOOKS.c.measure).where(BOOKS.c.dataset == dataset)
    found = connection.execute(query.with_for_update() if lock else query).scalar()
    if found is None:
        raise LedgerError("has no book in this ledger", where=dataset, remedy="Register the data set first.")
    return cast(Measure, found)


def _set_limit(connection: Connection, dataset: str, analyst: str, limit: Units) -> None:
    if _limit(connection, dataset, analyst) != limit:
        row = {"dataset": dataset, "analyst": analyst, "amount": limit.amount, "delta": limit.delta}
        connection.execute(insert(LIMITS).values(**row, at=datetime.now(UTC)))


def _limit(connection: Connection, dataset: str, analyst: str) -> Units | None:
    query = select(LIMITS.c.amount, LIMITS.c.delta).where(LIMITS.c.dataset == dataset, LIMITS.c.analyst == analyst)
    found = connection.execute(query.order_by(LIMITS.c.id.desc()).limit(1)).first()
    return Units(*found) if found else None


def _state(connection: Connection, dataset: str, analyst: str | None, measure: Measure) -> tuple[Balance, int]:
    """A balance, and the number of the last entry that it counts."""
    limit = _limit(connection, dataset, analyst or "")
    if limit is None:
        raise BudgetSpent(
            "has no budget on this data set",
            where=f"{analyst} on {dataset}",
            remedy="The data holder grants budgets.",
        )
    of, entries = ("total_", DEBITS.c.number) if analyst is None else ("analyst_total_", DEBITS.c.analyst_number)
    query = select(entries, DEBITS.c[f"{of}amount"], DEBITS.c[f"{of}delta"]).where(DEBITS.c.dataset == dataset)
    if analyst is not None:
        query = query.where(DEBITS.c.analyst == analyst)
    found = connection.execute(query.order_by(entries.desc()).limit(1)).first()
    number, spent = (found[0], Units(found[1], found[2])) if found else (0, Units(0, 0))
    return Balance(dataset, analyst, measure, limit, spent), number


def _refusal(balance: Balance, cost: Units) -> BudgetSpent:
    """Of their own budget analysts are told what is left; of the data set's not, since that tells what others spent."""
    price, remedy = f"this would cost {shown(cost, balance.measure)}", "Ask for less, or ask the data holder for more."
    if balance.analyst is None:
        return BudgetSpent(
            f"{price}, and what all analysts may spend together does not allow for it",
            where=balance.dataset,
            remedy=remedy,
        )
    return BudgetSpent(
        f"{price}, and of the budget {shown(balance.left, balance.measure)} is left "
        f"(of {shown(balance.limit, balance.measure)})",
        where=f"{balance.analyst} on {balance.dataset}",
        remedy=remedy,
    )


def _debit(row: Any) -> Debit:
    return Debit(
        row.dataset, row.number, row.analyst, row.analyst_number,
        Units(row.amount, row.delta), Units(row.total_amount, row.total_delta),
        Units(row.analyst_total_amount, row.analyst_total_delta), row.question, row.at,
    )  # fmt: skip
