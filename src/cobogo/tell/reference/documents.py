"""The map of the source documents: what each describes, the command or call that reproduces it, its figures, errata.

Every row is in ``data/<document>.toml``, in English and Portuguese, and nowhere else. The page of the site and
``cobogo explain documents`` are made from these rows, and a test runs every one of them and compares its figures.
"""

from __future__ import annotations

import tomllib
from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from cobogo.errors import InputError
from cobogo.floor.language import Speech, nearest, speech, tr

NAMES = ("data-privacy", "randomization", "k-anonymity", "location-privacy", "guide")
"""The documents in the order of their numbers, 000 to 004."""

ERRATA = "errata"
"""The word that asks for the items in which a document is wrong."""

PREPARE = "cobogo example documents"
"""The command that writes the tables on which the others run, into a directory from which they are run."""

PRELUDE = (
    ">>> import cobogo as cb",
    ">>> from cobogo.studies.worked_examples import anonymize_patients, attack_city, city, classes, roles, table",
)
"""What is typed in Python before the calls."""

PAGES = {"en": "documents.md", "pt-BR": "pt/documents.md"}


@dataclass(frozen=True)
class Item:
    """A section, table, figure, example or system of a document. Texts are by language."""

    section: str
    text: Mapping[str, str]
    run: str = ""
    """A command, or lines of Python of which the last is a call; empty where ``page`` or ``see`` says more."""
    result: tuple[str, ...] = ()
    """What a command says among other things, or what a call returns."""
    exit: int = 0
    page: str = ""
    """The page of the documentation that is about it, without ``.md``."""
    see: str = ""
    """The document and section that describe the same."""
    erratum: Mapping[str, str] = field(default_factory=dict)
    heavy: bool = False
    """Whether it takes seconds to run."""

    @property
    def is_command(self) -> bool:
        return self.run.startswith("cobogo ")

    @property
    def lines(self) -> list[str]:
        """What is typed: a command, with the exit code that it ends with unless that is 0, or lines of Python."""
        if self.is_command:
            return [f"{self.run}  # exit {self.exit}" if self.exit else self.run]
        return [f">>> {line}" for line in self.run.splitlines()]

    def fits(self, part: str) -> bool:
        """Whether it belongs to a part of its document: a section with those within it, the errata, or a text."""
        if part == ERRATA:
            return bool(self.erratum)
        inside = self.section == part or self.section.startswith(f"{part}.")
        return inside or any(part.casefold() in text.casefold() for text in self.text.values())


@dataclass(frozen=True)
class Document:
    """A source document, and what it describes, in its order."""

    number: str
    name: str
    cited: str
    about: Mapping[str, str]
    items: tuple[Item, ...]


@cache
def documents() -> tuple[Document, ...]:
    """All documents.

    >>> [document.number for document in documents()]
    ['000', '001', '002', '003', '004']
    """
    return tuple(_read(number, name) for number, name in enumerate(NAMES))


