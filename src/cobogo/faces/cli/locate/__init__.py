"""The commands ``cobogo locate …``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cobogo.errors import number_of
from cobogo.faces.cli import console
from cobogo.faces.cli.locate import evaluate, release, serve
from cobogo.faces.cli.options import Json

app = typer.Typer(
    name="locate", help="Protect where people are: models of movement, mechanisms, attacks.", no_args_is_help=True
)


@app.command()
def people(
    out: Annotated[Path, typer.Option("--out", help="Where the files go.")] = Path("fortaleza"),
    number: Annotated[int, typer.Option("--number", min=1, max=1_000_000, help="How many made-up people.")] = 1_000,
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="Days from Monday, 4 March 2024, on.")] = 7,
    step: Annotated[float, typer.Option("--step", min=1, help="Seconds between the points of a trajectory.")] = 600,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Decides on everything; another gives others.")] = 2024,
    as_json: Json = False,
) -> None:
    """Make up people who move about in Fortaleza: trajectories, call records and the network's cells, as CSV."""
    from cobogo.studies.fortaleza.people import write_people

    rows = write_people(out, number, days=days, step=step, seed=seed)
    if as_json:
        console.say_json({"people": number, "days": days, "seed": seed, "rows": rows})
        return
    for name, found in rows.items():
        console.say(f"Written   {out / name}   {number_of(found, 'row')}")


app.command()(release.where)
app.command()(serve.serve)
app.command()(serve.enrol)
app.command()(serve.certificate)
app.command()(evaluate.evaluate)
app.command()(release.protect)
app.command()(release.anonymize)
app.command()(release.synthesize)
