"""The command line within this process: as the entry point runs it, without a new process for each call."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any, NamedTuple

from cobogo.errors import CobogoError
from cobogo.faces.cli import console
from cobogo.faces.cli.main import app

ONE_AFTER_ANOTHER = """
import contextlib, io, json, sys
from cobogo.faces.cli.main import run
told = []
for words in json.loads(sys.argv[1]):
    said, code = io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            run(words)
        except SystemExit as end:
            code = end.code or 0
    told.append((code, said.getvalue()))
print(json.dumps(told))
"""
"""A program for an environment that is not ours: commands as JSON in, their exit codes and words as JSON out."""


class Said(NamedTuple):
    """What a command said on either stream."""

    stdout: str
    stderr: str


def called(*arguments: object, cwd: Path, code: int = 0) -> Said:
    """Run a command in a directory. It must end with the exit code given."""
    out, err = io.StringIO(), io.StringIO()
    ended: Any = 0
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            app(args=list(map(str, arguments)))
        except CobogoError as error:
            console.complain(error)
            ended = error.exit_code
        except SystemExit as stop:
            ended = stop.code or 0
    assert ended == code, out.getvalue() + err.getvalue()
    return Said(out.getvalue(), err.getvalue())


def cobogo(*arguments: object, cwd: Path, code: int = 0) -> str:
    """The same; what it said, results first."""
    return "".join(called(*arguments, cwd=cwd, code=code))


RUN = """
from pathlib import Path
from cobogo.tell.report import write
write.draw = lambda plot, content, path, *, say: Path(path).write_bytes(b"")
from cobogo.faces.cli import run
run()
"""
"""For tests that need another process: the command line with blank pictures, which take most of the time."""
