"""One job, in a process of its own: it can be cancelled, and it cannot take the server down with it.

What it makes appears whole in the releases' directory, or not at all; only then does the state say that it is done. A
worker that is killed in between leaves a lock that nobody holds: the queue starts the job again, which replaces
whatever was there.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import delete, insert, update

from cobogo.data.policy import Policy
from cobogo.errors import AnswerIsNo, CobogoError, OutputError
from cobogo.faces.server.files import DATA, Files
from cobogo.faces.server.sandbox import confine_policy
from cobogo.faces.server.settings import MEGABYTE, ServerLimits, ServerSettings
from cobogo.faces.server.state import DATASETS, JOBS, RELEASES, ServerState, pack, pack_error, pack_texts
from cobogo.floor.files import lock, open_private, remove_all_scratch
from cobogo.floor.language import tr
from cobogo.floor.language.errors import change_error
from cobogo.floor.progress import Progress

Runner = Callable[[Path, Policy, Path, Progress, str], None]
"""Releases a table to a directory; its report says what its owner calls the table."""

OFTEN = 0.2
"""Seconds between two notes of how far a job is."""


def _anonymize(data: Path, policy: Policy, target: Path, progress: Progress, name: str) -> None:
    from cobogo.publish.anonymize import anonymize
    from cobogo.release.write import write_release

    release = anonymize(data, policy, progress=progress)
    write_release(replace(release, table=replace(release.table, name=name)), target, progress=progress)


def _transform(kind: str) -> Runner:
    """A job that draws rows, by the name of its function in `cobogo.publish.transform`."""

    def run(data: Path, policy: Policy, target: Path, progress: Progress, name: str) -> None:
        from cobogo.publish import transform
        from cobogo.release.write import write_release

        release = getattr(transform, kind)(data, policy, progress=progress)
        named = replace(release, table=replace(release.table, name=name))
        verdict = write_release(named, target, progress=progress)
        if not verdict:
            raise AnswerIsNo(tr("the release does not keep its promises"), where="policy")

    return run


RELEASE_JOBS: Mapping[str, Runner] = {
    "anonymize": _anonymize,
    **{name: _transform(name) for name in ("perturb", "mask", "sample", "synthesize")},
}
"""The jobs that release something of a data set."""

AUDIT = "audit"
"""The kind of a job that attacks a release, and puts what it finds into the evidence."""

Each = Callable[[dict[str, Any]], None]
Study = Callable[[Path, Policy, Mapping[str, Any], Progress, Each], None]


def _compare(data: Path, policy: Policy, options: Mapping[str, Any], progress: Progress, each: Each) -> None:
    from cobogo.studies.comparison import compare

    compare(data, policy, algorithms=options["algorithms"], progress=progress, each=lambda run: each(run.as_dict()))


def _frontier(data: Path, policy: Policy, options: Mapping[str, Any], progress: Progress, each: Each) -> None:
    from cobogo.studies.frontier import frontier

    frontier(data, policy, vary=options["vary"], progress=progress, each=lambda point: each(point.as_dict()))


def _improve(data: Path, policy: Policy, options: Mapping[str, Any], progress: Progress, each: Each) -> None:  # noqa: ARG001
    from cobogo.data.files.settle import settle_policy
    from cobogo.studies.improvement import improve

    improve(data, settle_policy(policy, data), progress=progress, each=lambda tried: each(tried.as_dict()))


STUDY_JOBS: Mapping[str, Study] = {"compare": _compare, "frontier": _frontier, "improve": _improve}
"""The jobs that release nothing: what they find is looked at, one thing at a time while they go on."""

FINDINGS = "findings.jsonl"
"""The file in a study's directory that holds what it found, a line of JSON each."""


