"""Collecting over HTTP: clients hand in reports, the steward decodes."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

from cobogo.collect.collection import Collection
from cobogo.collect.pilot import encode_shuffled
from cobogo.collect.wire import batch_messages
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.services.collections import read_collection
from cobogo.faces.server.settings import ServerSettings
from cobogo.floor.randomness import Entropy
from support.services import person, service_of

pytestmark = pytest.mark.slow

TOML = """
[collection]
name = "browsers"
question = "browser"
mechanism = "grr"
epsilon = 3.0
values = ["a", "b", "c"]
"""


def test_reports_come_in_and_are_decoded(served) -> None:
    made = served("steward", "POST", "/collections", json={"toml": TOML})
    assert made.status_code == 201, made.text
    identity = made.json()["id"]
    asked = Collection.of(served("collector", "GET", f"/collections/{identity}").json())
    for message in batch_messages(asked, encode_shuffled(asked, ["a"] * 900 + ["b"] * 100, Entropy())):
        answer = served("collector", "POST", f"/collections/{identity}/reports", content=message)
        assert answer.status_code == 202, answer.text
    assert served("steward", "GET", "/collections").json()[0]["reports"] == 1000
    estimates = served("steward", "GET", f"/collections/{identity}/estimates").json()
    shares = {one["value"]: one["share"] for one in estimates["found"]}
    assert np.isclose(shares["a"], 0.9, atol=0.2)
    assert served("other", "GET", f"/collections/{identity}/estimates").status_code == 404
    refused = served("collector", "POST", f"/collections/{identity}/reports", content=b"\0" * 40)
    assert refused.status_code == 400
    assert served("steward", "GET", "/collections").json()[0]["reports"] == 1000


def test_what_comes_again_under_its_key_is_counted_once(served) -> None:
    identity = served("steward", "POST", "/collections", json={"toml": TOML}).json()["id"]
    asked = Collection.of(served("collector", "GET", f"/collections/{identity}").json())
    (message,) = batch_messages(asked, encode_shuffled(asked, ["a"] * 10, Entropy()))

    def send(**headers: str) -> int:
        given = {"Authorization": f"Bearer {served.keys['collector']}", **headers}
        path = f"/api/v1/collections/{identity}/reports"
        answer = served.client.post(path, content=message, headers=given)
        return answer.json()["reports"] if answer.status_code == 202 else answer.status_code

    assert [send(**{"Idempotency-Key": "first-key"}) for _ in range(3)] == [10] * 3
    assert served("steward", "GET", "/collections").json()[0]["reports"] == 10
    assert [send(**{"Idempotency-Key": "first-key"}), send(), send(), send(**{"Idempotency-Key": "second-key"})] == [
        10
    ] * 4
    assert send(**{"Idempotency-Key": "short"}) == 422
    assert served("steward", "GET", "/collections").json()[0]["reports"] == 40


SEND = """
import sys
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.settings import ServerSettings
from cobogo.faces.server.state import COLLECTIONS
from cobogo.faces.server import journal
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.queue import Queue
from cobogo.faces.server.roles import KeyRole, KeyScope
from cobogo.faces.server.services import Services
journal.LONG = 200  # segments are counted all the time
context = ServerContext(ServerSettings(state=sys.argv[1]))
(row,) = context.state.rows(COLLECTIONS)
take, ana = Services(context, Queue(context)).collections.take, Holder("ana", KeyRole.STEWARD, frozenset(KeyScope), "k")
message = bytes.fromhex(sys.argv[2])
for number in range(int(sys.argv[3]), 10**6):
    take(ana, row["id"], message, f"key number {number}")
    print(number, flush=True)
"""


def test_a_kill_at_any_moment_loses_no_report_and_counts_none_twice(tmp_path) -> None:
    context = ServerContext(ServerSettings(state=str(tmp_path / "s")))
    ana, collections = person("ana"), service_of(context).collections
    identity = collections.begin(ana, TOML)
    asked = read_collection(TOML)
    (message,) = batch_messages(asked, encode_shuffled(asked, ["a"] * 5, Entropy()))
    source, sent = random.Random(1), 0
    for _ in range(3):
        program = [sys.executable, "-c", SEND, str(tmp_path / "s"), message.hex(), str(sent)]
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
            for _ in range(source.randrange(20, 60)):
                told = int(process.stdout.readline())
            process.kill()
            rest = process.stdout.read().split("\n")[:-1]
        sent = int(rest[-1]) if rest else told  # which is sent again, as by a client that heard nothing
    collections.take(ana, identity, message, f"key number {sent}")
    collections.take(ana, identity, message, f"key number {sent + 1}")  # perhaps written, and never acknowledged
    assert collections.count(ana, identity).users == 5 * (sent + 2)
    assert not list(context.files.collection(identity).glob("segment-*"))
    context.close()


def test_a_collection_names_no_file_of_the_machine(served) -> None:
    text = TOML.replace('["a", "b", "c"]', '{ file = "/etc/passwd" }')
    assert served("steward", "POST", "/collections", json={"toml": text}).status_code == 400
