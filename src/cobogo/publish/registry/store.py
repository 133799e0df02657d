"""The registry's database, SQLite in a file or PostgreSQL by URL, and its key. Only ids, data sets and dates are clear.

All else is sealed by AES-GCM, so that a record can be neither read nor altered without the key. A plan shows which
value became which, a class structure which records are together: either undoes part of a release.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sqlalchemy import Column as Field
from sqlalchemy import (
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    func,
    select,
    text,
)
from sqlalchemy.exc import IntegrityError, OperationalError, SQLAlchemyError

from cobogo.errors import RegistryError
from cobogo.floor.files import create_private
from cobogo.floor.language import tr
from cobogo.floor.language.errors import reason
from cobogo.floor.store import Store, StorePlace, cause, create_book, parse_place

VARIABLE = "COBOGO_REGISTRY_KEY"
"""The environment variable that may hold the key, in hexadecimal, instead of a file."""

BYTES = 32


@dataclass(frozen=True, repr=False)
class RegistryKey:
    """A key of 256 bits. It is never shown."""

    secret: bytes = field(repr=False)

    def seal(self, content: bytes, label: str) -> bytes:
        """Encrypt under a label that is needed to decrypt, so that a sealed record cannot be moved to another place."""
        from cobogo.floor.sealing import Sealer

        return Sealer(self._derive_key("seal")).seal(content, label)

    def open(self, sealed: bytes, label: str) -> bytes | None:
        """Decrypt; None if the key, the label or the content is not the one that was sealed."""
        from cobogo.floor.sealing import DoesNotOpen, Sealer

        try:
            return Sealer(self._derive_key("seal")).open(sealed, label)
        except DoesNotOpen:
            return None

    def digests(self, dataset: str) -> bytes:
        """The key of a data set's digests: records are recognized within one data set, and not across two."""
        return self._derive_key(f"digests of {dataset}")

    def _derive_key(self, purpose: str) -> bytes:
        return blake2b(purpose.encode(), key=self.secret, digest_size=BYTES).digest()


