"""Releases in object storage: the public part, under a version of its own, and one object that names the version.

Object storage replaces one object at once, and never several. So a release is uploaded under a new name, read back,
and becomes the current one when one small object is replaced. A reader who begins there sees one whole release, the old
one or the new one. The evidence is not uploaded: whoever may read the bucket must not read it.
"""

from __future__ import annotations

import json
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cobogo.errors import InputError, OutputError, VerificationFailed
from cobogo.floor.files import scratch_directory
from cobogo.floor.language import tr
from cobogo.floor.language.errors import rename_in_errors
from cobogo.floor.storage import ObjectStorage
from cobogo.floor.urls import remote_url
from cobogo.release import manifest

CURRENT = "current.json"
"""The object that names the current version."""

FORMAT = "cobogo-versions/1"

VERSION = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}")
"""A version: when it was uploaded, and a random part."""


def refuse_foreign(url: str) -> None:
    """Refuse a place that has objects which no release put there."""
    names = ObjectStorage(url).names()
    if not all(name == CURRENT or VERSION.fullmatch(name.partition("/")[0]) for name in names):
        raise OutputError(
            tr("has files that Cobogó did not write"),
            where=url,
            remedy=tr("Choose another --out, or empty it."),
            code="COBOGO-OUTPUT-OCCUPIED",
        )


def upload(public: Path, url: str) -> None:
    """Upload the public part of a release as a new version, read it back, and make it the current one.

    The version before stays, for those who are reading it; the one before that is removed.
    """
    storage = ObjectStorage(url)
    before = _current(storage)
    version = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
    files = {f"{version}/public/{name}": public / name for name in _manifest_last(public)}
    try:
        for name, file in files.items():
            storage.write(name, file)
            _refuse_damage(storage, name, file)
    except BaseException:
        with suppress(InputError):
            storage.delete([name for name in storage.names() if name in files])
        raise
    storage.write(CURRENT, _pointer(version, before, public))
    past = str((before or {}).get("previous"))
    with suppress(InputError):  # who may write need not be allowed to remove
        storage.delete([name for name in storage.names() if name.startswith(f"{past}/")])


def _manifest_last(public: Path) -> list[str]:
    return [*sorted(manifest.contents(public) - {manifest.NAME}), manifest.NAME]


def _refuse_damage(storage: ObjectStorage, name: str, file: Path) -> None:
    if storage.hash(name) != manifest.sha256(file):
        raise OutputError(
            tr("did not keep what was written to it"),
            where=f"{storage.url}/{name}",
            remedy=tr("Run again."),
            code="COBOGO-OUTPUT-WRITE",
        )


def _pointer(version: str, before: dict[str, Any] | None, public: Path) -> bytes:
    content = {
        "format": FORMAT,
        "version": version,
        "previous": None if before is None else before["version"],
        "manifest-sha256": manifest.sha256(public / manifest.NAME),
    }
    return (json.dumps(content, indent=1) + "\n").encode()


def _current(storage: ObjectStorage) -> dict[str, Any] | None:
    """What names the current version; None where nothing does."""
    if not ObjectStorage(f"{storage.url}/{CURRENT}").is_file():
        return None
    try:
        content = json.loads(storage.read(CURRENT))
        if content["format"] == FORMAT and VERSION.fullmatch(content["version"]):
            return dict(content)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise VerificationFailed(
        tr("{file} is missing or damaged", file=CURRENT), where=storage.url, remedy=manifest.COPY_AGAIN
    )


@contextmanager
def local_release(release: str | Path) -> Iterator[Path]:
    """A copy of a release in object storage, with everything that is there, for the block."""
    url = str(remote_url(release))
    with (
        scratch_directory(Path(tempfile.gettempdir()), "cobogo-copy-") as scratch,
        rename_in_errors(str(scratch), url),
    ):
        _download(ObjectStorage(url), scratch)
        yield scratch


def _download(storage: ObjectStorage, directory: Path) -> None:
    """Copy the current version; where none is named, everything."""
    current = _current(storage)
    place = storage if current is None else ObjectStorage(f"{storage.url}/{current['version']}")
    for name in place.names():
        place.copy(name, directory)
    signed = directory / "public" / manifest.NAME
    if current is not None and (not signed.is_file() or manifest.sha256(signed) != current.get("manifest-sha256")):
        raise VerificationFailed(manifest.changed(manifest.NAME), where=storage.url, remedy=manifest.COPY_AGAIN)
