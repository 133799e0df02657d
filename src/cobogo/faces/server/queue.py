"""The queue: jobs and studies wait, run a few at a time, can be cancelled, and survive the server."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from cobogo.errors import InputError, OutputError
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.state import JOBS, pack, pack_error
from cobogo.faces.server.worker import STUDY_JOBS, abandoned, began, tell_to_end
from cobogo.floor.language import tr

BEAT = 0.25
TRIES = 2
STUDIES_AT_ONCE = 4
"""Studies have places of their own, so that a release of hours does not keep somebody from looking at alternatives,
and a study does not delay a release. Four processes share two cores tolerably; more only slow each other down."""
UNDER_WAY = ("queued", "running", "cancelling")
OVER = ("done", "refused", "failed", "cancelled")


class Busy(InputError):
    """More jobs wait than may."""


class Queue:
    """One thread that starts workers, and notices when they end."""

    def __init__(self, context: ServerContext) -> None:
        self.context = context
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._turns: dict[str, int] = {}
        self._spare: subprocess.Popen[bytes] | None = None
        self._wake = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._loop, name="cobogo-queue", daemon=True)

    def start(self) -> None:
        """Begin; what an earlier server left running is looked after, too."""
        self._thread.start()

    def stop(self) -> None:
        """End. Jobs that run are stopped, and start again with the next server."""
        self._stopping = True
        self._wake.set()
        self._thread.join(timeout=30)
        self.stop_workers()

    def stop_workers(self) -> None:
        """End what runs; it waits again."""
        for identity, child in list(self._children.items()):
            _end(child)
            self.context.state.change(JOBS, identity, only_if={"state": "running"}, state="queued", stage="")
        self._children.clear()
        if self._spare is not None:
            _end(self._spare)
            self._spare = None

    def submit(self, owner: str, kind: str, asked: Mapping[str, Any]) -> str:
        """Put a job in the queue: what it is asked to do, and on which ``dataset``."""
        waiting, limits = self.context.state.rows(JOBS, state="queued"), self.context.settings.limits
        if len(waiting) >= limits.jobs_waiting:
            raise Busy(tr("too many jobs are waiting"), where=tr("jobs"), remedy=tr("Try again later."))
        if sum(row["owner"] == owner for row in waiting) >= limits.jobs_waiting_each:
            raise Busy(
                tr("too many of your jobs are waiting"),
                where=tr("jobs"),
                remedy=tr("Wait until one of them has finished, or cancel one."),
            )
        identity = self.context.state.add(
            JOBS,
            owner=owner,
            kind=kind,
            asked=pack(asked),
            state="queued",
            stage="",
            done=0,
            total=0,
            message="",
            tries=0,
        )
        self._wake.set()
        return identity

    def cancel(self, identity: str) -> bool:
        """Stop a job; whether there was anything to stop."""
        state = self.context.state
        if state.change(JOBS, identity, only_if={"state": "queued"}, state="cancelled", finished=time.time()):
            return True
        asked = state.change(JOBS, identity, only_if={"state": "running"}, state="cancelling")
        self._wake.set()
        return asked

    def _loop(self) -> None:
        while not self._stopping:
            with contextlib.suppress(Exception):  # the queue must outlive a database that is away for a while
                self._beat()
            self._wake.wait(BEAT)
            self._wake.clear()

    def watch(self) -> None:
        """Check the running jobs: stop cancelled ones; queue killed ones again, or fail them."""
        for row in self.context.state.rows(JOBS, state="cancelling"):
            self._finish_cancelling(row)
        running = self.context.state.rows(JOBS, state="running")
        for row in running:
            self._watch_job(row)
        for identity in set(self._children) - {row["id"] for row in running}:
            self._let_go(identity)

    def _beat(self) -> None:
        self.watch()
        state = self.context.state
        running = [row for row in state.rows(JOBS, state="running") if row["id"] in self._children]
        waiting = state.rows(JOBS, state="queued")
        for studies, places in ((False, self.context.settings.limits.jobs_at_once), (True, STUDIES_AT_ONCE)):
            here, there = ([row for row in rows if _is_study(row) is studies] for rows in (running, waiting))
            for _ in range(min(places - len(here), len(there))):
                row = self._next(there, here)
                there.remove(row)
                here.append(row)
                self._begin(row)
        self._ready()

    def _next(self, waiting: list[dict[str, Any]], running: list[dict[str, Any]]) -> dict[str, Any]:
        """The job whose turn it is: people take turns, however many jobs each has, and a person's go in their order."""
        busy = Counter(row["owner"] for row in running)
        chosen = min(waiting, key=lambda row: (busy[row["owner"]], self._turns.get(row["owner"], 0), row["created"]))
        self._turns[chosen["owner"]] = max(self._turns.values(), default=0) + 1
        return chosen

    def _begin(self, row: dict[str, Any]) -> None:
        identity = row["id"]
        directory = self.context.files.job(identity)
        directory.mkdir(mode=0o700, exist_ok=True)
        if not self.context.state.change(
            JOBS, identity, only_if={"state": "queued"}, state="running", tries=row["tries"] + 1
        ):
            return
        (directory / "lock").write_bytes(b"")  # it may say when an earlier try began
        child, self._spare = self._ready(), None
        asked = pack({"settings": self.context.settings.model_dump(mode="json", exclude={"sources"}), "job": identity})
        assert child.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            child.stdin.write(f"{asked}\n".encode())
            child.stdin.close()
        self._children[identity] = child

    def _ready(self) -> subprocess.Popen[bytes]:
        """A worker that waits for a job. It was started before, because loading its libraries takes seconds."""
        if self._spare is None or self._spare.poll() is not None:
            self._spare = subprocess.Popen(
                [sys.executable, "-m", "cobogo.faces.server.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._spare

    def _watch_job(self, row: dict[str, Any]) -> None:
        """Try a job once more if its worker was killed, and stop one that takes too long."""
        child = self._children.get(row["id"])
        if child.poll() is None if child is not None else not abandoned(self._directory(row)):
            self._end_overdue(row)
            return
        self._children.pop(row["id"], None)
        again = row["tries"] < TRIES
        self.context.state.change(
            JOBS,
            row["id"],
            only_if={"state": "running"},
            state="queued" if again else "failed",
            stage="",
            message=""
            if again
            else pack_error(
                OutputError(
                    tr("the job was interrupted twice: it ran out of memory, or its process was stopped"),
                    remedy=tr("Run it again with a smaller table, or ask the server's administrator."),
                )
            ),
            finished=None if again else time.time(),
        )

    def _end_overdue(self, row: dict[str, Any]) -> None:
        minutes = self.context.settings.limits.job_minutes
        begun = began(self._directory(row))
        if begun is None or time.time() - begun <= minutes * 60:
            return
        late = OutputError(
            tr("the job took longer than {minutes:g} minutes, the limit of this server", minutes=minutes),
            remedy=tr("Choose a faster algorithm, or ask the server's administrator to raise limits.job-minutes."),
        )
        over = {"state": "failed", "stage": "", "message": pack_error(late), "finished": time.time()}
        if self.context.state.change(JOBS, row["id"], only_if={"state": "running"}, **over):
            self._end_worker(row)
            self.context.files.forget("releases", row["id"])

    def _end_worker(self, row: dict[str, Any]) -> bool:
        """Stop the worker of a job; whether it has ended. A worker of an earlier server only gets the signal."""
        child = self._children.pop(row["id"], None)
        if child is not None:
            _end(child)
            return True
        directory = self._directory(row)
        if abandoned(directory):
            return True
        tell_to_end(directory)
        return False

    def _let_go(self, identity: str) -> None:
        """A worker whose job is over ends by itself; it is waited for, or it would stay in the system's table."""
        if self._children[identity].poll() is not None:
            del self._children[identity]

    def _directory(self, row: dict[str, Any]) -> Any:
        directory = self.context.files.job(row["id"])
        directory.mkdir(mode=0o700, exist_ok=True)
        return directory

    def _finish_cancelling(self, row: dict[str, Any]) -> None:
        if self._end_worker(row):
            self.context.files.forget("releases", row["id"])
            self.context.state.change(JOBS, row["id"], state="cancelled", stage="", finished=time.time())


def _is_study(row: Mapping[str, Any]) -> bool:
    return row["kind"] in STUDY_JOBS


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    if child.stdin is not None:
        with contextlib.suppress(OSError):
            child.stdin.close()
    try:
        child.wait(timeout=10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
