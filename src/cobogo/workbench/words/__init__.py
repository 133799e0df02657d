"""What the workbench says, in English and in Portuguese, a module a page. A test sees to it that both say the same."""

from __future__ import annotations

from collections.abc import Mapping

from cobogo.workbench.words import (
    asking,
    collecting,
    columns,
    data,
    exploring,
    frame,
    hierarchies,
    mapping,
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
    privacy,
    running,
    exploring,
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
