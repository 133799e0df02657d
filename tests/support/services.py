"""The service of a server without HTTP, and people who may do everything in it."""

from __future__ import annotations

from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.queue import Queue
from cobogo.faces.server.roles import KeyRole, KeyScope
from cobogo.faces.server.services import Services


def service_of(context: ServerContext) -> Services:
    """The operations of a server whose queue does not run."""
    return Services(context, Queue(context))


def person(owner: str, role: KeyRole = KeyRole.STEWARD, scopes: frozenset[KeyScope] = frozenset(KeyScope)) -> Holder:
    """Somebody with all scopes, or some."""
    return Holder(owner, role, scopes, "0123456789abcdef")
