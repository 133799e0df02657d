"""How the command line speaks: results to standard output, progress and errors to standard error."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from cobogo.errors import CobogoError
from cobogo.faces.cli import language
from cobogo.floor.language import Text, tr
from cobogo.floor.language.errors import error_to_json
from cobogo.floor.progress import silent

_FOR_PROGRAMS: ContextVar[bool] = ContextVar("for programs", default=False)


def say(text: str = "", **values: object) -> None:
    """Print a line of the result in the language of the terminal."""
    print(language.terminal_speech()(text, **values))


LABELS = {
    "added": tr("Added"),
    "assumes": tr("Assumes"),
    "attack": tr("Attack"),
    "attacked": tr("Attacked"),
    "begun": tr("Created"),
    "cheapest": tr("Cheapest"),
    "checked": tr("Checked"),
    "cost": tr("Cost"),
    "counted": tr("Counted"),
    "defence": tr("Defence"),
    "encoded": tr("Encoded"),
    "fidelity": tr("Fidelity"),
    "forgotten": tr("Forgotten"),
    "found": tr("Found"),
    "groups": tr("Groups"),
    "inferred": tr("Inferred"),
    "key": tr("Key"),
    "knows": tr("Knows"),
    "made_up": tr("Invented"),
    "model": tr("Model"),
    "not_tried": tr("Skipped"),
    "note": tr("Note"),
    "promise": tr("Promise"),
    "read": tr("Read"),
    "lost": tr("Lost"),
    "recorded": tr("Recorded"),
    "release": tr("Release"),
    "removed": tr("Removed"),
    "reports": tr("Reports"),
    "revoked": tr("Revoked"),
    "rotated": tr("Rotated"),
    "rows": tr("Rows"),
    "search": tr("Search"),
    "serving": tr("Serving"),
    "together": tr("Together"),
    "try": tr("Try"),
    "verified": tr("Verified"),
    "withheld": tr("Withheld"),
    "workbench": tr("Workbench"),
    "written": tr("Written"),
}
"""What lines of results begin with. Each language has room for its longest one, so that lines are aligned."""


def line(label: str, *texts: str) -> str:
    """A line of a result: its label, translated, and what there is to say. Without a label it goes on with the last."""
    say = language.terminal_speech()
    width = max(len(say(text)) for text in LABELS.values())
    return f"{say(LABELS[label]) if label else '':<{width}} {'   '.join(map(say, texts))}".rstrip()


def say_line(label: str, *texts: str) -> None:
    """Print a line with a label."""
    print(line(label, *texts))


def note(text: str) -> str:
    """A note below a result."""
    say = language.terminal_speech()
    return say("Note: {text}.", text=say(text).rstrip("."))


def say_release(directory: object) -> None:
    """Say where the two parts of a release are."""
    say_line("written", *release_parts(directory))


def release_parts(directory: object) -> tuple[str, str]:
    """The two parts of a release, and what to do with each."""
    from cobogo.release.contract import Destination

    place = directory if isinstance(directory, Destination) else Destination.of(str(directory))
    kept = tr("{directory}/evidence (keep)", directory=str(place.directory))
    if place.url is not None:
        return tr("{url} (give away)", url=place.url), kept
    return tr("{directory}/public (give away)", directory=str(place.directory)), kept


def say_json(content: Any) -> None:
    """Print a result for programs."""
    print(json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False))


def say_written(*places: str) -> None:
    """Say what was written, and where, after an empty line."""
    print()
    say_line("written", *places)


def for_programs(*, wanted: bool) -> None:
    """Remember whether the result of this command is for a program: an error is then printed as JSON, too."""
    _FOR_PROGRAMS.set(wanted)


def complain(error: CobogoError) -> None:
    """Print an error so that a person can act on it; for a program, also as JSON on standard output."""
    if _FOR_PROGRAMS.get():
        say_json({"error": error_to_json(error)})
    first, *rest = f"cobogo: {language.terminal_speech().error(error)}".splitlines()
    lines = [*rest, _dim(f"[{', '.join(dict.fromkeys(one.code for one in error.errors or (error,)))}]")]
    print("\n".join([first, *(f"        {line}" for line in lines)]), file=sys.stderr)


def _dim(text: str) -> str:
    """A text that a terminal shows less bright."""
    return f"\x1b[2m{text}\x1b[0m" if sys.stderr.isatty() and "NO_COLOR" not in os.environ else text


def complain_of_defect(error: Exception) -> None:
    """Print where the program itself failed. The error's message is not shown: it may quote values of the data."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    say = language.terminal_speech()
    defect = say(
        "an error in Cobogó itself: {kind} in {file}, line {line}.",
        kind=type(error).__name__,
        file=Path(place.filename).name,
        line=str(place.lineno),
    )
    remedy = say("Please report it. Set COBOGO_DEBUG=1 to see the whole error; it may show values of your data.")
    print(f"cobogo: {defect}\n        {remedy}", file=sys.stderr)


