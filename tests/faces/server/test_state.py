"""What the server remembers, in SQLite and in PostgreSQL: jobs survive, migrations run once, nothing is half-done."""

from __future__ import annotations

import contextlib
import io
import json
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cobogo.errors import InputError, Stale
from cobogo.faces.server import drafts
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.queue import Busy, Queue
from cobogo.faces.server.services import Services
from cobogo.faces.server.settings import ServerLimits, ServerSettings
from cobogo.faces.server.state import DATASETS, DRAFTS, JOBS, MIGRATIONS, POLICIES, RELEASES, ServerState, StateError
from cobogo.faces.server.worker import JobRun
from support.http_server import CSV, POLICY
from support.services import person, service_of

pytestmark = pytest.mark.slow

ANA = person("ana")
NOTHING = {"dataset": "0" * 16, "file": "data.csv", "policy": ""}


@dataclass
class Place:
    """Where a server keeps its state: a directory, and a database if it is not in there."""

    directory: Path
    database: str | None

    @property
    def settings(self) -> ServerSettings:
        return ServerSettings(state=str(self.directory), database=self.database)

    @property
    def state(self) -> str | Path:
        return self.database or self.directory / "state.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "server").mkdir()
    if request.param == "sqlite":
        yield Place(tmp_path / "server", None)
        return
    import psycopg

    url, name = str(request.getfixturevalue("postgresql")), f"state_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield Place(tmp_path / "server", url.replace("/postgres?", f"/{name}?"))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_what_was_interrupted_twice_has_failed(place) -> None:
    context = ServerContext(place.settings)
    queue = Queue(context)
    identity = queue.submit("ana", "anonymize", NOTHING)
    context.state.change(JOBS, identity, state="running", tries=1)
    queue.watch()
    assert context.state.get(JOBS, identity)["state"] == "queued"
    context.state.change(JOBS, identity, state="running", tries=2)
    queue.watch()
    assert context.state.get(JOBS, identity)["state"] == "failed"
    context.close()


def test_people_take_turns_and_nobody_fills_the_queue(place) -> None:
    limits = ServerLimits(jobs_waiting=6, jobs_waiting_each=4)
    context = ServerContext(place.settings.model_copy(update={"limits": limits}))
    queue = Queue(context)

    def submit(owner: str) -> str:
        return queue.submit(owner, "anonymize", NOTHING)

    jobs = [submit("ana") for _ in range(4)]
    with pytest.raises(Busy, match="your jobs"):
        submit("ana")
    jobs += [submit("bia"), submit("bia")]
    with pytest.raises(Busy, match="too many jobs"):
        submit("caio")
    waiting, turns = context.state.rows(JOBS), []
    while waiting:
        turns.append(queue._next(waiting, []))
        waiting.remove(turns[-1])
    assert [row["owner"] for row in turns] == ["ana", "bia", "ana", "bia", "ana", "ana"]
    assert [row["id"] for row in turns if row["owner"] == "ana"] == jobs[:4]
    context.close()


def test_a_database_whose_files_are_elsewhere_is_refused(place) -> None:
    ServerContext(place.settings).close()
    ServerContext(place.settings).close()
    other = place.settings.model_copy(update={"state": f"{place.directory}-2", "database": str(place.state)})
    with pytest.raises(StateError, match="another state directory"):
        ServerContext(other)


def test_a_job_that_was_cancelled_at_the_last_moment_releases_nothing(place) -> None:
    context = ServerContext(place.settings)
    row = {"owner": "ana", "kind": "anonymize", "asked": "{}", "stage": "", "done": 0, "total": 0, "message": ""}
    identity = context.state.add(JOBS, state="cancelling", tries=1, **row)
    context.files.job(identity).mkdir()
    JobRun(context.settings, identity).run()
    assert context.state.get(JOBS, identity)["state"] == "cancelling"
    context.close()


def test_state_is_brought_up_to_date_once_and_a_later_one_refused(place) -> None:
    done: list[str] = []
    ServerState(place.state).close()
    newer = (*MIGRATIONS, lambda _: done.append("step"))
    ServerState(place.state, migrations=newer).close()
    ServerState(place.state, migrations=newer).close()
    assert len(done) == 1
    with pytest.raises(StateError, match="later version"):
        ServerState(place.state)


