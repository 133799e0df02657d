"""The manifest: what a release says of itself in public. Nothing in it but what follows from the released bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WrapValidator

from cobogo.data.policy import TABLES, Data, Formulas, Output, Role, Separator
from cobogo.data.policy.tables import OutputFormat
from cobogo.data.table.read import Table
from cobogo.errors import VerificationFailed
from cobogo.floor.language import Text, tr

NAME = "manifest.json"
FORMAT = "cobogo-release/1"

COPY_AGAIN = tr("Copy the release again from where it was made.")
"""What to do about a release that is not what was written."""


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class FileEntry(_Entry):
    """A file and what it must hash to."""

    sha256: str
    bytes: int


def _keep_text(value: Any, check: Callable[[Any], Any]) -> Any:
    return value if isinstance(value, Text) else check(value)


Meaning = Annotated[str, WrapValidator(_keep_text)]
"""A sentence that can still be translated, as long as it was not written to a file."""


class ColumnEntry(_Entry):
    """A released column; identifiers are never among them."""

    name: str
    role: Role
    meaning: Meaning
    level: int | None = None  # of a quasi-identifier's hierarchy
    truthful: bool = True  # whether every value is what was collected, or stands for it
    withheld: bool = False  # whether * stands for values that are not told in some classes
    file: str | None = None  # that it is in, where it is not in the released table
    added: bool = False  # whether it is none of the original's


class BucketEntry(_Entry):
    """Where records are in buckets: the column that names the bucket, and either the file that counts each bucket's
    sensitive values, with its column of counts, or the slices of columns that were shuffled within the buckets. With
    ``condensed``, they are groups, and records were drawn from each one's statistics."""

    group: str
    file: str | None = None
    count: str | None = None
    slices: tuple[tuple[str, ...], ...] = ()
    condensed: bool = False

    def slice_mates(self, attribute: str) -> tuple[str, ...]:
        """The columns that are in one slice with an attribute."""
        return next(
            (tuple(name for name in part if name != attribute) for part in self.slices if attribute in part), ()
        )


class CounterfeitEntry(_Entry):
    """Where records were invented that nobody stands behind: the column that names the groups, how many records, and
    the number in each group that has any."""

    group: str
    records: Annotated[int, Field(ge=0, strict=True)]
    groups: dict[str, Annotated[int, Field(ge=1, strict=True)]]


class MarginalEntry(_Entry):
    """A table of counts: its file, and the column of the counts. Its other columns are those of the file."""

    file: str
    count: str


class DataEntry(_Entry):
    """The released table: a file, a directory of parts, or a table of a database or a lake.

    A table has no bytes of its own: ``sha256`` is that of its rows as lines of CSV in the order of their bytes. One of
    a lake has versions, and the release is one of them.
    """

    file: str | None = None
    table: str | None = None
    version: int | None = None
    format: OutputFormat
    sha256: str | None = None
    separator: Separator
    records: int
    decimal: Literal[".", ","] = "."
    formulas: Formulas = "kept"
    labels: Literal["values", "codes"] = "values"  # which of the two a labelled code stands for in the file
    people: bool = False  # whether the models count people, who may have several records

    @classmethod
    def describe(
        cls, rows: Path | Table, data: Data, output: Output, records: int, *, people: bool = False
    ) -> DataEntry:
        """The entry of rows as they were written: a file, or a table of a database."""
        return cls(
            file=rows.name if isinstance(rows, Path) else None,
            table=None if isinstance(rows, Path) else rows.name,
            version=None if isinstance(rows, Path) else rows.version,
            sha256=None if isinstance(rows, Path) else rows.digest(data.separator),
            format=output.format,
            separator=data.separator,
            records=records,
            people=people,
            decimal=data.decimal,
            formulas=output.formulas,
            labels="values" if data.labels == "values" else "codes",
        )

    @property
    def reading(self) -> Data:
        """How its files are read: the values that were released, whatever stands before them for spreadsheets."""
        return Data(
            format=None if self.format == "table" else self.format,
            separator=self.separator,
            encoding="utf-8",
            decimal=self.decimal,
            formulas=self.formulas,
            labels=self.labels,
        )


RECODING = "recoding"
"""The kind of a release whose quasi-identifiers were recoded until models held; others: `release.verify.CHECKS`."""


