"""Running commands in this process."""

from __future__ import annotations

from cobogo.errors import CobogoError
from cobogo.faces.cli import console
from cobogo.faces.cli.main import app


def command(*words: str) -> int:
    """The exit code of a command."""
    try:
        app(args=list(words))
    except CobogoError as error:
        console.complain(error)
        return error.exit_code
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0