def test_servers_that_open_one_database_at_once_make_it_once(place) -> None:
    states: list[ServerState] = []
    threads = [threading.Thread(target=lambda: states.append(ServerState(place.state))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(states) == 6
    first = states[0].add(POLICIES, owner="ana", dataset="d", name="é", toml="t")
    assert [state.get(POLICIES, first, "ana") is not None for state in states] == [True] * 6
    assert states[1].get(POLICIES, first, "eva") is None
    assert states[2].rows(POLICIES, "eva") == []
    states[3].note(owner="ana", role="steward", key="k", action="GET /x", what="", status=200)
    assert [line["action"] for line in states[4].log()] == ["GET /x"]
    for state in states:
        state.close()


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)  # SQLite's is in test_queue
def test_a_job_is_done_once_after_its_worker_was_killed(place) -> None:
    context = ServerContext(place.settings)
    queue = Queue(context)
    service = Services(context, queue)
    dataset = service.datasets.receive(ANA, "people.csv", io.BytesIO(CSV.encode()))
    identity = service.jobs.submit(ANA, "anonymize", dataset, POLICY)["id"]
    context.state.change(JOBS, identity, state="running", tries=1)  # by a server that is gone, with its worker
    queue.start()
    try:
        for _ in range(600):
            job = context.state.get(JOBS, identity)
            if job["finished"] is not None:
                break
            time.sleep(0.1)
        assert (job["state"], job["tries"], job["message"]) == ("done", 2, "")
        (release,) = context.state.rows(RELEASES, "ana")
        assert (release["id"], json.loads(release["summary"])["records"]) == (identity, 40)
    finally:
        queue.stop()
        context.close()


def test_an_upload_that_a_kill_cut_short_is_forgotten_by_the_next_server(place) -> None:
    context = ServerContext(place.settings)
    datasets = service_of(context).datasets
    whole = datasets.receive(ANA, "people.csv", io.BytesIO(CSV.encode()))
    context.state.add(DATASETS, owner="ana", name="half", about="")
    datasets.forget_unfinished()
    assert [row["id"] for row in context.state.rows(DATASETS)] == [whole]
    context.close()


def test_what_the_database_does_not_take_is_the_senders_fault(place) -> None:
    state = ServerState(place.state)
    try:
        state.add(DATASETS, owner="ana", name="a\0b", about="")
    except InputError as error:
        assert not isinstance(error, StateError)  # noqa: PT017
    assert all("\0" in row["name"] for row in state.rows(DATASETS))
    state.close()


def test_a_database_that_is_away_is_said_without_its_password(tmp_path) -> None:
    with pytest.raises(StateError) as told:
        ServerState("postgresql://login:hidden@127.0.0.1:9/none")
    assert "hidden" not in str(told.value)


def test_a_policy_is_written_after_the_version_that_its_writer_sees(place) -> None:
    context = ServerContext(place.settings)
    dataset = service_of(context).datasets.receive(ANA, "x.csv", io.BytesIO(CSV.encode()))
    state = context.state
    first = drafts.begin(state, "ana", dataset, "# 1")
    assert drafts.begin(state, "ana", dataset, "# other") == first
    second = drafts.write(state, "ana", dataset, "# 2", after=first.number)
    for late in (lambda: drafts.write(state, "ana", dataset, "# 3", after=first.number), lambda: drafts.undo(
        state, "ana", dataset, after=first.number)):  # fmt: skip
        with pytest.raises(Stale, match="changed in another window"):
            late()
    with pytest.raises(Stale, match="no longer there"):
        drafts.write(state, "bea", dataset, "# 3", after=second.number)
    done: list[str] = []

    def write(text: str) -> None:
        with contextlib.suppress(Stale):
            done.append(drafts.write(state, "ana", dataset, text, after=second.number).toml)

    writers = [threading.Thread(target=write, args=(f"# by {n}",)) for n in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert done == [drafts.current(state, "ana", dataset).toml]
    context.close()


def test_a_state_from_before_policies_had_versions_gets_them(place) -> None:
    state = ServerState(place.state, migrations=MIGRATIONS[:1])
    with state.transaction() as connection:
        DRAFTS.drop(connection)
    state.close()
    state = ServerState(place.state)
    assert drafts.versions(state, "ana", "x") == []
    state.close()
