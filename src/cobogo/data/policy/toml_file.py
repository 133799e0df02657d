"""Files of TOML tables: what every table is, reading them and writing them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

from cobogo.errors import PolicyError
from cobogo.floor.language import Text, tr
from cobogo.floor.language.errors import reason

DEEPEST = 100
"""Tables and lists within each other, in any policy: what goes deeper was not written by hand, and exhausts whoever
reads it."""

ENDS = re.compile(r"[={},\[\]]")
"""What ends a key."""


DATA_FILE = re.compile(r"\.(csv|tsv|parquet|pq|xlsx?|ods|gz)$", re.IGNORECASE)
"""Names of files that hold data, and no policy."""


def read_toml(path: Path, kind: str = "policy") -> dict[str, Any]:
    """The content of a file; ``kind`` is the page of the documentation that describes it."""
    where = str(path)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise PolicyError(
            tr("no such file"), where=where, remedy=tr("Check the path."), code="COBOGO-POLICY-FILE"
        ) from None
    except IsADirectoryError:
        raise PolicyError(
            tr("is a directory, not a file"),
            where=where,
            remedy=tr("Give the path of the file in it."),
            code="COBOGO-POLICY-FILE",
        ) from None
    except OSError as error:
        raise PolicyError(
            tr("cannot be read: {reason}", reason=reason(error)),
            where=where,
            remedy=tr("Check the path and the rights to read it."),
            code="COBOGO-POLICY-FILE",
        ) from None
    example = tr('The page "{page}" of the documentation has an example.', page=kind)
    try:
        return parse_toml(raw.decode("utf-8-sig"), where, remedy=example)
    except UnicodeDecodeError as error:
        if kind == "policy" and _is_data(path, raw):
            raise _data_as_policy(path) from None
        raise PolicyError(
            tr("is not UTF-8 text (byte {start})", start=error.start),
            where=where,
            remedy=tr("Save it as UTF-8."),
            code="COBOGO-POLICY-SYNTAX",
        ) from None
    except PolicyError:
        if kind == "policy" and _is_data(path, raw):
            raise _data_as_policy(path) from None
        raise


def _is_data(path: Path, raw: bytes) -> bool:
    """Whether a file that is no TOML seems to hold data: by its name, or by a first line that is a header of CSV."""
    first = raw[:4096].removeprefix(b"\xef\xbb\xbf").splitlines()[:1]
    header = bool(first) and re.fullmatch(rb"[^=\[{#]*[;,\t|][^=\[{#]*", first[0]) is not None
    return DATA_FILE.search(path.name) is not None or raw.startswith((b"PAR1", b"PK\x03\x04")) or header


def _data_as_policy(path: Path) -> PolicyError:
    return PolicyError(
        tr("is a data file, and a policy is needed here"),
        where=str(path),
        remedy=tr("Write a policy for it: `cobogo inspect {file} --write policy.toml`", file=path.name),
        code="COBOGO-POLICY-FILE",
    )


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
        raise _syntax_error(str(error), text, where, remedy) from None
    except RecursionError:
        raise _too_deep(where) from None
    except ValueError:
        raise PolicyError(
            tr("a number has more than 4,300 digits"),
            where=where,
            remedy=tr("Write a smaller number."),
            code="COBOGO-POLICY-SYNTAX",
        ) from None
    refuse_depth(content, where)
    return content


_SLIPS: tuple[tuple[str, Text], ...] = (
    (r"[“”„‘’]", tr('The quotes are curly: type straight ones, as " is.')),
    (r"=\s*[0-9]+,[0-9]+\s*(#.*)?$", tr("Write a decimal number with a point: 0.1.")),
    (
        r"=\s*[{\[]?.*=?\s*\"[^\"]*\\",
        tr("Write a path with /, or between single quotes: a \\ has another meaning in TOML."),
    ),
    (r"^\s*[\w.\"-]+\s*:", tr("Write = between a key and its value, not a colon.")),
    (r"^\s*[^=#\[\]{}]+$", tr("Every line is [a table] or a key with a value: key = value.")),
    (r"=\s*(True|False|TRUE|FALSE)\b", tr("Write true and false in lower case.")),
    (r"=\s*[^\W\d][^\"'=]*$", tr('Put text between quotes: path = "people.csv".')),
    (r"^[^\"]*\"([^\"]*\"[^\"]*\")*[^\"]*$", tr("Close the quotes.")),
    (r"^[^=]*[^\x00-\x7f][^=]*=", tr('Put a name with accents or blanks between quotes: "município" = { … }.')),
    (r"^\s*[^\"'=]*\s[^\"'=\s]+\s*=", tr('Put a name with accents or blanks between quotes: "município" = { … }.')),
)
"""What a line that is no TOML often has, and what to do about it."""

_CAUSES: tuple[tuple[str, Text], ...] = (
    ("Cannot overwrite|Cannot declare|Cannot mutate|Duplicate", tr("a key or a table appears twice")),
    ("Expected newline", tr("there is something after the end of a value")),
    ("Unclosed|Expected ']'|end of document", tr("a bracket or a quote is not closed")),
    ("Expected '='", tr("there is no = after a key")),
    ("[Ee]scape|Illegal|Unterminated|string", tr("a text is not closed, or has a sign that TOML does not allow in it")),
    ("Invalid value|Invalid statement|Invalid", tr("a value is not written as TOML needs it")),
)
"""What a parser of TOML says, by its first words, in ours."""


def _syntax_error(said: str, text: str, where: str, remedy: str | None) -> PolicyError:
    """What is wrong with a line of TOML, and the usual cause. The line is not shown: it may be of a file with data."""
    found = re.search(r"at line ([0-9]+), column", said)
    lines = text.splitlines()
    number = int(found[1]) if found else len(lines)
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    cause = next((cause for start, cause in _CAUSES if re.search(start, said)), tr("this line is not TOML"))
    twice = cause is _CAUSES[0][1]
    hint = None if twice else next((hint for slip, hint in _SLIPS if re.search(slip, line)), None)
    return PolicyError(
        tr("is not TOML: {cause}", cause=cause),
        where=tr("{where}, line {line}", where=where, line=number),
        remedy=tr("Write each key and each [table] once.") if twice else hint or remedy,
        code="COBOGO-POLICY-SYNTAX",
    )


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
    """How many dots are between parts of a key: not those of a text."""
    return part.count(".") if part.lstrip()[:1] not in ("'", '"') else part.count('".') + part.count("'.")


def _too_deep(where: str) -> PolicyError:
    return PolicyError(
        tr("tables and lists are nested more than {deepest} deep", deepest=DEEPEST),
        where=where,
        remedy=tr("Nest fewer tables and lists."),
        code="COBOGO-POLICY-SYNTAX",
    )


def render_toml(content: Mapping[str, Any]) -> str:
    """Tables as TOML, one line a key, long lists one line an item.

    >>> print(render_toml({"privacy": {"models": [{"model": "k-anonymity", "k": 5}]}}), end="")
    [privacy]
    models = [
      { model = "k-anonymity", k = 5 },
    ]
    """
    return "\n".join(_render_table(name, part) for name, part in content.items() if part)


def _render_table(name: str, part: Any) -> str:
    if not isinstance(part, Mapping):
        return f"{toml_key(name)} = {toml(part)}\n"
    lines = [f"[{toml_key(name)}]"]
    for key, value in part.items():
        if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            lines += [f"{toml_key(key)} = [", *(f"  {toml(item)}," for item in value), "]"]
        else:
            lines.append(f"{toml_key(key)} = {toml(value)}")
    return "\n".join(lines) + "\n"


def toml(value: Any) -> str:
    """A value as TOML, tables inline.

    >>> print(toml({"a b": ["x\\ny", 1, True]}))
    { "a b" = ["x\\ny", 1, true] }
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return _string(str(value))


def toml_key(name: str) -> str:
    """A key as TOML, between quotes where it needs them."""
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _string(name)


def _string(text: str) -> str:
    """A quoted string. What cannot be seen is escaped too: a name should not turn the line that it stands in around."""
    return '"' + "".join(map(_character, text)) + '"'


def _character(c: str) -> str:
    short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    if c in short:
        return short[c]
    if c.isprintable():
        return c
    return f"\\u{ord(c):04X}" if ord(c) <= 0xFFFF else f"\\U{ord(c):08X}"


class PolicyTable(BaseModel):
    """A table of the policy: unknown keys are errors, names carry hyphens in the file."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        alias_generator=lambda name: name.replace("_", "-"),
        populate_by_name=True,
        str_strip_whitespace=False,
        defer_build=True,  # most policies use few of the tables
    )


def _separator(value: str) -> str:
    if not (len(value) == 1 and value.isascii() and not value.isalnum() and (value.isprintable() or value == "\t")):
        raise ValueError(tr("must be one ASCII character that is neither a letter nor a digit"))
    if value in "\"'\n\r":
        raise ValueError(tr("must not be a quote or a line end"))
    return value


Separator = Annotated[str, AfterValidator(_separator)]
"""The character between the fields of a CSV file."""