def load_key(file: Path | None) -> RegistryKey:
    """Load the key from the environment, or from a file that only its owner may read."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        return _parse(given, tr("the environment variable {name}", name=VARIABLE))
    if file is None:
        raise RegistryError(
            tr("no key of the registry was given"),
            where="registry.key",
            remedy=tr("Name the key's file with registry.key (or --key), or set {variable}.", variable=VARIABLE),
        )
    try:
        text, mode = file.read_text(encoding="ascii"), file.stat().st_mode
    except FileNotFoundError:
        raise RegistryError(
            tr("the registry's key does not exist"),
            where=str(file),
            remedy=tr(
                "Name the key's file with registry.key (or --key), or set {variable}. A registry "
                "cannot be read without its key; `cobogo registry init` creates a new one.",
                variable=VARIABLE,
            ),
        ) from None
    except (OSError, ValueError) as error:
        raise RegistryError(
            tr("the registry's key cannot be read ({error})", error=type(error).__name__),
            where=str(file),
            remedy=tr("Check the path and the permission to read the file."),
        ) from None
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise RegistryError(
            tr("other users can read the registry's key"),
            where=str(file),
            remedy=tr("Restrict its permissions: chmod 600 {file}", file=file),
        )
    return _parse(text, str(file))


def create_key(file: Path) -> RegistryKey:
    """Create a key in a new file that only its owner may read."""
    key = RegistryKey(secrets.token_bytes(BYTES))
    try:
        create_private(file, key.secret.hex() + "\n")
    except FileExistsError:
        raise RegistryError(
            tr("there is already a key here"),
            where=str(file),
            remedy=tr("Choose another --key: this one may belong to another registry."),
        ) from None
    except OSError as error:
        raise RegistryError(
            tr("the key cannot be written: {reason}", reason=reason(error)),
            where=str(file),
            remedy=tr("Check the path, the permission to write there, and the space on the disk."),
        ) from None
    return key


def _parse(text: str, where: str) -> RegistryKey:
    try:
        secret = bytes.fromhex(text.strip())
    except ValueError:
        secret = b""
    if len(secret) != BYTES:
        raise RegistryError(
            tr("the registry's key must have {digits} hexadecimal digits", digits=2 * BYTES),
            where=where,
            remedy=tr("`cobogo registry init` creates one."),
        )
    return RegistryKey(secret)


FORMAT = "cobogo-registry/1"
RELEASED, UNFINISHED, REMOVED = "released", "unfinished", "removed"
PATIENCE = 30
"""Seconds to wait for another process that is writing."""

_schema = MetaData()
_meta = Table("cobogo_registry", _schema, Field("name", String, primary_key=True), Field("value", LargeBinary))
_releases = Table(
    "cobogo_releases",
    _schema,
    Field("id", String, primary_key=True),
    Field("dataset", String, nullable=False),
    Field("number", Integer, nullable=False),
    Field("created", String, nullable=False),
    Field("state", String, nullable=False),
    Field("summary", LargeBinary, nullable=False),
    Field("structure", LargeBinary, nullable=False),
    UniqueConstraint("dataset", "number"),
)

_NAME = re.compile(r"[\w][\w .-]{0,99}")


@dataclass(frozen=True, eq=False, repr=False)
class RegistryEntry:
    """One release: ``summary`` is its policy, plan, models and digests. ``state``: whether it was put in place."""

    id: str
    dataset: str
    number: int
    created: str
    state: str
    summary: dict[str, Any]

    def as_dict(self) -> dict[str, object]:
        """What may be shown of a release; of its plan only the kind and the levels."""
        summary = self.summary
        plan = summary["plan"]
        shown = plan["kind"]
        if plan["kind"] == "full-domain":
            shown += f": {', '.join(f'{name} {level}' for name, level in plan['levels'].items())}"
        return {
            "release": self.id,
            "dataset": self.dataset,
            "date": self.created,
            "state": self.state,
            "records": summary["records"],
            "classes": summary["classes"],
            "suppressed": summary["suppressed"],
            "models": summary["models"],
            "columns": summary["columns"],
            "plan": shown,
            "directory": summary["directory"],
            "manifest SHA-256": summary["manifest-sha256"],
            "input digest": summary["input-digest"],
        }


class ReleaseRegistry:
    """An open registry. Nobody else changes what one `transaction` reads or writes until it ends."""

    def __init__(self, place: StorePlace, key: RegistryKey) -> None:
        self.key, self.name = key, place.name
        self.store = Store(place, self._complaint, patience=PATIENCE)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """A block with exclusive access to the registry; nothing is changed if it raises."""
        with self.store.transaction() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text(f"SET LOCAL lock_timeout = '{PATIENCE}s'"))
                connection.execute(text("LOCK TABLE cobogo_releases IN EXCLUSIVE MODE"))
            yield Transaction(connection, self.key, self.name)

    def close(self) -> None:
        """Let go of the database."""
        self.store.close()

    def _complaint(self, error: SQLAlchemyError) -> RegistryError:
        words = str(error.orig).lower() if isinstance(error, OperationalError) else ""
        if "locked" in words or "lock timeout" in words:
            return RegistryError(
                tr("another process is writing to the registry"),
                where=self.name,
                remedy=tr("Try again when it has finished."),
            )
        return RegistryError(
            tr("the registry cannot be used: {cause}", cause=cause(error)),
            where=self.name,
            remedy=tr(
                "Check the path and the permission to write there, or restore the registry from a "
                "copy. `cobogo registry init` creates a new one."
            ),
        )

    def check(self) -> None:
        """Raise an error if this is no registry, or not one of this key."""
        with self.store.guard(), self.store.engine.connect() as connection:
            found = {row.name: row.value for row in connection.execute(select(_meta))}
        if bytes(found.get("format") or b"").decode(errors="replace") != FORMAT:
            raise RegistryError(
                tr("is not a registry that this version of Cobogó can read"),
                where=self.name,
                remedy=tr("Check the path, or install the latest version."),
            )
        if self.key.open(bytes(found.get("check") or b""), "check") is None:
            raise RegistryError(
                tr("the key does not belong to this registry"),
                where=self.name,
                remedy=tr("Name the right file with registry.key (or --key), or set {variable}.", variable=VARIABLE),
            )


@dataclass(frozen=True)
class Transaction:
    """The operations on a registry; see `ReleaseRegistry.transaction`."""

    connection: Connection
    key: RegistryKey
    name: str

    def entries(self, dataset: str | None = None) -> list[RegistryEntry]:
        """The releases of a data set, or of all, in the order of their numbers."""
        query = select(_releases).where(_releases.c.state != REMOVED)
        query = query.order_by(_releases.c.dataset, _releases.c.number)
        if dataset is not None:
            query = query.where(_releases.c.dataset == dataset)
        return [self._entry(row) for row in self.connection.execute(query)]

    def entry(self, identity: str) -> RegistryEntry:
        """One release."""
        row = self.connection.execute(select(_releases).where(_releases.c.id == identity)).first()
        if row is None or row.state == REMOVED:
            raise RegistryError(
                tr('does not contain the release "{identity}"', identity=identity),
                where=self.name,
                remedy=tr("`cobogo registry list` shows the releases."),
            )
        return self._entry(row)

    def structure(self, identity: str) -> bytes:
        """The class structure of one release."""
        query = select(_releases.c.structure).where(_releases.c.id == identity)
        return self._unseal(self.connection.execute(query).scalar_one(), identity, "structure")

    def add(self, dataset: str, summary: dict[str, Any], structure: bytes, *, state: str = UNFINISHED) -> str:
        """Record a release under the data set's next number; return its id."""
        last = select(func.max(_releases.c.number)).where(_releases.c.dataset == dataset)
        number = (self.connection.execute(last).scalar() or 0) + 1
        identity = f"{dataset}-{number}"
        content = json.dumps(summary, ensure_ascii=False, allow_nan=False).encode()
        row = {
            "id": identity,
            "dataset": dataset,
            "number": number,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "state": state,
            "summary": self.key.seal(content, f"{identity} summary"),
            "structure": self.key.seal(structure, f"{identity} structure"),
        }
        try:
            self.connection.execute(_releases.insert().values(row))
        except IntegrityError:
            raise RegistryError(
                tr('another data set has a release "{identity}"', identity=identity),
                where=self.name,
                remedy=tr("Choose another name with registry.dataset."),
            ) from None
        return identity

    def finish(self, identity: str) -> None:
        """Record that a release was put in place."""
        self.connection.execute(_releases.update().where(_releases.c.id == identity).values(state=RELEASED))

    def remove(self, identity: str) -> None:
        """Remove a release: later ones are no longer checked against it. Its number is not used again."""
        self.entry(identity)
        gone = {"state": REMOVED, "summary": b"", "structure": b""}
        self.connection.execute(_releases.update().where(_releases.c.id == identity).values(gone))

    def _entry(self, row: Any) -> RegistryEntry:
        summary = json.loads(self._unseal(row.summary, row.id, "summary"))
        return RegistryEntry(row.id, row.dataset, row.number, row.created, row.state, summary)

    def _unseal(self, sealed: Any, identity: str, part: str) -> bytes:
        content = self.key.open(bytes(sealed), f"{identity} {part}")
        if content is None:
            raise RegistryError(
                tr("the entry of {identity} was altered or damaged", identity=identity),
                where=self.name,
                remedy=tr("Restore the registry from a copy: new releases cannot be checked against this entry."),
            )
        return content


