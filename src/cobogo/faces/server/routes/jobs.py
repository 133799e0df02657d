"""Jobs and what they release."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, HTTPException, Query, Request
from fastapi.responses import FileResponse, Response

from cobogo.errors import InputError
from cobogo.faces.server import downloads, tables
from cobogo.faces.server import queue as queues
from cobogo.faces.server.access import house, needs
from cobogo.faces.server.confine import confined
from cobogo.faces.server.house import House
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import Scope
from cobogo.faces.server.routes.common import REFUSALS, found
from cobogo.faces.server.shapes import AuditWanted, Identity, Job, JobInQueue, JobWanted, ReleaseShown, VerdictShown
from cobogo.faces.server.state import DATASETS, JOBS, POLICIES, RELEASES

router = APIRouter(tags=["jobs and releases"], responses=REFUSALS)
Here = Annotated[House, Depends(house)]
Runner = Annotated[Holder, needs(Scope.RUN)]
Keeper = Annotated[Holder, needs(Scope.JOBS)]
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
def submit(
    this: Here,
    holder: Runner,
    wanted: Annotated[JobWanted | AuditWanted, Body(discriminator="kind")],
    waiting: Annotated[queues.Queue, Depends(queue)],
) -> Job:
    """Put a job in the queue. What can be told wrong now is refused now."""
    if isinstance(wanted, AuditWanted):
        about = found(this, RELEASES, wanted.release, holder, own=True)
        return _job(found(this, JOBS, waiting.audit(holder.owner, about), holder, own=True))
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


@router.get("/queue")
def in_queue(this: Here, holder: Keeper) -> list[JobInQueue]:  # noqa: ARG001
    """Everybody's jobs that wait or run, the latest first."""
    rows = [row for state in queues.UNDER_WAY for row in this.state.rows(JOBS, state=state)]
    rows.sort(key=lambda row: row["created"], reverse=True)
    return [JobInQueue(**{key: row[key] for key in JobInQueue.model_fields}) for row in rows]


@router.post("/queue/{identity}/cancel", status_code=202)
def stop(this: Here, holder: Keeper, identity: Identity, waiting: Annotated[queues.Queue, Depends(queue)]) -> None:  # noqa: ARG001
    """Stop anybody's job."""
    if this.state.get(JOBS, identity) is None:
        raise HTTPException(404, "There is no such job.")
    waiting.cancel(identity)


@router.get("/releases")
def releases(this: Here, holder: Reader) -> list[ReleaseShown]:
    """Releases, the latest first: one's own, and everybody's for auditors."""
    return [_release(row) for row in this.state.rows(RELEASES, holder.sees)]


@router.get("/releases/{identity}")
def release(this: Here, holder: Reader, identity: Identity) -> ReleaseShown:
    """A release."""
    return _release(found(this, RELEASES, identity, holder))


@router.get("/releases/{identity}/public.zip", response_class=Response, responses=ZIP)
def public(
    this: Here,
    holder: Reader,
    identity: Identity,
    formulas: Annotated[Literal["kept", "neutralised"], Query()] = "kept",
) -> Response:
    """What may leave the house, as a ZIP archive; for spreadsheets, if asked, with no cell that is a formula."""
    return _archive(this, holder, identity, "public", neutralised=formulas == "neutralised")


@router.get("/releases/{identity}/evidence.zip", response_class=Response, responses=ZIP)
def evidence(this: Here, holder: Insider, identity: Identity) -> Response:
    """What must stay in the house, as a ZIP archive: for its steward and for auditors."""
    return _archive(this, holder, identity, "evidence")


@router.get("/releases/{identity}/report", response_class=Response, responses=PAGE)
def report(this: Here, holder: Insider, identity: Identity) -> Response:
    """The report, as a page: it may show originals."""
    return _page(this, holder, identity, "report.html")


@router.get("/releases/{identity}/figures")
def figures(this: Here, holder: Insider, identity: Identity) -> dict[str, Any]:
    """The report, as data."""
    return _data(this, holder, identity, "report.json")


@router.get("/releases/{identity}/audit", response_class=Response, responses=PAGE)
def audit(this: Here, holder: Insider, identity: Identity) -> Response:
    """What attacks find, as a page to sign, after a job of the kind "audit"."""
    return _page(this, holder, identity, "audit.html")


@router.get("/releases/{identity}/findings")
def findings(this: Here, holder: Insider, identity: Identity) -> dict[str, Any]:
    """What attacks find, as data, after a job of the kind "audit"."""
    content = _data(this, holder, identity, "audit.json")
    return content | {"release": identity, "earlier": [Path(one).name for one in content["earlier"]]}


@router.post("/releases/{identity}/verify")
def verify(this: Here, holder: Reader, identity: Identity) -> VerdictShown:
    """Check a release now, from its bytes."""
    from cobogo.release.verify import verify as verified

    found(this, RELEASES, identity, holder)
    verdict = verified(this.files.release(identity))
    return VerdictShown(holds=bool(verdict), details=verdict.as_dict())


def _evidence(this: House, holder: Holder, identity: str, name: str) -> Path:
    found(this, RELEASES, identity, holder)
    file = this.files.release(identity) / "evidence" / name
    if not file.is_file():
        raise HTTPException(404, f"The evidence has no {name}.")
    return file


def _page(this: House, holder: Holder, identity: str, name: str) -> Response:
    return FileResponse(
        _evidence(this, holder, identity, name),
        media_type="text/html",
        headers={"Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'"},
    )


def _data(this: House, holder: Holder, identity: str, name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(_evidence(this, holder, identity, name).read_bytes())
    return content


def _archive(
    this: House, holder: Holder, identity: str, part: downloads.Part, *, neutralised: bool = False
) -> Response:
    found(this, RELEASES, identity, holder)
    from starlette.background import BackgroundTask

    with tempfile.NamedTemporaryFile(suffix=".zip", delete=False) as target:
        try:
            downloads.archive(this.files, identity, part, target.file, neutralised=neutralised)
        except BaseException:
            Path(target.name).unlink()
            raise
    return FileResponse(
        target.name,
        media_type="application/zip",
        filename=f"{identity}-{part}.zip",
        background=BackgroundTask(Path(target.name).unlink, missing_ok=True),
    )


def _job(row: dict[str, Any]) -> Job:
    kept = {key: value for key, value in row.items() if key not in ("owner", "asked", "tries")}
    asked = json.loads(row["asked"])
    made = row["id"] if row["state"] == "done" else None
    return Job(**kept, dataset=asked["dataset"], release=asked.get("release", made))


def _release(row: dict[str, Any]) -> ReleaseShown:
    kept = {key: value for key, value in row.items() if key != "summary"}
    return ReleaseShown(**kept, **json.loads(row["summary"]))
