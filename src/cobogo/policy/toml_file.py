"""Reading a TOML file, with complaints that a person can act on."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cobogo.errors import PolicyError

DEEPEST = 100
"""Tables and lists within each other, in any policy: what goes deeper was not written by hand, and exhausts whoever
reads it."""


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
        raise too_deep(where)


def too_deep(where: str) -> PolicyError:
    """What is said of such nesting."""
    return PolicyError(f"tables and lists are nested more than {DEEPEST} deep", where=where, remedy="Write it flatter.")


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
    try:
        content = tomllib.loads(text)
        refuse_depth(content, str(path))
        return content
    except RecursionError:
        raise too_deep(str(path)) from None
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(
            f"is not TOML: {error}",
            where=str(path),
            remedy=f"See the {kind} page of the documentation for an example.",
        ) from None
