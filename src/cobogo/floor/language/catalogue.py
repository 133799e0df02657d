"""The catalogues of translations, one ``.po`` file a language beside this module; and which language somebody wants."""

from __future__ import annotations

import gettext
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from cobogo.errors import PolicyError
from cobogo.floor.language.text import tr

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


LANGUAGES = ("en", *translated_languages())
WHOLE = ("en", "pt-BR")
"""Languages that say everything. The others leave sentences in English, and the workbench does not offer them."""


def language_of(name: str, *, where: str = "--lang") -> str:
    """The language that a name means.

    >>> language_of("pt_br"), language_of("en")
    ('pt-BR', 'en')
    """
    found = _spoken(name)
    if found is None:
        raise PolicyError(
            tr("must be one of {languages}. Got {name!r} instead", languages=", ".join(LANGUAGES), name=name),
            where=where,
        )
    return found


def language_of_locale(environment: Mapping[str, str] = os.environ) -> str:
    """The language of the terminal's locale; English where Cobogó does not speak it.

    >>> language_of_locale({"LANG": "pt_BR.UTF-8"}), language_of_locale({"LC_ALL": "C", "LANG": "pt_BR.UTF-8"})
    ('pt-BR', 'en')
    """
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return _spoken(locale.partition(".")[0]) or "en"


def preferred_language(accepted: str) -> str:
    """The language that a browser likes best (its header ``Accept-Language``), of those that say everything.

    >>> preferred_language("es,pt;q=0.8,en;q=0.5"), preferred_language("en-GB,pt-BR;q=0.3"), preferred_language("de")
    ('pt-BR', 'en', 'en')
    """
    wishes = _by_weight(accepted.split(",")[:20])
    return next((found for wish in wishes if (found := _spoken(wish, WHOLE))), "en")


def _by_weight(wishes: Iterable[str]) -> list[str]:
    weighted = []
    for wish in wishes:
        name, _, weight = wish.strip().partition(";q=")
        try:
            weighted.append((-float(weight or 1), name))
        except ValueError:
            continue
    return [name for _, name in sorted(weighted, key=lambda one: one[0])]


def _spoken(name: str, languages: Sequence[str] = LANGUAGES) -> str | None:
    """The language itself, or the first that is a form of the same one."""
    wish = name.replace("_", "-").casefold()
    exact = [language for language in languages if language.casefold() == wish]
    near = [language for language in languages if language.partition("-")[0] == wish.partition("-")[0]]
    return next(iter(exact + near), None)
