"""The commands ``cobogo locate …``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cobogo.faces.cli import console
from cobogo.faces.cli.commands import CommandLine
from cobogo.faces.cli.locate import evaluate, movements, release, serve
from cobogo.faces.cli.options import Json
from cobogo.floor.language import trn

app = CommandLine(name="locate", help="Protect where people are: models of movement, mechanisms, attacks.")


@app.command()
def people(
    out: Annotated[Path, typer.Option("--out", help="The directory of the files.")] = Path("fortaleza"),
    number: Annotated[int, typer.Option("--number", min=1, max=1_000_000, help="How many invented people.")] = 1_000,
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="How many days, from Monday, 4 March 2024.")] = 7,
    step: Annotated[float, typer.Option("--step", min=1, help="Seconds between the points of a trajectory.")] = 600,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="The seed of the random numbers; another seed gives other people.")
    ] = 2024,
    as_json: Json = False,
) -> None:
    """Invent people who move in Fortaleza: trajectories, call records and the network's cells, as CSV."""
    from cobogo.studies.fortaleza.people import write_people

    rows = write_people(out, number, days=days, step=step, seed=seed)
    if as_json:
        console.say_json({"people": number, "days": days, "seed": seed, "rows": rows})
        return
    for name, found in rows.items():
        console.say_line("written", str(out / name), trn("{n:,} row", "{n:,} rows", n=found))


app.command()(movements.where)
app.command()(movements.flows)
app.command()(serve.serve)
app.command()(serve.enrol)
app.command()(serve.certificate)
app.command()(evaluate.evaluate)
app.command()(release.protect)
app.command()(release.anonymize)
app.command()(release.synthesize)
