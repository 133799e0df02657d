"""The ledger never lets anybody spend a unit too much: not at once, not when killed, not on purpose."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, text

from cobogo.errors import BudgetSpent, LedgerError, PolicyError
from cobogo.promises.accounting import NANO, PrivacyLoss
from cobogo.promises.ledger import Ledger
from cobogo.promises.ledger.balance import Units
from support.effort import examples

pytestmark = pytest.mark.slow


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "ledger.db") if request.param == "sqlite" else request.getfixturevalue("postgresql")


@pytest.fixture
def dataset() -> str:
    """A name of its own: the server's tables outlive a test, and cannot be emptied."""
    return f"data {uuid4()}"


def epsilon(amount: str, delta: str = "0") -> PrivacyLoss:
    return PrivacyLoss("epsilon", Fraction(amount), Fraction(delta))


def consistent(ledger: Ledger, dataset: str) -> None:
    """Numbers without gaps, totals that are sums, limits that hold."""
    entries = ledger.entries(dataset)
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    total = Units(0, 0)
    own: dict[str, Units] = {}
    for entry in entries:
        total += entry.cost
        own[entry.analyst] = own.get(entry.analyst, Units(0, 0)) + entry.cost
        assert (entry.total, entry.analyst_total) == (total, own[entry.analyst])
    for balance in ledger.balances(dataset):
        assert balance.spent == (total if balance.analyst is None else own.get(balance.analyst, Units(0, 0)))
        assert balance.spent.within(balance.limit)


def test_a_tenth_ten_times_is_all_of_one(place: str, dataset: str) -> None:
    ledger = Ledger(place)
    ledger.open(dataset, epsilon("10"))
    ledger.grant(dataset, "ana", epsilon("1"))
    for _ in range(10):
        left = ledger.debit(dataset, "ana", epsilon("1/10"), "q").left
    assert left == Units(0, 0)
    with pytest.raises(
        BudgetSpent, match=r"ana on data .*: this would cost ε = 1e-09, and ε = 0 of the budget is left"
    ):
        ledger.debit(dataset, "ana", epsilon("1e-12"), "q")
    consistent(ledger, dataset)
    ledger.close()


def test_the_data_set_s_own_limit_holds_for_all_together(place: str, dataset: str) -> None:
    ledger = Ledger(place)
    ledger.open(dataset, epsilon("1", "1e-6"))
    for name in ("ana", "bia"):
        ledger.grant(dataset, name, epsilon("0.8", "1e-6"))
    ledger.debit(dataset, "ana", epsilon("0.6", "1e-6"), "q")
    with pytest.raises(BudgetSpent, match=f"{dataset}: "):
        ledger.debit(dataset, "bia", epsilon("0.6"), "q")
    with pytest.raises(BudgetSpent, match="δ"):
        ledger.debit(dataset, "bia", epsilon("0.1", "1e-18"), "q")
    with pytest.raises(BudgetSpent, match="ana on"):
        ledger.debit(dataset, "ana", epsilon("0.3"), "q")
    ledger.debit(dataset, "bia", epsilon("0.4"), "q")
    consistent(ledger, dataset)
    ledger.close()


def test_a_book_is_opened_once_by_many_at_once(place: str, dataset: str) -> None:
    ledger = Ledger(place)

    def opened(number: int) -> None:
        ledger.open(dataset, epsilon("1"))
        ledger.grant(dataset, f"analyst {number}", epsilon("1"))

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(opened, range(12)))
    assert len(ledger.balances(dataset)) == 13
    ledger.close()


def test_who_has_no_grant_spends_nothing(place: str, dataset: str) -> None:
    ledger = Ledger(place)
    with pytest.raises(LedgerError, match="not in this ledger"):
        ledger.debit(dataset, "eve", epsilon("1"), "q")
    ledger.open(dataset, epsilon("1"))
    with pytest.raises(BudgetSpent, match="no budget"):
        ledger.debit(dataset, "eve", epsilon("0.1"), "q")
    with pytest.raises(BudgetSpent, match="no budget"):
        ledger.balance(dataset, "eve")
    with pytest.raises(PolicyError, match="needs a name"):
        ledger.grant(dataset, " ", epsilon("1"))
    assert ledger.entries(dataset) == []
    ledger.close()


