"""The commands ``cobogo location …``: one plain function each, in a module of its own; one line here puts it there."""

from __future__ import annotations

from collections.abc import Callable

import typer

from cobogo.faces.cli import (
    location_evaluate,
    location_people,
    location_protect,
    location_serve,
    location_trajectories,
    location_where,
)

app = typer.Typer(
    name="location", help="Protect where people are: models of movement, mechanisms, attacks.", no_args_is_help=True
)

COMMANDS: dict[str, Callable[..., None]] = {
    "people": location_people.people,
    "where": location_where.where,
    "serve": location_serve.serve,
    "enrol": location_serve.enrol,
    "certificate": location_serve.certificate,
    "evaluate": location_evaluate.evaluate,
    "protect": location_protect.protect,
    "anonymize": location_trajectories.anonymize,
    "synthesize": location_trajectories.synthesize,
}
"""Every command of the group by its name, in the order in which they are listed."""

for _name, _command in COMMANDS.items():
    app.command(name=_name)(_command)