class Manifest(_Entry):
    """What ``public/manifest.json`` holds."""

    format: Literal["cobogo-release/1"]
    kind: str = RECODING
    data: DataEntry
    columns: Annotated[tuple[ColumnEntry, ...], Field(min_length=1)]
    models: tuple[dict[str, Any], ...]  # asked for, with what was measured on the release
    files: dict[str, FileEntry]
    buckets: BucketEntry | None = None
    counterfeits: CounterfeitEntry | None = None
    marginals: tuple[MarginalEntry, ...] = ()  # instead of a released table
    transformation: dict[str, Any] | None = None  # how it was made, of a release that is not a recoding
    trees: dict[str, list[list[str | None]]] = Field(
        default_factory=dict
    )  # of sensitive values, where a model uses one

    @property
    def contradiction(self) -> str | None:
        """What in it cannot be, whatever lies beside it."""
        if any(_outside(name) for name in self._named_files):
            return tr("the manifest names a file outside of the release")
        if self.marginals:
            return self._contradiction_of_marginals
        if not (self.data.sha256 if self.data.file is None else self.data_files):
            return tr("the manifest gives no hash of the released data")
        named = self.data.table if self.data.file is None else Path(self.data.file).suffix == f".{self.data.format}"
        if not named or (self.data.file is None) != (self.data.format in TABLES):
            return tr("the manifest names a format that is not that of the data")
        if (self.kind == RECODING) != (self.transformation is None):
            return tr("the manifest names one kind of release and describes another")
        starred = {column.name for column in self.columns if column.withheld and self.kind == RECODING}
        if set(self.with_role(Role.IDENTIFIER)) - starred:
            return tr("an identifier is among the released columns")
        return self._contradiction_of_recoding() if self.kind == RECODING else None

    @property
    def _named_files(self) -> Iterator[str]:
        beside = (self.data, self.buckets, *self.marginals, *self.columns)
        yield from self.files
        yield from (entry.file for entry in beside if entry is not None and entry.file is not None)

    def _contradiction_of_recoding(self) -> str | None:
        """The same of a recoding."""
        if not self.models:
            return tr("the manifest promises nothing: it names no model")
        if not self.with_role(Role.QUASI_IDENTIFIER):
            return tr("the manifest names no quasi-identifier")
        if self.buckets is not None and self.buckets.file not in (
            *self.files,
            *((None,) if self.buckets.slices or self.buckets.condensed else ()),
        ):
            return tr("the manifest gives no hash of the sensitive values")
        if self.buckets is not None and self.buckets.group not in self.columns_in():
            return tr("the manifest names a bucket column that does not exist")
        return self._contradiction_of_counterfeits

    @property
    def _contradiction_of_counterfeits(self) -> str | None:
        if self.counterfeits is None:
            return None
        named = [column for column in self.columns if column.added and column.role is Role.QUASI_IDENTIFIER]
        if [column.name for column in named] != [self.counterfeits.group]:
            return tr("the manifest names a column of groups that does not exist")
        if sum(self.counterfeits.groups.values()) != self.counterfeits.records:
            return tr("the manifest states different numbers of counterfeits")
        return None

    @property
    def _contradiction_of_marginals(self) -> str | None:
        if self.data.file is not None or self.data.table is not None or self.buckets is not None:
            return tr("the manifest names a released table beside marginals")
        if not {entry.file for entry in self.marginals} <= set(self.files):
            return tr("the manifest gives no hash of a marginal")
        if len(self.with_role(Role.SENSITIVE)) > 1 or self.with_role(Role.IDENTIFIER):
            return tr("the marginals have more than one sensitive attribute, or an identifier")
        return None if self.models else tr("the manifest promises nothing: it names no model")

    def columns_in(self, file: str | None = None) -> tuple[str, ...]:
        """The columns of the released table, or of a file beside it."""
        return tuple(column.name for column in self.columns if column.file == file)

    @property
    def data_files(self) -> tuple[str, ...]:
        """The files that hold the released rows: one, or the parts of a directory."""
        apart = {entry.file for entry in self.marginals}
        own = self.data.file
        return tuple(name for name in self.files if name in (own, *apart) or name.startswith(f"{own}/"))

    def with_role(self, role: Role) -> tuple[str, ...]:
        """The released columns of one role."""
        return tuple(dict.fromkeys(column.name for column in self.columns if column.role is role))

    def write(self, directory: Path) -> None:
        """Write it into a directory."""
        text = json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1, allow_nan=False)
        (directory / NAME).write_text(text + "\n", encoding="utf-8", newline="\n")


def _outside(name: str) -> bool:
    """Whether a name may lead out of the directory that it is looked up in."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return not parts or ".." in parts or PurePosixPath(name).is_absolute() or PureWindowsPath(name).is_absolute()


def load(directory: Path) -> Manifest:
    """Read a directory's manifest; a damaged one is a failed verification."""
    try:
        return Manifest.model_validate_json((directory / NAME).read_bytes())
    except (ValidationError, OSError):
        raise VerificationFailed(
            tr("the manifest is damaged"), where=str(directory / NAME), remedy=COPY_AGAIN
        ) from None


def irregular(file: str) -> Text:
    """The problem of a link or a pipe in the place of a file."""
    return tr("{file} is not a regular file", file=file)


def changed(file: str) -> Text:
    """The problem of a file that was changed."""
    return tr("{file} is not the file that was released (its hash differs)", file=file)


def hashes(directory: Path, files: Sequence[Path]) -> dict[str, FileEntry]:
    """Each file's hash and size, by its path within the directory."""
    return {
        file.relative_to(directory).as_posix(): FileEntry(sha256=sha256(file), bytes=file.stat().st_size)
        for file in sorted(files)
    }


def sha256(file: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def contents(directory: Path) -> set[str]:
    """Everything below a directory that is no plain directory, by its path within it: files, links, pipes."""
    if not directory.is_dir():
        return set()
    return {
        entry.relative_to(directory).as_posix()
        for entry in directory.rglob("*")
        if entry.is_symlink() or not entry.is_dir()
    }


def disagreements(directory: Path, expected: dict[str, FileEntry], also: Sequence[str]) -> list[str]:
    """What differs between a directory and the files it should hold (``also``: files that are there without a hash)."""
    found = contents(directory)
    problems: list[str] = [tr("{file} is missing", file=name) for name in expected if name not in found]
    for name in sorted(found):
        file = directory / name
        if name not in expected and name not in also:
            problems.append(tr("{file} is not part of the release", file=name))
        elif file.is_symlink() or not file.is_file():
            problems.append(irregular(name))
        elif name in expected and (file.stat().st_size, sha256(file)) != (expected[name].bytes, expected[name].sha256):
            problems.append(changed(name))
    return problems
