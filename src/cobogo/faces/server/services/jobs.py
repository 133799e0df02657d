"""Jobs: releases, audits and studies wait in one queue, tell how far they are, and can be stopped."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cobogo.errors import CobogoError, InputError
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.queue import OVER, UNDER_WAY, Queue
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.services.operation import NotFound, Subject, operation
from cobogo.faces.server.services.policies import PolicyService
from cobogo.faces.server.state import DATASETS, JOBS, RELEASES, Row, pack, unpack_error, unpack_texts
from cobogo.faces.server.worker import AUDIT, FINDINGS, RELEASE_JOBS, STUDY_JOBS
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.faces.server.context import ServerContext
    from cobogo.studies.exploration import Exploration

__all__ = ["AUDIT", "OVER", "RELEASE_JOBS", "JobService", "StudyProgress"]


@dataclass(frozen=True)
class StudyProgress:
    """A study: how far it is, what it has found so far, and why it failed, if it did."""

    identity: str
    waits: bool
    over: bool
    done: int
    total: int
    found: list[dict[str, Any]]
    error: CobogoError | None


class JobService(Subject):
    """The jobs of the caller, and everybody's for an administrator."""

    def __init__(self, context: ServerContext, queue: Queue, policies: PolicyService) -> None:
        super().__init__(context)
        self._queue = queue
        self._policies = policies

    @operation(KeyScope.RUN)
    def submit(self, holder: Holder, kind: str, dataset: str, text: str) -> Row:
        """Put a job on a data set under a policy in the queue. What is plainly wrong is refused at once."""
        asked = self._make_request(holder, dataset, text)
        return self.get(holder, self._queue.submit(holder.owner, kind, asked))

    def _make_request(self, holder: Holder, dataset: str, text: str) -> dict[str, Any]:
        about = json.loads(self._row(DATASETS, dataset, holder.owner, "data set")["about"])
        self._policies.confine(holder, dataset, text)
        return {"dataset": dataset, "file": about["file"], "policy": text}

    @operation(KeyScope.RUN)
    def submit_saved(self, holder: Holder, kind: str, dataset: str, policy: str | None, text: str | None) -> Row:
        """Put a job in the queue under a policy that was kept, by its identity, or under the text of one."""
        self._row(DATASETS, dataset, holder.owner, "data set")
        if (policy is None) == (text is None):
            raise InputError(
                tr("give either a policy that is kept, or the text of one"),
                where="policy",
                remedy=tr("Send either policy or toml."),
            )
        text = self._policies.text(holder, str(policy)) if text is None else text
        return self.submit(holder, kind, dataset, text)

    @operation(KeyScope.RUN)
    def audit(self, holder: Holder, release: str) -> Row:
        """Put an audit of a release of the holder's in the queue."""
        row = self._row(RELEASES, release, holder.owner, "release")
        return self.get(
            holder, self._queue.submit(holder.owner, AUDIT, {"dataset": row["dataset"], "release": release})
        )

    @operation(KeyScope.RUN, reads=True)
    def list_all(self, holder: Holder) -> list[Row]:
        """The holder's jobs, the latest first."""
        return [_unpack(row) for row in self._context.state.rows(JOBS, holder.owner)]

    @operation(KeyScope.RUN, reads=True)
    def get(self, holder: Holder, identity: str) -> Row:
        """A job: how far it is."""
        return _unpack(self._row(JOBS, identity, holder.owner, "job"))

    def find(self, holder: Holder, identity: str | None) -> Row | None:
        """A job; None if it does not exist, or the key may not run jobs."""
        if identity is None or KeyScope.RUN not in holder.scopes:
            return None
        row = self._context.state.get(JOBS, identity, holder.owner)
        return None if row is None else _unpack(row)

    @operation(KeyScope.RUN, reads=True)
    def latest_audit(self, holder: Holder, release: str) -> Row | None:
        """The last audit of a release that the holder asked for."""
        rows = map(_unpack, self._context.state.rows(JOBS, holder.owner, kind=AUDIT))
        return next((row for row in rows if row["asked"]["release"] == release), None)

    @operation(KeyScope.RUN)
    def cancel(self, holder: Holder, identity: str) -> Row:
        """Stop a job. One that is over stays as it is."""
        self.get(holder, identity)
        self._queue.cancel(identity)
        return self.get(holder, identity)

    # Studies

    @operation(KeyScope.DATA)
    def begin_study(self, holder: Holder, kind: str, dataset: str, text: str, options: Mapping[str, Any]) -> str:
        """Put a study of a data set under a policy in the queue; its identity. It releases nothing."""
        if kind not in STUDY_JOBS:
            raise InputError(
                tr('there is no study "{kind}"', kind=kind),
                where="study",
                remedy=tr("Choose one of {names}.", names=", ".join(STUDY_JOBS)),
            )
        return self._queue.submit(holder.owner, kind, self._study(holder, dataset, text, options))

    @operation(KeyScope.DATA, reads=True)
    def find_study(
        self, holder: Holder, kind: str, dataset: str, text: str, options: Mapping[str, Any]
    ) -> StudyProgress | None:
        """The last study of a question; None if there was none. The files that the policy may name are part of the
        question."""
        row = self._latest_study(holder, kind, dataset, text, options)
        if row is None:
            return None
        waits, over = row["state"] == "queued", row["state"] in OVER
        found = _read_lines(self._context.files.job(row["id"]) / FINDINGS)
        return StudyProgress(row["id"], waits, over, row["done"], row["total"], found, unpack_error(row["message"]))

    @operation(KeyScope.DATA)
    def stop_study(self, holder: Holder, kind: str, dataset: str, text: str, options: Mapping[str, Any]) -> None:
        """End the last study of that question; what it found stays."""
        row = self._latest_study(holder, kind, dataset, text, options)
        if row is not None:
            self._queue.cancel(row["id"])

    def _latest_study(
        self, holder: Holder, kind: str, dataset: str, text: str, options: Mapping[str, Any]
    ) -> Row | None:
        asked = self._study(holder, dataset, text, options)
        return next(iter(self._context.state.rows(JOBS, holder.owner, kind=kind, asked=pack(asked))), None)

    def _study(self, holder: Holder, dataset: str, text: str, options: Mapping[str, Any]) -> dict[str, Any]:
        about = json.loads(self._row(DATASETS, dataset, holder.owner, "data set")["about"])
        return {
            "dataset": dataset, "file": about["file"], "policy": text, "options": dict(options),
            "files": self._policies.file_versions(dataset),
        }  # fmt: skip

    @operation(KeyScope.DATA, reads=True)
    def explore(self, holder: Holder, dataset: str, text: str) -> Exploration:
        """The lattice of a data set under a policy, opened now if it was not before, to be looked at step by step."""
        from cobogo.studies.exploration import explore

        about = json.loads(self._row(DATASETS, dataset, holder.owner, "data set")["about"])
        data = self._context.files.dataset(dataset) / about["file"]
        key = (holder.owner, dataset, text, repr(self._policies.file_versions(dataset)))
        return self._context.cache.get(
            "exploration", key, lambda: explore(data, self._policies.confine(holder, dataset, text))
        )

    def release_dataset(self, owner: str, dataset: str) -> None:
        """End and forget the studies of a data set that is to be deleted; refuse if a job still needs it."""
        rows = [
            row for row in map(_unpack, self._context.state.rows(JOBS, owner)) if row["asked"].get("dataset") == dataset
        ]
        if any(row["state"] in UNDER_WAY and row["kind"] not in STUDY_JOBS for row in rows):
            raise InputError(
                tr("a job is working on this data set"),
                where=tr("data set"),
                remedy=tr("Wait until the job has finished, or cancel it."),
            )
        for row in rows:
            if row["kind"] in STUDY_JOBS:
                self._queue.cancel(row["id"])
                (self._context.files.job(row["id"]) / FINDINGS).unlink(missing_ok=True)

    # Everybody's jobs

    @operation(KeyScope.JOBS, reads=True)
    def list_queue(self, holder: Holder) -> list[Row]:  # noqa: ARG002
        """Everybody's jobs that wait or run, the latest first."""
        rows = [row for state in UNDER_WAY for row in self._context.state.rows(JOBS, state=state)]
        return sorted(rows, key=lambda row: float(row["created"]), reverse=True)

    @operation(KeyScope.JOBS)
    def stop(self, holder: Holder, identity: str) -> None:  # noqa: ARG002
        """Stop anybody's job."""
        if self._context.state.get(JOBS, identity) is None:
            raise NotFound(tr("There is no such job."), thing="job")
        self._queue.cancel(identity)

    @operation(KeyScope.METRICS, reads=True)
    def count_states(self, holder: Holder) -> Counter[str]:  # noqa: ARG002
        """How many jobs are in each state."""
        return Counter(row["state"] for row in self._context.state.rows(JOBS))


def _unpack(row: Row) -> Row:
    error = unpack_error(row["message"])
    return {**row, "asked": json.loads(row["asked"]), "error": error, "message": "" if error is None else error.message}


def _read_lines(file: Path) -> list[dict[str, Any]]:
    """The lines of JSON of a file that is still being written: one without an end is left out."""
    if not file.is_file():
        return []
    whole, _, _ = file.read_bytes().rpartition(b"\n")
    return [unpack_texts(json.loads(line)) for line in whole.splitlines()]
