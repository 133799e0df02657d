"""Files of TOML tables: what every table is, reading them, and errors that name the place and the remedy."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Tag, ValidationError
from pydantic_core import ErrorDetails

from cobogo.errors import PolicyError, number_of
from cobogo.floor.language import tr
from cobogo.floor.untrusted import shorten

DEEPEST = 100
"""Tables and lists within each other, in any policy: what goes deeper was not written by hand, and exhausts whoever
reads it."""

ENDS = re.compile(r"[={},\[\]]")
"""What ends a key."""


def read_toml(path: Path, kind: str = "policy") -> dict[str, Any]:
    """The content of a file; ``kind`` is what messages call it, and the page of the documentation that tells of it."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise PolicyError(tr("no such {kind} file", kind=kind), where=str(path), remedy=tr("Check the path.")) from None
    except IsADirectoryError:
        raise PolicyError(tr("is a directory, not a {kind} file", kind=kind), where=str(path)) from None
    except UnicodeDecodeError as error:
        raise PolicyError(
            tr("is not UTF-8 text (byte {start})", start=error.start),
            where=str(path),
            remedy=tr("Save the {kind} as UTF-8.", kind=kind),
        ) from None
    except OSError as error:
        raise PolicyError(tr("cannot be read: {strerror}", strerror=error.strerror), where=str(path)) from None
    remedy = f"See the {kind} page of the documentation for an example."
    return parse_toml(text, str(path), remedy=remedy)


def parse_toml(text: str, where: str, *, remedy: str | None = None) -> dict[str, Any]:
    """The content of a text, whatever it holds: what is no TOML, or nested beyond all reason, is refused."""
    if any(
        _count_dots(part) > DEEPEST
        for line in text.splitlines()
        if line.count(".") > DEEPEST
        for part in ENDS.split(line)
    ):
        raise _too_deep(where)  # the parser's time grows with the square of a key's parts
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(tr("is not TOML: {error}", error=error), where=where, remedy=remedy) from None
    except RecursionError:
        raise _too_deep(where) from None
    except ValueError:
        raise PolicyError(tr("a number has more than 4,300 digits"), where=where) from None
    refuse_depth(content, where)
    return content


def refuse_depth(content: Any, where: str) -> None:
    """Refuse tables and lists that are nested beyond reason."""
    inside = [content]
    for _ in range(DEEPEST):
        inside = [
            part
            for outer in inside
            if isinstance(outer, Mapping | list | tuple)
            for part in (outer.values() if isinstance(outer, Mapping) else outer)
        ]
    if any(isinstance(part, Mapping | list | tuple) for part in inside):
        raise _too_deep(where)


def _count_dots(part: str) -> int:
    """How many dots stand between parts of a key: not those of a text."""
    return part.count(".") if part.lstrip()[:1] not in ("'", '"') else part.count('".') + part.count("'.")


def _too_deep(where: str) -> PolicyError:
    return PolicyError(
        tr("tables and lists are nested more than {deepest} deep", deepest=DEEPEST),
        where=where,
        remedy=tr("Write it flatter."),
    )


class PolicyTable(BaseModel):
    """A table of the policy: unknown keys are errors, names carry hyphens in the file."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        alias_generator=lambda name: name.replace("_", "-"),
        populate_by_name=True,
        str_strip_whitespace=False,
    )


def _separator(value: str) -> str:
    if not (len(value) == 1 and value.isascii() and not value.isalnum() and (value.isprintable() or value == "\t")):
        raise ValueError("must be one ASCII character that is neither a letter nor a digit")
    if value in "\"'\n\r":
        raise ValueError("must not be a quote or a line end")
    return value


Separator = Annotated[str, AfterValidator(_separator)]
"""What stands between the fields of a CSV file."""


Candidates = list[tuple[str | None, type[BaseModel]]]
"""The tables that may stand at a place, each with the tag that tells it from the others."""


def explain_error(error: ValidationError, name: str, root: type[BaseModel]) -> PolicyError:
    """The first of pydantic's complaints as a sentence, with the others counted."""
    details = error.errors(include_url=False)
    first = details[0]
    keys, beside = _locate(first["loc"], root)
    place = ".".join(keys)
    more = f" (and {number_of(len(details) - 1, 'error')} more)" if len(details) > 1 else ""
    what, remedy = _sentence(first, beside)
    return PolicyError(what + more, where=f"{name}, {place}" if place else name, remedy=remedy)


def _sentence(detail: ErrorDetails, known: list[str]) -> tuple[str, str | None]:
    context = detail.get("ctx", {})
    shown = detail["input"]
    match detail["type"]:
        case "extra_forbidden":
            near = difflib.get_close_matches(str(detail["loc"][-1]), known, n=1)
            return "unknown key", f'Did you mean "{near[0]}"?' if near else f"Known keys: {', '.join(known)}."
        case "missing":
            return "this key is required and is not there", None
        case "value_error":
            return str(context.get("error", detail["msg"])), None
        case "enum" if str(shown).startswith("CONFIRM "):
            meant = str(shown).removeprefix("CONFIRM ")
            return (
                f"the role {meant!r} is a guess of `cobogo inspect`",
                f'Look at the column, then write role = "{meant}", or another role.',
            )
        case "enum" | "literal_error":
            return f"must be {context['expected']}. Got {shorten(shown)} instead", None
        case "too_short":
            return "must not be empty", None
    text = detail["msg"].replace("Input should", "must").replace("must be a valid", "must be a")
    return (f"{text}. Got {shorten(shown)} instead" if isinstance(shown, str | int | float) else text), None


def _locate(location: tuple[str | int, ...], root: type[BaseModel]) -> tuple[list[str], list[str]]:
    """The keys of the file on the way to a place, without pydantic's tags, and the keys that are known there."""
    keys: list[str] = []
    here: Candidates = [(None, root)]
    for number, step in enumerate(map(str, location)):
        tagged: Candidates = [(None, part) for tag, part in here if tag == step]
        if tagged:
            here = tagged
            continue
        keys.append(step)
        if number < len(location) - 1:
            fields = [
                field for _, part in here for name, field in part.model_fields.items() if step in (name, field.alias)
            ]
            here = [found for field in fields for found in _table_types((field.annotation, *field.metadata))] or here
    return keys, [field.alias or name for _, part in here for name, field in part.model_fields.items()]


def _table_types(annotations: tuple[Any, ...], tag: str | None = None) -> Iterator[tuple[str | None, type[BaseModel]]]:
    """The tables within annotations: alone, of several kinds, in a list or under names."""
    tag = next((kind.tag for kind in annotations if isinstance(kind, Tag)), tag)
    for kind in annotations:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield tag, kind
        else:
            yield from _table_types(get_args(kind), tag)
