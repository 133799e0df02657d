"""The language that the command line speaks: what ``--lang`` says, wherever it stands, or else the locale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperGroup

from cobogo.errors import PolicyError
from cobogo.floor.language import language_of, of_locale
from cobogo.floor.language.sentences import in_portuguese

if TYPE_CHECKING:
    from cobogo.data.policy import Policy
    from cobogo.tell.report.words import Words

OPTIONS = ("--lang", "--language")


class Speaking(TyperGroup):
    """The command with all its commands: each of them takes ``--lang``."""

    asked: str | None = None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the language out of the arguments before anybody else reads them."""
        Speaking.asked, rest = _taken(args)
        return super().parse_args(ctx, rest)


def spoken() -> str:
    """The language of what is said on the terminal."""
    return Speaking.asked or of_locale()


def asked() -> str | None:
    """The language that was asked for by name, if one was."""
    return Speaking.asked


def sentence(text: str) -> str:
    """A sentence of the program in the language that is spoken."""
    return text if spoken() == "en" else in_portuguese(text)


def reason(text: str) -> str:
    """Why a column seems to be what it is, in the language that is spoken."""
    from cobogo.data.schema.portuguese import reason_in_portuguese

    return text if spoken() == "en" else reason_in_portuguese(text)


def words() -> Words:
    """What is said on the terminal."""
    from cobogo.faces.cli.words import TEXTS
    from cobogo.tell.report.words import Words

    return Words(spoken(), TEXTS[spoken()])


def written(policy: Policy | None) -> str:
    """The language of what is written: the one asked for, or else the policy's, or else the locale's."""
    said = policy is not None and "language" in policy.report.model_fields_set
    return Speaking.asked or (policy.report.language if policy is not None and said else of_locale())


def in_language(policy: Policy) -> Policy:
    """A policy whose report is in the language of what is written."""
    return policy.model_copy(update={"report": policy.report.model_copy(update={"language": written(policy)})})


def _taken(args: list[str]) -> tuple[str | None, list[str]]:
    asked: str | None = None
    rest: list[str] = []
    left = iter(args)
    for argument in left:
        name, is_one, value = argument.partition("=")
        if argument == "--":
            return asked, [*rest, argument, *left]
        if name not in OPTIONS:
            rest.append(argument)
            continue
        value = value if is_one else next(left, "")
        if not value:
            raise PolicyError("needs a language: en or pt-BR", where=name)
        asked = language_of(value, where=name)
    return asked, rest
