"""The commands ``cobogo registry …``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.faces.cli import console
from cobogo.faces.cli.options import Json
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.publish.registry.store import ReleaseRegistry

app = typer.Typer(
    help="Remember what was released: `init` begins a registry, and policies name it in their table `registry`.",
    no_args_is_help=True,
)

Place = Annotated[
    str,
    typer.Option(
        "--registry", envvar="COBOGO_REGISTRY", help="The registry: a file, or the URL of a PostgreSQL database."
    ),
]
KeyFile = Annotated[Path | None, typer.Option("--key", help="The file of its key; beside a file if not given.")]
DEFAULT = "registry.db"


def registry_at(place: str, key: Path | None) -> ReleaseRegistry:
    """The registry that the options name."""
    from cobogo.publish.registry.store import open_registry

    return open_registry(place, key)


@app.command()
def init(registry: Place = DEFAULT, key: KeyFile = None) -> None:
    """Begin a registry, with a new key unless there is one. Both are readable by you alone."""
    from cobogo.publish.registry.store import create, default_key

    new = create(registry, key)
    where = key or default_key(registry)
    console.say(f"Begun     {new.name}")
    if where is not None and where.exists():
        console.say(f"Key       {where}   Keep a copy elsewhere: without it the registry cannot be read.")
    console.say("What it holds is encrypted (AES-GCM): plans and classes are as sensitive as the data.")


@app.command(name="list")
def list_(
    registry: Place = DEFAULT,
    key: KeyFile = None,
    dataset: Annotated[str | None, typer.Option("--dataset", help="Of this data set only.")] = None,
    as_json: Json = False,
) -> None:
    """List the releases. Shows no values."""
    with registry_at(registry, key).transaction() as book:
        entries = book.entries(dataset)
    if as_json:
        console.say_json([entry.as_dict() for entry in entries])
    elif not entries:
        console.say("Nothing was released yet.")
    else:
        header = ["release", "date", "state", "records", "classes", "suppressed", "models"]
        rows = [
            [
                entry.id,
                entry.created,
                entry.state,
                *(f"{entry.summary[figure]:,}" for figure in ("records", "classes", "suppressed")),
                ", ".join(entry.summary["models"]),
            ]
            for entry in entries
        ]
        console.say(console.table(header, rows, numbers=(3, 4, 5)))


@app.command()
def show(
    release: Annotated[str, typer.Argument(help="Its id: see `cobogo registry list`.", show_default=False)],
    registry: Place = DEFAULT,
    key: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Show what is recorded of a release: its policy, its plan in figures, its digests. Shows no values."""
    with registry_at(registry, key).transaction() as book:
        entry = book.entry(release)
    if as_json:
        console.say_json(entry.as_dict() | {"policy": entry.summary["policy"]})
        return
    content = entry.as_dict()
    width = max(map(len, content))
    for name, value in content.items():
        said = ", ".join(map(str, value)) if isinstance(value, list) else value
        console.say(f"{name:<{width}}  {f'{said:,}' if isinstance(said, int) else said}")


@app.command()
def add(
    release: Annotated[Path, typer.Argument(help="A release directory with its evidence.", show_default=False)],
    dataset: Annotated[str, typer.Option("--dataset", help="The data set that it is of.", show_default=False)],
    registry: Place = DEFAULT,
    key: KeyFile = None,
) -> None:
    """Record a release that was made without the registry, from the data that its evidence names.

    Exit 1 when it exposes people together with those that are there; it is recorded all the same.
    """
    from cobogo.publish.registry.adopt import adopt
    from cobogo.publish.registry.store import check_name

    check_name(dataset)
    registry_at(registry, key).close()
    location = registry if "://" in registry else str(Path(registry).absolute())
    identity, found = adopt(release, location, key, dataset)
    console.say(f"Recorded  {identity}")
    with registry_at(registry, key).transaction() as book:
        for warning in book.entry(identity).summary.get("warnings", ()):
            console.warn(warning)
    for breach in found:
        console.warn(breach.sentence)
    if found:
        raise typer.Exit(1)


@app.command()
def remove(
    release: Annotated[str, typer.Argument(help="Its id: see `cobogo registry list`.", show_default=False)],
    registry: Place = DEFAULT,
    key: KeyFile = None,
    never_left: Annotated[
        bool, typer.Option("--never-left", help="Confirm that it did not leave the house, or was taken back whole.")
    ] = False,
) -> None:
    """Forget a release. Later ones are no longer checked against it: only for what nobody else has."""
    from cobogo.errors import RegistryError
    from cobogo.publish.registry.store import UNFINISHED

    with registry_at(registry, key).transaction() as book:
        if book.entry(release).state != UNFINISHED and not never_left:
            raise RegistryError(
                tr("{release} was released: whoever has it can join it with what comes later", release=release),
                where=registry,
                remedy=tr("If nobody has it, say so: --never-left."),
            )
        book.remove(release)
    console.say(f"Removed   {release}")