class JobRun:
    """A job that this process does."""

    def __init__(self, settings: ServerSettings, identity: str) -> None:
        self.settings = settings
        self.identity = identity
        self.files = Files(Path(settings.state), settings.limits)
        self.state = ServerState(settings.database or Path(settings.state) / "state.db")
        self._noted = 0.0

    def run(self) -> None:
        """Do the job, and say what came of it."""
        lock = _lock(self.files.job(self.identity))
        try:
            if lock is not None:
                _sign(lock)
            if lock is None or not self.state.change(JOBS, self.identity, only_if={"state": "running"}, stage="read"):
                return
            self._finish(*self._outcome())
        finally:
            self.state.close()
            if lock is not None:
                os.close(lock)

    def _outcome(self) -> tuple[str, str]:
        row = self.state.get(JOBS, self.identity)
        assert row is not None
        try:
            kind = row["kind"]
            (self._audit if kind == AUDIT else self._study if kind in STUDY_JOBS else self._release)(row)
        except AnswerIsNo as no:
            return "refused", self._message(no, row)
        except CobogoError as error:
            return "failed", self._message(error, row)
        except (MemoryError, OSError) as error:
            memory = isinstance(error, MemoryError)
            shown = OutputError(
                tr("the memory is full") if memory else tr("a file of the server could not be written or read"),
                remedy=tr("Try a smaller table, or ask the server's administrator."),
            )
            return "failed", pack_error(shown)
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            print(f"job {self.identity}: {type(error).__name__} in {frame.name}, line {frame.lineno}", file=sys.stderr)
            return "failed", pack_error(OutputError(tr("Something went wrong. The server's log has the details.")))
        return "done", ""

    def _message(self, error: CobogoError, row: Mapping[str, Any]) -> str:
        """An error as its reader knows things: files of the data set have no path."""
        dataset = json.loads(row["asked"])["dataset"]
        return pack_error(
            self.settings.hide_in_error(change_error(error, lambda value: self._hide_files(value, dataset)))
        )

    def _hide_files(self, text: str, dataset: str) -> str:
        home = self.files.dataset(dataset)
        for place, said in ((f"{home}/files/", ""), *((str(home / name), "data") for name in DATA)):
            text = text.replace(place, said)
        return text

    def _audit(self, row: Mapping[str, Any]) -> None:
        """Attack a release with the data set that it was made of, where that is still there."""
        from cobogo.studies.audit import audit

        asked = json.loads(row["asked"])
        release, original = self.files.release(asked["release"]), self.files.table(asked["dataset"])
        audit(release, original=original, progress=self.progress).write(release)
        self._mark_done()

    def _study(self, row: Mapping[str, Any]) -> None:
        """Study a data set under a policy; each finding is written as soon as there is one."""
        asked = json.loads(row["asked"])
        data, policy = self._load_request(row["owner"], asked)
        with (self.files.job(self.identity) / FINDINGS).open("w", encoding="utf-8") as sink:

            def keep(found: dict[str, Any]) -> None:
                line = self._hide_files(json.dumps(pack_texts(found), ensure_ascii=False), asked["dataset"])
                sink.write(self.settings.hide_places(line) + "\n")
                sink.flush()

            STUDY_JOBS[row["kind"]](data, policy, asked["options"], self.progress, keep)
        self._mark_done()

    def _mark_done(self) -> None:
        if not self.state.change(JOBS, self.identity, only_if={"state": "running"}, state="done"):
            raise AnswerIsNo(tr("the job was cancelled"))

    def _load_request(self, owner: str, asked: Mapping[str, Any]) -> tuple[Path, Policy]:
        """The table that a job works on, and its policy."""
        home = self.files.dataset(asked["dataset"])
        policy = confine_policy(asked["policy"], home / "files", owner=owner, registry=self.settings.registry)
        return home / asked["file"], policy

    def _release(self, row: Mapping[str, Any]) -> None:
        asked = json.loads(row["asked"])
        data, policy = self._load_request(row["owner"], asked)
        target = self.files.release(self.identity)
        dataset = self.state.get(DATASETS, asked["dataset"])
        name = data.name if dataset is None else dataset["name"]
        RELEASE_JOBS[row["kind"]](data, policy, target, self.progress, name)
        summary = json.loads((target / "evidence" / "report.json").read_bytes())
        with self.state.transaction() as connection:
            mine = (JOBS.c.id == self.identity) & (JOBS.c.state == "running")
            if not connection.execute(update(JOBS).where(mine).values(state="done")).rowcount:
                raise AnswerIsNo(tr("the job was cancelled"))
            connection.execute(delete(RELEASES).where(RELEASES.c.id == self.identity))
            connection.execute(
                insert(RELEASES).values(
                    id=self.identity,
                    owner=row["owner"],
                    dataset=asked["dataset"],
                    kind=row["kind"],
                    summary=pack({"records": summary.get("records"), "suppressed": summary.get("suppressed")}),
                    created=time.time(),
                )
            )

    def _finish(self, state: str, message: str) -> None:
        """A job that is being cancelled stays so: the queue has the last word."""
        before = "done" if state == "done" else "running"
        self.state.change(
            JOBS,
            self.identity,
            only_if={"state": before},
            state=state,
            message=message,
            stage="",
            finished=time.time(),
        )

    def progress(self, stage: str, done: int, total: int) -> None:
        """Note how far the job is, now and then."""
        now = time.monotonic()
        if now - self._noted >= OFTEN or done == 0:
            self._noted = now
            self.state.change(
                JOBS, self.identity, only_if={"state": "running"}, stage=stage, done=int(done), total=int(total)
            )


