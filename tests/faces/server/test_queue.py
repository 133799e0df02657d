"""Jobs in turn, on a server that is killed while it works: the next one finishes what was begun, and nothing is
half-released."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.queue import Busy, Queue
from cobogo.faces.server.roles import KeyRole
from cobogo.faces.server.services import Services
from cobogo.faces.server.settings import ServerLimits, ServerSettings
from cobogo.faces.server.state import JOBS, RELEASES
from support.browsers import free_port
from support.http_server import CSV, POLICY
from support.services import person

ANA = person("ana")
NOTHING = {"dataset": "0" * 16, "file": "data.csv", "policy": ""}

COLUMNS = 14
SLOW = (
    "[attributes]\n"
    + "".join(f"c{n} = {{ role = 'quasi-identifier', hierarchy = {{ mask = 'right' }} }}\n" for n in range(COLUMNS))
    + "[privacy]\nmodels = [{ model = 'k-anonymity', k = 50 }]\n[recoding]\ntime-limit = 6\n"
)


def _table(rows: int = 3000) -> str:
    head = ",".join(f"c{n}" for n in range(COLUMNS))
    return (
        head
        + "\n"
        + "".join(",".join(str(1000 + (r * (n + 3)) % 97) for n in range(COLUMNS)) + "\n" for r in range(rows))
    )


def _start(state: Path, port: int) -> subprocess.Popen[bytes]:
    program = "from cobogo.faces.cli.main import run; run()"
    arguments = ["serve", "--state", str(state), "--port", str(port)]
    server = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    for _ in range(300):
        try:
            if httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200:
                return server
        except httpx.TransportError:
            assert server.poll() is None, server.stderr and server.stderr.read()
        time.sleep(0.1)
    raise AssertionError("the server did not start")


def _until(client: httpx.Client, identity: str, *states: str, seconds: float = 90) -> dict[str, object]:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        job: dict[str, object] = client.get(f"/jobs/{identity}").json()
        if job["state"] in states:
            return job
        time.sleep(0.1)
    raise AssertionError(f"the job is still {job['state']}")


def _hang_up(port: int, times: int) -> None:
    """Ask twice, and go away before the first answer comes: the second is written to a line that is closed."""
    for _ in range(times):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
            line.sendall(b"GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n" * 2)


def test_nobody_ends_a_server_by_hanging_up(tmp_path) -> None:
    port = free_port()
    server = _start(tmp_path / "server", port)
    try:
        _hang_up(port, 3000)
        assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=60).status_code == 200
    finally:
        server.terminate()
        said = server.communicate(timeout=30)[1]
    assert b"Traceback" not in said


def test_jobs_outlive_a_server_that_is_killed(tmp_path) -> None:
    state = tmp_path / "server"
    context = ServerContext(ServerSettings(state=str(state)))
    _, key = context.keys.create("ana", KeyRole.STEWARD)
    context.close()
    port = free_port()
    base, headers = f"http://127.0.0.1:{port}/api/v1", {"Authorization": f"Bearer {key}"}
    server = _start(state, port)
    with httpx.Client(base_url=base, headers=headers, timeout=60) as client:
        dataset = client.post("/datasets", files={"file": ("t.csv", _table().encode())}).json()["id"]
        asked = {"kind": "anonymize", "dataset": dataset, "toml": SLOW}
        first, second = (client.post("/jobs", json=asked).json()["id"] for _ in range(2))
        _until(client, first, "running")
        time.sleep(1.5)
    tasks = Path(f"/proc/{server.pid}/task").glob("*/children")
    workers = [int(child) for task in tasks for child in task.read_text().split()]
    assert workers
    for process in (server.pid, *workers):  # as when a machine loses power
        os.kill(process, signal.SIGKILL)
    server.communicate()
    assert list((state / "releases").glob("[0-9a-f]*")) == []
    server = _start(state, port)
    try:
        with httpx.Client(base_url=base, headers=headers, timeout=60) as client:
            assert _until(client, first, "running", "done")["state"] in ("running", "done")
            assert client.post(f"/jobs/{second}/cancel").json()["state"] in ("cancelled", "cancelling")
            done = _until(client, first, "done", "failed", "refused")
            assert done["state"] == "done", done
            assert client.post(f"/releases/{first}/verify").json()["holds"] is True
            assert client.get(f"/releases/{second}").status_code == 404
            third = client.post("/jobs", json=asked).json()["id"]
            _until(client, third, "running")
            client.post(f"/jobs/{third}/cancel")
            _until(client, third, "cancelled")
            assert client.get(f"/releases/{third}").status_code == 404
        assert [place.name for place in (state / "releases").iterdir()] == [first]
    finally:
        server.terminate()
        server.communicate(timeout=30)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("place", ["postgresql"], indirect=True)  # SQLite's is above
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
