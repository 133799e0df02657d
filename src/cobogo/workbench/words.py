"""What the workbench says, in English and in Portuguese. The keys of both are the same: a test sees to it."""

from __future__ import annotations

from collections.abc import Mapping

from cobogo.workbench.english import ENGLISH
from cobogo.workbench.portuguese import PORTUGUESE

DEFAULT = "en"
TEXTS: Mapping[str, Mapping[str, str]] = {"en": ENGLISH, "pt-BR": PORTUGUESE}
