"""Reading a TOML file, with complaints that a person can act on."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cobogo.errors import PolicyError

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
        raise PolicyError(f"no such {kind} file", where=str(path), remedy="Check the path.") from None
    except IsADirectoryError:
        raise PolicyError(f"is a directory, not a {kind} file", where=str(path)) from None
    except UnicodeDecodeError as error:
        raise PolicyError(
            f"is not UTF-8 text (byte {error.start})", where=str(path), remedy=f"Save the {kind} as UTF-8."
        ) from None
    except OSError as error:
        raise PolicyError(f"cannot be read: {error.strerror}", where=str(path)) from None
    remedy = f"See the {kind} page of the documentation for an example."
    return parse_toml(text, str(path), remedy=remedy)


def parse_toml(text: str, where: str, *, remedy: str | None = None) -> dict[str, Any]:
    """The content of a text, whatever it holds: what is no TOML, or nested beyond all reason, is refused."""
    if any(
        _dots(part) > DEEPEST for line in text.splitlines() if line.count(".") > DEEPEST for part in ENDS.split(line)
    ):
        raise _too_deep(where)  # the parser's time grows with the square of a key's parts
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"is not TOML: {error}", where=where, remedy=remedy) from None
    except RecursionError:
        raise _too_deep(where) from None
    except ValueError:
        raise PolicyError("a number has more than 4,300 digits", where=where) from None
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


def _dots(part: str) -> int:
    """How many dots stand between parts of a key: not those of a text."""
    return part.count(".") if part.lstrip()[:1] not in ("'", '"') else part.count('".') + part.count("'.")


def _too_deep(where: str) -> PolicyError:
    return PolicyError(f"tables and lists are nested more than {DEEPEST} deep", where=where, remedy="Write it flatter.")
