"""The commands ``cobogo list`` and ``cobogo explain``: what can be asked for, and what each thing is."""

from __future__ import annotations

import shutil
import textwrap
from typing import Annotated

import typer

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
    from cobogo.tell.reference.sections import listing

    entries = listing(what)
    if as_json:
        console.say_json([{"name": name, "about": about} for name, about in entries])
    elif not entries:
        console.say(f"There are no {what} in this version.")
    else:
        console.say(console.table(["name", "what it is"], [[name, about] for name, about in entries]))


def explain(
    name: Annotated[str, typer.Argument(help="Of a model, metric, algorithm, method, mechanism or attack.")],
    kind: Annotated[
        str | None, typer.Option("--kind", help="Of which kind, where several have the name.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what something is: its definition, formula, example, guarantee, limits, cost and paper."""
    from cobogo.tell.reference.formula import readable
    from cobogo.tell.reference.sections import SECTIONS, find

    found, entry = find(name, kind)
    section = SECTIONS[found]
    card = section.cards()[entry.name]
    asked = card.parameters() if section.asks else ()
    if as_json:
        parts = {part.lower(): text for part, text in entry.parts.items()}
        options = {"parameters": {one.name: one.bounds.in_words for one in asked}} if asked else {}
        told = {"title": card.title, "guide": card.guide, **options}
        console.say_json({"name": entry.name, "kind": found, **told, "definition": entry.definition, **parts})
        return
    console.say(f"{entry.name} ({section.one})\n")
    console.say(_wrap(readable(entry.definition), ""))
    if asked:
        console.say("\nParameters")
    for one in asked:
        default = "" if one.required else f"; {one.default} if not given" if one.default is not None else "; optional"
        console.say(f"  {one.name}: {one.bounds.in_words}{default}")
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
