"""The command ``cobogo inspect``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cobogo.errors import OutputError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Encoding, FileTable, GuessedSeparator, Json, LabelsAs, Range, Sheet
from cobogo.floor.language import Speech, Text, tr
from cobogo.floor.language.errors import reason
from cobogo.floor.urls import remote_url

if TYPE_CHECKING:
    from cobogo.data.schema import ColumnProfile, Suggestion
    from cobogo.data.schema.inspection import Inspection
    from cobogo.data.schema.profile import ColumnKind


ROLES = {
    "identifier": tr("identifier"),
    "quasi-identifier": tr("quasi-identifier"),
    "sensitive": tr("sensitive"),
    "non-sensitive": tr("non-sensitive"),
}
"""The roles, as they are shown."""

TYPES = {
    "integer": tr("integer"),
    "decimal": tr("decimal"),
    "date": tr("date"),
    "boolean": tr("boolean"),
    "category": tr("category"),
    "text": tr("text"),
    "empty": tr("empty"),
}
"""The types of columns, as they are shown."""


def kind_text(kind: ColumnKind) -> Text:
    """The type of a column with what it takes to read it."""
    name = TYPES.get(kind.type, tr("{type}", type=str(kind.type)))
    if kind.format:
        return tr("{type} ({format})", type=name, format=kind.format)
    return tr("{type} (decimal comma)", type=name) if kind.mark == "," else name


def inspect(
    data: Annotated[Path, typer.Argument(help="A file: CSV, Excel, SPSS, Parquet, …", show_default=False)],
    separator: GuessedSeparator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    cells: Range = None,
    table: FileTable = None,
    labels: LabelsAs = None,
    write: Annotated[Path | None, typer.Option("--write", help="Write a starter policy here.")] = None,
    as_json: Json = False,
) -> None:
    """Look at a file, and write a starter policy: types of columns, suggested roles, hierarchies. Shows no values."""
    from cobogo.data.schema import inspection

    found = inspection.inspect(
        data, separator=separator, encoding=encoding, sheet=sheet, range=cells, table=table, labels=labels
    )
    if write is not None:
        write_starter_policy(write, data, found)
    if as_json:
        console.say_json(inspection.as_json(found.columns, found.suggestions))
        return
    console.say(column_table(found.columns, found.suggestions))
    for note in found.notes:
        console.say(console.note(note))
    if found.guesses:
        console.say()
        console.say(tr("? The role is a guess: look at the column and decide."))
    if write is not None:
        console.say_written(
            str(write), tr("Confirm the roles in it, then run: cobogo anonymize {policy}", policy=str(write))
        )


def column_table(profiles: Sequence[ColumnProfile], suggestions: Sequence[Suggestion]) -> str:
    """A table of the columns with what was found and is suggested. It shows no value of the data."""
    say = language.terminal_speech()
    rows = [
        [
            column.name,
            say(kind_text(column.kind)),
            say.number(column.distinct),
            say.number(column.missing),
            f"{say(ROLES[found.role])}{'' if found.certain else ' ?'}",
            _hierarchy_text(found.hierarchy, say),
            say(found.reason),
        ]
        for column, found in zip(profiles, suggestions, strict=True)
    ]
    header: list[str] = [
        tr("column"), tr("type"), tr("distinct"), tr("missing"), tr("suggested role"), tr("hierarchy"), tr("because"),
    ]  # fmt: skip
    return console.table(header, rows, numbers=(2, 3))


def write_starter_policy(target: Path, data: Path, found: Inspection) -> None:
    """Write the starter policy where nothing is yet, and the schema that it names beside it."""
    from cobogo.data.schema import starter_policy
    from cobogo.tell.reference.schema import FILE, write_schema

    text = starter_policy(
        found.columns,
        found.suggestions,
        path=_relative_path(data, target.parent),
        data=found.options,
        language=language.terminal_speech().language,
        schema=FILE,
    )
    try:
        with target.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        write_schema(target.parent)
    except FileExistsError:
        raise OutputError(
            tr("already exists"), where=str(target), remedy=tr("Delete it, or choose another name for --write.")
        ) from None
    except OSError as error:
        with suppress(OSError):  # where nothing may be written, nothing is there to delete
            target.unlink(missing_ok=True)
        raise OutputError(
            tr("cannot be written: {reason}", reason=reason(error)),
            where=str(target),
            remedy=tr("Check that the directory exists and that you may write to it."),
        ) from None


def _relative_path(path: Path, home: Path) -> str:
    """A path as the policy beside it would write it."""
    if (url := remote_url(path)) is not None:
        return url
    try:
        return path.resolve().relative_to(home.resolve()).as_posix()
    except ValueError:
        return path.resolve().as_posix()


def _hierarchy_text(hierarchy: dict[str, Any] | None, say: Speech) -> str:
    """The kind of a hierarchy as the policy writes it, and the levels of dates in words."""
    from cobogo.data.hierarchy.dates import years_of
    from cobogo.release.dictionary import date_words

    if not hierarchy:
        return ""
    kind, value = next(iter(hierarchy.items()))
    levels = [
        say("{years} years", years=years) if (years := years_of(level)) else say(date_words(level))
        for level in hierarchy.get("levels", ())
    ]
    return " → ".join([kind, *levels]) if levels else f"{kind} {value}"
