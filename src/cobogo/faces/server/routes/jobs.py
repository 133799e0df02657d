"""Jobs and what they release."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Annotated, Any, Literal

from fastapi import APIRouter, Body, Query
from fastapi.responses import FileResponse, HTMLResponse, Response

from cobogo.faces.server.keys import Holder
from cobogo.faces.server.routes.dependencies import REFUSALS, Here, may
from cobogo.faces.server.schemas import AuditWanted, Identity, Job, JobInQueue, JobWanted, ReleaseShown, VerdictShown
from cobogo.faces.server.services import Services
from cobogo.faces.server.services.jobs import RELEASE_JOBS, JobService
from cobogo.faces.server.services.releases import ReleaseService
from cobogo.floor.language import LANGUAGES

router = APIRouter(tags=["jobs and releases"], responses=REFUSALS)

ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}
}
STILL = {"Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'"}
PAGE: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {"schema": {"type": "string"}}}}}


@router.post("/jobs", status_code=202)
def submit(
    this: Here,
    holder: Annotated[Holder, may(JobService.submit)],
    wanted: Annotated[JobWanted | AuditWanted, Body(discriminator="kind")],
) -> Job:
    """Put a job in the queue. What can be told wrong now is refused now."""
    if isinstance(wanted, AuditWanted):
        return _job(this.jobs.audit(holder, wanted.release))
    return _job(this.jobs.submit_saved(holder, wanted.kind, wanted.dataset, wanted.policy, wanted.toml))


@router.get("/jobs")
def jobs(this: Here, holder: Annotated[Holder, may(JobService.list_all)]) -> list[Job]:
    """One's own jobs, the latest first."""
    return [_job(row) for row in this.jobs.list_all(holder)]


@router.get("/jobs/{identity}")
def job(this: Here, holder: Annotated[Holder, may(JobService.get)], identity: Identity) -> Job:
    """A job: how far it is."""
    return _job(this.jobs.get(holder, identity))


@router.post("/jobs/{identity}/cancel")
def cancel(this: Here, holder: Annotated[Holder, may(JobService.cancel)], identity: Identity) -> Job:
    """Stop a job. One that is over stays as it is."""
    return _job(this.jobs.cancel(holder, identity))


@router.get("/queue")
def in_queue(this: Here, holder: Annotated[Holder, may(JobService.list_queue)]) -> list[JobInQueue]:
    """Everybody's jobs that wait or run, the latest first."""
    rows = this.jobs.list_queue(holder)
    return [JobInQueue(**{key: row[key] for key in JobInQueue.model_fields}) for row in rows]


@router.post("/queue/{identity}/cancel", status_code=202)
def stop(this: Here, holder: Annotated[Holder, may(JobService.stop)], identity: Identity) -> None:
    """Stop anybody's job."""
    this.jobs.stop(holder, identity)


@router.get("/releases")
def releases(this: Here, holder: Annotated[Holder, may(ReleaseService.list_all)]) -> list[ReleaseShown]:
    """Releases, the latest first: one's own, and everybody's for auditors."""
    return [_release(row) for row in this.releases.list_all(holder)]


@router.get("/releases/{identity}")
def release(this: Here, holder: Annotated[Holder, may(ReleaseService.get)], identity: Identity) -> ReleaseShown:
    """A release."""
    return _release(this.releases.get(holder, identity))


@router.get("/releases/{identity}/public.zip", response_class=Response, responses=ZIP)
def public(
    this: Here,
    holder: Annotated[Holder, may(ReleaseService.write_public)],
    identity: Identity,
    formulas: Annotated[Literal["kept", "neutralised"], Query()] = "kept",
) -> Response:
    """What may leave the house, as a ZIP archive; for spreadsheets, if asked, with no cell that is a formula."""
    return public_archive(this, holder, identity, neutralised=formulas == "neutralised")


@router.get("/releases/{identity}/evidence.zip", response_class=Response, responses=ZIP)
def evidence(this: Here, holder: Annotated[Holder, may(ReleaseService.write_evidence)], identity: Identity) -> Response:
    """What must stay in the house, as a ZIP archive: for its steward and for auditors."""
    return evidence_archive(this, holder, identity)


