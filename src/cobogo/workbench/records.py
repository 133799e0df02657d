"""Releases in the server's registry: which of them are recorded there, recording one, and taking one back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cobogo.registry.adopt import adopt
from cobogo.registry.check import Breach
from cobogo.registry.store import Entry, check_name, open_registry
from cobogo.release import manifest as manifests
from cobogo.server import tables
from cobogo.server.house import House
from cobogo.server.keys import Holder
from cobogo.server.state import DATASETS


def recorded(house: House, holder: Holder) -> dict[str, Entry]:
    """What is recorded of somebody's releases, and of everybody's for auditors, by the digest of the manifest."""
    if house.settings.registry is None:
        return {}
    registry = open_registry(house.settings.registry, None)
    try:
        with registry.transaction() as book:
            entries = book.entries()
    finally:
        registry.close()
    mine = [one for one in entries if holder.sees is None or one.dataset.startswith(f"{holder.owner} ")]
    return {str(one.summary.get("manifest-sha256")): one for one in mine if one.summary}


def digest(house: House, release: str) -> str:
    """What tells a release from all others."""
    file = house.files.release(release) / "public" / manifests.NAME
    return manifests.sha256(file) if file.is_file() else ""


def record(house: House, row: dict[str, Any], series: str) -> tuple[str, list[Breach]]:
    """Record a release that was made without the registry: it is made once more, and must come out the same."""
    assert house.settings.registry is not None
    check_name(series)
    data = house.state.get(DATASETS, row["dataset"], row["owner"])
    place = None if data is None else house.files.dataset(row["dataset"]) / tables.about(data)["file"]
    location = house.settings.registry
    location = location if "://" in location else str(Path(location).absolute())
    return adopt(house.files.release(row["id"]), location, None, f"{row['owner']} {series}", data=place)


def forget(house: House, entry: Entry) -> None:
    """Take a release back: later ones are no longer checked against it."""
    registry = open_registry(str(house.settings.registry), None)
    try:
        with registry.transaction() as book:
            book.remove(entry.id)
    finally:
        registry.close()
