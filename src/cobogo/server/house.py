"""All that a running server has, in one place that is handed to every route."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cobogo.errors import InputError
from cobogo.server.access import Pace
from cobogo.server.files import Files
from cobogo.server.keys import Keys
from cobogo.server.settings import Settings
from cobogo.server.state import State

if TYPE_CHECKING:
    from cobogo.dp.curator import Curator


@dataclass
class House:
    """State, files and keys of a server, and what its settings open on first use."""

    settings: Settings
    state: State = field(init=False)
    files: Files = field(init=False)
    keys: Keys = field(init=False)

    def __post_init__(self) -> None:
        root = Path(self.settings.state)
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.files = Files(root, self.settings.limits)
        except OSError as error:
            raise InputError(f"cannot be used: {error.strerror}", where=str(root)) from None
        self.state = State(self.settings.database or root / "state.db")
        self.keys = Keys(self.state)
        self.pace = Pace(self.settings.limits.requests_per_minute)
        self.strangers = Pace(30)
        self._opening = threading.Lock()

    def close(self) -> None:
        """Let go of what was opened."""
        self.state.close()

    @cached_property
    def _curator(self) -> Any:
        from cobogo.dp.curator import Curator

        return Curator.load(Path(str(self.settings.curator)))

    @property
    def curator(self) -> Curator | None:
        """The curator, where the settings name its file."""
        if self.settings.curator is None:
            return None
        with self._opening:
            found: Curator = self._curator
        return found