def test_measures_do_not_mix(place: str, dataset: str) -> None:
    ledger = Ledger(place)
    ledger.open(dataset, PrivacyLoss("rho", Fraction(1)))
    with pytest.raises(LedgerError, match="budget in rho"):
        ledger.open(dataset, epsilon("1"))
    with pytest.raises(LedgerError, match="budget in rho"):
        ledger.grant(dataset, "ana", epsilon("1"))
    ledger.grant(dataset, "ana", PrivacyLoss("rho", Fraction(1)))
    with pytest.raises(LedgerError, match="budget in rho"):
        ledger.debit(dataset, "ana", epsilon("1"), "q")
    ledger.close()


def test_a_limit_set_anew_keeps_what_was_spent(place: str, dataset: str) -> None:
    ledger = Ledger(place)
    ledger.open(dataset, epsilon("1"))
    ledger.grant(dataset, "ana", epsilon("1"))
    ledger.debit(dataset, "ana", epsilon("0.9"), "q")
    ledger.grant(dataset, "ana", epsilon("0.5"))
    assert ledger.balance(dataset, "ana").left == Units(0, 0)
    ledger.open(dataset, epsilon("2"))
    ledger.grant(dataset, "ana", epsilon("2"))
    ledger.close()
    ledger = Ledger(place)
    assert ledger.balance(dataset, "ana").left == Units(1_100_000_000, 0)
    ledger.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cobogo_debits SET amount = 0",
        "DELETE FROM cobogo_debits",
        "DELETE FROM cobogo_limits",
        "UPDATE cobogo_books SET measure = 'rho'",
    ],
)
def test_entries_cannot_be_changed(place: str, dataset: str, statement: str) -> None:
    ledger = Ledger(place)
    ledger.open(dataset, epsilon("1"))
    ledger.grant(dataset, "ana", epsilon("1"))
    ledger.debit(dataset, "ana", epsilon("1"), "q")
    url = f"sqlite:///{place}" if "://" not in place else place.replace("postgresql", "postgresql+psycopg")
    engine = create_engine(url)
    with pytest.raises(Exception, match="append-only"), engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()
    assert ledger.balance(dataset, "ana").left == Units(0, 0)
    ledger.close()


def spent_book(place: str, dataset: str) -> Ledger:
    """A ledger in which ana has spent all of her budget, in two entries."""
    ledger = Ledger(place)
    ledger.open(dataset, epsilon("2"))
    ledger.grant(dataset, "ana", epsilon("1"))
    for _ in range(2):
        ledger.debit(dataset, "ana", epsilon("1/2"), "q")
    return ledger


