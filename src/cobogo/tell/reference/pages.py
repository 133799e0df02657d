"""The pages of the reference, in Markdown."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields, is_dataclass

from cobogo.floor.catalogue import Card
from cobogo.tell.reference import sections
from cobogo.tell.reference.sections import SECTIONS, Section, names
from cobogo.tell.reference.parts import PARTS, Entry

PLACE = "reference"
HEADINGS = {"Limits": "What it does not do"}

ASKED_FOR = ("models", "attacks", "mechanisms", "collecting", "location-mechanisms", "location-attacks", "cloaks",
             "trajectories")  # fmt: skip
"""Kinds of things whose fields are what somebody asks for."""

WRITTEN_IN_POLICIES = ("models", "attacks")
"""Of these, names are written with hyphens."""

TYPES = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false", "Any": "see the guide",
         "tuple[str, ...]": "names"}  # fmt: skip
LONG = 28
"""A formula with more signs than that stands on a line of its own."""


def pages() -> dict[str, str]:
    """Every page by its path under ``docs``: the index, one of each kind, one of each thing."""
    made = {f"{PLACE}/index.md": _index()}
    for slug, section in sections.pages().items():
        entries = section.entries()
        made[f"{PLACE}/{slug}.md"] = _of_section(slug, section, entries)
        for name, entry in entries.items():
            made[f"{PLACE}/{slug}/{name}.md"] = page(slug, entry)
    return made


def page(slug: str, entry: Entry) -> str:
    """The page of one thing."""
    section = SECTIONS[slug]
    card = section.cards()[entry.name]
    said = [
        f"# {entry.name}",
        f"*{section.one[0].upper()}{section.one[1:]}; one of the [{section.title.lower()}](../{slug}.md). "
        f"How to use it: [the guide](../../{card.guide}.md). In the terminal: `cobogo explain {entry.name}"
        f"{_which(slug, entry.name)}`.*",
        linked(markdown(entry.definition), entry.name),
    ]
    table = parameters(card, hyphens=slug in WRITTEN_IN_POLICIES) if slug in ASKED_FOR else ""
    if table:
        said += ["## Parameters", table]
    shown = {"Formula": formula, "Example": example}
    for part in PARTS:
        text = shown.get(part, markdown)(entry.parts.get(part, ""))
        said += [f"## {HEADINGS.get(part, part)}", text if part in shown else linked(text, entry.name)]
        if part == "Example":
            said.append(f"It runs in `{entry.module}`, whose names it uses.")
    return "\n\n".join(said) + "\n"


def linked(text: str, own: str) -> str:
    """Names of other things lead to their pages: those that no other kind has, and that no plain word is.

    >>> linked("see t-closeness, and `oue`", "k-anonymity")
    'see [t-closeness](../models/t-closeness.md), and [`oue`](../collecting/oue.md)'
    """
    known = {name: kinds[0] for name, kinds in names().items() if len(kinds) == 1 and name != own}
    plain = sorted((name for name in known if "-" in name), key=len, reverse=True)
    words = rf"(?<![\w-])({'|'.join(map(re.escape, plain))})(?![\w-])"
    pieces = re.split(r"(`[^`]+`|\$[^$]+\$)", text)
    for place, piece in enumerate(pieces):
        if piece.startswith("`") and piece.strip("`") in known:
            pieces[place] = f"[{piece}](../{known[piece.strip('`')]}/{piece.strip('`')}.md)"
        elif not piece.startswith(("`", "$")):
            pieces[place] = re.sub(words, lambda name: f"[{name[0]}](../{known[name[0]]}/{name[0]}.md)", piece)
    return "".join(pieces)


def markdown(text: str, *, fenced: bool = True) -> str:
    """A docstring's text as Markdown: its formulas as they are, and nothing in it that Markdown would take for a mark.

    >>> markdown("``k`` of a_b, `Model` and $a_b$")
    '`k` of a\\\\_b, `Model` and $a_b$'
    """
    pieces = re.split(r"(``[^`]+``|`[^`]+`|\$[^$]+\$)", text)
    said = []
    for piece in pieces:
        if piece.startswith("``"):
            said.append(piece[1:-1])
        elif piece.startswith("`"):
            said.append(piece)
        elif piece.startswith("$"):
            latex = piece.strip("$")
            said.append(f"${_fenced(latex) if fenced else ' '.join(latex.split())}$")
        else:
            said.append(re.sub(r"(?<!\n)([*_<>])", r"\\\1", piece))
    return "".join(said)


def formula(text: str) -> str:
    r"""What is said around formulas, and those that are long or tall on lines of their own.

    >>> print(formula(r"$a$ is small; $\frac{1}{\lvert E\rvert}$, or more"))
    $a$ is small
    <BLANKLINE>
    $$\frac{1}{\left| E\right|}$$
    <BLANKLINE>
    or more
    """
    blocks: list[str] = []
    line = ""
    for piece in re.split(r"(\$[^$]+\$)", text):
        latex = piece.strip("$")
        if piece.startswith("$") and (len(latex) > LONG or re.search(r"\\(frac|sum|prod|int|binom|sqrt)\b", latex)):
            blocks += [*_paragraphs(line), f"$${_fenced(latex)}$$"]
            line = ""
        else:
            line += piece
    return "\n\n".join([*blocks, *_paragraphs(line)])


def _paragraphs(text: str) -> list[str]:
    """What stands between two formulas, without the marks that divided them."""
    bare = re.sub(r"^[\s;,.:]+|[\s;]+$", "", text)
    return [markdown(bare)] if bare else []


def _fenced(latex: str) -> str:
    """In one line; strokes about something open and close, which browsers set closer than strokes between things."""
    pairs = {"lvert": "left|", "rvert": "right|", "lVert": "left\\|", "rVert": "right\\|"}
    line = " ".join(latex.split())
    return re.sub(r"(?:\\(?:left|right))?\\([lr][vV]ert)(?![A-Za-z])", lambda found: "\\" + pairs[found[1]], line)


def example(text: str) -> str:
    """An example as a block of Python, with whatever is said about it before."""
    before, mark, code = text.partition(">>> ")
    block = f"```pycon\n{mark}{code.rstrip()}\n```"
    return f"{markdown(before.strip())}\n\n{block}" if before.strip() else block


def _which(slug: str, name: str) -> str:
    several = len(names().get(name, ())) > 1
    return f" --kind {slug}" if several else ""


def parameters(thing: object, *, hyphens: bool) -> str:
    """What can be asked for of a thing, with the defaults."""
    if not isinstance(thing, type) or not is_dataclass(thing):
        return ""
    rows = [
        f"| `{field.name.replace('_', '-') if hyphens else field.name}` | {_type(str(field.type))} "
        f"| {_default(field.default)} |"
        for field in fields(thing)
        if field.init and not field.name.startswith("_") and field.default_factory is MISSING
    ]
    return "\n".join(["| parameter | type | default |", "|---|---|---|", *rows]) if rows else ""


def _type(written: str) -> str:
    """A type in words.

    >>> _type("Literal['basic', 'enhanced'] | None"), _type("float")
    ('`basic` or `enhanced`', 'number')
    """
    bare = written.removesuffix(" | None")
    if bare.startswith("Literal["):
        *others, last = [f"`{word}`" for word in re.findall(r"'([^']+)'", bare)]
        return f"{', '.join(others)} or {last}" if others else last
    return " or ".join(TYPES.get(part, part) for part in bare.split(" | ")).replace("[", "\\[")


def _default(value: object) -> str:
    if value is MISSING:
        return "required"
    if value is None:
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _of_section(slug: str, section: Section, entries: dict[str, Entry]) -> str:
    said = [f"# {section.title}", section.about]
    for registry in section.registries:
        if registry.remark and len(section.places) > 1:
            said.append(f"## {registry.remark[0].upper()}{registry.remark[1:]}")
        rows = [
            f"| [{name}]({slug}/{name}.md) | {_cell(entries[name].summary)} | {_cell(_guarantee(entries[name]))} |"
            for name in registry
        ]
        said.append("\n".join(["| name | what it is | guarantee |", "|---|---|---|", *rows]))
        guides = dict.fromkeys(card.guide for card in registry.cards().values())
        said.append(f"How they are used: {', '.join(f'[{guide}](../{guide}.md)' for guide in guides)}.")
    return "\n\n".join(said) + "\n"


def _guarantee(entry: Entry) -> str:
    """The first sentence; of "None: …", that."""
    text = " ".join(entry.parts.get("Guarantee", "").split())
    ends = r"[:.;,]|\.? that | is asked" if text.startswith("None") else r"(?<=\.)\s|;\s"
    return re.split(ends, text)[0].rstrip(".")


def _cell(text: str) -> str:
    """In a table, where a stroke would end the cell."""
    return markdown(text, fenced=False).replace("|", "\\|")


ABOUT = """A page for everything that has a name: what it is, its formula, an example that runs, what it guarantees and
what it does not, what it costs, and the paper it is from. The pages are made from the docstrings of the code;
`cobogo explain NAME` shows the same in a terminal."""


def _index() -> str:
    rows = [
        f"| [{section.title}]({slug}.md) | {len(section.cards())} | {section.about} |"
        for slug, section in sections.pages().items()
    ]
    table = "\n".join(["| kind | how many | what they are |", "|---|---|---|", *rows])
    return f"# Reference\n\n{ABOUT}\n\n{table}\n"
