"""What a browser fetches by an address of its own: the two parts of a release as archives, and its report."""

from __future__ import annotations

from fastapi import HTTPException, Request
from fastapi.responses import Response
from nicegui import app

from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import Scope
from cobogo.faces.server.routes import jobs
from cobogo.faces.workbench.session import Desk


def serve(desk: Desk) -> None:
    """Add the addresses. They are as closed as the server's: to strangers, and to what is somebody else's."""

    def holder(request: Request, scope: Scope) -> Holder:
        found = desk.known(str(request.session.get("id", ""))).holder
        if found is None or scope not in found.scopes:
            raise HTTPException(404)
        request.state.holder = found  # for the log
        return found

    @app.get("/release/{identity}/public.zip", include_in_schema=False)
    def public(request: Request, identity: str) -> Response:
        return jobs.public(desk.context, holder(request, Scope.RELEASES), identity)

    @app.get("/release/{identity}/evidence.zip", include_in_schema=False)
    def evidence(request: Request, identity: str) -> Response:
        return jobs.evidence(desk.context, holder(request, Scope.EVIDENCE), identity)

    @app.get("/release/{identity}/report", include_in_schema=False)
    def report(request: Request, identity: str) -> Response:
        page = jobs.report(desk.context, holder(request, Scope.EVIDENCE), identity)
        page.headers["X-Frame-Options"] = "SAMEORIGIN"
        return page
