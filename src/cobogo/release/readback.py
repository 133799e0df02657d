"""Released rows, read back from where the manifest says they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from cobogo.data.classes import Histogram
from cobogo.data.engines.engine import connect
from cobogo.data.hierarchy import SUPPRESSED
from cobogo.data.policy import LAKES, Policy, Role
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table, read, table_in
from cobogo.errors import DataError, OutputError
from cobogo.floor.language import tr
from cobogo.floor.urls import remote_url
from cobogo.release import manifest as manifests
from cobogo.release.buckets import bucket_table
from cobogo.release.manifest import Manifest
from cobogo.release.margins import marginal_table
from cobogo.release.reference import Json


def release_parts(release: str | Path) -> tuple[Path, Path | None]:
    """The public directory, and the evidence if it is there."""
    if not isinstance(release, str | Path):
        raise OutputError(
            tr("a release is the directory that it was written to. Got {name} instead", name=type(release).__name__),
            where="release",
            remedy=tr('Write it first, as in release.write("out"), which verifies it; then give the directory.'),
        )
    if (url := remote_url(release)) is not None:
        raise OutputError(
            tr("is not a directory of this machine"), where=url, remedy=tr("Copy the release here first.")
        )
    release = Path(release)
    if (release / "public" / manifests.NAME).is_file():
        evidence = release / "evidence"
        return release / "public", evidence if evidence.is_dir() else None
    if (release / manifests.NAME).is_file():
        return release, None
    what = tr("is not a Cobogó release") if release.exists() else tr("no such directory")
    raise OutputError(what, where=str(release), remedy=tr("Give the directory that `cobogo anonymize --out` wrote."))


def open_released_rows(rows: Path | Table, manifest: Manifest) -> Table:
    """Released rows, to be read once. Their columns must be those that the manifest names."""
    table = rows if isinstance(rows, Table) else read(rows, manifest.data.reading, once=True)
    if table.columns != manifest.columns_in():
        raise DataError(tr("does not have the columns that the manifest names"), where=table.name)
    return table


def count_released_rows(
    rows: Path | Table, manifest: Manifest, quasi: Sequence[str], sensitive: Sequence[str]
) -> FrequencyTable:
    """Read released rows back and count them."""
    if manifest.marginals and isinstance(rows, Path):
        return marginal_table(rows, manifest)
    table = open_released_rows(rows, manifest)
    _refuse_identifiers(table, [column.name for column in manifest.columns if column.role is Role.IDENTIFIER])
    if manifest.buckets is not None and (isinstance(rows, Path) or manifest.buckets.file is None):
        return bucket_table(table, rows.parent if isinstance(rows, Path) else Path(), manifest, sensitive)
    starred = [column.name for column in manifest.columns if column.withheld]
    return _set_withheld_aside(frequency_table(table, quasi, sensitive), starred, table.name)


def _refuse_identifiers(table: Table, names: Sequence[str]) -> None:
    """Identifiers may be released as columns of stars, and not otherwise. All of them are read at once."""
    if not names:
        return
    others = {name: (table.text(name).fill_null("") != SUPPRESSED).sum() for name in names}
    for name, (records,) in table.engine.fetch(table.expression.aggregate(**others)).to_pydict().items():
        if records:
            raise DataError(tr('shows values of the identifier "{name}"', name=name), where=table.name)


def locate_released_rows(public: Path, manifest: Manifest, kept: Json | None, engine: str | None) -> Path | Table:
    """Where the released rows are: beside the manifest, or in a database that the evidence or the caller names."""
    if manifest.marginals:
        return public
    if manifest.data.file is not None:
        return public / manifest.data.file
    name = str(manifest.data.table)
    if manifest.data.format in LAKES:
        return _open_lake_version(manifest, kept, engine)
    url = engine or engine_in_evidence(kept)
    if url is None:
        raise OutputError(
            tr("the release is a table of a database, which is needed to verify it"),
            where=manifests.NAME,
            remedy=tr("Give the database's URL: --engine."),
        )
    return table_in(connect(url), name, manifest.data.reading, name)


def _open_lake_version(manifest: Manifest, kept: Json | None, place: str | None) -> Table:
    """The released version of a table of a lake, which the evidence or the caller names."""
    from cobogo.data.lakes.sources import open_lake, output_lake

    policy = None if kept is None or place is not None else Policy.of(kept["policy"], home=kept["home"])
    lake = output_lake(policy) if policy is not None else place and open_lake(place, manifest.data.format)
    if not lake:
        raise OutputError(
            tr("the release is a table of a lake, which is needed to verify it"),
            where=manifests.NAME,
            remedy=tr("Give the table's address: --engine."),
        )
    reading = manifest.data.reading.model_copy(update={"version": manifest.data.version})
    return replace(read(lake.place, reading), name=str(manifest.data.table))


def engine_in_evidence(kept: Json | None) -> str | None:
    """The URL of the engine that the release was made with."""
    url = (kept or {}).get("engine")
    return url if isinstance(url, str) else None


def _set_withheld_aside(table: FrequencyTable, names: Iterable[str], where: str) -> FrequencyTable:
    """The same table, in which ``*`` of some attributes is no value: it says that a class's values are withheld.

    They are so for a whole class or not at all: one value beside others that are withheld could be anybody's.
    """
    histograms, withheld = dict(table.histograms), {}
    for name in names:
        if name not in histograms or SUPPRESSED not in histograms[name].domain.labels:
            continue
        known = histograms[name]
        code = known.domain.labels.index(SUPPRESSED)
        hidden = np.zeros(len(table.counts), dtype=np.bool_)
        hidden[known.owners[known.values == code]] = True
        if (known.distinct[hidden] > 1).any():
            raise DataError(
                tr('shows some values of "{name}" in a class that withholds others', name=name), where=where
            )
        rest = known.without_values(hidden)
        labels = tuple(label for label in known.domain.labels if label != SUPPRESSED)
        domain = replace(known.domain, labels=labels, total=np.delete(known.domain.total, code))
        values = (rest.values - (rest.values > code)).astype(np.int32)
        histograms[name] = Histogram(rest.offsets, values, rest.counts, domain)
        withheld[name] = hidden
    return replace(table, histograms=histograms, withheld=withheld)
