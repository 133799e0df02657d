"""Self-contained HTML pages: a title, and sections of tables, pictures and paragraphs.

Every function escapes the text that it takes and returns markup, which is not escaped again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from cobogo.floor.language import Speech

LONGEST = 60  # characters of a value in a table; a tooltip shows the rest

_UNPRINTABLE = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r"}
"""Control characters may occur in data but not in HTML."""


@dataclass(frozen=True)
class PageSection:
    """A section of the page: its title, a leading sentence, and its parts."""

    title: str = ""
    lead: str = ""
    parts: Sequence[Markup] = ()
    kind: str = ""


@dataclass(frozen=True)
class Field:
    """A column of a table: its heading and the style of its cells.

    ``kind`` holds some of: "row" (the cell names its row), "num" (aligned to the right), "why" (an explanation),
    "chance" (a bar), "data" (a value of the data, which may break anywhere).
    """

    name: str
    kind: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell that differs from its column: one that spans several columns, or has a tooltip."""

    text: str
    kind: str | None = None
    span: int = 1
    hint: str = ""


Row = Sequence["str | Cell"]


def page(
    say: Speech,
    title: str,
    sections: Iterable[PageSection | None],
    *,
    created: str = "",
    source: str = "",
    about: Markup | None = None,
    banner: tuple[str, str] | None = None,
    warning: str = "",
    note: str = "",
    style: str = "",
    images: str = "data:",
) -> str:
    """Render the page; a section that is None is left out.

    ``about`` appears below the title, next to the date of ``created``. ``images`` is the page's policy for pictures:
    embedded ones, or files of the same directory.
    """
    dated = say.date(created) if created else ""
    return printable(
        environment()
        .get_template("page.html.j2")
        .render(
            say=say,
            title=title,
            source=source,
            about=lines(*(part for part in (about, dated) if part)),
            banner=banner,
            warning=warning,
            sections=[section for section in sections if section is not None],
            footer=lines(*([note] if note else []), say("Written by Cobogó on {date}.", date=dated)) if created else "",
            style=Markup(style),
            images=Markup(images),
        )
    )


def origin(say: Speech, source: str, records: int) -> Markup:
    """The name of the data that the page is about, and their number of records."""
    return Markup("{}<bdi>{}</bdi>, {}").format(
        say("Source: {source}", source=""), short(source), say.plural("{n} record", "{n} records", n=records)
    )


def table(fields: Sequence[Field], rows: Iterable[Row], *, kind: str = "", chosen: int | None = None) -> Markup:
    """A table that scrolls where it is too wide; ``chosen`` is the number of the highlighted row."""
    heads = Markup().join(
        Markup("<th{}>{}</th>").format(_class("num" if "num" in field.kind.split() else ""), field.name)
        for field in fields
    )
    head = Markup("<thead><tr>{}</tr></thead>\n").format(heads) if any(field.name for field in fields) else ""
    body = Markup("\n").join(
        Markup("<tr{}>{}</tr>").format(_class("chosen" if number == chosen else ""), _cells(fields, row))
        for number, row in enumerate(rows)
    )
    return Markup('<div class="wide"><table{}>\n{}<tbody>\n{}\n</tbody></table></div>').format(_class(kind), head, body)


def pairs(rows: Iterable[tuple[str, str]]) -> Markup:
    """A table of names and a text for each."""
    return table([Field("", "row"), Field("")], rows, kind="asked")


def _cells(fields: Sequence[Field], row: Row) -> Markup:
    return Markup().join(
        _cell(one if isinstance(one, Cell) else Cell(one), field) for one, field in zip(row, fields, strict=False)
    )


def _cell(cell: Cell, field: Field) -> Markup:
    kind = (field.kind if cell.kind is None else cell.kind).split()
    name = "th" if "row" in kind else "td"
    given = [('scope="row"', "row" in kind), (_class(" ".join(kind).replace("row", "")).strip(), kind != ["row"])]
    attributes = [Markup(text) for text, there in given if text and there]
    attributes += [Markup('colspan="{}"').format(cell.span)] if cell.span > 1 else []
    attributes += [Markup('title="{}"').format(cell.hint)] if cell.hint else []
    return Markup("<{}{}>{}</{}>").format(name, Markup().join(Markup(" ") + one for one in attributes), cell.text, name)


