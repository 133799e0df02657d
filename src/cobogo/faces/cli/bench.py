"""The command ``cobogo workbench``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cobogo.errors import InputError
from cobogo.faces.cli import console
from cobogo.faces.cli.serving import require, run

ME = "me"
"""The one person of a workbench on their own machine."""


def workbench(
    state: Annotated[Path, typer.Option("--state", help="Where data and releases are kept.")] = Path(
        "cobogo-workbench"
    ),
    port: Annotated[int, typer.Option("--port", help="The port.")] = 8341,
    curator: Annotated[
        Path | None, typer.Option("--curator", help="The curator's file, to ask questions of.", show_default=False)
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option("--source", help="A database to take tables from: NAME=URL; several times for several."),
    ] = None,
    show: Annotated[bool, typer.Option("--show/--no-show", help="Open a browser.")] = True,
) -> None:
    """Work in a browser on this machine: from a table to a release. Nobody else can reach it."""
    require("nicegui")
    from cobogo.faces.server.app import create_app
    from cobogo.faces.server.context import ServerContext
    from cobogo.faces.server.keys import Holder
    from cobogo.faces.server.roles import LOCAL, Role
    from cobogo.faces.server.settings import Settings
    from cobogo.faces.workbench.app import mount

    home = state.absolute()
    settings = Settings.of(
        {
            "state": str(home),
            "port": port,
            "registry": str(home / "registry.db"),
            "curator": None if curator is None else str(curator.absolute()),
            "sources": _sources(source or []),
        }
    )
    app = create_app(settings, context=ServerContext(settings))
    door = mount(app, local=Holder(ME, Role.STEWARD, LOCAL, "workbench"))
    address = f"http://127.0.0.1:{port}/enter/{door}"
    console.say(f"Workbench {address}   Data and releases in {state}. Stop with Ctrl-C.")
    if show:
        import threading
        import webbrowser

        threading.Timer(1.5, webbrowser.open, [address]).start()
    run(app, settings)


def _sources(given: list[str]) -> dict[str, Any]:
    pairs = [text.partition("=") for text in given]
    for name, mark, url in pairs:
        if not (name and mark and url):
            raise InputError("must read NAME=URL", where="--source", remedy="clinic=postgresql://localhost/health")
    return {name: {"url": url, "stewards": [ME]} for name, _, url in pairs}
