"""Writing a release of any kind: staged, read back, verified, signed, reported, sealed, and put in place at once."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from cobogo.data.engines.engine import Engine, connect
from cobogo.data.files.formats import FORMATS
from cobogo.data.files.listing import list_files
from cobogo.data.policy import LAKES, Data
from cobogo.data.table import formulas
from cobogo.data.table.read import Table, read
from cobogo.errors import InputError, OutputError, VerificationFailed
from cobogo.floor.catalogue import import_object
from cobogo.floor.files import scratch_directory, stage_directory
from cobogo.floor.language import Speech, join, speech, tr
from cobogo.floor.progress import Progress, silent
from cobogo.release import dictionary, manifest
from cobogo.release.contract import OUR_FAULT, ROWS, SEEDED, Destination, ReadBack, Release, Transformation, Verdict
from cobogo.release.evidence import is_output, seal
from cobogo.release.manifest import Manifest


def write_release(release: Release, place: Path | Destination, *, progress: Progress = silent) -> Verdict:
    """Write a release, verify it from what was written, and put it in place at once; upload its public part where the
    place is in object storage."""
    directory, url = place if isinstance(place, Destination) else Destination.of(place)
    if url is None:
        return _write_directory(release, directory, progress)
    from cobogo.release import remote

    remote.refuse_foreign(url)
    verdict = _write_directory(release, directory, progress)
    progress("upload", 0, 0)
    try:
        remote.upload(directory / "public", url)
    except InputError as error:
        whole = tr(
            "The release is whole in {directory}; what was current at the address still is.", directory=directory
        )
        raise OutputError(
            error.what, where=error.where, remedy=join([error.remedy or "", whole]), code=error.code
        ) from None
    return verdict


def _write_directory(release: Release, directory: Path, progress: Progress) -> Verdict:
    """Write a release under a temporary name, read it back, verify it, add the report, put it in place at once."""
    made = release.transformation
    reporting = threading.Thread(target=import_object, args=(made.reporter,))
    reporting.start()  # the import takes a while, and the engine has enough to do meanwhile
    with (
        ExitStack() as recording,
        stage_directory(directory, replaceable=is_output) as stage,
        ExitStack() as ending,
    ):
        public, evidence = stage / "public", stage / "evidence"
        public.mkdir()
        evidence.mkdir(mode=0o700)
        progress("write", 0, 0)
        with release.time_stage("apply"):
            rows = ending.enter_context(_write_tables(release, public))
            made.write_beside(public)
            release.engine.free_memory()  # whoever reads the rows back has an engine of their own
        progress("verify", 0, 0)
        with release.time_stage("verify"):
            read_back = made.read_back(release, rows, public)
            _refuse_unless_verified(read_back.verdict, made)
        with release.time_stage("write"):
            _sign(read_back, made, public, speech(release.origin.language))
        progress("report", 0, 0)
        reporting.join()
        import_object(made.reporter)(release, read_back, evidence)
        recording.enter_context(made.record(release, read_back, public, directory, progress))
        seal(made.evidence(release, read_back), release.origin, release.table.engine, public, evidence)
    return read_back.verdict


@contextmanager
def _write_tables(release: Release, public: Path) -> Iterator[Path | Table]:
    """Write the released tables: files, or a table that takes its name and place when the block ends well.

    Gives the file of the rows, or the directory where none of the tables are rows.
    """
    engine, output = release.engine, release.origin.output  # here rows are drawn, where they are
    try:
        if output.format in LAKES:
            with _commit_to_lake(release, engine) as table:
                yield table
            return
        if output.table is not None:
            with engine.new_table(release.rows(), output.table) as table:
                yield Table(engine, table, output.table)
            return
        tables = release.tables()
        for name, part in tables.items():
            target = public / f"{name}.{output.format}"
            if output.format == "parquet":
                engine.write_parquet(part, target)
            elif output.format != "csv":
                _write_file(engine.fetch(engine.as_text(part)), target, release)
            else:
                safe = formulas.neutralise(part) if output.formulas == "neutralised" else part
                engine.write_csv(safe, target, separator=release.origin.data.separator)
    except engine.failures as error:
        raise OutputError(
            tr("{engine} cannot write the release: {error}", engine=engine.name, error=type(error).__name__),
            remedy=tr("Check the space on the disk and the permission to write there."),
        ) from None
    yield public / f"{ROWS}.{output.format}" if ROWS in tables else public


@contextmanager
def _commit_to_lake(release: Release, engine: Engine) -> Iterator[Table]:
    """Write the rows beside a table of a lake, where they can be verified and nobody else sees them; they become its
    next version, in one commit, when the block ends well. The committed version must then be what was verified."""
    from cobogo.data.lakes.sources import output_lake

    lake, separator = output_lake(release.policy), release.origin.data.separator
    with scratch_directory(Path(tempfile.gettempdir()), "cobogo-lake-") as scratch:
        target = scratch / f"cobogo-{secrets.token_hex(8)}.parquet"
        engine.write_parquet(release.rows(), target)
        with lake.new_version([Path(file) for file in list_files(str(target))]) as version:
            written = replace(read(target, Data(), once=True), name=lake.name, version=version)
            yield written
            verified = written.digest(separator)
        if read(lake.place, Data(version=version)).digest(separator) != verified:
            lake.roll_back()
            raise VerificationFailed(
                tr("the committed version does not contain the rows that were verified"),
                where=lake.place,
                remedy=tr("The table was put back to what it was before. Run again."),
            )


def _write_file(rows: Any, target: Path, release: Release) -> None:
    """Write rows in a format that no engine writes, and read them back: what the format changes is not released."""
    import pyarrow as pa

    kind, data = FORMATS[str(release.origin.output.format)], release.origin.data
    kind.save(rows, target, release.table.labels, data)
    reading = Data(labels="values" if data.labels == "values" else "codes")
    content = kind.load(str(target), reading)
    found = pa.Table.from_batches(content.batches, content.schema)
    texts = rows.cast(content.schema) if found.column_names == rows.column_names else rows
    unfit = [name for name in rows.column_names if name not in found.column_names or found[name] != texts[name]]
    if unfit:
        raise OutputError(
            tr('{kind} cannot hold the values of "{name}" as they are', kind=kind.title, name=unfit[0]),
            where=target.name,
            remedy=tr('Write format = "csv" or "parquet" under [output].'),
        )


def _refuse_unless_verified(verdict: Verdict, made: Transformation) -> None:
    """What was written must keep every promise, and be what was planned. A seed is told, and not refused."""
    for found in verdict.models:
        if found.fails:
            raise VerificationFailed(
                tr(
                    "the release does not satisfy {model}: measured {measured}",
                    model=str(found.model),
                    measured=found.measured,
                ),
                remedy=made.remedy,
            )
    for problem in verdict.problems:
        if problem != SEEDED:
            raise VerificationFailed(problem, remedy=OUR_FAULT)


def _sign(read_back: ReadBack, made: Transformation, public: Path, say: Speech) -> None:
    """Write the dictionary, and the manifest with what was measured and the hashes of everything beside it."""
    text = dictionary.render(
        read_back.manifest.columns,
        read_back.models,
        say,
        star=made.stars,
        explained=made.explanation(),
        sorted_by=made.sorted_by,
        drawn=dictionary.drawn_models(read_back.verdict.models),
    )
    _write_manifest(read_back.manifest.model_copy(update={"models": read_back.models}), text, public, say)


def _write_manifest(unsigned: Manifest, explained: str, public: Path, say: Speech) -> None:
    if unsigned.data.formulas == "neutralised":
        explained += f"\n{say(dictionary.NEUTRALISED)}\n"
    (public / "dictionary.md").write_text(explained, encoding="utf-8", newline="\n")
    files = [public / name for name in manifest.contents(public)]
    unsigned.model_copy(update={"files": manifest.hashes(public, files)}).write(public)


def copy_for_spreadsheets(public: Path, target: Path) -> None:
    """Copy a release's public part for people who open it in a spreadsheet: no cell of the copy is a formula.

    Its tables have apostrophes, and its manifest says so, with their hashes. It is a release of its own, which `verify`
    takes for the same table.
    """
    signed = manifest.load(public)
    if signed.data.format != "csv":
        raise OutputError(
            tr("is not a CSV file, so it has no formulas"),
            where=tr("the release"),
            remedy=tr("Use it unchanged: spreadsheets do not run formulas in it."),
        )
    shutil.copytree(public, target)
    if signed.data.formulas == "neutralised":
        return
    beside = None if signed.buckets is None else signed.buckets.file
    tables = [signed.data.file, beside, *(one.file for one in signed.marginals)]
    for name in [name for name in tables if name is not None]:
        engine = connect()
        rows = read(public / name, signed.data.reading, engine, once=True).expression
        (target / name).unlink()
        engine.write_csv(formulas.neutralise(rows), target / name, separator=signed.data.separator)
    (target / manifest.NAME).unlink()  # which is no part of what it tells of
    explained = (public / "dictionary.md").read_text(encoding="utf-8")
    say = speech(dictionary.language_of_dictionary(explained))
    data = signed.data.model_copy(update={"formulas": "neutralised"})
    _write_manifest(signed.model_copy(update={"data": data}), explained, target, say)
