"""The language that the command line speaks: what ``--lang`` says, wherever it stands, or else the locale."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from cobogo.errors import PolicyError
from cobogo.floor.language import LANGUAGES, Speech, language_of, language_of_locale, speech, tr

if TYPE_CHECKING:
    from cobogo.data.policy import Policy

OPTIONS = ("--lang", "--language")


_REQUESTED: ContextVar[str | None] = ContextVar("language", default=None)
"""The language that ``--lang`` of this command names."""


def take_language(arguments: list[str]) -> list[str]:
    """Remember the language that the arguments name, if they do, and return the other arguments."""
    _REQUESTED.set(None)
    language, rest = _split_language(arguments)
    _REQUESTED.set(language)
    return rest


def terminal_language() -> str:
    """The language of what is said on the terminal."""
    return _REQUESTED.get() or language_of_locale()


def requested_language() -> str | None:
    """The language that was asked for by name, if one was."""
    return _REQUESTED.get()


def terminal_speech() -> Speech:
    """The language of what is said on the terminal, ready to speak."""
    return speech(terminal_language())


def report_language(policy: Policy | None) -> str:
    """The language of what is written: the one asked for, or else the policy's, or else the locale's."""
    said = policy is not None and "language" in policy.report.model_fields_set
    return _REQUESTED.get() or (policy.report.language if policy is not None and said else language_of_locale())


def with_report_language(policy: Policy) -> Policy:
    """A policy whose report is in the language of what is written."""
    return policy.model_copy(update={"report": policy.report.model_copy(update={"language": report_language(policy)})})


def _split_language(args: list[str]) -> tuple[str | None, list[str]]:
    language: str | None = None
    rest: list[str] = []
    left = iter(args)
    for argument in left:
        name, is_one, value = argument.partition("=")
        if argument == "--":
            return language, [*rest, argument, *left]
        if name not in OPTIONS:
            rest.append(argument)
            continue
        value = value if is_one else next(left, "")
        if not value:
            raise PolicyError(
                tr("needs a language"), where=name, remedy=tr("Choose one of: {names}.", names=", ".join(LANGUAGES))
            )
        language = language_of(value, where=name)
    return language, rest