def warn(text: str) -> None:
    """Print a warning."""
    say = language.terminal_speech()
    said = say("warning: {text}.", text=say(text).rstrip("."))
    print(f"cobogo: {said}", file=sys.stderr)


def table(header: list[str], rows: list[list[str]], *, numbers: Collection[int] = (), width: int | None = None) -> str:
    """Columns that line up: text to the left, the columns of ``numbers`` to the right. Words of the header that are
    in the catalogue are translated. Where lines would be wider than ``width``, which is that of the terminal if there
    is one, the last column is wrapped; where it has no room, the last two columns of text go below their row.

    >>> print(table(["k", "classes"], [["2", "1,204"], ["10", "8"]], numbers=[1]))
    k   classes
    2     1,204
    10        8
    >>> print(table(["column", "because"], [["age", "its name is about age, which others may know"]], width=36))
    column
      because
    age
      its name is about age, which
      others may know
    """
    header = [language.terminal_speech()(word) if isinstance(word, Text) else word for word in header]
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    if width is None and sys.stdout.isatty():
        width = terminal_width()
    beside = len(header)
    if width is not None:
        for column in range(len(header) - 1, max(len(header) - 3, 0), -1):
            room = width - sum(widths[:column]) - 2 * column
            if column in numbers or widths[column] <= room:
                break
            if room >= NARROWEST and column == len(header) - 1:
                widths[column] = room
                break
            beside = column

    def lines(row: list[str]) -> Iterator[str]:
        folded = textwrap.wrap(row[beside - 1], max(widths[beside - 1], 1), break_on_hyphens=False) or [""]
        for number, last in enumerate(folded):
            cells = [*(row[: beside - 1] if number == 0 else [""] * (beside - 1)), last]
            padded = [
                cell.rjust(room) if at in numbers else cell.ljust(room)
                for at, (cell, room) in enumerate(zip(cells, widths[:beside], strict=True))
            ]
            yield "  ".join(padded).rstrip()
        for below in row[beside:]:
            yield from textwrap.wrap(below, width or 0, initial_indent="  ", subsequent_indent="  ")

    return "\n".join(text for row in [header, *rows] for text in lines(row))


def level_columns(attributes: Sequence[str]) -> list[str]:
    """What the columns of levels are called: as the attributes, or together where a terminal has no room for them."""
    return [*attributes] if sum(map(len, attributes)) <= LONGEST_NAMES else [language.terminal_speech()("levels")]


def level_cells(levels: Mapping[str, int]) -> list[str]:
    """The levels of the attributes, for the columns of `level_columns`."""
    texts = [language.terminal_speech().number(level) for level in levels.values()]
    return texts if len(level_columns([*levels])) == len(texts) else [", ".join(texts)]


LONGEST_NAMES = 60
"""Letters of all attributes' names together, for each to have a column."""

NARROWEST = 30
"""Characters of a column that is wrapped, at least: a sentence in less is a column of words."""


def terminal_width() -> int:
    """How many characters a line of the terminal has."""
    return shutil.get_terminal_size().columns


STAGE = {
    "generate": tr("Generating"),
    "read": tr("Reading"),
    "search": tr("Searching"),
    "release": tr("Releasing"),
    "write": tr("Writing"),
    "verify": tr("Verifying"),
    "upload": tr("Uploading"),
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
