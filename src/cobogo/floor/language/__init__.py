"""The languages that Cobogó speaks. English is in the code, as ``tr("…")``; every other language is one ``.po`` file."""

from cobogo.floor.language.choice import LANGUAGES, language_of, language_of_locale, preferred_language
from cobogo.floor.language.speech import NOTHING, Speech, speech
from cobogo.floor.language.text import Text, join, tr, trn

__all__ = [
    "LANGUAGES", "NOTHING", "Speech", "Text", "join", "language_of", "language_of_locale", "preferred_language", "speech",
    "tr", "trn",
]  # fmt: skip
