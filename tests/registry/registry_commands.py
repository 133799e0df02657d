"""Running commands in this process."""

from __future__ import annotations

from cobogo.cli import console
from cobogo.cli.main import app
from cobogo.errors import CobogoError


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
