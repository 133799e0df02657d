"""What `cobogo inspect` says and writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cobogo.data.policy import Data
from cobogo.data.schema import ColumnProfile, Suggestion, starter_policy
from cobogo.errors import OutputError
from cobogo.faces.cli import console, speaking


def as_table(profiles: list[ColumnProfile], suggestions: list[Suggestion]) -> str:
    """For people: no value of the data is shown."""
    say = speaking.words()
    rows = [
        [
            column.name,
            str(column.kind),
            say.number(column.distinct),
            say.number(column.missing),
            f"{found.role}{'' if found.certain else ' ?'}",
            _short(found.hierarchy),
            speaking.reason(found.reason),
        ]
        for column, found in zip(profiles, suggestions, strict=True)
    ]
    header = [say(key) for key in ("column", "type", "distinct", "missing", "role", "hierarchy", "because")]
    return console.table(header, rows, numbers=(2, 3))


def write_starter(
    target: Path, data: Path, options: Data, profiles: list[ColumnProfile], suggestions: list[Suggestion]
) -> None:
    """Write the starter policy where nothing is yet."""
    text = starter_policy(
        profiles,
        suggestions,
        path=_relative(data, target.parent),
        separator=options.separator,
        encoding=options.encoding,
    )
    try:
        with target.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise OutputError("is there already", where=str(target), remedy="Choose another name for --write.") from None
    except OSError as error:
        target.unlink(missing_ok=True)
        raise OutputError(f"cannot be written: {error.strerror}", where=str(target)) from None


def _relative(path: Path, home: Path) -> str:
    """A path as the policy beside it would write it."""
    try:
        return path.resolve().relative_to(home.resolve()).as_posix()
    except ValueError:
        return path.resolve().as_posix()


def _short(hierarchy: dict[str, Any] | None) -> str:
    if not hierarchy:
        return ""
    kind, value = next(iter(hierarchy.items()))
    levels = hierarchy.get("levels")
    return f"{kind} {value}" + (f" → {' → '.join(levels)}" if levels else "")
