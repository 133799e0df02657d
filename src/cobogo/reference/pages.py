"""The pages of the reference, in Markdown."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from cobogo.reference.kinds import KINDS, Kind
from cobogo.reference.parts import PARTS, Entry

PLACE = "reference"
HEADINGS = {"Limits": "What it does not do"}


def pages() -> dict[str, str]:
    """Every page by its path under ``docs``: the index, one of each kind, one of each thing."""
    made = {f"{PLACE}/index.md": _index()}
    for slug, kind in KINDS.items():
        entries = kind.entries()
        made[f"{PLACE}/{slug}.md"] = _of_kind(slug, kind, entries)
        for name, entry in entries.items():
            made[f"{PLACE}/{slug}/{name}.md"] = page(slug, entry)
    return made


def page(slug: str, entry: Entry) -> str:
    """The page of one thing."""
    kind = KINDS[slug]
    guide = kind.source_of(entry.name).guide
    said = [
        f"# {entry.name}",
        f"*{kind.one[0].upper()}{kind.one[1:]}; one of the [{kind.title.lower()}](../{slug}.md). "
        f"How to use it: [the guide](../../{guide}.md). In the terminal: `cobogo explain {entry.name}"
        f"{_which(slug, entry.name)}`.*",
        markdown(entry.definition),
    ]
    table = _parameters(kind.things()[entry.name])
    if table:
        said += ["## Parameters", table]
    for part in PARTS:
        text = entry.parts.get(part, "")
        said += [f"## {HEADINGS.get(part, part)}", example(text) if part == "Example" else markdown(text)]
    return "\n\n".join(said) + "\n"


def markdown(text: str) -> str:
    """A docstring's text as Markdown: its formulas as they are, and nothing in it that Markdown would take for a mark.

    >>> markdown("``k`` of a_b, `Model` and $a_b$")
    '`k` of a\\\\_b, `Model` and $a_b$'
    """
    pieces = re.split(r"(``[^`]+``|`[^`]+`|\$[^$]+\$)", text)
    said = []
    for piece in pieces:
        if piece.startswith("``"):
            said.append(piece[1:-1])
        elif piece.startswith(("`", "$")):
            said.append(piece)
        else:
            said.append(re.sub(r"(?<!\n)([*_<>])", r"\\\1", piece))
    return "".join(said)


def example(text: str) -> str:
    """An example as a block of Python, with whatever is said about it before."""
    before, mark, code = text.partition(">>> ")
    block = f"```pycon\n{mark}{code.rstrip()}\n```"
    return f"{markdown(before.strip())}\n\n{block}" if before.strip() else block


def _which(slug: str, name: str) -> str:
    several = sum(name in kind.things() for kind in KINDS.values()) > 1
    return f" --kind {slug}" if several else ""


def _parameters(thing: object) -> str:
    """The parameters of a dataclass that a policy names, with their defaults."""
    if not isinstance(thing, type) or not is_dataclass(thing):
        return ""
    rows = [
        f"| `{field.name.replace('_', '-')}` | {_type(field.type)} | {_default(field.default)} |"
        for field in fields(thing)
        if field.init and not field.name.startswith("_") and field.default_factory is MISSING
    ]
    return "\n".join(["| parameter | type | default |", "|---|---|---|", *rows]) if rows else ""


def _type(written: Any) -> str:
    shown = str(written).replace("|", "or").replace("  ", " ")
    return f"`{shown}`"


def _default(value: object) -> str:
    return "required" if value is MISSING else "none" if value is None else f"`{value!r}`"


def _of_kind(slug: str, kind: Kind, entries: dict[str, Entry]) -> str:
    said = [f"# {kind.title}", kind.about]
    for source in kind.sources:
        if source.remark:
            said.append(f"## {source.remark[0].upper()}{source.remark[1:]}")
        rows = [
            f"| [{name}]({slug}/{name}.md) | {_cell(entries[name].summary)} | {_cell(_guarantee(entries[name]))} |"
            for name in source.things()
        ]
        said.append("\n".join(["| name | what it is | guarantee |", "|---|---|---|", *rows]))
        said.append(f"How they are used: [the guide](../{source.guide}.md).")
    return "\n\n".join(said) + "\n"


def _guarantee(entry: Entry) -> str:
    return re.split(r"(?<=\.)\s|[;:]\s", " ".join(entry.parts.get("Guarantee", "").split()))[0].rstrip(".")


def _cell(text: str) -> str:
    return markdown(text).replace("|", "\\|")


ABOUT = """A page for everything that has a name: what it is, its formula, an example that runs, what it guarantees and
what it does not, what it costs, and the paper it is from. The pages are made from the docstrings of the code;
`cobogo explain NAME` shows the same in a terminal."""


def _index() -> str:
    rows = [f"| [{kind.title}]({slug}.md) | {len(kind.things())} | {kind.about} |" for slug, kind in KINDS.items()]
    table = "\n".join(["| kind | how many | what they are |", "|---|---|---|", *rows])
    return f"# Reference\n\n{ABOUT}\n\n{table}\n"
