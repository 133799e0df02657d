"""Books of SQL: where they may lie, that nobody writes between a look and an entry, and that failures quote no row."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from cobogo.errors import LedgerError
from cobogo.floor.store import Store, cause, create_book, parse_place, take_turn


def unusable(error: SQLAlchemyError) -> LedgerError:
    return LedgerError(f"cannot be used: {cause(error)}")


def store(file: Path, patience: int = 30) -> Store:
    return Store(parse_place(file, LedgerError), unusable, patience=patience)


@pytest.mark.parametrize("place", ["sqlite://", "sqlite:///:memory:", "mysql://host/books"])
def test_places_where_no_book_can_lie(place: str) -> None:
    with pytest.raises(LedgerError):
        parse_place(place, LedgerError)


def test_a_new_book_is_nobody_elses_to_read(tmp_path: Path) -> None:
    assert create_book(tmp_path / "book", LedgerError)
    assert not create_book(tmp_path / "book", LedgerError)
    assert (tmp_path / "book").stat().st_mode & 0o777 == 0o600
    with pytest.raises(LedgerError):
        create_book(tmp_path / "nowhere" / "book", LedgerError)


def test_nobody_writes_between_a_look_and_an_entry(tmp_path: Path) -> None:
    with store(tmp_path / "book").transaction() as connection:
        take_turn(connection, 1)
        connection.execute(text("CREATE TABLE spent (amount INTEGER)"))
        connection.execute(text("INSERT INTO spent VALUES (0)"))

    def spend() -> None:
        for _ in range(5):
            with store(tmp_path / "book").transaction() as connection:
                amount = connection.execute(text("SELECT amount FROM spent")).scalar_one()
                connection.execute(text("UPDATE spent SET amount = :amount"), {"amount": amount + 1})

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store(tmp_path / "book").transaction(reads=True) as connection:
        assert connection.execute(text("SELECT amount FROM spent")).scalar_one() == 20


def test_a_transaction_that_fails_changes_nothing_and_quotes_nothing(tmp_path: Path) -> None:
    book = store(tmp_path / "book")
    with book.transaction() as connection:
        connection.execute(text("CREATE TABLE people (name TEXT PRIMARY KEY)"))
    with pytest.raises(LedgerError) as caught, book.transaction() as connection:
        connection.execute(text("INSERT INTO people VALUES ('Ana')"))
        connection.execute(text("INSERT INTO people VALUES ('Ana')"))
    assert "Ana" not in str(caught.value)
    with book.transaction(reads=True) as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM people")).scalar_one() == 0
    book.close()


def test_opening_a_book_waits_for_the_one_who_writes_it(tmp_path: Path) -> None:
    """SQLite alone refuses at once to change the journal of a file that somebody writes."""
    with closing(sqlite3.connect(tmp_path / "book.db", isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.3, other.execute, ["COMMIT"])
        release.start()
        book = Store(
            parse_place(tmp_path / "book.db", LedgerError), unusable, patience=30, pragmas=["journal_mode = WAL"]
        )
        with book.transaction() as connection:
            assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        release.join()
    impatient = Store(
        parse_place(tmp_path / "other.db", LedgerError), unusable, patience=0, pragmas=["journal_mode = WAL"]
    )
    with closing(sqlite3.connect(tmp_path / "other.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="OperationalError"), impatient.transaction():
            pass
