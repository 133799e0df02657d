"""How the command line speaks: results to standard output, progress and errors to standard error."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cobogo.errors import CobogoError
from cobogo.faces.cli import language
from cobogo.floor.language import tr
from cobogo.floor.progress import silent


def say(text: str = "", **values: object) -> None:
    """Print a line of the result in the language of the terminal."""
    print(language.terminal_speech()(text, **values))


def say_json(content: Any) -> None:
    """Print a result for programs."""
    print(json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False))


def say_written(*places: str) -> None:
    """Say what was written, and where."""
    say(f"\n{language.terminal_speech()('Written'):<9} {'   '.join(places)}")


def complain(error: CobogoError) -> None:
    """Print an error so that a person can act on it."""
    first, *rest = f"cobogo: {language.terminal_speech().error(error)}".splitlines()
    print("\n".join([first, *(f"        {line}" for line in rest)]), file=sys.stderr)


def complain_of_defect(error: Exception) -> None:
    """Print where the program itself failed. The error's message is not shown: it may quote values of the data."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    say = language.terminal_speech()
    fault = say(
        "a fault of Cobogó: {kind} in {file}, line {line}.",
        kind=type(error).__name__,
        file=Path(place.filename).name,
        line=str(place.lineno),
    )
    print(
        f"cobogo: {fault}\n        {say('Please report it. Set COBOGO_DEBUG=1 to see all of it (it may show values of your data).')}",
        file=sys.stderr,
    )


def warn(text: str) -> None:
    print(f"cobogo: {language.terminal_speech()('warning')}: {language.terminal_speech()(text)}.", file=sys.stderr)


def table(header: list[str], rows: list[list[str]], *, numbers: Collection[int] = ()) -> str:
    """Columns that line up: text to the left, the columns of ``numbers`` to the right.

    >>> print(table(["k", "classes"], [["2", "1,204"], ["10", "8"]], numbers=[1]))
    k   classes
    2     1,204
    10        8
    """
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]

    def line(row: list[str]) -> str:
        cells = [
            cell.rjust(width) if number in numbers else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    return "\n".join(line(row) for row in [header, *rows])


STAGE = {
    "generate": tr("Generating"),
    "read": tr("Reading"),
    "search": tr("Searching"),
    "release": tr("Releasing"),
    "write": tr("Writing"),
    "verify": tr("Verifying"),
    "report": tr("Reporting"),
    "combine": tr("Combining"),
    "columns": tr("Checking"),
    "count": tr("Counting"),
    "check": tr("Checking against earlier releases"),
    "attack": tr("Attacking"),
    "compile": tr("Compiling, this once"),
}


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Any]:
    """A progress bar on a terminal; silence in a pipe."""
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    say = language.terminal_speech()
    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=Console(stderr=True), transient=True,
    )  # fmt: skip
    with bar:
        task = bar.add_task(say("Starting"), total=None)

        def show(stage: str, done: int, total: int) -> None:
            bar.update(task, description=say(STAGE.get(stage, stage)), completed=done, total=total or None)

        yield show
