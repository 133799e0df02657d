"""What the workbench says, in English and in Portuguese, a module a page. A test sees to it that both say the same."""

from __future__ import annotations

from collections.abc import Mapping

from cobogo.faces.workbench.words import (
    algorithms,
    asking,
    collecting,
    columns,
    data,
    exploring,
    frame,
    hierarchies,
    mapping,
    models,
    opened_release,
    privacy,
    releases,
    risk,
    running,
    utility,
)

ROOMS = (
    frame,
    data,
    columns,
    hierarchies,
    models,
    algorithms,
    privacy,
    running,
    exploring,
    opened_release,
    utility,
    risk,
    asking,
    collecting,
    mapping,
    releases,
)
DEFAULT = "en"
TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {key: text for room in ROOMS for key, text in room.ENGLISH.items()},
    "pt-BR": {key: text for room in ROOMS for key, text in room.PORTUGUESE.items()},
}


def preferred_language(accepted: str) -> str:
    """The language that a browser likes best, of those that the workbench speaks.

    >>> preferred_language("fr,pt;q=0.8,en;q=0.5"), preferred_language("en-GB,pt-BR;q=0.3"), preferred_language("de")
    ('pt-BR', 'en', 'en')
    """
    wishes = []
    for wish in accepted.split(",")[:20]:
        name, _, weight = wish.strip().partition(";q=")
        try:
            wishes.append((-float(weight or 1), name.partition("-")[0].lower()))
        except ValueError:
            continue
    spoken = {name.partition("-")[0]: name for name in TEXTS}
    return next((spoken[name] for _, name in sorted(wishes, key=lambda one: one[0]) if name in spoken), DEFAULT)
