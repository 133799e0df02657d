"""The glossary: the words of the field, each with a definition. ``cobogo explain`` finds them in any language.

The texts are in ``data/glossary.toml`` and nowhere else; a test compares ``docs/glossary.md`` and its translation with
them.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from cobogo.floor.language import LANGUAGES, Speech, Text, speech


@dataclass(frozen=True)
class Term:
    """A word of the glossary: its names (in brackets, the usual one first), its definition, the page that says more,
    and a line of a policy where it can be written in one."""

    names: Text
    definition: Text
    guide: str
    policy: str = ""

    def title(self, say: Speech) -> str:
        """The usual name in a language."""
        return say(self.names).strip("[]").partition("; ")[0]

    def others(self, say: Speech) -> list[str]:
        """The other names in a language."""
        return say(self.names).strip("[]").split("; ")[1:]


def _read() -> Iterator[Term]:
    text = files("cobogo.tell.reference").joinpath("data", "glossary.toml").read_text(encoding="utf-8")
    for row in tomllib.loads(text)["terms"]:
        names = f"[{'; '.join(row['names'])}]"
        yield Term(Text(names), Text(row["definition"]), row["guide"], row.get("policy", ""))


TERMS = tuple(_read())
"""All words, in the order of the page."""


def find_term(name: str) -> Term | None:
    """The word of a name in any language; hyphens, capitals and accents do not matter.

    >>> [find_term(name).title(speech("en")) for name in ("Hierarquia", "quasi identifier", "epsilon", "supressao")]
    ['hierarchy', 'quasi-identifier', 'ε (epsilon)', 'suppression']
    """
    return _index().get(_plain(name))


def term_names() -> list[str]:
    """Every name in every language, to find the nearest one."""
    return list(_index())


@cache
def _index() -> dict[str, Term]:
    found: dict[str, Term] = {}
    for language in LANGUAGES:
        for term in TERMS:
            for name in speech(language)(term.names).strip("[]").split("; "):
                outside, _, inside = name.partition(" (")
                for one in (name, outside, inside.rstrip(")")):
                    found.setdefault(_plain(one), term)
    found.pop("", None)
    return found


def _plain(name: str) -> str:
    """A name without what people leave out."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return re.sub(r"[\s_-]+", " ", "".join(sign for sign in letters if not unicodedata.combining(sign))).strip()
