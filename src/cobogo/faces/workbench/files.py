"""What a browser fetches by an address of its own: the two parts of a release as archives, and its report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import HTTPException, Query, Request
from fastapi.responses import Response
from nicegui import app

from cobogo.faces.server.keys import Holder
from cobogo.faces.server.routes.jobs import evidence_archive, evidence_page, public_archive, statement_page
from cobogo.faces.server.services.operation import NotFound, ScopeMissing
from cobogo.faces.workbench.session import Desk


def serve(desk: Desk) -> None:
    """Add the addresses. They check login, scope and owner as the server's routes do."""

    def fetch(request: Request, get: Callable[[Holder], Response]) -> Response:
        holder = desk.known(str(request.session.get("id", ""))).holder
        if holder is None:
            raise HTTPException(404)
        request.state.holder = holder  # for the log
        try:
            return get(holder)
        except (ScopeMissing, NotFound):
            raise HTTPException(404) from None

    @app.get("/release/{identity}/public.zip", include_in_schema=False)
    def public(
        request: Request, identity: str, formulas: Annotated[Literal["kept", "neutralised"], Query()] = "kept"
    ) -> Response:
        safe = formulas == "neutralised"
        return fetch(request, lambda holder: public_archive(desk.service, holder, identity, neutralised=safe))

    @app.get("/release/{identity}/evidence.zip", include_in_schema=False)
    def evidence(request: Request, identity: str) -> Response:
        return fetch(request, lambda holder: evidence_archive(desk.service, holder, identity))

    @app.get("/release/{identity}/report", include_in_schema=False)
    def report(request: Request, identity: str) -> Response:
        page = fetch(request, lambda holder: evidence_page(desk.service, holder, identity, "report.html"))
        page.headers["X-Frame-Options"] = "SAMEORIGIN"
        return page

    @app.get("/release/{identity}/{page}", include_in_schema=False)
    def statement(request: Request, identity: str, page: Literal["statement", "impact"]) -> Response:
        language = desk.known(str(request.session.get("id", ""))).language
        shown = fetch(request, lambda holder: statement_page(desk.service, holder, identity, page, language))
        shown.headers["X-Frame-Options"] = "SAMEORIGIN"
        return shown
