"""Jobs and what they release."""

from __future__ import annotations

import json
import tempfile
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import FileResponse, Response

from cobogo.errors import InputError
from cobogo.server import queue as queues
from cobogo.server import tables
from cobogo.server.access import house, needs
from cobogo.server.confine import confined
from cobogo.server.files import zipped
from cobogo.server.house import House
from cobogo.server.keys import Holder
from cobogo.server.roles import Scope
from cobogo.server.routes.common import REFUSALS, found
from cobogo.server.shapes import Identity, Job, JobWanted, ReleaseShown, VerdictShown
from cobogo.server.state import DATASETS, JOBS, POLICIES, RELEASES

router = APIRouter(tags=["jobs and releases"], responses=REFUSALS)
Here = Annotated[House, Depends(house)]
Runner = Annotated[Holder, needs(Scope.RUN)]
Reader = Annotated[Holder, needs(Scope.RELEASES)]
Insider = Annotated[Holder, needs(Scope.EVIDENCE)]

ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}
}
PAGE: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {"schema": {"type": "string"}}}}}


def queue(request: Request) -> queues.Queue:
    """The server's queue."""
    running: queues.Queue = request.app.state.queue
    return running


@router.post("/jobs", status_code=202)
def submit(this: Here, holder: Runner, wanted: JobWanted, waiting: Annotated[queues.Queue, Depends(queue)]) -> Job:
    """Put a job in the queue. What can be told wrong now is refused now."""
    row = found(this, DATASETS, wanted.dataset, holder, own=True)
    if (wanted.policy is None) == (wanted.toml is None):
        raise InputError("give a policy, or the text of one", where="policy")
    text = wanted.toml
    if text is None:
        text = found(this, POLICIES, str(wanted.policy), holder, own=True)["toml"]
    home = this.files.dataset(wanted.dataset) / "files"
    confined(text, home, owner=holder.owner, registry=this.settings.registry)
    identity = waiting.submit(holder.owner, wanted.kind, wanted.dataset, tables.about(row)["file"], text)
    return _job(found(this, JOBS, identity, holder, own=True))


@router.get("/jobs")
def jobs(this: Here, holder: Runner) -> list[Job]:
    """One's own jobs, the latest first."""
    return [_job(row) for row in this.state.rows(JOBS, holder.owner)]


@router.get("/jobs/{identity}")
def job(this: Here, holder: Runner, identity: Identity) -> Job:
    """A job: how far it is."""
    return _job(found(this, JOBS, identity, holder, own=True))


@router.post("/jobs/{identity}/cancel")
def cancel(this: Here, holder: Runner, identity: Identity, waiting: Annotated[queues.Queue, Depends(queue)]) -> Job:
    """Stop a job. One that is over stays as it is."""
    found(this, JOBS, identity, holder, own=True)
    waiting.cancel(identity)
    return _job(found(this, JOBS, identity, holder, own=True))


@router.get("/releases")
def releases(this: Here, holder: Reader) -> list[ReleaseShown]:
    """Releases, the latest first: one's own, and everybody's for auditors."""
    return [_release(row) for row in this.state.rows(RELEASES, holder.sees)]


@router.get("/releases/{identity}")
def release(this: Here, holder: Reader, identity: Identity) -> ReleaseShown:
    """A release."""
    return _release(found(this, RELEASES, identity, holder))


@router.get("/releases/{identity}/public.zip", response_class=Response, responses=ZIP)
def public(this: Here, holder: Reader, identity: Identity) -> Response:
    """What may leave the house, as a ZIP archive."""
    return _archive(this, holder, identity, "public")


@router.get("/releases/{identity}/evidence.zip", response_class=Response, responses=ZIP)
def evidence(this: Here, holder: Insider, identity: Identity) -> Response:
    """What must stay in the house, as a ZIP archive: for its steward and for auditors."""
    return _archive(this, holder, identity, "evidence")


@router.get("/releases/{identity}/report", response_class=Response, responses=PAGE)
def report(this: Here, holder: Insider, identity: Identity) -> Response:
    """The report, as a page: it may show originals."""
    found(this, RELEASES, identity, holder)
    page = this.files.release(identity) / "evidence" / "report.html"
    if not page.is_file():
        raise HTTPException(404, "This release has no page.")
    return FileResponse(
        page,
        media_type="text/html",
        headers={"Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'"},
    )


@router.get("/releases/{identity}/figures")
def figures(this: Here, holder: Insider, identity: Identity) -> dict[str, Any]:
    """The report, as data."""
    found(this, RELEASES, identity, holder)
    content: dict[str, Any] = json.loads((this.files.release(identity) / "evidence" / "report.json").read_bytes())
    return content


@router.post("/releases/{identity}/verify")
def verify(this: Here, holder: Reader, identity: Identity) -> VerdictShown:
    """Check a release now, from its bytes."""
    from cobogo.release.verify import verify as verified

    found(this, RELEASES, identity, holder)
    verdict = verified(this.files.release(identity))
    return VerdictShown(holds=bool(verdict), details=verdict.as_dict())


def _archive(this: House, holder: Holder, identity: str, part: Literal["public", "evidence"]) -> Response:
    found(this, RELEASES, identity, holder)
    from starlette.background import BackgroundTask

    target = tempfile.NamedTemporaryFile(suffix=".zip", delete=False)  # noqa: SIM115
    with target:
        zipped(this.files.release(identity) / part, target.file)
    from pathlib import Path

    return FileResponse(
        target.name,
        media_type="application/zip",
        filename=f"{identity}-{part}.zip",
        background=BackgroundTask(Path(target.name).unlink, missing_ok=True),
    )


def _job(row: dict[str, Any]) -> Job:
    kept = {key: value for key, value in row.items() if key not in ("owner", "asked", "tries")}
    return Job(**kept, dataset=json.loads(row["asked"])["dataset"])


def _release(row: dict[str, Any]) -> ReleaseShown:
    kept = {key: value for key, value in row.items() if key != "summary"}
    return ReleaseShown(**kept, **json.loads(row["summary"]))
