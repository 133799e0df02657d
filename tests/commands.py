"""The command line within this process: as the entry point runs it, without a new process for each call."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

from cobogo.cli import console
from cobogo.cli.main import app
from cobogo.errors import CobogoError


def cobogo(*arguments: str, cwd: Path, code: int = 0) -> str:
    """Run a command in a directory; what it said on either stream. It must end with the exit code given."""
    said = io.StringIO()
    ended: Any = 0
    with contextlib.chdir(cwd), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            app(args=list(arguments))
        except CobogoError as error:
            console.complain(error)
            ended = error.exit_code
        except SystemExit as stop:
            ended = stop.code or 0
    assert ended == code, said.getvalue()
    return said.getvalue()
