"""Releases in the server's registry: which of them are recorded there, recording one, and taking one back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cobogo.faces.server import tables
from cobogo.faces.server.house import House
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.state import DATASETS
from cobogo.publish.registry.adopt import adopt
from cobogo.publish.registry.check import Breach
from cobogo.publish.registry.store import RegistryEntry, check_name, open_registry
from cobogo.release import evidence as evidences
from cobogo.release import manifest as manifests

NOTE = "registered"
"""The file beside a job's that holds the id of what was recorded of its release afterwards."""


def recorded(house: House, holder: Holder) -> list[RegistryEntry]:
    """What is recorded of somebody's releases, and of everybody's for auditors."""
    if house.settings.registry is None:
        return []
    registry = open_registry(house.settings.registry, None)
    try:
        with registry.transaction() as book:
            entries = book.entries()
    finally:
        registry.close()
    return [one for one in entries if holder.sees is None or one.dataset.startswith(f"{holder.owner} ")]


def entry_of(house: House, release: str, entries: list[RegistryEntry]) -> RegistryEntry | None:
    """Where a release is recorded. The same release of the same records, made twice, is recorded once."""
    folder = house.files.release(release)
    known = {_read(folder / "evidence" / evidences.NAME).get("registered"), _noted(house, release)}
    file = folder / "public" / manifests.NAME
    digest = manifests.sha256(file) if file.is_file() else None
    return next((one for one in entries if one.id in known or one.summary.get("manifest-sha256") == digest), None)


def _read(file: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return content


def _noted(house: House, release: str) -> str | None:
    file = house.files.job(release) / NOTE
    return file.read_text(encoding="utf-8") if file.is_file() else None


def record(house: House, row: dict[str, Any], series: str) -> tuple[str, list[Breach]]:
    """Record a release that was made without the registry: it is made once more, and must come out the same."""
    assert house.settings.registry is not None
    check_name(series)
    data = house.state.get(DATASETS, row["dataset"], row["owner"])
    place = None if data is None else house.files.dataset(row["dataset"]) / tables.about(data)["file"]
    location = house.settings.registry
    location = location if "://" in location else str(Path(location).absolute())
    identity, found = adopt(house.files.release(row["id"]), location, None, f"{row['owner']} {series}", data=place)
    (house.files.job(row["id"]) / NOTE).write_text(identity, encoding="utf-8")
    return identity, found


def forget(house: House, entry: RegistryEntry) -> None:
    """Take a release back: later ones are no longer checked against it."""
    registry = open_registry(str(house.settings.registry), None)
    try:
        with registry.transaction() as book:
            book.remove(entry.id)
    finally:
        registry.close()