FORGERIES = {
    "replaced": """INSERT OR REPLACE INTO cobogo_debits SELECT id, dataset, number, analyst, analyst_number, 0, 0, 0, 0,
        0, 0, question, at FROM cobogo_debits""",
    "fewer": """INSERT OR REPLACE INTO cobogo_debits SELECT 2, dataset, 1, analyst, 1, amount, delta, amount, 0, amount,
        0, question, at FROM cobogo_debits WHERE id = 1""",
    "limit": "INSERT INTO cobogo_limits SELECT 99, dataset, analyst, 9 * amount, delta, at FROM cobogo_limits",
    "changed limit": "INSERT OR REPLACE INTO cobogo_limits SELECT id, dataset, analyst, 9 * amount, delta, at FROM "
    "cobogo_limits",
    "measure": "INSERT OR REPLACE INTO cobogo_books SELECT dataset, 'rho', opened FROM cobogo_books",
    "dropped": "DROP TABLE cobogo_debits",
    "all dropped": "".join(f"DROP TABLE cobogo_{name};" for name in ("debits", "limits", "books", "seals")),
    "unsealed": "DROP TABLE cobogo_seals",
    "question": """INSERT OR REPLACE INTO cobogo_debits SELECT id, dataset, number, analyst, analyst_number, amount,
        delta, total_amount, total_delta, analyst_total_amount, analyst_total_delta, 'another', at
        FROM cobogo_debits""",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_ledger_that_was_changed_by_sql_answers_nothing(tmp_path: Path, forgery: str) -> None:
    place = tmp_path / "ledger.db"
    before = spent_book(str(place), "d")
    with sqlite3.connect(place) as connection:
        connection.executescript(FORGERIES[forgery].replace("SELECT 99", "SELECT id + 99"))
    connection.close()
    with pytest.raises(LedgerError, match="changed by another program"):
        Ledger(place)
    with pytest.raises((LedgerError, BudgetSpent)):  # and one that was open meanwhile gives nothing away, either
        before.debit("d", "ana", epsilon("1/2"), "q")
    before.close()


@pytest.mark.parametrize("loss", ["old copy", "deleted", "another"])
def test_a_ledger_that_is_not_the_last_one_is_no_fresh_budget(tmp_path: Path, loss: str) -> None:
    place, copy = tmp_path / "ledger.db", tmp_path / "copy.db"
    Ledger(place).close()
    shutil.copy(place, copy)
    if loss == "another":
        copy.unlink()
        spent_book(str(copy), "d").close()
    spent_book(str(place), "d").close()
    place.unlink()
    if loss != "deleted":
        shutil.copy(copy, place)
    for _ in range(2):
        with pytest.raises(LedgerError, match="changed by another program"):
            Ledger(place)


def test_a_ledger_without_its_seal_answers_nothing(tmp_path: Path) -> None:
    place, seal = tmp_path / "ledger.db", tmp_path / "ledger.db.seal"
    spent_book(str(place), "d").close()
    assert seal.stat().st_mode & 0o077 == 0
    kept = seal.read_text()
    seal.unlink()
    with pytest.raises(LedgerError, match="seal of the ledger is missing"):
        Ledger(place)
    seal.write_text("something else")
    with pytest.raises(LedgerError, match="not the seal"):
        Ledger(place)
    seal.write_text(
        kept.split("\n")[0] + "\n"
    )  # a loss of power may take the last lines: it is behind, and that will do
    assert Ledger(place).balance("d", "ana").left == Units(0, 0)


def test_a_curator_s_file_may_keep_the_seal_elsewhere(tmp_path: Path) -> None:
    from cobogo.promises.curator_file import CuratorPolicy

    people = {"path": "people.csv", "budget": {"epsilon": 1}, "columns": {"age": {"type": "integer"}}}
    rules = CuratorPolicy.of({"seal": "safe/own.seal", "datasets": {"people": people}}, home=tmp_path)
    (tmp_path / "safe").mkdir()
    ledger = rules.open_ledger()
    ledger.open("people", epsilon("1"))
    ledger.close()
    assert (tmp_path / "safe/own.seal").exists()
    assert not (tmp_path / "ledger.db.seal").exists()
    (tmp_path / "safe/own.seal").unlink()
    with pytest.raises(LedgerError, match="seal of the ledger is missing"):
        rules.open_ledger()


def test_a_ledger_from_before_there_were_seals_is_sealed_when_it_is_opened(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    spent_book(str(place), "d").close()
    (tmp_path / "ledger.db.seal").unlink()
    with sqlite3.connect(place) as connection:
        connection.execute("DROP TABLE cobogo_seals")
    connection.close()
    ledger = Ledger(place)
    assert ledger.balance("d", "ana").left == Units(0, 0)
    ledger.grant("d", "ana", epsilon("2"))
    ledger.debit("d", "ana", epsilon("1/2"), "q")
    consistent(ledger, "d")
    ledger.close()
    consistent(Ledger(place), "d")


def test_what_others_write_into_a_shared_ledger_is_noticed(place: str, dataset: str) -> None:
    ledger = spent_book(place, dataset)
    url = f"sqlite:///{place}" if "://" not in place else place.replace("postgresql", "postgresql+psycopg")
    engine = create_engine(url)
    forged = (
        "INSERT INTO cobogo_limits (dataset, analyst, amount, delta, at) SELECT dataset, analyst, 9 * amount, delta, at"
    )
    with engine.begin() as connection:
        connection.execute(text(f"{forged} FROM cobogo_limits WHERE dataset = '{dataset}' AND analyst = 'ana'"))
    try:
        with pytest.raises(LedgerError, match="did not write"):
            ledger.debit(dataset, "ana", epsilon("1"), "q")
        with pytest.raises(LedgerError, match="did not write"):
            Ledger(place)
    finally:
        with engine.begin() as connection:  # other tests open the same server's tables
            if "://" in place:
                connection.execute(text("ALTER TABLE cobogo_limits DISABLE TRIGGER cobogo_limits_append_only"))
                newest = f"SELECT max(id) FROM cobogo_limits WHERE dataset = '{dataset}'"
                connection.execute(text(f"DELETE FROM cobogo_limits WHERE id = ({newest})"))
                connection.execute(text("ALTER TABLE cobogo_limits ENABLE TRIGGER cobogo_limits_append_only"))
        engine.dispose()
    ledger.close()


def test_fifty_analysts_at_once(place: str, dataset: str) -> None:
    """Together they ask for twice what there is; what is granted is all there is, to the unit."""
    ledger = Ledger(place)
    ledger.open(dataset, epsilon("1"))
    for number in range(50):
        ledger.grant(dataset, f"analyst {number}", epsilon("0.03"))

    def spend(number: int) -> int:
        granted = 0
        for _ in range(4):
            try:
                ledger.debit(dataset, f"analyst {number}", epsilon("0.01"), "q")
                granted += 1
            except BudgetSpent:
                pass
        return granted

    with ThreadPoolExecutor(50) as pool:
        granted = list(pool.map(spend, range(50)))
    assert sum(granted) == 100
    assert max(granted) <= 3
    assert ledger.balance(dataset).spent == Units(NANO, 0)
    consistent(ledger, dataset)
    ledger.close()


SPEND = """
import sys
from fractions import Fraction
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.ledger import Ledger
from cobogo.errors import BudgetSpent
ledger = Ledger(sys.argv[1])
print("ready", flush=True)
while True:
    try:
        ledger.debit(sys.argv[2], "ana", PrivacyLoss("epsilon", Fraction(1, 1000)), "q")
    except BudgetSpent:
        break
    print("spent", flush=True)
"""


def spender(place: str, dataset: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SPEND, place, dataset], stdout=subprocess.PIPE, text=True, env=os.environ
    )


def test_killed_processes_leave_whole_entries(place: str, dataset: str) -> None:
    """Processes that spend as fast as they can are killed at any moment; what they were told they spent is there."""
    ledger = Ledger(place)
    ledger.open(dataset, epsilon("10"))
    ledger.grant(dataset, "ana", epsilon("10"))
    source = random.Random(1)
    processes = [spender(place, dataset) for _ in range(3)]
    told = 0
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(source.uniform(0.05, 0.3))
        process.send_signal(signal.SIGKILL)
        told += process.stdout.read().count("spent\n")
        process.wait()
        process.stdout.close()
    entries = ledger.entries(dataset)
    assert told <= len(entries) <= told + len(processes)
    consistent(ledger, dataset)
    ledger.debit(dataset, "ana", epsilon("0.001"), "still open")
    ledger.close()


def test_processes_together_spend_exactly_what_there_is(place: str, dataset: str) -> None:
    ledger = Ledger(place)
    ledger.open(dataset, epsilon("0.06"))
    ledger.grant(dataset, "ana", epsilon("1"))
    processes = [spender(place, dataset) for _ in range(3)]
    told = sum(process.communicate()[0].count("spent\n") for process in processes)
    assert told == 60
    assert ledger.balance(dataset).left == Units(0, 0)
    consistent(ledger, dataset)
    ledger.close()


@settings(max_examples=examples(15), deadline=None)
@given(costs=st.lists(st.fractions(min_value=0, max_value=1, max_denominator=10**11), max_size=12))
def test_no_sequence_of_costs_exceeds_a_limit(tmp_path_factory: pytest.TempPathFactory, costs: list[Fraction]) -> None:
    ledger = Ledger(tmp_path_factory.mktemp("ledger") / "l.db")
    ledger.open("d", epsilon("1"))
    ledger.grant("d", "ana", epsilon("1"))
    spent = Fraction(0)
    for cost in costs:
        try:
            ledger.debit("d", "ana", PrivacyLoss("epsilon", cost), "q")
            spent += cost
        except BudgetSpent:
            assert spent + cost + Fraction(len(costs), NANO) > 1
    assert spent <= 1
    consistent(ledger, "d")


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    Ledger(tmp_path / "ledger.db").close()
    assert (tmp_path / "ledger.db").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("sqlite://", "in memory"),
        ("mysql://host/db", "mysql is not supported"),
        ("postgresql://nobody@127.0.0.1:1/none", "cannot be used"),
        ("/nowhere/at/all/ledger.db", "cannot be written"),
    ],
)
def test_places_that_will_not_do(place: str, words: str) -> None:
    with pytest.raises((PolicyError, LedgerError), match=words):
        Ledger(place)
