"""What a running server holds: state, files, keys, cache, and what its settings open on first use."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cobogo.errors import InputError
from cobogo.faces.server.cache import Cache
from cobogo.faces.server.files import Files
from cobogo.faces.server.keys import Holder, Keys, RequestAllowance
from cobogo.faces.server.settings import ServerSettings
from cobogo.faces.server.state import ServerState
from cobogo.floor.language import tr
from cobogo.floor.language.errors import reason
from cobogo.floor.urls import is_url

if TYPE_CHECKING:
    from cobogo.answer.curator import Curator
    from cobogo.faces.server.journal import Journal


@dataclass
class ServerContext:
    """The parts of one server, for the operations of its service."""

    settings: ServerSettings
    state: ServerState = field(init=False)
    files: Files = field(init=False)
    keys: Keys = field(init=False)

    def __post_init__(self) -> None:
        root = Path(self.settings.state)
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.files = Files(root, self.settings.limits)
        except OSError as error:
            raise InputError(
                tr("cannot be used as the server's state directory: {reason}", reason=reason(error)),
                where=str(root),
                remedy=tr("Choose a directory that you may write to."),
            ) from None
        self.state = ServerState(self.settings.database or root / "state.db")
        try:
            self.state.settle_in(self.files.number)
        except BaseException:
            self.state.close()
            raise
        self.keys = Keys(self.state)
        self.pace = RequestAllowance(self.settings.limits.requests_per_minute)
        self.strangers = RequestAllowance(30)
        self.cache = Cache()
        self.browsers: Callable[[str], Holder | None] = _nobody
        self.opening = threading.Lock()
        self.journals: dict[str, Journal] = {}
        self._curators: dict[str, Curator] = {}
        if self.settings.registry is not None:
            begin_registry(self.settings.registry)

    def close(self) -> None:
        """Count the reports that came in, and close the state."""
        try:
            for journal in self.journals.values():
                journal.count()
        finally:
            self.state.close()

    @property
    def curator(self) -> Curator | None:
        """The curator, where the settings name its file."""
        file = self.settings.curator
        if file is None:
            return None
        with self.opening:
            if file not in self._curators:
                from cobogo.answer.curator import Curator

                self._curators[file] = Curator.load(Path(file))
            return self._curators[file]


def _nobody(session: str) -> Holder | None:  # noqa: ARG001
    """Who is logged in in a browser session: without the workbench, nobody is."""
    return None


def begin_registry(place: str) -> None:
    """Create the registry, with its key in the same directory, if it is a file that does not exist yet. A registry in a
    database is created by hand."""
    if not is_url(place) and not Path(place).exists():
        from cobogo.publish.registry import store

        store.create(place, None)
