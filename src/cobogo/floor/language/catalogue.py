"""The catalogues of translations: one ``.po`` file a language, beside this module."""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_ENTRY = re.compile(r'^(msgid|msgid_plural|msgstr(?:\[\d+\])?) (".*"(?:\n".*")*)$', re.MULTILINE)
_PLURAL = re.compile(r"plural=([^;\n]+)")
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class Catalogue(NamedTuple):
    """What one language has for each English sentence: one form, or one for each class of numbers."""

    forms: Mapping[str, tuple[str, ...]]
    form_of: Callable[[int], int]

    def form(self, template: str, n: int | None) -> str | None:
        """The translation of a template, in the form that a number takes; None where there is none."""
        forms = self.forms.get(template)
        if forms is None:
            return None
        return forms[0] if n is None or len(forms) == 1 else forms[self.form_of(n)]


def translated_languages() -> list[str]:
    """The languages that have a catalogue."""
    return sorted(file.name.removesuffix(".po") for file in files(__package__).iterdir() if file.name.endswith(".po"))


@cache
def catalogue(language: str) -> Catalogue:
    """The catalogue of a language. English needs none: it stands in the code."""
    return parse((files(__package__) / f"{language}.po").read_text(encoding="utf-8"))


def parse(text: str) -> Catalogue:
    r"""A catalogue from the text of a ``.po`` file. Fuzzy, obsolete and empty entries are left out.

    >>> found = parse('msgid "Rows"\nmsgstr "Linhas"\n\n#, fuzzy\nmsgid "Keys"\nmsgstr "?"\n')
    >>> found.form("Rows", None), found.form("Keys", None)
    ('Linhas', None)
    """
    forms: dict[str, tuple[str, ...]] = {}
    header = ""
    for block in re.split(r"\n\s*\n", text):
        if re.search(r"^#,.*\bfuzzy\b", block, re.MULTILINE) and 'msgid ""\nmsgstr' not in block:
            continue
        fields = [(name, _unquoted(quoted)) for name, quoted in _ENTRY.findall(block)]
        source = next((value for name, value in fields if name == "msgid"), None)
        found = tuple(value for name, value in fields if name.startswith("msgstr"))
        if source == "":
            header = found[0]
        elif source is not None and all(found):
            forms[source] = found
    plural = _PLURAL.search(header)
    return Catalogue(forms, gettext.c2py(plural[1]) if plural else lambda n: int(n != 1))


def _unquoted(lines: str) -> str:
    text = "".join(line[1:-1] for line in lines.splitlines())
    return _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[1]), text) if "\\" in text else text
