"""Policies: those kept under a name, the versions of the one being written, and their check before a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.errors import InputError
from cobogo.faces.server import drafts
from cobogo.faces.server.drafts import Version
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.sandbox import confine_policy
from cobogo.faces.server.services.operation import NotFound, Subject, operation
from cobogo.faces.server.state import DATASETS, POLICIES, Row
from cobogo.floor.language import tr

__all__ = ["PolicyService", "Version"]


class PolicyService(Subject):
    """The policies of the caller. A text that names anything but files of its data set is refused."""

    @operation(KeyScope.DATA, reads=True)
    def read(self, holder: Holder, dataset: str, text: str) -> Policy:
        """The policy of a text for a data set."""
        return self.confine(holder, dataset, text)

    def confine(self, holder: Holder, dataset: str, text: str) -> Policy:
        """The policy of a text, for operations of other scopes on a data set of the holder's."""
        self._row(DATASETS, dataset, holder.owner, "data set")
        home, registry = self._home(dataset), self._context.settings.registry
        return confine_policy(text, home, owner=holder.owner, registry=registry)

    def text(self, holder: Holder, identity: str) -> str:
        """The text of a policy that the holder kept, for operations of other scopes."""
        return str(self._row(POLICIES, identity, holder.owner, "policy")["toml"])

    def file_versions(self, dataset: str) -> list[list[Any]]:
        """The files that policies of a data set may name, each with its version."""
        about = [(file.name, file.stat()) for file in self._home(dataset).iterdir()]
        return sorted([name, stat.st_mtime_ns, stat.st_size] for name, stat in about)

    @operation(KeyScope.DATA, reads=True)
    def files(self, holder: Holder, dataset: str) -> Path:
        """Where the files lie that policies of a data set may name."""
        self._row(DATASETS, dataset, holder.owner, "data set")
        return self._home(dataset)

    def _home(self, dataset: str) -> Path:
        return self._context.files.dataset(dataset) / "files"

    # Policies under a name

    @operation(KeyScope.DATA, reads=True)
    def list_all(self, holder: Holder, dataset: str | None = None) -> list[Row]:
        """The policies that were kept, the latest first; of one data set, or of all."""
        of = {} if dataset is None else {"dataset": dataset}
        return self._context.state.rows(POLICIES, holder.owner, **of)

    @operation(KeyScope.DATA, reads=True)
    def get(self, holder: Holder, identity: str) -> Row:
        """A policy that was kept."""
        return self._row(POLICIES, identity, holder.owner, "policy")

    @operation(KeyScope.DATA)
    def keep(self, holder: Holder, *, dataset: str, name: str, toml: str) -> Row:
        """Keep a policy for a data set, after a check that it is one."""
        self.read(holder, dataset, toml)
        identity = self._context.state.add(POLICIES, owner=holder.owner, dataset=dataset, name=name, toml=toml)
        return self.get(holder, identity)

    @operation(KeyScope.DATA)
    def replace(self, holder: Holder, identity: str, *, dataset: str, name: str, toml: str) -> Row:
        """Put another text in place of a policy's."""
        self.get(holder, identity)
        self.read(holder, dataset, toml)
        self._context.state.change(POLICIES, identity, dataset=dataset, name=name, toml=toml)
        return self.get(holder, identity)

    @operation(KeyScope.DATA)
    def keep_as(self, holder: Holder, dataset: str, name: str, toml: str) -> None:
        """Keep the text of a policy under a name, in place of the one that had it; it may be unfinished."""
        if not name.strip() or len(name) > 200:
            raise InputError(
                tr("needs a name of 1 to 200 characters"), where=tr("policy"), remedy=tr("Type a name, and try again.")
            )
        same = self._context.state.rows(POLICIES, holder.owner, dataset=dataset, name=name.strip())
        if same:
            self._context.state.change(POLICIES, same[0]["id"], toml=toml)
        else:
            self._context.state.add(POLICIES, owner=holder.owner, dataset=dataset, name=name.strip(), toml=toml)

    @operation(KeyScope.DATA)
    def remove(self, holder: Holder, identity: str) -> None:
        self.get(holder, identity)
        self._context.state.remove(POLICIES, identity)

    # The policy that is being written, in versions

    @operation(KeyScope.DATA)
    def begin_draft(self, holder: Holder, dataset: str, toml: str) -> Version:
        """Begin the policy of a data set, unless it was begun already; the version that counts."""
        return drafts.begin(self._context.state, holder.owner, dataset, toml)

    @operation(KeyScope.DATA)
    def write_draft(self, holder: Holder, dataset: str, toml: str, *, after: int, what: str = "") -> Version:
        """Write a version after the current one, which must be the one numbered ``after``."""
        return drafts.write(self._context.state, holder.owner, dataset, toml, after=after, what=what)

    @operation(KeyScope.DATA)
    def undo_draft(self, holder: Holder, dataset: str, *, after: int) -> Version:
        """Go back to the version before."""
        return drafts.undo(self._context.state, holder.owner, dataset, after=after)

    @operation(KeyScope.DATA)
    def redo_draft(self, holder: Holder, dataset: str, *, after: int) -> Version:
        """Go on again to the version that was undone."""
        return drafts.redo(self._context.state, holder.owner, dataset, after=after)

    def draft(self, holder: Holder, dataset: str) -> Version | None:
        """The current version; None if there is no draft, or the key may not see data."""
        return drafts.current(self._context.state, holder.owner, dataset) if KeyScope.DATA in holder.scopes else None

    @operation(KeyScope.DATA, reads=True)
    def versions(self, holder: Holder, dataset: str) -> list[Version]:
        """All versions that count, the latest first."""
        return drafts.versions(self._context.state, holder.owner, dataset)

    def latest_dataset(self, holder: Holder) -> str | None:
        """The data set whose policy the holder changed last."""
        return drafts.latest_dataset(self._context.state, holder.owner) if KeyScope.DATA in holder.scopes else None

    @operation(KeyScope.DATA)
    def take_from(self, holder: Holder, dataset: str, toml: str) -> None:
        """Write a text as a new version after the current one, whatever its number."""
        now = drafts.current(self._context.state, holder.owner, dataset)
        if now is None:
            raise NotFound(thing="data set")
        drafts.write(self._context.state, holder.owner, dataset, toml, after=now.number)
