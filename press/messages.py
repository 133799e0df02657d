"""The catalogues of translations: every sentence that the program can say, gathered from its source.

``python -m press.messages`` brings each ``.po`` file up to date. ``python -m press.messages --check`` names what is
wrong with them: a sentence without a translation, other placeholders than the original's, a fuzzy entry, one that the
program no longer says. ``make lint`` runs it.
"""

from __future__ import annotations

import ast
import io
import string
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from cobogo.floor.language import WHOLE

SOURCE = Path(__file__).parents[1] / "src" / "cobogo"
HOME = SOURCE / "floor" / "language"
KEYWORDS = {"tr": None, "say": None, "Text": (1, 2), "trn": (1, 2), "plural": (1, 2)}
SHOWN_FACTS = ("knows", "finds")
"""Facts of cards that pages show: what an attacker on locations knows and finds."""


class Message(NamedTuple):
    """A sentence, its plural form if it has one, the file that says it, and whether values are put into it."""

    one: str
    many: str | None
    file: str
    filled: bool


def main(arguments: list[str]) -> int:
    """Write what is missing into each catalogue, or name everything that is wrong with them."""
    said = gather()
    wrong = [f"{file.name}: {what}" for file in sorted(HOME.glob("*.po")) for what in visit(file, said, arguments)]
    print("\n".join(wrong[:200]) or f"{len(said):,} sentences, and nothing is wrong with their translations.")
    return int(bool(wrong))


def gather() -> list[Message]:
    """Every sentence once, in the order of the files."""
    found = {message.one: message for message in reversed([*marked(), *explained(), *helped()])}
    return sorted(found.values(), key=lambda message: (message.file, message.one))


def marked() -> Iterator[Message]:
    """The sentences that are marked in the source and the templates."""
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        yield from (Message(*found, str(file.relative_to(SOURCE)), filled=True) for found in literals(tree))
    for name, _, text, _, _ in extract_from_dir(SOURCE, [("**.j2", "jinja2")], keywords=KEYWORDS):
        one, many = text if isinstance(text, tuple) else (text, None)
        if has_words(one):
            yield Message(one, many or None, name, filled=True)


def literals(tree: ast.AST) -> Iterator[tuple[str, str | None]]:
    """The literals of marked calls with their plural forms. Babel does not look into f-strings, which this does."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        texts = [one.value for one in call.args[:2] if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if name in KEYWORDS and texts and has_words(texts[0]):
            yield texts[0], texts[1] if KEYWORDS[name] and len(texts) > 1 else None


def has_words(text: str) -> bool:
    """Whether a template says something itself, besides holding its values together."""
    return any(any(map(str.isalpha, literal)) for literal, *_ in string.Formatter().parse(text))


def explained() -> Iterator[Message]:
    """What cards and docstrings say of named things, and the words: the texts of ``cobogo list`` and ``explain``."""
    from cobogo.tell.reference.glossary import TERMS
    from cobogo.tell.reference.sections import SECTIONS

    for term in TERMS:
        yield from (
            Message(text, None, "tell/reference/glossary.py", filled=False) for text in (term.names, term.definition)
        )
    for slug, section in SECTIONS.items():
        texts = [section.title, section.one, section.about]
        texts += [text for card in section.cards().values() for text in (card.title, f"{card.summary}.", card.plain)]
        texts += [card.facts.get(name, "") for card in section.cards().values() for name in SHOWN_FACTS]
        texts += [text for entry in section.entries().values() for text in entry.texts()]
        yield from (Message(text, None, f"explain {slug}", filled=False) for text in texts if text)


def helped() -> Iterator[Message]:
    """The help of commands, of their options and of the panels that they are in."""
    from cobogo.faces.cli.main import help_texts

    yield from (Message(text, None, "help", filled=False) for text in help_texts())


def visit(file: Path, said: list[Message], arguments: list[str]) -> list[str]:
    """Check a catalogue, or bring it up to date."""
    with file.open("rb") as stream:
        catalog = read_po(stream, abort_invalid=True)
    if "--check" in arguments:
        return list(mistakes(catalog, said, whole=file.stem in WHOLE))
    write(file, renewed(catalog, said, whole=file.stem in WHOLE))
    return []


def write(file: Path, catalog: Catalog) -> None:
    """Write a catalogue; its header says nothing that changes from day to day."""
    stream = io.BytesIO()
    write_po(stream, catalog, width=118, include_lineno=False, omit_header=True)
    header = {"Language": file.stem, "Content-Type": "text/plain; charset=utf-8", "Plural-Forms": catalog.plural_forms}
    lines = "".join(f'"{name}: {value}\\n"\n' for name, value in header.items())
    file.write_text(
        f'{catalog.header_comment}\nmsgid ""\nmsgstr ""\n{lines}\n{stream.getvalue().decode()}', encoding="utf-8"
    )


def renewed(old: Catalog, said: list[Message], *, whole: bool) -> Catalog:
    """A catalogue with the sentences that are said, their known translations, and nothing else."""
    new = Catalog(locale=old.locale, fuzzy=False, charset="utf-8", header_comment=old.header_comment)
    new.mime_headers = old.mime_headers
    for message in said:
        translation = known(old, message)
        if whole or any(translation):
            sentence = (message.one, message.many) if message.many else message.one
            new.add(sentence, translation if message.many else translation[0], locations=[(message.file, 1)])
    return new


def known(catalog: Catalog, message: Message) -> tuple[str, ...]:
    """The forms of a translation: empty ones where it is missing, or has not as many forms as the sentence."""
    wanted = 2 if message.many else 1
    found: Any = catalog.get(message.one)
    forms = () if found is None else (found.string,) if isinstance(found.string, str) else tuple(found.string)
    return forms if len(forms) == wanted else ("",) * wanted


def mistakes(catalog: Catalog, said: list[Message], *, whole: bool) -> Iterator[str]:
    """What is wrong with a catalogue."""
    for message in said:
        forms, found = known(catalog, message), catalog.get(message.one)
        if found is not None and found.fuzzy:
            yield f"fuzzy: {message.one!r}"
        elif not all(forms):
            yield from [f"no translation of {message.one!r} ({message.file})"] if whole else []
        elif message.filled and not all(same_values(form, message) for form in forms):
            yield f"other placeholders than in {message.one!r}: {forms!r}"
    sentences = {message.one for message in said}
    for entry in catalog:
        if entry.id and (entry.id if isinstance(entry.id, str) else entry.id[0]) not in sentences:
            yield f"is not said any more: {entry.id!r}"


def same_values(form: str, message: Message) -> bool:
    """Whether a form has the values of its sentence; a form for one thing may leave its number out."""
    found, wanted = placeholders(form), placeholders(message.many or message.one)
    return found == wanted or (message.many is not None and found | {"n"} == wanted | {"n"})


def placeholders(text: str) -> set[str]:
    """The names of the values in a template."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
