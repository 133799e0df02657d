"""The languages that Cobogó speaks. English is in the code, as ``tr("…")``; every other one is a ``.po`` file."""

from cobogo.floor.language.catalogue import LANGUAGES, WHOLE, language_of, language_of_locale, preferred_language
from cobogo.floor.language.speech import NOTHING, Speech, speech
from cobogo.floor.language.text import Text, change, from_json, join, nearest, to_json, tr, trn

__all__ = [
    "LANGUAGES", "NOTHING", "WHOLE", "Speech", "Text", "change", "from_json", "join", "language_of",
    "language_of_locale", "nearest", "preferred_language", "speech", "to_json", "tr", "trn",
]  # fmt: skip
