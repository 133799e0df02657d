"""The commands ``cobogo list`` and ``cobogo explain``: what can be asked for, and what each thing is."""

from __future__ import annotations

import shutil
import textwrap
from typing import Annotated

import typer

from cobogo.errors import PolicyError
from cobogo.faces.cli import console
from cobogo.faces.cli.options import Json

WIDEST = 100


def list_(
    what: Annotated[
        str, typer.Argument(help="models, metrics, algorithms, engines, attacks or mechanisms", show_default=False)
    ],
    as_json: Json = False,
) -> None:
    """List what a policy can ask for."""
    entries = catalogue(what)
    if as_json:
        console.say_json([{"name": name, "about": about} for name, about in entries])
    elif not entries:
        console.say(f"There are no {what} in this version.")
    else:
        console.say(console.table(["name", "what it is"], [[name, about] for name, about in entries]))


def catalogue(what: str) -> list[tuple[str, str]]:
    """Names and first sentences of everything of a kind."""
    from cobogo.tell.reference.kinds import KINDS

    if what == "engines":
        from cobogo.data.table.connect import ABOUT

        return list(ABOUT.items())
    found = [
        (name, entries[name].summary + (f" ({source.remark})" if source.remark else ""))
        for kind in KINDS.values()
        if kind.listed == what
        for entries in (kind.entries(),)
        for source in kind.sources
        for name in source.things()
    ]
    if not found:
        raise PolicyError(
            f"there is no list of {what!r}",
            where="cobogo list",
            remedy="Ask for models, metrics, algorithms, engines, attacks or mechanisms.",
        )
    return found


def explain(
    name: Annotated[str, typer.Argument(help="Of a model, metric, algorithm, method, mechanism or attack.")],
    kind: Annotated[
        str | None, typer.Option("--kind", help="Of which kind, where several have the name.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what something is: its definition, formula, example, guarantee, limits, cost and paper."""
    from cobogo.tell.reference.formula import readable
    from cobogo.tell.reference.kinds import KINDS, find

    found, entry = find(name, kind)
    if as_json:
        parts = {part.lower(): text for part, text in entry.parts.items()}
        console.say_json({"name": entry.name, "kind": found, "definition": entry.definition, **parts})
        return
    console.say(f"{entry.name} ({KINDS[found].one})\n")
    console.say(_wrap(readable(entry.definition), ""))
    for part, text in entry.parts.items():
        said, mark, code = text.partition(">>> ") if part == "Example" else (text, "", "")
        console.say(f"\n{part}" + (f" (in {entry.module})" if part == "Example" else ""))
        if said.strip():
            console.say(_wrap(readable(said), "  "))
        if mark:
            console.say(textwrap.indent(mark + code, "  "))


def _wrap(text: str, margin: str) -> str:
    """Paragraphs as wide as the terminal, and no wider than is easy to read."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    paragraphs = text.replace("``", "").strip().split("\n\n")
    return "\n\n".join(
        textwrap.fill(
            " ".join(paragraph.split()), width, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
        )
        for paragraph in paragraphs
    )
