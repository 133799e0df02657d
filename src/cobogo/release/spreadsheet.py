"""A copy of a release's public part for people who open it in a spreadsheet: no cell of it is a formula."""

from __future__ import annotations

import shutil
from pathlib import Path

from cobogo.data.table import formulas
from cobogo.data.table.connect import connect
from cobogo.data.table.read import read
from cobogo.errors import OutputError
from cobogo.release import manifest as manifests
from cobogo.release.write import seal


def neutralise(public: Path, target: Path) -> None:
    """Write the copy into a new directory: its tables with apostrophes, and a manifest that says so, with their hashes.

    It is a release of its own, which `verify` takes for the same table.
    """
    manifest = manifests.load(public)
    if manifest.data.format != "csv":
        raise OutputError(
            "has no formulas: it is no CSV", where="the release", remedy="Take it as it is: spreadsheets do not run it."
        )
    shutil.copytree(public, target)
    if manifest.data.formulas == "neutralised":
        return
    beside = None if manifest.buckets is None else manifest.buckets.file
    tables = [manifest.data.file, beside, *(one.file for one in manifest.marginals)]
    for name in [name for name in tables if name is not None]:
        engine = connect()
        rows = read(public / name, manifest.data.reading, engine, once=True).expression
        (target / name).unlink()
        engine.write_csv(formulas.neutralised(rows), target / name, separator=manifest.data.separator)
    (target / manifests.NAME).unlink()  # which is no part of what it tells of
    explained = (public / "dictionary.md").read_text(encoding="utf-8")
    data = manifest.data.model_copy(update={"formulas": "neutralised"})
    seal(manifest.model_copy(update={"data": data}), explained, target)
