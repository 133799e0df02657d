"""Reading a TOML file, with complaints that a person can act on."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from cobogo.errors import PolicyError


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
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(
            f"is not TOML: {error}",
            where=str(path),
            remedy=f"See the {kind} page of the documentation for an example.",
        ) from None
    except ValueError:  # Python reads no number of so many digits
        raise PolicyError("a number has more than 4,300 digits", where=str(path)) from None
