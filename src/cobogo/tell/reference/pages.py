"""The pages of the reference, in Markdown."""

from __future__ import annotations

import re

from cobogo.floor.catalogue import Card
from cobogo.floor.options import Parameter
from cobogo.tell.reference import sections
from cobogo.tell.reference.sections import PARTS, SECTIONS, Entry, Section, names

PLACE = "reference"
HEADINGS = {"Limits": "What it does not do"}

WRITTEN_IN_POLICIES = ("models", "attacks")
"""Sections whose parameters are written with hyphens."""

LONG = 28
"""A formula with more characters than this gets a line of its own."""


def pages() -> dict[str, str]:
    """All pages by their paths under ``docs``: the index, one for each section, one for each entry."""
    texts = {f"{PLACE}/index.md": _index()}
    for slug, section in sections.pages().items():
        entries = section.entries()
        texts[f"{PLACE}/{slug}.md"] = _section_page(slug, section, entries)
        for name, entry in entries.items():
            texts[f"{PLACE}/{slug}/{name}.md"] = page(slug, entry)
    return texts


def page(slug: str, entry: Entry) -> str:
    """The page of one entry."""
    section = SECTIONS[slug]
    card = section.cards()[entry.name]
    blocks = [
        f"# {entry.name}",
        f"*{section.one[0].upper()}{section.one[1:]}; one of the [{section.title.lower()}](../{slug}.md). "
        f"How to use it: [the guide](../../{card.guide}.md). In the terminal: `cobogo explain {entry.name}"
        f"{_which(slug, entry.name)}`.*",
        add_links(markdown(entry.definition), entry.name),
    ]
    table = parameters(card, hyphens=slug in WRITTEN_IN_POLICIES) if section.asks else ""
    if table:
        blocks += ["## Parameters", table]
    shown = {"Formula": formula, "Example": example}
    for part in PARTS:
        text = shown.get(part, markdown)(entry.parts.get(part, ""))
        blocks += [f"## {HEADINGS.get(part, part)}", text if part in shown else add_links(text, entry.name)]
        if part == "Example":
            blocks.append(f"It runs in `{entry.module}`, whose names it uses.")
    return "\n\n".join(blocks) + "\n"


def add_links(text: str, own: str) -> str:
    """Link the names of other entries to their pages: unambiguous names with a hyphen, and names in backquotes.

    >>> add_links("see t-closeness, and `oue`", "k-anonymity")
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
    """A docstring's text as Markdown: formulas are kept, characters with a meaning in Markdown are escaped.

    >>> markdown("``k`` of a_b, `Model` and $a_b$")
    '`k` of a\\\\_b, `Model` and $a_b$'
    """
    pieces = re.split(r"(``[^`]+``|`[^`]+`|\$[^$]+\$)", text)
    blocks = []
    for piece in pieces:
        if piece.startswith("``"):
            blocks.append(piece[1:-1])
        elif piece.startswith("`"):
            blocks.append(piece)
        elif piece.startswith("$"):
            latex = piece.strip("$")
            blocks.append(f"${_pair_strokes(latex) if fenced else ' '.join(latex.split())}$")
        else:
            blocks.append(re.sub(r"(?<!\n)([*_<>])", r"\\\1", piece))
    return "".join(blocks)


def formula(text: str) -> str:
    r"""Text with formulas as Markdown; long or tall formulas get lines of their own.

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
            blocks += [*_paragraphs(line), f"$${_pair_strokes(latex)}$$"]
            line = ""
        else:
            line += piece
    return "\n\n".join([*blocks, *_paragraphs(line)])


def _paragraphs(text: str) -> list[str]:
    """The text between two formulas, without the punctuation next to them."""
    bare = re.sub(r"^[\s;,.:]+|[\s;]+$", "", text)
    return [markdown(bare)] if bare else []


def _pair_strokes(latex: str) -> str:
    """A formula in one line, its strokes as pairs of delimiters, which browsers set closer than single strokes."""
    pairs = {"lvert": "left|", "rvert": "right|", "lVert": "left\\|", "rVert": "right\\|"}
    line = " ".join(latex.split())
    return re.sub(r"(?:\\(?:left|right))?\\([lr][vV]ert)(?![A-Za-z])", lambda found: "\\" + pairs[found[1]], line)


def example(text: str) -> str:
    """An example as its text and a block of Python."""
    before, mark, code = text.partition(">>> ")
    block = f"```pycon\n{mark}{code.rstrip()}\n```"
    return f"{markdown(before.strip())}\n\n{block}" if before.strip() else block


def _which(slug: str, name: str) -> str:
    several = len(names().get(name, ())) > 1
    return f" --kind {slug}" if several else ""


def parameters(card: Card, *, hyphens: bool) -> str:
    """The table of a thing's parameters, with their bounds and defaults."""
    rows = [
        f"| `{one.name if hyphens else one.name.replace('-', '_')}` | {_cell(one.bounds.in_words)} | {_default(one)} |"
        for one in card.parameters()
        if not one.name.startswith("-")
    ]
    return "\n".join(["| parameter | may be | default |", "|---|---|---|", *rows]) if rows else ""


def _default(one: Parameter) -> str:
    if one.required:
        return "required"
    if one.default is None:
        return "none"
    return f"`{str(one.default).lower() if isinstance(one.default, bool) else one.default}`"


def _section_page(slug: str, section: Section, entries: dict[str, Entry]) -> str:
    blocks = [f"# {section.title}", section.about]
    for registry in section.registries:
        if registry.remark and len(section.places) > 1:
            blocks.append(f"## {registry.remark[0].upper()}{registry.remark[1:]}")
        rows = [
            f"| [{name}]({slug}/{name}.md) | {_cell(entries[name].summary)} | {_cell(_guarantee(entries[name]))} |"
            for name in registry
        ]
        blocks.append("\n".join(["| name | what it is | guarantee |", "|---|---|---|", *rows]))
        guides = dict.fromkeys(card.guide for card in registry.cards().values())
        blocks.append(f"How they are used: {', '.join(f'[{guide}](../{guide}.md)' for guide in guides)}.")
    return "\n\n".join(blocks) + "\n"


def _guarantee(entry: Entry) -> str:
    """The first sentence of the guarantee, or "None"."""
    text = " ".join(entry.parts.get("Guarantee", "").split())
    ends = r"[:.;,]|\.? that | is asked" if text.startswith("None") else r"(?<=\.)\s|;\s"
    return re.split(ends, text)[0].rstrip(".")


def _cell(text: str) -> str:
    """Markdown for a cell of a table, where a stroke must be escaped."""
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
