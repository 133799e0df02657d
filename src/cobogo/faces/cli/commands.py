"""How commands show their help and say what is wrong with what was typed: in the language of the terminal.

Typer and Click write their own words in English. Here a command prints its help itself, and what Click refuses becomes
one of our errors: where, what, and what to do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from cobogo.errors import InputError
from cobogo.faces.cli import language
from cobogo.floor.language import Speech, Text, join, nearest, tr

Function = TypeVar("Function", bound=Callable[..., Any])
UsageError: Any = typer.BadParameter.__mro__[1]
"""Click's error about what was typed, whichever Click Typer has."""

VALUES = {"whole": tr("NUMBER"), "number": tr("NUMBER"), "path": tr("PATH"), "text": tr("TEXT")}
"""What an option takes, as its help shows it."""


class Translated:
    """A command of Typer's that speaks the language of the terminal."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Print the help."""
        print_help(self, ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; what cannot be read is an error of ours."""
        given = list(args)
        with usage_errors(ctx, given):
            return list(super().parse_args(ctx, args))  # type: ignore[misc]


class Command(Translated, TyperCommand):
    """A command."""


class Group(Translated, TyperGroup):
    """Commands under one name."""

    def summaries(self, ctx: Any) -> Iterator[tuple[str, str | None, str]]:
        """The name of each command, its panel, and what it does."""
        for name in self.list_commands(ctx):
            inside: Any = self.get_command(ctx, name)
            panel = getattr(inside, "rich_help_panel", None)
            yield name, panel if isinstance(panel, str) else None, inside.help or ""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        with usage_errors(ctx, []):
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the arguments begin with."""
        if not ctx.resilient_parsing and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise InputError(
                tr("there is no command {name!r}", name=args[0]),
                where=ctx.command_path if ctx.parent else None,
                remedy=nearest(args[0], self.list_commands(ctx), f"{ctx.command_path} --help"),
            )
        return super().resolve_command(ctx, args)


class CommandLine(typer.Typer):
    """A Typer whose commands are those of this module."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"cls": Group, "no_args_is_help": True, **options})

    def command(self, name: str | None = None, **options: Any) -> Callable[[Function], Function]:
        """Add a command."""
        return super().command(name, **{"cls": Command, **options})


def help_texts(command: Any) -> list[str]:
    """What ``--help`` says of a command, its parameters and the commands in it."""
    own = [inspect.cleandoc(command.help or ""), getattr(command, "rich_help_panel", None)]
    parameters = [text for one in command.params for text in (getattr(one, "help", None), _argument_name(one))]
    return [text for text in (*own, *parameters) if text] + [
        text for inside in getattr(command, "commands", {}).values() for text in help_texts(inside)
    ]


def print_help(command: Any, ctx: Any) -> None:
    """Print what a command does, what it takes, and the commands in it, in panels."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text as Line

    say = language.terminal_speech()
    console = Console(highlight=False)
    parameters = [one for one in command.get_params(ctx) if not getattr(one, "hidden", False)]
    arguments = [one for one in parameters if _is_argument(one)]
    options = [one for one in parameters if not _is_argument(one)]
    usage = [ctx.command_path, say("[OPTIONS]"), *(_usage(one, say) for one in arguments)]
    usage += [say("COMMAND [ARGUMENTS]")] if hasattr(command, "commands") else []
    heading = say("Usage: {usage}", usage=" ".join(usage))
    console.print(Padding(Line(heading, style="bold"), (1, 1)))
    for paragraph in say(inspect.cleandoc(command.help or "")).split("\n\n"):
        if paragraph:
            console.print(Padding(Line(" ".join(paragraph.split())), (0, 1, 1, 1)))
    panel = partial(_print_panel, console)
    panel(say("Arguments"), [[_usage(one, say, bare=True), *_told(one, ctx, say)] for one in arguments])
    panel(say("Options"), [[_option_names(one), *_told(one, ctx, say)] for one in options])
    panels: dict[str, list[list[str]]] = {}
    for name, title, does in command.summaries(ctx) if hasattr(command, "commands") else ():
        text = say(inspect.cleandoc(does)).split("\n\n")[0]
        panels.setdefault(say(title) if title else say("Commands"), []).append([name, " ".join(text.split())])
    width = max((len(row[0]) for rows in panels.values() for row in rows), default=0)
    for title, rows in panels.items():
        panel(title, rows, width)


def _print_panel(console: Any, title: str, rows: list[list[str]], first: int = 0) -> None:
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text as Line

    if not rows:
        return
    grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
    last = len(rows[0]) - 1
    for column in range(len(rows[0])):
        grid.add_column(
            style="bold cyan" if column == 0 else "yellow" if column < last else "",
            no_wrap=column == 0,
            min_width=first if column == 0 else None,
            ratio=1 if column == last else None,
        )
    for row in rows:
        grid.add_row(*map(Line, row))
    console.print(Panel(grid, title=title, title_align="left", border_style="dim"))


def _told(one: Any, ctx: Any, say: Speech) -> list[str]:
    """What a parameter takes, and what it is for."""
    kind = "" if _is_flag(one) or _is_argument(one) else one.metavar or say(VALUES[_kind(one)])
    notes = []
    if envvar := getattr(one, "envvar", None):
        notes.append(say("or the environment's {variable}", variable=str(envvar)))
    if one.required:
        notes.append(say("required"))
    default = one.get_default(ctx, call=False)
    if one.show_default and not _is_flag(one) and default not in (None, "", [], ()) and not callable(default):
        notes.append(say("default: {value}", value=str(default)))
    if _is_flag(one) and one.secondary_opts:
        notes.append(say("default: {value}", value=(one.opts if default else one.secondary_opts)[0]))
    if bounds := _bounds(one):
        notes.append(bounds)
    text = say(one.help) if getattr(one, "help", None) else ""
    return [kind, f"{text} [{'; '.join(notes)}]".strip() if notes else text]


def _bounds(one: Any) -> str:
    least, most = _limits(one)
    if least is not None and most is not None:
        return f"{least:,} … {most:,}"
    return f"≥ {least:,}" if least is not None else f"≤ {most:,}" if most is not None else ""


def _limits(one: Any) -> tuple[float | None, float | None]:
    kind = getattr(one, "type", None)  # where Typer has Click beside it
    return getattr(one, "min", getattr(kind, "min", None)), getattr(one, "max", getattr(kind, "max", None))


def _is_argument(one: Any) -> bool:
    return bool(one.param_type_name == "argument")


def _is_flag(one: Any) -> bool:
    return bool(getattr(one, "is_flag", False))


def _kind(one: Any) -> str:
    """What a parameter takes, by its type."""
    described = getattr(one, "type_descriptor", None)
    name = str(described.annotation) if described is not None else str(one.type.name)
    found = {"int": "whole", "float": "number", "ath": "path", "file": "path"}
    return next((kind for part, kind in found.items() if part in name), "text")


def _argument_name(one: Any) -> str | None:
    """The name of an argument as help shows it."""
    return str(one.metavar or one.name).strip("….[]").upper() if _is_argument(one) else None


def _usage(one: Any, say: Speech, *, bare: bool = False) -> str:
    name = say(str(_argument_name(one))) + ("…" if one.nargs != 1 else "")
    return name if one.required or bare else f"[{name}]"


def _option_names(one: Any) -> str:
    return ", ".join([*one.opts, *one.secondary_opts])


@contextmanager
def usage_errors(ctx: Any, given: list[str]) -> Iterator[None]:
    """Turn what Click refuses into an error of ours: where, what, and what to do."""
    try:
        yield
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        raise refusal(error, getattr(error, "ctx", None) or ctx, given) from None


def refusal(error: Any, ctx: Any, given: list[str]) -> InputError:
    """What Click refuses, as an error of ours."""
    command = ctx.command_path
    shows_all = tr("`{command}` explains the command.", command=f"{command} --help")
    one = getattr(error, "param", None)
    kind = type(error).__name__
    if kind == "NoSuchOption":
        known = [name for found in ctx.command.get_params(ctx) for name in found.opts if name.startswith("--")]
        return InputError(
            tr("there is no option {option}", option=error.option_name),
            where=command,
            remedy=nearest(error.option_name, known, f"{command} --help"),
        )
    if kind == "MissingParameter" and one is not None:
        what = (
            tr("the argument {argument} is missing", argument=Text(str(_argument_name(one))))
            if _is_argument(one)
            else tr("the option {option} is required", option=one.opts[0])
        )
        return InputError(what, where=command, remedy=join([Text(one.help or ""), shows_all]))
    if kind == "BadOptionUsage":
        flag = any(_is_flag(found) for found in ctx.command.get_params(ctx) if error.option_name in found.opts)
        what = tr("takes no value") if flag else tr("needs a value")
        return InputError(what, where=str(error.option_name), remedy=shows_all)
    if one is not None:
        where = one.opts[0] if not _is_argument(one) else Text(str(_argument_name(one)))
        return InputError(join([_wanted(one), _got(error)], ". "), where=where, remedy=shows_all)
    if not hasattr(ctx.command, "commands"):
        number = sum(_is_argument(found) for found in ctx.command.get_params(ctx))
        known = [found for found in given if not found.startswith("-")]
        extra = known[number:][-1:] or known[-1:]
        return InputError(
            tr("there are more arguments than the command takes: {argument!r}", argument=" ".join(extra)),
            where=command,
            remedy=join([tr("Put quotes around an argument with spaces."), shows_all]),
        )
    return InputError(tr("a command is missing"), where=command, remedy=shows_all)


def _wanted(one: Any) -> Text:
    """What a parameter must be."""
    least, most = _limits(one)
    if _kind(one) == "whole":
        return _within(tr("must be a whole number"), least, most)
    return _within(tr("must be a number"), least, most) if _kind(one) == "number" else tr("cannot be used")


def _within(kind: Text, least: float | None, most: float | None) -> Text:
    if least is not None and most is not None:
        return tr("{kind} from {least:,} to {most:,}", kind=kind, least=least, most=most)
    if least is not None:
        return tr("{kind} of at least {least:,}", kind=kind, least=least)
    return kind if most is None else tr("{kind} of at most {most:,}", kind=kind, most=most)


def _got(error: Any) -> Text | str:
    """What was given instead, where the error knows it."""
    cause = error.__cause__
    values = [found.get("input") for found in cause.errors()] if hasattr(cause, "errors") else []
    return tr("Got {value!r} instead", value=str(values[0])) if values else ""
