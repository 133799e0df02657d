"""The languages that Cobogó speaks: which of them somebody wants, and what errors say in it."""

from cobogo.floor.language.choice import LANGUAGES, language_of, of_locale
from cobogo.floor.language.sentences import translated

__all__ = ["LANGUAGES", "language_of", "of_locale", "translated"]
