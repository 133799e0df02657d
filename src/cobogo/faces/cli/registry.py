"""The commands ``cobogo registry …``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.faces.cli import console, language
from cobogo.faces.cli.commands import CommandLine
from cobogo.faces.cli.options import Json, ReleaseWithEvidence
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.publish.registry.store import ReleaseRegistry

app = CommandLine(
    help="Remember what was released: `init` creates a registry, and policies name it in their table `registry`.",
)

Place = Annotated[
    str,
    typer.Option(
        "--registry", envvar="COBOGO_REGISTRY", help="The registry: a file, or the URL of a PostgreSQL database."
    ),
]
KeyFile = Annotated[
    Path | None, typer.Option("--key", help="The file of its key; beside the registry's file if not given.")
]
ReleaseId = Annotated[
    str, typer.Argument(help="The id of the release: see `cobogo registry list`.", show_default=False)
]
DEFAULT = "registry.db"
FACTS = {
    "release": tr("release"), "dataset": tr("data set"), "date": tr("date"), "state": tr("state"),
    "records": tr("records"), "classes": tr("classes"), "suppressed": tr("suppressed"), "models": tr("models"),
    "columns": tr("columns"), "plan": tr("plan"), "directory": tr("directory"),
    "manifest SHA-256": tr("SHA-256 of the manifest"), "input digest": tr("digest of the input"),
}  # fmt: skip
"""What is recorded about a release, as it is shown."""
STATES = {"released": tr("released"), "unfinished": tr("unfinished")}


def registry_at(place: str, key: Path | None) -> ReleaseRegistry:
    """The registry that the options name."""
    from cobogo.publish.registry.store import open_registry

    return open_registry(place, key)


@app.command()
def init(registry: Place = DEFAULT, key: KeyFile = None) -> None:
    """Create a registry, with a new key unless there is one. Only you can read the two files."""
    from cobogo.publish.registry.store import create, default_key

    new = create(registry, key)
    where = key or default_key(registry)
    console.say_line("begun", new.name)
    if where is not None and where.exists():
        copy = tr("Keep a copy elsewhere: without it the registry cannot be read.")
        console.say_line("key", str(where), copy)
    console.say(tr("The registry is encrypted (AES-GCM): plans and classes are as sensitive as the data."))


@app.command(name="list")
def list_(
    registry: Place = DEFAULT,
    key: KeyFile = None,
    dataset: Annotated[str | None, typer.Option("--dataset", help="Only the releases of this data set.")] = None,
    as_json: Json = False,
) -> None:
    """List the releases. Shows no values."""
    with registry_at(registry, key).transaction() as book:
        entries = book.entries(dataset)
    if as_json:
        console.say_json([entry.as_dict() for entry in entries])
    elif not entries:
        console.say(tr("There is no release yet."))
    else:
        say = language.terminal_speech()
        header: list[str] = [
            tr("release"), tr("date"), tr("state"), tr("records"), tr("classes"), tr("suppressed"), tr("models"),
        ]  # fmt: skip
        rows = [
            [
                entry.id,
                entry.created,
                say(STATES.get(entry.state, entry.state)),
                *(say.number(entry.summary[figure]) for figure in ("records", "classes", "suppressed")),
                ", ".join(entry.summary["models"]),
            ]
            for entry in entries
        ]
        console.say(console.table(header, rows, numbers=(3, 4, 5)))


@app.command()
def show(
    release: ReleaseId,
    registry: Place = DEFAULT,
    key: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Show what is recorded about a release: its policy, its plan in figures, its digests. Shows no values."""
    with registry_at(registry, key).transaction() as book:
        entry = book.entry(release)
    if as_json:
        console.say_json(entry.as_dict() | {"policy": entry.summary["policy"]})
        return
    say = language.terminal_speech()
    content = {say(FACTS.get(name, name)): value for name, value in entry.as_dict().items()}
    width = max(map(len, content))
    for name, value in content.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else say.show(value)
        console.say(f"{name:<{width}}  {say(STATES.get(text, text))}")


@app.command()
def add(
    release: ReleaseWithEvidence,
    dataset: Annotated[str, typer.Option("--dataset", help="The data set that it is of.", show_default=False)],
    registry: Place = DEFAULT,
    key: KeyFile = None,
) -> None:
    """Record a release that was made without the registry, from the data that its evidence names.

    Exit 1 when it exposes people together with the earlier releases; it is recorded all the same.
    """
    from cobogo.publish.registry.adopt import adopt
    from cobogo.publish.registry.store import check_name

    check_name(dataset)
    registry_at(registry, key).close()
    location = registry if "://" in registry else str(Path(registry).absolute())
    identity, found = adopt(release, location, key, dataset)
    console.say_line("recorded", identity)
    with registry_at(registry, key).transaction() as book:
        for warning in book.entry(identity).summary.get("warnings", ()):
            console.warn(warning)
    for breach in found:
        console.warn(breach.sentence)
    if found:
        raise typer.Exit(1)


@app.command()
def remove(
    release: ReleaseId,
    registry: Place = DEFAULT,
    key: KeyFile = None,
    never_left: Annotated[
        bool,
        typer.Option(
            "--never-left", help="Confirm that the release was never given away, or that every copy came back."
        ),
    ] = False,
) -> None:
    """Forget a release. Later ones are no longer checked against it: only for a release that no one else has."""
    from cobogo.errors import RegistryError
    from cobogo.publish.registry.store import UNFINISHED

    with registry_at(registry, key).transaction() as book:
        if book.entry(release).state != UNFINISHED and not never_left:
            raise RegistryError(
                tr("{release} was released: a recipient can join it with later releases", release=release),
                where=registry,
                remedy=tr("If no one has it, confirm that with --never-left."),
            )
        book.remove(release)
    console.say_line("removed", release)
