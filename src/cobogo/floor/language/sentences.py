"""Errors in Portuguese. They are raised in English, and put into other words where they are shown.

The list has each sentence as it stands in the source, with ``{}`` for a value; a test compares the two. A sentence that
is not in it stays English.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from cobogo.errors import CobogoError

NOUNS = {
    "character": "caractere", "characters": "caracteres",
    "attribute": "atributo", "attributes": "atributos", "class": "classe", "classes": "classes", "column": "coluna",
    "columns": "colunas", "combination": "combinação", "combinations": "combinações", "error": "erro",
    "errors": "erros", "field": "campo", "fields": "campos", "label": "rótulo", "labels": "rótulos",
    "level": "nível", "levels": "níveis", "model": "modelo", "models": "modelos", "node": "nó", "nodes": "nós",
    "part": "parte", "parts": "partes", "people": "pessoas", "person": "pessoa", "record": "registro",
    "records": "registros", "row": "linha", "rows": "linhas", "table": "tabela", "tables": "tabelas",
    "value": "valor", "values": "valores",
}  # fmt: skip
"""What is counted in errors."""

_COUNTED = re.compile(r"([\d,]+) (\w+)")
_SWAPPED = str.maketrans(",.", ".,")


class Sentence(NamedTuple):
    """A sentence in both languages."""

    english: str
    portuguese: str
    pattern: re.Pattern[str]


@cache
def sentences() -> tuple[Sentence, ...]:
    """All that can be said in Portuguese, the most definite first."""
    text = (files("cobogo.floor.language") / "portuguese.toml").read_text(encoding="utf-8")
    pairs = [pair for part in tomllib.loads(text).values() for pair in part.items()]
    pairs.sort(key=lambda pair: -len(pair[0].replace("{}", "")))
    return tuple(Sentence(english, portuguese, _pattern(english)) for english, portuguese in pairs)


def translate(error: CobogoError, language: str) -> str:
    """An error in a language.

    >>> print(translate(CobogoError("no such file", where="a.csv", remedy="Check the path."), "pt-BR"))
    a.csv: não existe esse arquivo.
    Confira o caminho.
    """
    if language == "en":
        return str(error)
    remedy = None if error.remedy is None else to_portuguese(error.remedy)
    return str(CobogoError(to_portuguese(error.what), where=_place(error.where), remedy=remedy))


def to_portuguese(text: str) -> str:
    """A text in Portuguese: as a whole, or line by line, or sentence by sentence; what is not known stays as it is.

    >>> to_portuguese("the population has 1 record, and the data alone have 1,204 records")
    'a população tem 1 registro, e só os dados têm 1.204 registros'
    """
    for divided, joint in ((None, ""), ("\n", "\n"), (r"(?<=[.?]) (?=[A-Z`])", " ")):
        parts = [text] if divided is None else re.split(divided, text)
        known = [_known(part) for part in parts]
        if any(one is not None for one in known):
            return joint.join(part if one is None else one for part, one in zip(parts, known, strict=True))
    return text


def _known(text: str) -> str | None:
    for sentence in sentences():
        found = sentence.pattern.fullmatch(text)
        if found is not None:
            first, *rest = sentence.portuguese.split("{}")
            return first + "".join(map(str.__add__, map(_value, found.groups()), rest))
    return None


def _value(text: str) -> str:
    """A value within a sentence: a number with its noun, a sentence of its own, or simply itself."""
    counted = _COUNTED.fullmatch(text)
    if counted is not None and counted[2] in NOUNS:
        return f"{counted[1].translate(_SWAPPED)} {NOUNS[counted[2]]}"
    if re.fullmatch(r"\d{1,3}(,\d{3})+", text):
        return text.translate(_SWAPPED)
    return _known(text) or text


def _place(where: str | None) -> str | None:
    return None if where is None else re.sub(r", (row|line) (?=\d)", ", linha ", where)


def _pattern(english: str) -> re.Pattern[str]:
    return re.compile("(.+?)".join(re.escape(part) for part in english.split("{}")), re.DOTALL)
