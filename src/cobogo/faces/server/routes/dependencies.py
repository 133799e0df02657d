"""What stands before every route: whose key a request carries, and whether it may do what the route does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.schemas import ProblemShown
from cobogo.faces.server.services import Services
from cobogo.faces.server.services.keys import TooMany
from cobogo.faces.server.services.operation import authorize, scope_of

BEARER = HTTPBearer(auto_error=False, description="A key: cobogo_…")

UNKNOWN = "Give a key that is valid: Authorization: Bearer cobogo_…"

REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": ProblemShown, "description": said}
    for code, said in {
        400: "The request is wrong.",
        401: "No valid key.",
        403: "The key may not do that.",
        404: "There is no such thing, or it is somebody else's.",
        409: "The answer is no, or not now.",
        413: "Too large.",
        422: "The request is not of the right shape.",
        429: "Too many requests.",
        503: "What this needs cannot be used now.",
    }.items()
}
"""What every route may answer instead."""


def service(request: Request) -> Services:
    """The operations of the server."""
    found: Services = request.app.state.service
    return found


Here = Annotated[Services, Depends(service)]


def present(
    request: Request,
    given: Annotated[HTTPAuthorizationCredentials | None, Security(BEARER)] = None,
) -> Holder:
    """Whose key a request carries."""
    keys = service(request).keys
    address = request.client.host if request.client else "?"
    try:
        holder = None if given is None else keys.recognise(address, given.credentials)
    except TooMany:
        raise HTTPException(429, "Too many attempts. Wait a minute.", headers={"Retry-After": "60"}) from None
    if holder is None:
        raise HTTPException(401, UNKNOWN, headers={"WWW-Authenticate": "Bearer"})
    request.state.holder = holder
    seconds = keys.wait(holder)
    if seconds:
        raise HTTPException(
            429, "More requests than this key may make.", headers={"Retry-After": str(int(seconds) + 1)}
        )
    return holder


def may(do: Callable[..., Any] | KeyScope) -> Any:
    """A dependency that lets only keys pass that may do an operation, and says whose they are.

    The operation checks that itself when it is called; a request is refused here before its body is looked at, and
    the OpenAPI document says which scope it needs. What collectors hand in is not written in the log: who reported
    when would tell where somebody was.
    """
    scope = do if isinstance(do, KeyScope) else scope_of(do)

    def check_scope(request: Request, holder: Annotated[Holder, Depends(present)]) -> Holder:
        authorize(holder, scope)
        request.state.unlogged = scope is KeyScope.REPORT
        return holder

    return Security(check_scope, scopes=[scope.value])
