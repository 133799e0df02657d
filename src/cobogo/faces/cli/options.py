"""Options that several commands share, each with its name and its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PolicyFile = Annotated[Path, typer.Argument(help="The policy: a TOML file.", show_default=False)]
Out = Annotated[Path | None, typer.Option("--out", help="Where the release goes.", show_default=False)]
Drawings = Annotated[
    Path | None, typer.Option("--out", help="Also draw it, as a picture and a page, here.", show_default=False)
]
Engine = Annotated[str | None, typer.Option("--engine", help="The engine's URL; DuckDB in memory if not given.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no summary.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
GuessedSeparator = Annotated[str | None, typer.Option("--separator", help="Guessed from the header if not given.")]
Encoding = Annotated[str, typer.Option("--encoding", help="utf-8 or latin-1.")]

Ledger = Annotated[str | None, typer.Option("--ledger", help="The ledger to pay from: a file, or a database's URL.")]
PayingDataset = Annotated[str | None, typer.Option("--dataset", help="Whose book of the ledger is charged.")]
PayingAnalyst = Annotated[str | None, typer.Option("--analyst", help="Who is charged.")]
