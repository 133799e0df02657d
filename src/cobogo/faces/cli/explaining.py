"""The command ``cobogo explain``."""

from __future__ import annotations

import shutil
import textwrap
from typing import Annotated

import typer

from cobogo.faces.cli import console

WIDEST = 100


def explain(
    name: Annotated[str, typer.Argument(help="Of a model, metric, algorithm, method, mechanism or attack.")],
    kind: Annotated[
        str | None, typer.Option("--kind", help="Of which kind, where several have the name.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Say what something is: its definition, formula, example, guarantee, limits, cost and paper."""
    from cobogo.tell.reference.formula import readable
    from cobogo.tell.reference.sections import SECTIONS, find

    found, entry = find(name, kind)
    if as_json:
        parts = {part.lower(): text for part, text in entry.parts.items()}
        console.say_json({"name": entry.name, "kind": found, "definition": entry.definition, **parts})
        return
    console.say(f"{entry.name} ({SECTIONS[found].one})\n")
    console.say(_wrapped(readable(entry.definition), ""))
    for part, text in entry.parts.items():
        said, mark, code = text.partition(">>> ") if part == "Example" else (text, "", "")
        console.say(f"\n{part}" + (f" (in {entry.module})" if part == "Example" else ""))
        if said.strip():
            console.say(_wrapped(readable(said), "  "))
        if mark:
            console.say(textwrap.indent(mark + code, "  "))


def _wrapped(text: str, margin: str) -> str:
    """Paragraphs as wide as the terminal, and no wider than is easy to read."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    paragraphs = text.replace("``", "").strip().split("\n\n")
    return "\n\n".join(
        textwrap.fill(
            " ".join(paragraph.split()), width, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
        )
        for paragraph in paragraphs
    )