def _lock(directory: Path) -> int | None:
    """A lock that lasts as long as this process; None if another process has it."""
    handle = open_private(directory / "lock")
    if lock(handle):
        return handle
    os.close(handle)
    return None


def _sign(lock: int) -> None:
    """Say in the lock who works; when it was said is when the work began."""
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{socket.gethostname()} {os.getpid()}".encode(), 0)


def began(directory: Path) -> float | None:
    """When the work on a job began, in seconds since 1970; None if it has not begun."""
    try:
        about = (directory / "lock").stat()
    except FileNotFoundError:
        return None
    return about.st_mtime if about.st_size else None


def tell_to_end(directory: Path) -> None:
    """Tell the worker that has the lock of a directory to end, if it is one of this machine."""
    host, _, number = (directory / "lock").read_text(encoding="utf-8").rpartition(" ")
    if host == socket.gethostname() and number.isdigit():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(int(number), signal.SIGTERM)


def abandoned(directory: Path) -> bool:
    """Whether no process works on the job of a directory."""
    handle = _lock(directory)
    if handle is None:
        return False
    os.close(handle)
    return True


def _stop(number: int, frame: Any) -> None:  # noqa: ARG001
    remove_all_scratch()
    os._exit(143)


def _prepare() -> None:
    """Load what nearly every job needs, so that it can begin at once."""
    from importlib import import_module

    from cobogo.data.engines.engine import connect
    from cobogo.publish.recode import warm

    for module in (
        "cobogo.publish.anonymize",
        "cobogo.publish.recode.story",
        "cobogo.tell.report.plots",
        "pandas",
        "pyarrow.compute",
    ):
        import_module(module)
    warm.start()
    engine = connect()
    engine.fetch(engine.relation("SELECT 1 AS ready"))


def _limit_memory(limits: ServerLimits) -> None:
    """What a job takes beyond its share fails it, and nothing else on the machine."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    share = (limits.job_megabytes or 0) * MEGABYTE or machine * 3 // 4 // max(limits.jobs_at_once, 1)
    resource.setrlimit(resource.RLIMIT_DATA, (share, share))


def main() -> None:
    """``python -m cobogo.faces.server.worker`` waits for a line of JSON: the settings, and the job to do.

    Without one, because the server is gone, it ends.
    """
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _prepare()
    line = sys.stdin.readline()
    if line:
        asked = json.loads(line)
        settings = ServerSettings.model_validate(asked["settings"])
        _limit_memory(settings.limits)
        JobRun(settings, asked["job"]).run()


if __name__ == "__main__":
    main()
