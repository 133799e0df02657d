"""The registry's database: sealed, one writer at a time, and clear about what is wrong with it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cobogo.errors import RegistryError
from cobogo.publish.registry import store
from cobogo.publish.registry.store import ReleaseRegistry

pytestmark = pytest.mark.slow

SECRET = "Maria Couto"


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "registry.db")
        return
    monkeypatch.setenv(store.VARIABLE, "ab" * 32)
    url = str(request.getfixturevalue("postgresql"))
    yield url
    import psycopg

    with psycopg.connect(url) as connection:
        connection.execute("DROP TABLE IF EXISTS cobogo_registry, cobogo_releases")


@pytest.fixture
def registry(tmp_path: Path) -> ReleaseRegistry:
    return store.create(str(tmp_path / "registry.db"), None)


def test_what_is_entered_is_there(location: str) -> None:
    with store.create(location, None).transaction() as book:
        assert [book.add("clinic", {"who": SECRET}, b"one"), book.add("clinic", {}, b"two")] == ["clinic-1", "clinic-2"]
        assert book.add("ward", {}, b"three") == "ward-1"
    with store.open_registry(location, None).transaction() as book:
        assert [entry.id for entry in book.entries("clinic")] == ["clinic-1", "clinic-2"]
        assert book.entry("clinic-1").summary == {"who": SECRET}
        assert book.structure("clinic-2") == b"two"
        assert book.entry("ward-1").state == store.UNFINISHED
        book.finish("ward-1")
        assert book.entry("ward-1").state == store.RELEASED
        book.remove("clinic-2")
        assert [entry.id for entry in book.entries()] == ["clinic-1", "ward-1"]
        assert book.add("clinic", {}, b"four") == "clinic-3", "a number is not given twice"


def test_a_transaction_is_whole_or_nothing(location: str) -> None:
    registry = store.create(location, None)
    with pytest.raises(ZeroDivisionError), registry.transaction() as book:
        book.add("clinic", {}, b"")
        1 / 0
    with registry.transaction() as book:
        assert book.entries() == []


def test_nothing_can_be_read_without_the_key(registry: ReleaseRegistry, tmp_path: Path) -> None:
    with registry.transaction() as book:
        book.add("clinic", {"who": SECRET}, SECRET.encode() * 100)
    registry.close()
    assert SECRET.encode() not in (tmp_path / "registry.db").read_bytes()
    for file in ("registry.db", "registry.db.key"):
        assert (tmp_path / file).stat().st_mode & 0o077 == 0


def test_keys(registry: ReleaseRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    location, key = str(tmp_path / "registry.db"), tmp_path / "registry.db.key"
    secret = key.read_text()
    key.chmod(0o640)
    with pytest.raises(RegistryError, match="other users can read the registry's key"):
        store.open_registry(location, None)
    key.unlink()
    with pytest.raises(RegistryError, match="the registry's key does not exist"):
        store.open_registry(location, None)
    store.create_key(tmp_path / "other.key")
    with pytest.raises(RegistryError, match="the key does not belong to this registry"):
        store.open_registry(location, tmp_path / "other.key")
    with pytest.raises(RegistryError, match="there is already a key here"):
        store.create_key(tmp_path / "other.key")
    monkeypatch.setenv(store.VARIABLE, "not hexadecimal")
    with pytest.raises(RegistryError, match="hexadecimal digits"):
        store.open_registry(location, None)
    monkeypatch.setenv(store.VARIABLE, secret)
    store.open_registry(location, None)


def test_what_is_not_a_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(store.VARIABLE, "ab" * 32)
    (tmp_path / "text.db").write_bytes(b"precious" * 500)
    sqlite3.connect(tmp_path / "empty.db").execute("CREATE TABLE t (a)").connection.close()
    for name in ("text.db", "empty.db"):
        with pytest.raises(RegistryError, match="the registry cannot be used"):
            store.open_registry(str(tmp_path / name), None)
        with pytest.raises(RegistryError, match="is there already"):
            store.create(str(tmp_path / name), None)
    with pytest.raises(RegistryError, match="there is no registry"):
        store.open_registry(str(tmp_path / "none.db"), None)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(RegistryError, match="mysql is not supported here"):
        store.open_registry("mysql://host/base", None)
    with pytest.raises(RegistryError, match="cannot be written"):
        store.create(str(tmp_path / "no" / "where.db"), None)


def test_a_record_that_was_altered_or_moved(registry: ReleaseRegistry, tmp_path: Path) -> None:
    with registry.transaction() as book:
        book.add("clinic", {}, b"one")
        book.add("clinic", {}, b"two")
    database = sqlite3.connect(tmp_path / "registry.db")
    database.execute(
        "UPDATE cobogo_releases SET structure = (SELECT structure FROM cobogo_releases WHERE number = 1) "
        "WHERE number = 2"
    )
    database.execute("UPDATE cobogo_releases SET summary = zeroblob(40) WHERE number = 1")
    database.commit()
    database.close()
    with registry.transaction() as book:
        with pytest.raises(RegistryError, match="the entry of clinic-2 was altered"):
            book.structure("clinic-2")
        with pytest.raises(RegistryError, match="the entry of clinic-1 was altered"):
            book.entries()


ADD = """
import sys
from cobogo.publish.registry import store
registry = store.open_registry(sys.argv[1], None)
for _ in range(5):
    with registry.transaction() as book:
        known = len(book.entries())
        book.add("clinic", {"known": known}, b"x" * 1000)
"""


def test_processes_at_once_wait_for_each_other(location: str) -> None:
    registry = store.create(location, None)
    running = [subprocess.Popen([sys.executable, "-c", ADD, location], env=os.environ) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    with registry.transaction() as book:
        assert [entry.summary["known"] for entry in book.entries()] == list(range(15))


KILLED = """
import os, sys
from cobogo.publish.registry import store
with store.open_registry(sys.argv[1], None).transaction() as book:
    book.add("clinic", {}, b"x")
    os._exit(9)
"""


def test_a_process_that_dies_half_way_leaves_nothing(location: str) -> None:
    registry = store.create(location, None)
    assert subprocess.run([sys.executable, "-c", KILLED, location], check=False).returncode == 9
    with registry.transaction() as book:
        assert book.entries() == []
        book.add("clinic", {}, b"y")


def test_one_that_is_locked_says_so(registry: ReleaseRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.1)
    other = store.open_registry(str(tmp_path / "registry.db"), None)
    with registry.transaction() as _, pytest.raises(RegistryError, match="another process is writing"):
        other.transaction().__enter__()
