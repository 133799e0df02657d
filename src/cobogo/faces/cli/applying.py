"""Using a registered solution again, from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cobogo.faces.cli import console
from cobogo.faces.cli.registering import DEFAULT, Json, KeyFile, Place, opened


def apply(
    release: Annotated[
        str, typer.Argument(help="The id of a registered release: see `cobogo registry list`.", show_default=False)
    ],
    data: Annotated[Path, typer.Argument(help="New rows of the same shape.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Where the release goes.", show_default=False)],
    registry: Place = DEFAULT,
    key: KeyFile = None,
    engine: Annotated[
        str | None, typer.Option("--engine", help="The engine's URL; DuckDB in memory if not given.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no summary.")] = False,
    as_json: Json = False,
) -> None:
    """Do to new rows what was done for a registered release, leave out what no longer fits, verify it and register it.

    Exit 1 when nothing is left to release.
    """
    from cobogo.faces.cli.summary import lines
    from cobogo.publish.registry import reuse
    from cobogo.release.write import write_release

    book = opened(registry, key)
    with console.progress(quiet=quiet or as_json) as show:
        show("read", 0, 0)
        made = reuse.apply(book, registry, key, release, data, engine=engine)
        verdict = write_release(made, out, progress=show)
    for warning in made.warnings:
        console.warn(warning)
    if as_json:
        from cobogo.publish.recode import story

        console.say_json(story.expected(made))
    elif not quiet:
        for line in lines(made, verdict, out):
            console.say(line)
