"""The command ``cobogo``: every command in its panel, and what happens to errors and signals."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from cobogo import __version__
from cobogo.errors import CobogoError, InputError
from cobogo.faces.cli import answer, collect, console, language, locate, registry, vault
from cobogo.faces.cli.anonymize import anonymize, apply
from cobogo.faces.cli.attack import attack
from cobogo.faces.cli.audit import audit
from cobogo.faces.cli.commands import CommandLine, Group
from cobogo.faces.cli.commands import help_texts as texts_of
from cobogo.faces.cli.compare import compare, frontier, kinds
from cobogo.faces.cli.demo import demo
from cobogo.faces.cli.inspect import inspect as inspect_
from cobogo.faces.cli.language import take_language
from cobogo.faces.cli.list import explain, list_
from cobogo.faces.cli.mask import detokenize, mask, tokenize
from cobogo.faces.cli.perturb import perturb, sample, synthesize
from cobogo.faces.cli.risk import risk
from cobogo.faces.cli.serve import serve, workbench
from cobogo.faces.cli.verify import verify
from cobogo.floor import lean
from cobogo.floor.extras import missing
from cobogo.floor.files import remove_all_scratch
from cobogo.floor.language import LANGUAGES, tr

PANELS: dict[str, dict[str, Callable[..., None] | typer.Typer]] = {
    "Begin": {"demo": demo, "inspect": inspect_},
    "Publish a table": {
        "anonymize": anonymize, "perturb": perturb, "sample": sample, "synthesize": synthesize, "mask": mask,
        "tokenize": tokenize, "detokenize": detokenize, "vault": vault.app, "registry": registry.app, "apply": apply,
    },
    "Answer questions": {"answer": answer.app},
    "Collect without being trusted": {"collect": collect.app},
    "Locate without following": {"locate": locate.app},
    "Examine what is released": {
        "verify": verify, "risk": risk, "attack": attack, "audit": audit, "frontier": frontier, "compare": compare,
        "kinds": kinds,
    },
    "Serve": {"serve": serve, "workbench": workbench},
    "Look up": {"list": list_, "explain": explain},
}  # fmt: skip
"""Every command by its name, in the panels of ``cobogo --help``: by door, in the order in which one uses them."""

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


for _panel, _commands in PANELS.items():
    for _name, _command in _commands.items():
        if isinstance(_command, typer.Typer):
            app.add_typer(_command, name=_name, rich_help_panel=_panel)
        else:
            app.command(name=_name, rich_help_panel=_panel)(_command)


def help_texts() -> list[str]:
    """What ``--help`` says: of panels, commands and options."""
    return list(dict.fromkeys([*PANELS, *texts_of(typer.main.get_command(app)), *TYPERS_OWN]))


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
    lean.own_process = True
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
    said = language.terminal_speech()(tr("stopped; nothing was left behind."))
    os.write(2, f"cobogo: {said}\n".encode(errors="replace"))
    os._exit(128 + number)
