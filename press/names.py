"""The public names of every room, for the page about Python: taken from the code when the site is built.

A room is public that says so with ``__all__``, the faces aside. MkDocs loads this file as a hook, which puts the tables
where the page says ``<!-- names -->``, and gives the site the project's addresses.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import tomllib
from pathlib import Path
from typing import Any

import cobogo

FACES = ("cobogo.faces.workbench", "cobogo.faces.server", "cobogo.faces.cli", "cobogo.tell.report")
PLACE = "<!-- names -->"


def on_config(config: Any) -> Any:
    """MkDocs asks this first. Addresses that nobody has filled in yet (``….example``) are left out of the site."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    real = {name: address for name, address in project["urls"].items() if ".example/" not in address}
    config.site_url, config.repo_url = real.get("Documentation", config.site_url), real.get("Source", config.repo_url)
    return config


def rooms() -> dict[str, list[str]]:
    """Every public room with its names, by the room's own name."""
    found = {}
    for module in pkgutil.walk_packages(cobogo.__path__, "cobogo."):
        if module.ispkg and not module.name.startswith(FACES):
            names = getattr(importlib.import_module(module.name), "__all__", None)
            if names:
                found[module.name] = sorted(names, key=str.lower)
    return found


def described(room: str, name: str) -> str | None:
    """The first sentence of a name's docstring; a dash for constants, which have none, and None where it is missing."""
    thing: Any = getattr(importlib.import_module(room), name)
    if inspect.ismodule(thing) or not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return "—"
    own = thing.__doc__ if not inspect.isclass(thing) or "__doc__" in vars(thing) else None
    if not own or own.startswith(f"{name}("):  # what dataclasses make up
        return None
    return " ".join(inspect.cleandoc(own).split("\n\n")[0].split()).replace("|", "\\|")


def tables() -> str:
    """A heading and a table for each room."""
    parts = []
    for room, names in rooms().items():
        lines = [f"| `{name}` | {described(room, name)} |" for name in names]
        parts.append("\n".join([f"### {room}", "", "| name | what it is |", "|---|---|", *lines]))
    return "\n\n".join(parts)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """MkDocs asks this of every page."""
    return markdown.replace(PLACE, tables()) if PLACE in markdown else markdown
