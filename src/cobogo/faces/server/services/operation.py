"""What the operations of the service have in common: each knows the scope that it needs, and checks it when called."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from cobogo.errors import CobogoError, InputError
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.state import Row
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from sqlalchemy import Table

    from cobogo.faces.server.context import ServerContext

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="Subject")

SCOPES_OF_OPERATIONS: dict[str, KeyScope] = {}
"""The scope that each operation needs, by its qualified name."""

READS: set[str] = set()
"""The operations that change nothing, by their qualified names: pages call these themselves, the others are actions."""


class ScopeMissing(CobogoError):
    """The caller's key lacks the scope of an operation."""

    def __init__(self, scope: KeyScope) -> None:
        super().__init__(
            tr('This key may not do that: it does not have the scope "{scope}".', scope=scope.value),
            remedy=tr("Use a key that has the scope."),
        )
        self.scope = scope


class NotFound(CobogoError):
    """A ``thing`` does not exist, or belongs to another owner: the caller cannot tell which."""

    def __init__(self, what: str = "", *, thing: str = "") -> None:
        super().__init__(what or tr("This does not exist, or it is not yours."))
        self.thing = thing


class Unavailable(InputError):
    """What an operation needs cannot be used now."""


def operation(
    scope: KeyScope, *, reads: bool = False
) -> Callable[[Callable[Concatenate[S, Holder, P], R]], Callable[Concatenate[S, Holder, P], R]]:
    """Make an operation of a method: its first argument is the holder of a key, who needs a scope.

    An operation that ``reads`` changes nothing that others see.
    """

    def make(do: Callable[Concatenate[S, Holder, P], R]) -> Callable[Concatenate[S, Holder, P], R]:
        @wraps(do)
        def call_authorized(self: S, holder: Holder, /, *given: P.args, **options: P.kwargs) -> R:
            authorize(holder, scope)
            return do(self, holder, *given, **options)

        SCOPES_OF_OPERATIONS[do.__qualname__] = scope
        if reads:
            READS.add(do.__qualname__)
        return call_authorized

    return make


def scope_of(do: Callable[..., Any]) -> KeyScope:
    """The scope that an operation needs."""
    return SCOPES_OF_OPERATIONS[do.__qualname__]


def authorize(holder: Holder, scope: KeyScope) -> None:
    """Refuse a holder whose key lacks a scope."""
    if scope not in holder.scopes:
        raise ScopeMissing(scope)


class Subject:
    """One subject of the service, over the state and the files of a server."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context

    def _row(self, table: Table, identity: str, owner: str | None, thing: str) -> Row:
        """A row of the state. A missing row and a row of another owner raise the same error."""
        row = self._context.state.get(table, identity, owner)
        if row is None:
            raise NotFound(thing=thing)
        return row