def check_name(dataset: str) -> None:
    """Refuse a name that is unfit for an id and the command line."""
    if not _NAME.fullmatch(dataset):
        raise RegistryError(
            tr("{dataset!r} is not a valid name of a data set", dataset=dataset),
            where="registry.dataset",
            remedy=tr("Use letters, digits, spaces, dots, hyphens and underscores."),
        )


def create(location: str, key_file: Path | None) -> ReleaseRegistry:
    """Create a registry, with a new key unless there is one already."""
    place = _parse_location(location)
    file, new_key = place.file, None
    if os.environ.get(VARIABLE) is None and (chosen := key_file or default_key(location)) is not None:
        new_key = None if chosen.exists() else chosen
    if file is not None and not create_book(file, RegistryError):
        raise RegistryError(
            tr("is there already"), where=str(file), remedy=tr("Use this registry, or create another one elsewhere.")
        )
    try:
        key = create_key(new_key) if new_key is not None else load_key(key_file or default_key(location))
        registry = ReleaseRegistry(place, key)
        with registry.store.transaction() as connection:
            _schema.create_all(connection, checkfirst=False)
            check = {"name": "check", "value": key.seal(FORMAT.encode(), "check")}
            connection.execute(_meta.insert(), [{"name": "format", "value": FORMAT.encode()}, check])
    except BaseException:
        for begun in (file, new_key):
            if begun is not None:
                begun.unlink(missing_ok=True)
        raise
    return registry


def open_registry(location: str, key_file: Path | None) -> ReleaseRegistry:
    """Open the registry at a path or URL, with the key of the environment, the given file, or the file beside it."""
    place = _parse_location(location)
    if place.file is not None and not place.file.is_file():
        raise RegistryError(
            tr("there is no registry here"),
            where=str(place.file),
            remedy=tr("Check the path, or create one: cobogo registry init --registry {location}", location=location),
        )
    key = load_key(key_file or default_key(location))
    registry = ReleaseRegistry(place, key)
    registry.check()
    return registry


def default_key(location: str) -> Path | None:
    """The file of the key where none is named: beside the registry, if that is a file."""
    file = _parse_location(location).file
    return None if file is None else file.with_name(file.name + ".key")


def _parse_location(location: str) -> StorePlace:
    return parse_place(location, RegistryError)
