"""Options that several commands share, each with its name and its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cobogo.errors import PolicyError
from cobogo.floor.memory import bound_memory, parse_memory

PolicyFile = Annotated[Path, typer.Argument(help="The policy: a TOML file.", show_default=False)]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="The directory of the release, or an address in object storage.", show_default=False),
]
Evidence = Annotated[
    Path | None,
    typer.Option(
        "--evidence",
        help="With --out in object storage: the directory of this machine that the release stays in with its evidence.",
        show_default=False,
    ),
]
Drawings = Annotated[
    Path | None, typer.Option("--out", help="Also write a picture and a page into this directory.", show_default=False)
]
Engine = Annotated[
    str | None,
    typer.Option("--engine", help="The URL of the database that does the work; DuckDB in memory if not given."),
]
Memory = Annotated[
    str | None,
    typer.Option("--memory", help="The most memory to take, such as 4GB; four fifths of the machine's if not given."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress and no summary.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
GuessedSeparator = Annotated[
    str | None,
    typer.Option("--separator", help="The character between the columns; guessed from the header if not given."),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", help="The encoding: utf-8, utf-16, cp1252 or latin-1; detected if not given.", show_default=False
    ),
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", help="The sheet of a spreadsheet that has several.", show_default=False)
]
Range = Annotated[
    str | None, typer.Option("--range", help="The cells of the table in its sheet: B3:F200.", show_default=False)
]
FileTable = Annotated[
    str | None, typer.Option("--table", help="The table of a SQLite database that has several.", show_default=False)
]
LabelsAs = Annotated[
    str | None,
    typer.Option(
        "--labels", help="What of a labelled code is the value: values (its label), codes or hierarchy.",
        show_default=False,
    ),
]  # fmt: skip

ReleaseWithEvidence = Annotated[Path, typer.Argument(help="A release directory with its evidence.", show_default=False)]
Control = Annotated[Path | None, typer.Option("--control", help="A table about people who are not in the release.")]
Queries = Annotated[
    Path | None, typer.Option("--queries", help="A file of the queries that were answered, one per line.")
]

Ledger = Annotated[str | None, typer.Option("--ledger", help="The ledger to pay from: a file, or a database's URL.")]
PayingDataset = Annotated[str | None, typer.Option("--dataset", help="The data set whose budget pays.")]
PayingAnalyst = Annotated[str | None, typer.Option("--analyst", help="The analyst whose budget pays.")]


def limit_memory(memory: str | None) -> None:
    """Bound the memory of this process by what the command line says."""
    try:
        bound_memory(None if memory is None else parse_memory(memory))
    except ValueError as error:
        what, remedy = error.args
        raise PolicyError(what, where="--memory", remedy=remedy, code="COBOGO-POLICY-VALUE") from None
