"""The examples of a page, run as a reader would run them: in order, in one directory, without a network.

A page's code blocks mean:

``title="name"``
    whatever the language: a file of that name, written before what follows.
``python``
    run in one namespace for the whole page.
``sh``
    ``cobogo …`` and ``python file.py``, a line at a time. A comment ``# exit 1`` says how the line before it ends.
``console``
    the same after ``$``, with what the commands say below them.
``text``
    right after one of the above: what it says. Times may differ, and a line that ends in ``…`` is right up to there.

A comment before a block changes that. ``<!-- not run: reason -->`` leaves it out, ``<!-- varies: reason -->`` does not
compare what is said, and ``<!-- bring: path … -->`` first copies files of the repository to where the page works.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import shutil
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)(?P<options>[^\n]*)\n(?P<body>.*?)^(?P=indent)```$", re.M | re.S
)
MARK = re.compile(r"<!-- (not run|varies|bring): (.*?) -->\s*\Z")


@dataclass(frozen=True)
class Block:
    """One code block, and where it stands."""

    language: str
    title: str
    body: str
    line: int
    mark: str
    reason: str
    follows: bool
    """Whether nothing stands between it and the block before."""

    @property
    def left_out(self) -> bool:
        return self.mark == "not run"


def blocks(text: str) -> Iterator[Block]:
    """The code blocks of a page, in order."""
    end = 0
    for found in FENCE.finditer(text):
        between = text[end : found.start()]
        mark = MARK.search(between)
        title = re.search(r'title="([^"]+)"', found["options"])
        yield Block(
            language=found["language"],
            title=title[1] if title else "",
            body=textwrap.dedent(found["body"]),
            line=text.count("\n", 0, found.start()) + 2,
            mark=mark[1] if mark else "",
            reason=mark[2] if mark else "",
            follows=end > 0 and not MARK.sub("", between).strip(),
        )
        end = found.end()


def run(text: str, name: str, directory: Path) -> None:
    """Run a page in a directory. What does not hold is an AssertionError with the page's name and the line."""
    names: dict[str, Any] = {"__name__": "__main__"}
    said: str | None = None
    with contextlib.chdir(directory):
        for block in blocks(text):
            where = f"{name}:{block.line}"
            if block.mark == "bring":
                for path in block.reason.split():
                    shutil.copy(ROOT / path, directory)
            if block.left_out:
                said = None
            elif block.title:
                (directory / block.title).parent.mkdir(parents=True, exist_ok=True)
                (directory / block.title).write_text(block.body, encoding="utf-8")
                said = None
            elif block.language == "text" and block.follows and said is not None:
                if block.mark != "varies":
                    _same(block.body, said, where)
                said = None
            elif block.language == "python":
                said = _python(block, names, where)
            elif block.language == "sh":
                said = "".join(command(line, where) for line in _lines(block.body))
            elif block.language == "console":
                _console(block, where)
                said = None


def _python(block: Block, names: dict[str, Any], where: str) -> str:
    said = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.body, where.rpartition(":")[0], "exec")
    with contextlib.redirect_stdout(said):
        exec(code, names)
    return said.getvalue()


def _console(block: Block, where: str) -> None:
    for line, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.body, re.MULTILINE):
        said = command(line, where)
        if block.mark != "varies":
            _same(expected, said, where)


def _lines(body: str) -> list[str]:
    return [line for line in body.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]


def command(line: str, where: str) -> str:
    """Run one command within this process; what it said on either stream."""
    from cobogo.errors import CobogoError
    from cobogo.faces.cli import console
    from cobogo.faces.cli.main import app

    words = _words(line, where)
    wanted = int(found[1]) if (found := re.search(r"# exit (\d)", line)) else 0
    said, code = io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        match words:
            case ["cobogo", *arguments]:
                try:
                    app(args=arguments)
                except CobogoError as error:
                    console.complain(error)
                    code = error.exit_code
                except SystemExit as stop:
                    code = int(stop.code or 0)
            case ["cd", place]:
                os.chdir(place)
            case ["python", script]:
                runpy.run_path(script, run_name="__main__")
            case _:
                raise AssertionError(f"{where}: {line!r} cannot be run here. Mark the block as not run, and say why.")
    assert code == wanted, f"{where}: {line} ended with {code}:\n{said.getvalue()}"
    return said.getvalue()


def _words(line: str, where: str) -> list[str]:
    """The words of a command as a shell would take them; what would mean more to a shell must be quoted."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words = list(lexer)
    signs = [word for word in words if word and set(word) <= set("|&;<>")]
    assert not signs, f"{where}: quote what a shell would act on: {line}"
    return words


def _same(expected: str, said: str, where: str) -> None:
    wanted, found = (_timeless(text) for text in (expected, said))
    for number, line in enumerate(wanted):
        heard = found[number] if number < len(found) else ""
        right = heard.startswith(line.removesuffix("…").rstrip()) if line.endswith("…") else heard == line
        assert right, f"{where}: the page says\n{line}\nand the program\n{heard}\nin all\n{said}"
    assert len(wanted) == len(found), f"{where}: the program says more than the page:\n{said}"


def _timeless(text: str) -> list[str]:
    return [re.sub(r" +[0-9]+[.,][0-9] s$", "", line).rstrip() for line in text.strip("\n").splitlines()]
