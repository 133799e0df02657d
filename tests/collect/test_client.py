"""A client answers for a value once and for all, across processes, crashes and copies of itself."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cobogo.collect import Client
from cobogo.collect.client import LIMIT, Memo
from cobogo.collect.mechanisms import MECHANISMS
from cobogo.collect.rappor.filters import bit_positions
from cobogo.collect.wire import from_text, parse_one
from cobogo.errors import BudgetSpent, DataError, MemoError
from cobogo.floor.randomness import Seeded
from support.asked import VALUES, answers, asked
from support.paths import ROOT

pytestmark = pytest.mark.slow

TESTS = ROOT / "tests"
KEY = bytes(range(32))
PERMANENT = sorted(set(MECHANISMS) - {"rappor"})
"""Mechanisms whose report is the permanent answer itself."""


def started(mechanism: str, memo: Path, count: int, *values: str) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(TESTS), *sys.path])
    command = [sys.executable, str(TESTS / "support" / "client_reports.py"), mechanism, str(memo), str(count), *values]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path})


@pytest.mark.parametrize("mechanism", PERMANENT)
def test_the_same_value_gets_the_same_report_for_ever(mechanism, tmp_path):
    collection = asked(mechanism)
    value = answers(mechanism)[2]
    first = Client(collection, tmp_path / "memo").report(value)
    assert {Client(collection, tmp_path / "memo").report(value) for _ in range(5)} == {first}
    assert len(parse_one(collection, first)) == 1


def test_reports_do_not_average_out_to_the_filter(tmp_path):
    """Of thousands of reports of one client, an attacker learns the permanent answer and no more: at f = 1 nothing."""
    collection = asked("rappor", f=1)
    client = Client(collection, tmp_path / "memo", source=Seeded(1))
    rows = np.concatenate([parse_one(collection, client.report("a")).rows for _ in range(400)])
    (cohorts,), bits = collection.protocol.layout.unpack(rows)
    assert len(set(cohorts.tolist())) == 1
    shown = np.unpackbits(bits, axis=1).mean(axis=0)
    assert ((np.abs(shown - 0.5) < 0.125) ^ (np.abs(shown - 0.75) < 0.125)).all()
    assert 8 < (shown > 0.625).sum() < 24


def test_permanent_answers_follow_the_law(tmp_path):
    """Each of many clients with a fresh memo answers directly: its own value as often as it should."""
    collection = asked("grr", epsilon=2.0)
    memo = Memo(tmp_path / "memo")
    source = Seeded(3)
    held = collection.protocol.read([VALUES[4]])
    drawn = [int(collection.protocol.draw_permanent(held, np.zeros(1), source)[0, 0]) for _ in range(3000)]
    kept = sum(answer == 4 for answer in drawn)
    assert stats.binomtest(kept, 3000, collection.protocol.oracle.p).pvalue > 1e-6
    client = Client(collection, memo, source=source)
    assert parse_one(collection, client.report(VALUES[4])).seeded
    assert not parse_one(collection, Client(collection, tmp_path / "other").report(VALUES[4])).seeded


def test_another_value_costs_again_until_the_client_falls_silent(tmp_path):
    client = Client(asked("oue", **{"lifetime-values": 2}), tmp_path / "memo")
    assert (client.spent, client.left) == (0, 3.0)
    first = client.report(VALUES[0])
    client.report(VALUES[1])
    assert (client.spent, client.left) == (3.0, 0)
    with pytest.raises(BudgetSpent, match="as many different values"):
        client.report(VALUES[2])
    assert client.report(VALUES[0]) == first
    assert client.spent == 3.0


def test_a_limit_of_the_client_s_own_covers_every_collection(tmp_path):
    memo = Memo(tmp_path / "memo")
    Client(asked("oue"), memo, limit=4).report(VALUES[0])
    Client(asked("grr", version=2), memo, limit=4).report(VALUES[0])
    third = Client(asked("sue"), memo, limit=4)
    assert third.left == 0
    with pytest.raises(BudgetSpent, match="limit"):
        third.report(VALUES[0])
    assert Client(asked("sue"), memo, limit="4.5").left == 1.5
    Client(asked("sue"), memo, limit="4.5").report(VALUES[0])


@pytest.mark.parametrize("mechanism", sorted(MECHANISMS))
def test_a_question_that_is_published_again_buys_no_fresh_noise(mechanism, tmp_path):
    """Two hundred times under another name, or in another version: what was drawn once is said again."""
    memo, value = Memo(tmp_path / "memo"), answers(mechanism)[2]
    said = set()
    for number in range(4):
        for changes in ({"name": f"again {number}"}, {"version": number + 2}, {"lifetime-values": number + 2}):
            collection = asked(mechanism, **changes)
            client = Client(collection, memo, source=Seeded(number))
            permanent = parse_one(collection, client.report(value)).rows
            said.add(permanent.tobytes() if mechanism in PERMANENT else permanent[0, 0])
    assert len(said) == 1
    assert client.spent == pytest.approx(collection.protocol.epsilon_forever)
    assert client.left == pytest.approx(min(4, (LIMIT - client.spent) // client.spent) * client.spent)


def test_however_a_question_is_changed_a_client_spends_no_more_than_its_limit(tmp_path):
    memo, spent = Memo(tmp_path / "memo"), 0.0
    with pytest.raises(BudgetSpent, match="limit of this client"):
        for number in range(200):
            client = Client(asked("grr", epsilon=1 + number / 1000), memo)
            client.report(VALUES[0])
            spent += client.spent
    assert 18 < spent <= LIMIT


def test_answers_of_an_earlier_version_of_the_memo_are_kept(tmp_path):
    """They lie under the fingerprint of the collection, which had its name in it."""
    collection = asked("grr", epsilon=0.1)
    memo = Memo(tmp_path / "memo")
    held = collection.protocol.read([VALUES[3]])
    drawn = collection.protocol.draw_permanent(held, np.zeros(1), Seeded(7)).tobytes()
    old = collection.fingerprint.hex()
    assert memo.answer([old], VALUES[3], 10**8, lambda _: drawn) == drawn
    client = Client(collection, memo)
    assert {parse_one(collection, client.report(VALUES[3])).rows.tobytes() for _ in range(3)} == {drawn}
    assert client.spent == pytest.approx(0.1)


def test_values_that_are_not_listed(tmp_path):
    with pytest.raises(DataError) as error:
        Client(asked("oue"), tmp_path / "memo").report("a secret")
    assert "a secret" not in str(error.value)
    catching = Client(asked("oue", other=VALUES[10]), tmp_path / "memo")
    assert catching.report("a secret") == catching.report("another") == catching.report(VALUES[10])
    assert catching.spent == 1.5


def test_the_memo_holds_no_value_and_is_its_owner_s_alone(tmp_path):
    secret = "http://example.org/a-page-that-was-home"
    memo = tmp_path / "memo"
    Client(asked("rappor"), memo, key=KEY, source=Seeded(2)).report(secret)
    for file in tmp_path.iterdir():
        assert file.stat().st_mode & 0o077 == 0
    content = memo.read_bytes()
    assert secret.encode() not in content
    assert KEY not in content
    for digest in ("md5", "sha1", "sha256", "blake2b", "blake2s"):
        assert hashlib.new(digest, secret.encode()).digest()[:16] not in content
    with sqlite3.connect(memo) as books:
        (answer,) = books.execute("SELECT answer FROM answers").fetchone()
    books.close()
    filter_bits = np.zeros(32, dtype=bool)
    filter_bits[bit_positions(secret, answer[0], asked("rappor").protocol.parameters)] = True
    assert answer[1:] != np.packbits(filter_bits).tobytes()


def test_without_its_key_a_memo_is_of_no_use(tmp_path):
    Memo(tmp_path / "with", key=KEY)
    Memo(tmp_path / "without")
    with pytest.raises(MemoError, match="kept elsewhere"):
        Memo(tmp_path / "with")
    with pytest.raises(MemoError, match="holds its own key"):
        Memo(tmp_path / "without", key=KEY)
    with pytest.raises(MemoError, match="32 bytes"):
        Memo(tmp_path / "short", key=b"short")


def test_memos_that_cannot_be_used(tmp_path):
    (tmp_path / "open").touch(0o644)
    (tmp_path / "open").chmod(0o644)
    with pytest.raises(MemoError, match="chmod 600"):
        Memo(tmp_path / "open")
    (tmp_path / "thesis").write_text("precious " * 1000)
    (tmp_path / "thesis").chmod(0o600)
    with pytest.raises(MemoError, match="cannot be used"):
        Memo(tmp_path / "thesis")
    with pytest.raises(MemoError, match="cannot be written"):
        Memo(tmp_path / "nowhere" / "memo")


def test_two_processes_at_once_answer_as_one(tmp_path):
    """Both ask for the same new values at the same time; neither draws what the other has drawn."""
    memo = tmp_path / "memo"
    Memo(memo)
    both = [started("olh", memo, 33, *VALUES) for _ in range(2)]
    said = [set(process.communicate(timeout=120)[0].splitlines()) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert said[0] == said[1]
    assert len(said[0]) == len(VALUES)


def test_a_killed_client_never_answers_otherwise(tmp_path):
    """Whatever a client said before it was killed, it says again after."""
    memo = tmp_path / "memo"
    process = started("rappor", memo, 10_000)
    assert process.stdout is not None
    seen = [process.stdout.readline() for _ in range(8)]
    process.kill()
    seen += process.stdout.read().splitlines()
    process.wait()
    process.stdout.close()
    collection = asked("rappor", **{"lifetime-values": 10_000})
    client = Client(collection, memo, limit=None)
    before = client.spent
    cohorts = {parse_one(collection, from_text(line.split()[1])).rows[0, 0] for line in seen[:8]}
    assert len(cohorts) == 1
    for line in seen[:8]:
        client.report(line.split()[0])
    assert client.spent == before
    assert before >= 8 * collection.protocol.epsilon_forever
