"""Which language somebody wants."""

from __future__ import annotations

import os
from collections.abc import Mapping

from cobogo.errors import PolicyError

LANGUAGES = ("en", "pt-BR")


def parse_language(asked: str, *, where: str = "--lang") -> str:
    """The language that is meant by a name of it.

    >>> parse_language("pt_br"), parse_language("en")
    ('pt-BR', 'en')
    """
    name = asked.replace("_", "-").casefold()
    for language in LANGUAGES:
        if name in (language.casefold(), language.partition("-")[0]):
            return language
    raise PolicyError(f"must be en or pt-BR. Got {asked!r} instead", where=where)


def locale_language(environment: Mapping[str, str] = os.environ) -> str:
    """The language of the terminal, as its locale says; English where it says nothing that is spoken here.

    >>> locale_language({"LANG": "pt_BR.UTF-8"}), locale_language({"LC_ALL": "C", "LANG": "pt_BR.UTF-8"})
    ('pt-BR', 'en')
    >>> locale_language({})
    'en'
    """
    named = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return "pt-BR" if named.casefold().startswith("pt") else "en"