@router.get("/releases/{identity}/report", response_class=Response, responses=PAGE)
def report(this: Here, holder: Annotated[Holder, may(ReleaseService.evidence_file)], identity: Identity) -> Response:
    """The report, as a page: it may show originals."""
    return evidence_page(this, holder, identity, "report.html")


@router.get("/releases/{identity}/figures")
def figures(
    this: Here, holder: Annotated[Holder, may(ReleaseService.evidence_file)], identity: Identity
) -> dict[str, Any]:
    """The report, as data."""
    return _data(this, holder, identity, "report.json")


@router.get("/releases/{identity}/audit", response_class=Response, responses=PAGE)
def audit(this: Here, holder: Annotated[Holder, may(ReleaseService.evidence_file)], identity: Identity) -> Response:
    """What attacks find, as a page to sign, after a job of the kind "audit"."""
    return evidence_page(this, holder, identity, "audit.html")


@router.get("/releases/{identity}/statement", response_class=Response, responses=PAGE)
def statement(
    this: Here,
    holder: Annotated[Holder, may(ReleaseService.render_statement)],
    identity: Identity,
    page: Annotated[Literal["statement", "impact"], Query()] = "statement",
    language: Annotated[Literal[LANGUAGES], Query()] = "en",  # type: ignore[valid-type]
) -> Response:
    """A page for the person who signs a release, or an impact report (LGPD art. 38, GDPR art. 35)."""
    return statement_page(this, holder, identity, page, language)


@router.get("/releases/{identity}/findings")
def findings(
    this: Here, holder: Annotated[Holder, may(ReleaseService.evidence_file)], identity: Identity
) -> dict[str, Any]:
    """What attacks find, as data, after a job of the kind "audit"."""
    content = _data(this, holder, identity, "audit.json")
    return content | {"release": identity, "earlier": [Path(one).name for one in content["earlier"]]}


@router.post("/releases/{identity}/verify")
def verify(this: Here, holder: Annotated[Holder, may(ReleaseService.verify)], identity: Identity) -> VerdictShown:
    """Check a release now, from its bytes."""
    verdict = this.releases.verify(holder, identity)
    return VerdictShown(holds=bool(verdict), details=verdict.as_dict())


def evidence_page(this: Services, holder: Holder, identity: str, name: str) -> Response:
    """A page of the evidence, which loads nothing."""
    return FileResponse(this.releases.evidence_file(holder, identity, name), media_type="text/html", headers=STILL)


def statement_page(this: Services, holder: Holder, identity: str, page: str, language: str) -> Response:
    """A page to sign, made now from the evidence, which loads nothing."""
    return HTMLResponse(this.releases.render_statement(holder, identity, page, language), headers=STILL)


def _data(this: Services, holder: Holder, identity: str, name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(this.releases.evidence_file(holder, identity, name).read_bytes())
    return content


def public_archive(this: Services, holder: Holder, identity: str, *, neutralised: bool = False) -> Response:
    """The public part of a release as a download."""
    write = partial(this.releases.write_public, holder, identity, neutralised=neutralised)
    return _archive(write, f"{identity}-public.zip")


def evidence_archive(this: Services, holder: Holder, identity: str) -> Response:
    """The evidence of a release as a download."""
    return _archive(partial(this.releases.write_evidence, holder, identity), f"{identity}-evidence.zip")


def _archive(write: Callable[[IO[bytes]], None], name: str) -> Response:
    from starlette.background import BackgroundTask

    with tempfile.NamedTemporaryFile(suffix=".zip", delete=False) as target:
        try:
            write(target.file)
        except BaseException:
            Path(target.name).unlink()
            raise
    return FileResponse(
        target.name,
        media_type="application/zip",
        filename=name,
        background=BackgroundTask(Path(target.name).unlink, missing_ok=True),
    )


def _job(row: dict[str, Any]) -> Job:
    kept = {key: value for key, value in row.items() if key not in ("owner", "asked", "tries", "error")}
    kept["code"] = None if row["error"] is None else row["error"].code
    made = row["id"] if row["state"] == "done" and row["kind"] in RELEASE_JOBS else None
    return Job(**kept, dataset=row["asked"]["dataset"], release=row["asked"].get("release", made))


def _release(row: dict[str, Any]) -> ReleaseShown:
    kept = {key: value for key, value in row.items() if key != "summary"}
    return ReleaseShown(**kept, **json.loads(row["summary"]))
