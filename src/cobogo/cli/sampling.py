"""The command that samples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cobogo.cli import console


def sample(
    policy: Annotated[Path, typer.Argument(help="The policy: a TOML file.", show_default=False)],
    out: Annotated[Path | None, typer.Option("--out", help="Where the release goes.", show_default=False)] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", help="The engine's URL; DuckDB in memory if not given.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no summary.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Release a differentially private table: a random sample, made coarser, without rows that few share.

    Exit 1 when it would not hold: a sample from a seed never does.
    """
    from cobogo.cli.transformed import finish, place
    from cobogo.policy import Policy
    from cobogo.sample.job import sample as settle

    rules = Policy.load(policy)
    with console.progress(quiet=quiet or as_json) as show:
        finish(settle(rules, engine=engine, progress=show), place(rules, out), show, quiet, as_json)
