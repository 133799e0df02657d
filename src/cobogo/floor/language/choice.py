"""Which language somebody wants, of those that Cobogó speaks: English, and each language that has a catalogue."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from cobogo.errors import PolicyError
from cobogo.floor.language.catalogue import translated_languages
from cobogo.floor.language.text import tr

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
