"""The command ``cobogo``: every command in its panel, and what happens to errors and signals."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Annotated, Any

import typer

from cobogo import __version__
from cobogo.errors import CobogoError, InputError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.commands import CommandLine, Group
from cobogo.faces.cli.commands import help_texts as texts_of
from cobogo.faces.cli.language import take_language
from cobogo.floor import lean
from cobogo.floor.extras import missing
from cobogo.floor.files import remove_all_scratch
from cobogo.floor.language import LANGUAGES, tr

PANELS = {
    "Begin": {"demo": "guide:demo", "inspect": "inspect:inspect", "guide": "guide:guide"},
    "Publish a table": {
        "anonymize": "anonymize:anonymize", "perturb": "perturb:perturb", "sample": "perturb:sample",
        "synthesize": "perturb:synthesize", "mask": "mask:mask", "tokenize": "mask:tokenize",
        "detokenize": "mask:detokenize", "vault": "vault:app", "registry": "registry:app", "apply": "anonymize:apply",
    },
    "Answer questions": {"answer": "answer:app"},
    "Collect without being trusted": {"collect": "collect:app"},
    "Locate without following": {"locate": "locate:app"},
    "Examine what is released": {
        "verify": "verify:verify", "risk": "risk:risk", "attack": "attack:attack", "audit": "audit:audit",
        "statement": "audit:statement", "frontier": "compare:frontier", "improve": "compare:improve",
        "compare": "compare:compare", "kinds": "compare:kinds",
    },
    "Serve": {"serve": "serve:serve", "workbench": "serve:workbench"},
    "Look up": {"list": "list:list_", "explain": "list:explain", "example": "list:example", "schema": "list:schema"},
}  # fmt: skip
"""Every command by its name, in the panels of ``cobogo --help``: by door, in the order in which one uses them. Each is
a function of a module beside this one, or a group of commands."""

RENAMED = {"dp": "answer", "ldp": "collect", "location": "locate"}
"""What commands were called once, and are called now."""


class Commands(Group):
    """All commands: each of them takes ``--lang``, and they are listed in the order of their panels."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the language out of the arguments before anybody else reads them, and see whether programs read on."""
        console.for_programs(wanted="--json" in args)
        left = take_language(args)
        return super().parse_args(ctx, left)

    def main(self, args: Any = None, prog_name: str | None = None, *more: Any, **options: Any) -> Any:
        """Run under our own name, however the program was started."""
        return super().main(args, prog_name or "cobogo", *more, **options)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names in the order of the panels; Typer's own order has groups last."""
        return [name for panel in PANELS.values() for name in panel]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """A command by its name, made when it is asked for: to make all of them takes a while."""
        for title, panel in PANELS.items():
            if cmd_name in panel and cmd_name not in self.commands:
                self.commands[cmd_name] = _make_command(cmd_name, panel[cmd_name], title)
        return self.commands.get(cmd_name)

    def summaries(self, ctx: Any) -> Iterator[tuple[str, str | None, str]]:  # noqa: ARG002
        """Each command as its module describes it: it need not be made for that."""
        for title, panel in PANELS.items():
            for name, place in panel.items():
                found = _find_command(place)
                yield name, title, (found.info.help if isinstance(found, typer.Typer) else found.__doc__) or ""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the arguments begin with. A former name is an error that gives the new one."""
        if not ctx.resilient_parsing and (new := RENAMED.get(args[0])):
            raise InputError(
                tr("{old} is now {new}", old=args[0], new=new),
                remedy=tr("Type: {command}", command=" ".join(["cobogo", new, *args[1:2], "…"])),
            )
        return super().resolve_command(ctx, args)


TYPERS_OWN = (
    "Install completion for the current shell.",
    "Show completion for the current shell, to copy it or customize the installation.",
    "Show this message and exit.",
)
"""The help of options that Typer adds by itself."""

app = CommandLine(
    name="cobogo",
    cls=Commands,
    help="Share the use of data about people without exposing anyone.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=True,
)


def _version(wanted: bool) -> None:
    if wanted:
        console.say(f"cobogo {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    lang: Annotated[
        str | None,
        typer.Option(
            "--lang",
            metavar="|".join(LANGUAGES),
            help="The language; the locale's if not given. Every command takes it.",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass  # both are dealt with before


def _find_command(place: str) -> Any:
    """A command's function, or the group of its commands, in the module that has it."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(f"cobogo.faces.cli.{module}"), attribute)


def _make_command(name: str, place: str, panel: str) -> Any:
    """A command or a group of commands, from the module that has it."""
    found = _find_command(place)
    alone = CommandLine(callback=lambda: None)
    if isinstance(found, typer.Typer):
        alone.add_typer(found, name=name, rich_help_panel=panel)
    else:
        alone.command(name=name, rich_help_panel=panel)(found)
    return typer.main.get_group(alone).commands[name]


def all_commands() -> Any:
    """The whole tree of commands, for whoever reads it."""
    tree: Any = typer.main.get_command(app)
    for name in tree.list_commands(None):
        tree.get_command(None, name)
    return tree


def help_texts() -> list[str]:
    """What ``--help`` says: of panels, commands and options."""
    return list(dict.fromkeys([*PANELS, *texts_of(all_commands()), *TYPERS_OWN]))


def run(arguments: list[str] | None = None) -> None:
    """Run the command and end the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without accents is no reason to fail
    signal.signal(signal.SIGINT, _stop)
    signal.signal(signal.SIGTERM, _stop)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, _stop)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    lean.own_the_process()
    try:
        app(args=arguments)
    except CobogoError as error:
        console.complain(error)
        sys.exit(error.exit_code)
    except Exception as error:
        if os.environ.get("COBOGO_DEBUG"):
            raise
        if isinstance(error, ModuleNotFoundError) and (absent := missing(error)):
            console.complain(absent)
            sys.exit(absent.exit_code)
        console.complain_of_defect(error)
        sys.exit(70)


def _stop(number: int, frame: object) -> None:  # noqa: ARG001
    """End at once. An exception could be lost in a callback of some library; what is on disk cannot wait for that."""
    remove_all_scratch()
    said = language.terminal_speech()(tr("stopped; nothing half-written is in place."))
    os.write(2, f"cobogo: {said}\n".encode(errors="replace"))
    os._exit(128 + number)
