"""The languages that Cobogó speaks: which of them somebody wants, and what errors say in it."""

from cobogo.floor.language.choice import LANGUAGES, locale_language, parse_language
from cobogo.floor.language.sentences import translate

__all__ = ["LANGUAGES", "locale_language", "parse_language", "translate"]