def _class(kind: str) -> Markup:
    return Markup(' class="{}"').format(kind.strip()) if kind.strip() else Markup()


def picture(svg: str, alt: str) -> Markup:
    """A picture that was drawn here, in the colours of the page."""
    return Markup('<figure role="img" aria-label="{}">{}</figure>').format(alt, Markup(svg))


def tiles(keys: Iterable[tuple[str, str, str]]) -> PageSection:
    """The key figures as tiles: name, number, explanation."""
    tile = '<div><p class="name">{}</p><p class="number">{}</p><p class="why">{}</p></div>'
    return PageSection(parts=[Markup(tile).format(*key) for key in keys], kind="keys")


def paragraph(text: str, kind: str = "why") -> Markup:
    """A paragraph."""
    return Markup("<p{}>{}</p>").format(_class(kind), text)


def warnings(texts: Iterable[str]) -> Markup:
    """A highlighted list."""
    entries = Markup().join(Markup("<li>{}</li>").format(text) for text in texts)
    return Markup('<div class="warnings"><ul>{}</ul></div>').format(entries)


def lines(*texts: str) -> Markup:
    """Texts below each other."""
    return Markup("<br>").join(texts)


def strong(text: str, *, mark: str = "") -> Markup:
    """A number in bold, followed by a mark that a note explains."""
    return Markup("<strong>{}</strong>{}").format(text, f" {mark}" if mark else "")


def verdict(text: str, *, holds: bool, caution: bool = False, more: str = "") -> Markup:
    """A coloured verdict, and further text in plain ink."""
    kind = "holds" if holds else "warns" if caution else "fails"
    return Markup('<span class="{}">{}</span>{}').format(kind, text, f" {more}" if more else "")


def verdict_box(title: str, sentences: Iterable[str], *, mark: str, holds: bool, caution: bool = False) -> Markup:
    """The verdict on the whole release, with its reasons; ``caution``: it holds, and something is left to know."""
    kind = "no" if not holds else "caution" if caution else "yes"
    box = Markup('<div class="verdict {}"><span class="mark">{}</span><div><h2>{}</h2>{}</div></div>')
    return box.format(kind, mark, title, Markup().join(paragraph(one, "") for one in sentences))


def link(place: str, text: str = "") -> Markup:
    """A link to a file of the same directory."""
    return Markup('<a href="{}">{}</a>').format(place, text or place)


def bar(share: float, say: Speech) -> Markup:
    """A share as a bar and a percentage."""
    width = f"{100 * max(0.0, min(share, 1.0)):.2f}"
    return Markup('<span class="bar is"><i style="width:{}%"></i></span><b>{}</b>').format(width, say.percent(share))


def names(attributes: Iterable[str]) -> Markup:
    """Names of attributes, joined by +; each keeps its own writing direction."""
    return Markup(" + ").join(Markup("<bdi>{}</bdi>").format(short(name)) for name in attributes)


def printable(page: str) -> str:
    """Replace the characters that HTML does not allow."""
    return page.translate(_UNPRINTABLE)


class _BesideTemplates(FileSystemBytecodeCache):
    """Compiled templates beside the templates, as Python keeps its own; where nothing can be written, nowhere."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template that was compiled."""
        with suppress(OSError):
            Path(self.directory).mkdir(exist_ok=True)
            super().dump_bytecode(bucket)


@cache
def environment() -> Environment:
    """The environment of the templates."""
    home = Path(__file__).parent / "templates"
    templates = Environment(
        loader=FileSystemLoader(home),
        bytecode_cache=_BesideTemplates(str(home / "__pycache__")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["short"] = short
    return templates


def short(text: str) -> str:
    """Shorten a value to what fits a table."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
