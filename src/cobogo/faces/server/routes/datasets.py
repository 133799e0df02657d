"""Data sets and the policies for them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, UploadFile

from cobogo.faces.server.keys import Holder
from cobogo.faces.server.routes.dependencies import REFUSALS, Here, may
from cobogo.faces.server.schemas import Dataset, Identity, Page, PolicyShown, PolicyWanted, SuggestionShown, TableWanted
from cobogo.faces.server.services import Services
from cobogo.faces.server.services.datasets import DatasetService
from cobogo.faces.server.services.policies import PolicyService
from cobogo.faces.server.settings import SourceName

router = APIRouter(tags=["data sets"], responses=REFUSALS)


@router.post("/datasets", status_code=201)
def upload(
    this: Here,
    holder: Annotated[Holder, may(DatasetService.receive)],
    file: UploadFile,
    name: Annotated[str | None, Form(min_length=1, max_length=200)] = None,
    separator: Annotated[str | None, Form(min_length=1, max_length=1)] = None,
    encoding: Annotated[str | None, Form(pattern="^(auto|utf-8|utf-16|cp1252|latin-1)$")] = None,
    header: Annotated[int | None, Form(ge=1, le=1000)] = None,
    sheet: Annotated[str | None, Form(min_length=1, max_length=100)] = None,
    range: Annotated[str | None, Form(pattern="^[A-Za-z]{1,3}[0-9]{1,7}:[A-Za-z]{1,3}[0-9]{1,7}$")] = None,
    table: Annotated[str | None, Form(min_length=1, max_length=200)] = None,
    labels: Annotated[str | None, Form(pattern="^(values|codes)$")] = None,
) -> Dataset:
    """Upload a table: a CSV, Parquet, Excel, OpenDocument, SPSS, Stata, SAS, JSON Lines, Arrow or SQLite file."""
    called = (name or file.filename or "table")[:200]
    places = {"sheet": sheet, "range": range, "table": table, "labels": labels}
    identity = this.datasets.receive(
        holder, called, file.file, separator=separator, encoding=encoding, header=header, places=places
    )
    return _present(this, holder, identity)


@router.get("/sources")
def sources(this: Here, holder: Annotated[Holder, may(DatasetService.list_sources)]) -> list[str]:
    """The databases that one may take tables of, by the names that the server's file gives them."""
    return this.datasets.list_sources(holder)


@router.get("/sources/{name}/tables")
def offered(this: Here, holder: Annotated[Holder, may(DatasetService.list_tables)], name: SourceName) -> list[str]:
    """The tables of a database that one may take."""
    return this.datasets.list_tables(holder, name)


@router.post("/datasets/from-source", status_code=201)
def fetch(
    this: Here, holder: Annotated[Holder, may(DatasetService.copy_table)], wanted: TableWanted, request: Request
) -> Dataset:
    """Make a data set of a table of a database: a copy of it, as it is now."""
    request.state.what = f"{wanted.source} {wanted.table}"
    identity = this.datasets.copy_table(holder, wanted.source, wanted.table, name=wanted.name)
    return _present(this, holder, identity)


@router.get("/datasets")
def listed(this: Here, holder: Annotated[Holder, may(DatasetService.list_all)]) -> list[Dataset]:
    """One's own data sets, the latest first."""
    return [_present(this, holder, row["id"]) for row in this.datasets.list_all(holder)]


@router.get("/datasets/{identity}")
def one(this: Here, holder: Annotated[Holder, may(DatasetService.get)], identity: Identity) -> Dataset:
    """A data set."""
    return _present(this, holder, identity)


@router.delete("/datasets/{identity}", status_code=204)
def forget(this: Here, holder: Annotated[Holder, may(DatasetService.forget)], identity: Identity) -> None:
    """Delete a data set. What was released of it stays."""
    this.datasets.forget(holder, identity)


@router.get("/datasets/{identity}/rows")
def rows(
    this: Here,
    holder: Annotated[Holder, may(DatasetService.page)],
    identity: Identity,
    offset: Annotated[int, Query(ge=0, le=2**40)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> Page:
    """Some rows, as text."""
    known = this.datasets.get(holder, identity)["about"]
    part = [values for _, values in this.datasets.page(holder, identity, offset, limit)]
    return Page(columns=known["columns"], rows=part, offset=offset, total=known["rows"])


@router.get("/datasets/{identity}/suggestion")
def suggestion(
    this: Here, holder: Annotated[Holder, may(DatasetService.suggest)], identity: Identity
) -> SuggestionShown:
    """What each column seems to be and why, and a policy to start from. Shows no values."""
    columns, policy = this.datasets.suggest(holder, identity)
    return SuggestionShown(columns=columns, policy=policy)


@router.post("/datasets/{identity}/files", status_code=201)
def attach(
    this: Here,
    holder: Annotated[Holder, may(DatasetService.attach)],
    identity: Identity,
    file: UploadFile,
    name: Annotated[str | None, Form()] = None,
) -> Dataset:
    """Attach a file that policies may name: a hierarchy, a population."""
    this.datasets.attach(holder, identity, name or file.filename or "", file.file)
    return _present(this, holder, identity)


@router.post("/policies", status_code=201)
def keep(this: Here, holder: Annotated[Holder, may(PolicyService.keep)], wanted: PolicyWanted) -> PolicyShown:
    """Keep a policy for a data set, after checking that it is one."""
    return _policy(this.policies.keep(holder, **wanted.model_dump()))


@router.get("/policies")
def policies(this: Here, holder: Annotated[Holder, may(PolicyService.list_all)]) -> list[PolicyShown]:
    """One's own policies, the latest first."""
    return [_policy(row) for row in this.policies.list_all(holder)]


@router.get("/policies/{identity}")
def policy(this: Here, holder: Annotated[Holder, may(PolicyService.get)], identity: Identity) -> PolicyShown:
    """A policy."""
    return _policy(this.policies.get(holder, identity))


@router.put("/policies/{identity}")
def replace(
    this: Here, holder: Annotated[Holder, may(PolicyService.replace)], identity: Identity, wanted: PolicyWanted
) -> PolicyShown:
    """Put another text in place of a policy's."""
    return _policy(this.policies.replace(holder, identity, **wanted.model_dump()))


@router.delete("/policies/{identity}", status_code=204)
def drop(this: Here, holder: Annotated[Holder, may(PolicyService.remove)], identity: Identity) -> None:
    """Delete a policy."""
    this.policies.remove(holder, identity)


def _present(this: Services, holder: Holder, identity: str) -> Dataset:
    row = this.datasets.get(holder, identity)
    known = {key: row["about"][key] for key in ("columns", "rows", "size")}
    files = this.datasets.list_files(holder, identity)
    return Dataset(id=row["id"], name=row["name"], created=row["created"], files=files, **known)


def _policy(row: dict[str, Any]) -> PolicyShown:
    return PolicyShown(**{key: value for key, value in row.items() if key != "owner"})
