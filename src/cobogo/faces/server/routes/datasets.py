"""Data sets and the policies for them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request, UploadFile

from cobogo.faces.server import tables
from cobogo.faces.server.access import context, needs
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import Scope
from cobogo.faces.server.routes.common import REFUSALS, found
from cobogo.faces.server.sandbox import confined
from cobogo.faces.server.schemas import Dataset, Identity, Page, PolicyShown, PolicyWanted, Suggestion, TableWanted
from cobogo.faces.server.settings import SourceName
from cobogo.faces.server.state import DATASETS, POLICIES

router = APIRouter(tags=["data sets"], responses=REFUSALS)
Here = Annotated[ServerContext, Depends(context)]
Steward = Annotated[Holder, needs(Scope.DATA)]


@router.post("/datasets", status_code=201)
def upload(
    this: Here,
    holder: Steward,
    file: UploadFile,
    name: Annotated[str | None, Form(min_length=1, max_length=200)] = None,
    separator: Annotated[str | None, Form(min_length=1, max_length=1)] = None,
    encoding: Annotated[str, Form(pattern="^(utf-8|latin-1)$")] = "utf-8",
) -> Dataset:
    """Upload a table: a CSV file or a Parquet file."""
    called = (name or file.filename or "table")[:200]
    identity = tables.receive(this, holder.owner, called, file.file, separator=separator, encoding=encoding)
    return _shown(this, found(this, DATASETS, identity, holder, own=True))


@router.get("/sources")
def sources(this: Here, holder: Steward) -> list[str]:
    """The databases that one may take tables of, by the names that the server's file gives them."""
    return tables.sources(this, holder.owner)


@router.get("/sources/{name}/tables")
def offered(this: Here, holder: Steward, name: SourceName) -> list[str]:
    """The tables of a database that one may take."""
    return tables.offered(this, holder.owner, name)


@router.post("/datasets/from-source", status_code=201)
def fetch(this: Here, holder: Steward, wanted: TableWanted, request: Request) -> Dataset:
    """Make a data set of a table of a database: a copy of it, as it is now."""
    request.state.what = f"{wanted.source} {wanted.table}"
    identity = tables.fetch(this, holder.owner, wanted.source, wanted.table, name=wanted.name)
    return _shown(this, found(this, DATASETS, identity, holder, own=True))


@router.get("/datasets")
def listed(this: Here, holder: Steward) -> list[Dataset]:
    """One's own data sets, the latest first."""
    return [_shown(this, row) for row in this.state.rows(DATASETS, holder.owner) if row["about"]]


@router.get("/datasets/{identity}")
def one(this: Here, holder: Steward, identity: Identity) -> Dataset:
    """A data set."""
    return _shown(this, found(this, DATASETS, identity, holder, own=True))


@router.delete("/datasets/{identity}", status_code=204)
def forget(this: Here, holder: Steward, identity: Identity) -> None:
    """Delete a data set. What was released of it stays."""
    found(this, DATASETS, identity, holder, own=True)
    tables.forget(this, holder.owner, identity)


@router.get("/datasets/{identity}/rows")
def rows(
    this: Here,
    holder: Steward,
    identity: Identity,
    offset: Annotated[int, Query(ge=0, le=2**40)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> Page:
    """Some rows, as text."""
    row = found(this, DATASETS, identity, holder, own=True)
    known = tables.about(row)
    part = [values for _, values in tables.page(this, row, offset, limit)]
    return Page(columns=known["columns"], rows=part, offset=offset, total=known["rows"])


@router.get("/datasets/{identity}/suggestion")
def suggestion(this: Here, holder: Steward, identity: Identity) -> Suggestion:
    """What each column seems to be and why, and a policy to start from. Shows no values."""
    columns, policy = tables.suggestion(this, found(this, DATASETS, identity, holder, own=True))
    return Suggestion(columns=columns, policy=policy)


@router.post("/datasets/{identity}/files", status_code=201)
def attach(
    this: Here, holder: Steward, identity: Identity, file: UploadFile, name: Annotated[str | None, Form()] = None
) -> Dataset:
    """Attach a file that policies may name: a hierarchy, a population."""
    row = found(this, DATASETS, identity, holder, own=True)
    tables.attach(this, identity, name or file.filename or "", file.file)
    return _shown(this, row)


@router.post("/policies", status_code=201)
def keep(this: Here, holder: Steward, wanted: PolicyWanted) -> PolicyShown:
    """Keep a policy for a data set, after checking that it is one."""
    _checked(this, holder, wanted)
    values: dict[str, Any] = wanted.model_dump()
    identity = this.state.add(POLICIES, owner=holder.owner, **values)
    return _policy(found(this, POLICIES, identity, holder, own=True))


@router.get("/policies")
def policies(this: Here, holder: Steward) -> list[PolicyShown]:
    """One's own policies, the latest first."""
    return [_policy(row) for row in this.state.rows(POLICIES, holder.owner)]


@router.get("/policies/{identity}")
def policy(this: Here, holder: Steward, identity: Identity) -> PolicyShown:
    """A policy."""
    return _policy(found(this, POLICIES, identity, holder, own=True))


@router.put("/policies/{identity}")
def replace(this: Here, holder: Steward, identity: Identity, wanted: PolicyWanted) -> PolicyShown:
    """Put another text in place of a policy's."""
    found(this, POLICIES, identity, holder, own=True)
    _checked(this, holder, wanted)
    this.state.change(POLICIES, identity, **wanted.model_dump())
    return _policy(found(this, POLICIES, identity, holder, own=True))


@router.delete("/policies/{identity}", status_code=204)
def drop(this: Here, holder: Steward, identity: Identity) -> None:
    """Delete a policy."""
    found(this, POLICIES, identity, holder, own=True)
    this.state.remove(POLICIES, identity)


def _checked(this: ServerContext, holder: Holder, wanted: PolicyWanted) -> None:
    found(this, DATASETS, wanted.dataset, holder, own=True)
    home = this.files.dataset(wanted.dataset) / "files"
    confined(wanted.toml, home, owner=holder.owner, registry=this.settings.registry)


def _shown(this: ServerContext, row: dict[str, Any]) -> Dataset:
    known = tables.about(row)
    return Dataset(
        id=row["id"],
        name=row["name"],
        columns=known["columns"],
        rows=known["rows"],
        size=known["size"],
        created=row["created"],
        files=tables.attached(this, row["id"]),
    )


def _policy(row: dict[str, Any]) -> PolicyShown:
    return PolicyShown(**{key: value for key, value in row.items() if key != "owner"})
