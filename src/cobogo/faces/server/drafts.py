"""Policies while they are written: each belongs to a data set and has versions, which can be undone and redone.

A version is written after another one, by its number. Whoever has an older one before their eyes is refused: what they
would write, or run, is not what they see.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from cobogo.errors import Stale
from cobogo.faces.server.state import DATASETS, DRAFTS, ServerState
from cobogo.floor.language import tr

KEPT = 200
"""Versions of one policy that are kept; of more, the oldest are forgotten."""

TOGETHER = 10.0
"""Seconds within which changes of the same thing are one version: a slider that is dragged, a text that is typed."""


@dataclass(frozen=True)
class Version:
    """One version of a policy: its number, its text, what was changed, and when."""

    number: int
    toml: str
    what: str
    created: float

    @property
    def digest(self) -> str:
        """A short digest of the text."""
        return digest(self.toml)


def digest(toml: str) -> str:
    """A short digest of the text of a policy.

    >>> digest("")
    'e3b0c44298fc'
    """
    return hashlib.sha256(toml.encode()).hexdigest()[:12]


def current(state: ServerState, owner: str, dataset: str) -> Version | None:
    """The current version; None if the data set has no policy yet, or belongs to another owner."""
    with state.transaction(reads=True) as connection:
        return _last(connection, owner, dataset)


def versions(state: ServerState, owner: str, dataset: str) -> list[Version]:
    """All versions that were not undone, the latest first."""
    query = _select_active(owner, dataset).order_by(DRAFTS.c.number.desc())
    with state.transaction(reads=True) as connection:
        return [_version(row) for row in connection.execute(query).mappings()]


def latest_dataset(state: ServerState, owner: str) -> str | None:
    """The data set whose policy an owner changed last."""
    query = select(DRAFTS.c.dataset).where(DRAFTS.c.owner == owner).order_by(DRAFTS.c.number.desc()).limit(1)
    with state.transaction(reads=True) as connection:
        found: str | None = connection.execute(query).scalar()
    return found


def begin(state: ServerState, owner: str, dataset: str, toml: str) -> Version:
    """Begin the policy of a data set, unless it has one already; the current version."""
    with state.transaction() as connection:
        _lock(connection, owner, dataset)
        return _last(connection, owner, dataset) or _add(connection, owner, dataset, "", toml)


def write(state: ServerState, owner: str, dataset: str, toml: str, *, after: int, what: str = "") -> Version:
    """Write a version after the current one, which must be the one numbered ``after``."""
    with state.transaction() as connection:
        before = _require_version(connection, owner, dataset, after)
        if toml == before.toml:
            return before
        connection.execute(delete(DRAFTS).where(_belongs_to(owner, dataset), DRAFTS.c.undone == 1))
        made = _add(connection, owner, dataset, what, toml)
        if what and what == before.what and made.created - before.created < TOGETHER:
            connection.execute(delete(DRAFTS).where(DRAFTS.c.number == before.number))
        _forget_oldest(connection, owner, dataset)
        return made


def undo(state: ServerState, owner: str, dataset: str, *, after: int) -> Version:
    """Go back to the version before the current one; the first one stays."""
    with state.transaction() as connection:
        now = _require_version(connection, owner, dataset, after)
        before = _last(connection, owner, dataset, below=now.number)
        if before is None:
            return now
        connection.execute(update(DRAFTS).where(DRAFTS.c.number == now.number).values(undone=1))
        return before


def redo(state: ServerState, owner: str, dataset: str, *, after: int) -> Version:
    """Restore the version that was undone last, if there is one."""
    with state.transaction() as connection:
        now = _require_version(connection, owner, dataset, after)
        query = (
            select(DRAFTS).where(_belongs_to(owner, dataset), DRAFTS.c.undone == 1).order_by(DRAFTS.c.number).limit(1)
        )
        row = connection.execute(query).mappings().first()
        if row is None:
            return now
        connection.execute(update(DRAFTS).where(DRAFTS.c.number == row["number"]).values(undone=0))
        return _version(row)


def forget(state: ServerState, dataset: str) -> None:
    """Forget the policy of a data set with all of its versions: they may name values of it."""
    with state.transaction() as connection:
        connection.execute(delete(DRAFTS).where(DRAFTS.c.dataset == dataset))


def _require_version(connection: Connection, owner: str, dataset: str, number: int) -> Version:
    _lock(connection, owner, dataset)
    now = _last(connection, owner, dataset)
    if now is None or now.number != number:
        raise Stale(
            tr("the policy was changed in another window since this page was opened"),
            remedy=tr("Nothing was changed. Reload the page to see the current policy."),
        )
    return now


def _lock(connection: Connection, owner: str, dataset: str) -> None:
    """One change of a policy at a time; SQLite is locked already."""
    mine = (DATASETS.c.id == dataset) & (DATASETS.c.owner == owner)
    if connection.execute(select(DATASETS.c.id).where(mine).with_for_update()).first() is None:
        raise Stale(
            tr("the data set of this page no longer exists"), remedy=tr("Nothing was changed. Choose another data set.")
        )


def _belongs_to(owner: str, dataset: str) -> Any:
    return (DRAFTS.c.owner == owner) & (DRAFTS.c.dataset == dataset)


def _select_active(owner: str, dataset: str) -> Any:
    return select(DRAFTS).where(_belongs_to(owner, dataset), DRAFTS.c.undone == 0)


def _last(connection: Connection, owner: str, dataset: str, *, below: int | None = None) -> Version | None:
    query = _select_active(owner, dataset).order_by(DRAFTS.c.number.desc()).limit(1)
    row = connection.execute(query if below is None else query.where(DRAFTS.c.number < below)).mappings().first()
    return None if row is None else _version(row)


def _add(connection: Connection, owner: str, dataset: str, what: str, toml: str) -> Version:
    now = time.time()
    row = insert(DRAFTS).values(owner=owner, dataset=dataset, what=what, toml=toml, undone=0, created=now)
    number = connection.execute(row).inserted_primary_key[0]  # type: ignore[index]
    return Version(int(number), toml, what, now)


def _forget_oldest(connection: Connection, owner: str, dataset: str) -> None:
    numbers = select(DRAFTS.c.number).where(_belongs_to(owner, dataset)).order_by(DRAFTS.c.number.desc())
    oldest = connection.execute(numbers.offset(KEPT).limit(1)).scalar()
    if oldest is not None:
        connection.execute(delete(DRAFTS).where(_belongs_to(owner, dataset), DRAFTS.c.number <= oldest))


def _version(row: Any) -> Version:
    return Version(row["number"], row["toml"], row["what"], row["created"])
