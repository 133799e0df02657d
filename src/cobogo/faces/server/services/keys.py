"""Keys, who they belong to, and the log of who did what."""

from __future__ import annotations

import time
from typing import Any

from cobogo.faces.server.keys import Holder, TooMany, recognise
from cobogo.faces.server.roles import KeyRole, KeyScope
from cobogo.faces.server.services.operation import NotFound, Subject, operation
from cobogo.faces.server.state import BEGUN, KEYS, Row
from cobogo.floor.language import tr

__all__ = ["BEGUN", "KeyService", "TooMany"]


class KeyService(Subject):
    """The keys of a server, and its log."""

    @property
    def idle_seconds(self) -> float:
        """How long a browser may be idle and stay logged in."""
        return self._context.settings.limits.session_minutes * 60

    def recognise(self, address: str, text: str) -> Holder | None:
        """Whose key a text is. Guesses from an address are paced: see `cobogo.faces.server.keys`."""
        return recognise(self._context, address, text)

    def wait(self, holder: Holder) -> float:
        """Seconds that a holder has to wait before the next request; 0 where it may be made, which is counted."""
        return self._context.pace.wait(holder.key)

    def is_valid(self, holder: Holder) -> bool:
        """Whether a holder's key was neither revoked nor has ended."""
        row = self._context.state.get(KEYS, holder.key)
        if row is None or row["revoked"] is not None:
            return False
        return row["expires"] is None or row["expires"] > time.time()

    @operation(KeyScope.KEYS)
    def create(
        self,
        holder: Holder,  # noqa: ARG002
        owner: str,
        role: KeyRole,
        *,
        scopes: list[str] | None = None,
        days: float | None = None,
    ) -> tuple[str, str]:
        """Make a key; its id, and its text, which is shown only now."""
        return self._context.keys.create(owner, role, scopes=scopes, days=days)

    @operation(KeyScope.KEYS, reads=True)
    def list_all(self, holder: Holder) -> list[dict[str, object]]:  # noqa: ARG002
        """All keys, without their secrets."""
        return self._context.keys.list_all()

    @operation(KeyScope.KEYS)
    def revoke(self, holder: Holder, identity: str) -> None:  # noqa: ARG002
        """End a key now."""
        if not self._context.keys.revoke(identity):
            raise NotFound(tr("There is no such key, or it has ended."), thing="key")

    @operation(KeyScope.AUDIT, reads=True)
    def read_log(self, holder: Holder, after: int, limit: int) -> list[Row]:  # noqa: ARG002
        """Lines of the log in their order."""
        return self._context.state.log(after, limit)

    @operation(KeyScope.AUDIT, reads=True)
    def read_latest(self, holder: Holder, before: int | None, limit: int) -> list[Row]:  # noqa: ARG002
        """Lines of the log before a line, or the last ones; the latest first."""
        return self._context.state.log_before(before, limit)

    def check_health(self) -> None:
        """See that the state can be read."""
        self._context.state.log(limit=1)

    def note(self, holder: Holder, action: str, what: str = "", status: int = BEGUN) -> int:
        """Write in the log that a holder does something; the number of the line. It begins unless a status is given."""
        about: dict[str, Any] = {"owner": holder.owner, "role": holder.role.value, "key": holder.key}
        return self._context.state.note(action=action, what=what, status=status, **about)

    def settle(self, line: int, what: str, status: int) -> None:
        """Write the outcome of an action into its line of the log."""
        self._context.state.settle(line, what, status)
