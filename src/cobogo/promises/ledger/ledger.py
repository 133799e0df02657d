"""The ledger: limits and debits of each data set, in SQLite or PostgreSQL.

A debit is one transaction that locks the data set's book, looks at both budgets, and appends one entry. It is committed
before the engine is touched: a process that dies after it has spent, and never the other way round. Every entry is
sealed; opening a ledger checks all of them, and each debit those that are new (`cobogo.promises.ledger.chain`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from cobogo.errors import BudgetSpent, LedgerError, PolicyError
from cobogo.floor.language import tr
from cobogo.floor.store import Store, cause, create_book, parse_place
from cobogo.floor.untrusted import is_writable
from cobogo.promises.accounting import Measure, PrivacyLoss
from cobogo.promises.ledger import chain
from cobogo.promises.ledger.balance import Balance, Debit, Units, amount_text
from cobogo.promises.ledger.chain import BOOKS, DEBITS, SEALS, LedgerBook, SealFile, create_tables, lock_books

LONGEST_NAME = 200

WAIT = 120
"""Seconds to wait for others who write to the same SQLite file."""


class Ledger:
    """A ledger at a path (SQLite) or a URL (``sqlite:///…``, ``postgresql://…``).

    ``seal`` is the file of its key; beside a ledger that is a file it is ``….seal`` unless another is named.
    """

    def __init__(self, place: str | Path, *, seal: str | Path | None = None) -> None:
        found = parse_place(place, PolicyError, where="ledger")
        if found.file is not None:
            create_book(found.file, LedgerError)
            seal = seal or found.file.with_name(f"{found.file.name}.seal")
        self._store = Store(found, _unusable, patience=WAIT, pragmas=["synchronous = FULL"], pooled=True)
        self._seal = SealFile(None if seal is None else Path(seal).expanduser())
        self._checked: dict[str, LedgerBook] = {}
        self._check()

    def close(self) -> None:
        """Close the connections."""
        self._store.close()

    def _check(self) -> None:
        """Check every book; those of a ledger from before there were seals are sealed now."""
        with self._store.transaction() as connection:
            create_tables(connection)
            sealed = connection.execute(select(SEALS.c.position).limit(1)).first() is not None
            self._seal.open(sealed=sealed)
            names = list(connection.execute(select(BOOKS.c.dataset)).scalars())
            if not sealed and not self._seal.heads():
                for name in names:
                    chain.seal_old_entries(connection, self._seal.key, name)
        heads = self._seal.heads()  # before the entries are read: they are noted after these
        for name in sorted({*names, *heads}):
            with self._store.transaction() as connection:
                self._book(connection, name, head=heads.get(name))

    def _book(self, connection: Connection, dataset: str, *, head: tuple[int, str] | None = None) -> LedgerBook:
        """A data set's book, which nobody else writes in until the transaction ends, checked up to its last entry."""
        query = select(BOOKS.c.dataset).where(BOOKS.c.dataset == dataset)
        there = connection.execute(query.with_for_update()).scalar() is not None
        known = self._checked.get(dataset)
        if not there and known is None and head is None:
            remedy = tr(
                "Declare it in a curator's file, as [datasets.{name}], and run `cobogo answer check`; in Python, call "
                "Ledger.open.",
                name=dataset,
            )
            raise LedgerError(tr("is not in this ledger"), where=dataset, remedy=remedy)
        found = chain.check_entries(connection, self._seal.key, known or LedgerBook(dataset), head)
        if known is None or found.position > known.position:
            self._checked[dataset] = found
        return found

    def _note(self, book: LedgerBook) -> None:
        self._seal.note(book.dataset, book.position, book.seal)

    def open(self, dataset: str, limit: PrivacyLoss) -> None:
        """Open the book of a data set, or set its limit anew. What a book counts in cannot change."""
        with self._store.transaction() as connection:
            lock_books(connection)
            found = connection.execute(select(BOOKS.c.measure).where(BOOKS.c.dataset == dataset)).scalar()
            if found is None and dataset not in self._checked:
                row = {"dataset": dataset, "measure": limit.measure, "opened": datetime.now(UTC)}
                book = chain.append_entry(connection, self._seal.key, LedgerBook(dataset), "book", row)
            else:
                book = self._book(connection, dataset)
            if book.measure != limit.measure:
                raise LedgerError(
                    tr(
                        "the ledger counts this data set's budget in {measure}, and the new budget is in {given}",
                        measure=book.measure,
                        given=limit.measure,
                    ),
                    where=dataset,
                    remedy=tr(
                        "Give the budget in {measure}, or register the data under another name.", measure=book.measure
                    ),
                )
            book = self._set_limit(connection, book, "", Units.from_limit(limit))
        self._note(book)

    def grant(self, dataset: str, analyst: str, limit: PrivacyLoss) -> None:
        """Set what an analyst may spend on a data set, in all; the limit of the data set holds as well."""
        check_name(analyst)
        with self._store.transaction() as connection:
            book = self._book(connection, dataset)
            if book.measure != limit.measure:
                raise LedgerError(
                    tr(
                        "the ledger counts this data set's budget in {measure}, and the grant is in {given}",
                        measure=book.measure,
                        given=limit.measure,
                    ),
                    where=f"{dataset}, {analyst}",
                    remedy=tr("Give the grant in {measure}.", measure=book.measure),
                )
            book = self._set_limit(connection, book, analyst, Units.from_limit(limit))
        self._note(book)

    def debit(self, dataset: str, analyst: str, loss: PrivacyLoss, question: str) -> Balance:
        """Spend, or refuse; the analyst's balance after it. When this returns the debit is on disk."""
        return self.debit_all((dataset,), analyst, loss, question)[0]

    def debit_all(self, datasets: Sequence[str], analyst: str, loss: PrivacyLoss, question: str) -> list[Balance]:
        """Spend the same on each of some data sets, or refuse and spend nothing; the analyst's balances after it."""
        check_name(analyst)
        with self._store.transaction() as connection:
            found = {  # in one order, so that nobody waits for somebody who waits for them
                dataset: self._append_debit(connection, dataset, analyst, loss, question)
                for dataset in sorted(datasets)
            }
        for book, _ in found.values():
            self._note(book)
        return [found[dataset][1] for dataset in datasets]

    def _append_debit(
        self, connection: Connection, dataset: str, analyst: str, loss: PrivacyLoss, question: str
    ) -> tuple[LedgerBook, Balance]:
        cost, book = Units.from_cost(loss), self._book(connection, dataset)
        if loss.measure != book.measure:
            raise LedgerError(
                tr(
                    "the ledger counts this data set's budget in {measure}, and the cost is in {given}",
                    measure=book.measure,
                    given=loss.measure,
                ),
                where=dataset,
            )
        whole, number = _balance(book, None)
        own, own_number = _balance(book, analyst)
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
        appended = chain.append_entry(connection, self._seal.key, book, "debit", row)
        return appended, replace(own, spent=own_spent)

    def balance(self, dataset: str, analyst: str | None = None) -> Balance:
        """What a data set, or an analyst on it, has spent and may spend."""
        if analyst is not None:
            check_name(analyst)
        with self._store.transaction() as connection:
            return _balance(self._book(connection, dataset), analyst)[0]

    def balances(self, dataset: str) -> list[Balance]:
        """The data set's budget, then every analyst's, by name."""
        with self._store.transaction() as connection:
            book = self._book(connection, dataset)
        return [_balance(book, name or None)[0] for name in sorted(book.limits)]

    def entries(self, dataset: str) -> list[Debit]:
        """Every debit, in order."""
        with self._store.transaction() as connection:
            self._book(connection, dataset)
            rows = connection.execute(select(DEBITS).where(DEBITS.c.dataset == dataset).order_by(DEBITS.c.number))
            return [_debit(row) for row in rows]

    def _set_limit(self, connection: Connection, book: LedgerBook, analyst: str, limit: Units) -> LedgerBook:
        if book.limits.get(analyst) == limit:
            return book
        row = {"dataset": book.dataset, "analyst": analyst, "amount": limit.amount, "delta": limit.delta}
        return chain.append_entry(connection, self._seal.key, book, "limit", row | {"at": datetime.now(UTC)})


def _unusable(error: SQLAlchemyError) -> LedgerError:
    return LedgerError(
        tr("cannot be used: {cause}", cause=cause(error)),
        where=tr("the ledger"),
        remedy=tr("Check the path of the ledger, its permissions and the space on its disk. No question was answered."),
    )


def check_name(analyst: str) -> None:
    """Refuse a name that cannot be written down, and an empty one, which means the data set as a whole."""
    if not analyst.strip() or len(analyst) > LONGEST_NAME or not is_writable(analyst):
        raise PolicyError(
            tr("an analyst needs a name of 1 to {longest} printable characters", longest=LONGEST_NAME),
            where="analyst",
        )


def _balance(book: LedgerBook, analyst: str | None) -> tuple[Balance, int]:
    """A balance, and the number of the last entry that it counts."""
    limit = book.limits.get(analyst or "")
    if limit is None:
        raise BudgetSpent(
            tr("the analyst has no budget for this data set"),
            where=tr("{analyst} on {dataset}", analyst=analyst, dataset=book.dataset),
            remedy=tr("Ask the data holder for a budget."),
        )
    spent, number = book.spent_by(analyst or "")
    return Balance(book.dataset, analyst, cast(Measure, book.measure), limit, spent), number


def _refusal(balance: Balance, cost: Units) -> BudgetSpent:
    """Analysts learn what is left of their own budget; not of the data set's, which would reveal what others spent."""
    price, remedy = amount_text(cost, balance.measure), tr("Ask for less, or ask the data holder for more.")
    if balance.analyst is None:
        return BudgetSpent(
            tr("this would cost {price}, which is more than all analysts together may still spend", price=price),
            where=balance.dataset,
            remedy=remedy,
        )
    return BudgetSpent(
        tr(
            "this would cost {price}, and {left} of the budget is left (of {limit})",
            price=price,
            left=amount_text(balance.left, balance.measure),
            limit=amount_text(balance.limit, balance.measure),
        ),
        where=tr("{analyst} on {dataset}", analyst=balance.analyst, dataset=balance.dataset),
        remedy=remedy,
    )


def _debit(row: Any) -> Debit:
    return Debit(
        row.dataset, row.number, row.analyst, row.analyst_number,
        Units(row.amount, row.delta), Units(row.total_amount, row.total_delta),
        Units(row.analyst_total_amount, row.analyst_total_delta), row.question, row.at,
    )  # fmt: skip