def _read(number: int, name: str) -> Document:
    text = files("cobogo.tell.reference").joinpath("data", f"{name}.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    items = tuple(_item(row) for row in content["items"])
    return Document(f"{number:03}", name, content["cited"], _by_language(content), items)


def _item(row: dict[str, Any]) -> Item:
    plain = {key: value for key, value in row.items() if key not in ("en", "pt", "erratum", "result")}
    result = row.get("result", ())
    lines = (result,) if isinstance(result, str) else tuple(result)
    return Item(text=_by_language(row), erratum=_by_language(row.get("erratum", {})), result=lines, **plain)


def _by_language(texts: Mapping[str, Any]) -> dict[str, str]:
    return {language: texts[key] for language, key in (("en", "en"), ("pt-BR", "pt")) if key in texts}


def in_language(texts: Mapping[str, str], say: Speech) -> str:
    """A text in a language; in English where the language has none."""
    return texts.get(say.language, texts["en"])


def find_document(name: str) -> Document:
    """A document by its name or number.

    >>> find_document("003").name
    'location-privacy'
    """
    for document in documents():
        if name.casefold() in (document.name, document.number):
            return document
    raise InputError(
        tr('there is no document "{name}"', name=name),
        remedy=nearest(name, NAMES, "cobogo explain documents"),
    )


def choose(parts: list[str]) -> list[tuple[Document, list[Item]]]:
    """The items that words ask for: all, those of a document, or those of a part of one or of all.

    >>> [(document.name, len(items)) for document, items in choose(["k-anonymity", "Example 5"])]
    [('k-anonymity', 1)]
    """
    if not parts or parts == [ERRATA]:
        wanted = list(documents())
        rest = parts
    else:
        wanted, rest = [find_document(parts[0])], parts[1:]
    part = " ".join(rest)
    chosen = [(one, [item for item in one.items if not part or item.fits(part)]) for one in wanted]
    if not any(items for _, items in chosen):
        sections = dict.fromkeys(item.section for item in wanted[0].items)
        raise InputError(
            tr('{document} has nothing in "{part}"', document=wanted[0].name, part=part),
            remedy=tr("Its sections are {sections}.", sections=", ".join(sections)),
        )
    return chosen


def as_rows(chosen: Iterable[tuple[Document, list[Item]]]) -> list[dict[str, Any]]:
    """Items for programs."""
    return [
        {"document": document.name} | {key: value for key, value in asdict(item).items() if value or key == "exit"}
        for document, items in chosen
        for item in items
    ]


def pages(others: Container[str]) -> dict[str, str]:
    """The page of the map in each of its languages, by its path under ``docs``. Others are the paths of other pages:
    where there is one in the map's language, the map leads to it."""
    return {path: _page(speech(language), path, others) for language, path in PAGES.items()}


def _page(say: Speech, path: str, others: Container[str]) -> str:
    home = path.removesuffix("documents.md")
    begin = [_fence("sh", [PREPARE]), say(HOW), _fence("pycon", PRELUDE)]
    blocks = [f"# {say(tr('The documents'))}", say(ABOUT), *begin]
    for document in documents():
        title = f"## {document.number} {document.name} {{ #{document.name} }}"
        blocks += [title, f"{document.cited} {in_language(document.about, say)}"]
        for section, items in groupby(document.items, lambda item: item.section):
            blocks.append(f"### § {section} {{ #{document.name}-{section} }}")
            for item in items:
                near = f"{home}{item.page}.md" in others
                blocks += _blocks(item, say, f"{item.page}.md" if near else f"../{item.page}.md")
    return "\n\n".join(blocks) + "\n"


def _blocks(item: Item, say: Speech, guide: str) -> list[str]:
    blocks = [f"**{in_language(item.text, say)}**"]
    if item.page:
        blocks.append(say(tr("See {page}.", page=f"[{item.page}]({guide})")))
    if item.see:
        name, _, section = item.see.partition(" ")
        blocks.append(say(tr("The same as {place}.", place=f"[{name} § {section}](#{name}-{section})")))
    if item.is_command:
        blocks += [_fence("sh", item.lines), "\n".join(f"`{line}`  " for line in item.result)]
    elif item.run:
        blocks.append(_fence("pycon", [*item.lines, *item.result]))
    if item.erratum:
        blocks.append(f"*{say(tr('Erratum'))}.* {in_language(item.erratum, say)}")
    return blocks


def _fence(language: str, lines: Iterable[str]) -> str:
    return "\n".join([f"```{language}", *lines, "```"])


ABOUT = tr(
    "Cobogó grew from five documents. This page goes through them in their order: each section, table, figure, example "
    "and system, the command or call that reproduces it, the figures to expect, and the errors that we found in the "
    "documents. Sections and numbers are those of the documents. Every command and call is run by a test, on tables "
    "that come with the package:"
)

HOW = tr(
    "This writes them into the directory `documents`. Commands run there, in the order of this page. Lines that begin "
    "with `>>>` are typed in Python, in the same directory, after the two lines below. Under a command: what it says, "
    "among other things, in English. `cobogo explain documents` shows the same map in the terminal, `cobogo explain "
    "documents k-anonymity 3.1` a part of it, and `cobogo explain documents errata` the errors."
)
