"""The command ``cobogo``."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from cobogo import __version__
from cobogo.cli import console
from cobogo.errors import CobogoError, PolicyError

app = typer.Typer(
    name="cobogo",
    help="Share the use of data about people without exposing anyone.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=True,
)

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def _version(asked: bool) -> None:
    if asked:
        console.say(f"cobogo {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


@app.command()
def anonymize(
    policy: Annotated[Path, typer.Argument(help="The policy: a TOML file.", show_default=False)],
    out: Annotated[Path | None, typer.Option("--out", help="Where the release goes.", show_default=False)] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", help="The engine's URL; DuckDB in memory if not given.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Search and report; write nothing.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no summary.")] = False,
    as_json: Json = False,
) -> None:
    """Find the best release that satisfies a policy, write it and verify it."""
    from cobogo import job
    from cobogo.cli.summary import lines
    from cobogo.policy import Policy

    rules = Policy.load(policy)
    directory = out or (rules.resolve(rules.output.directory) if rules.output.directory else None)
    if directory is None and not dry_run:
        raise PolicyError(
            "says nowhere where the release should go",
            where=f"{policy}, output.directory",
            remedy="Add it, or give --out.",
        )
    with console.progress(quiet=quiet or as_json) as show:
        release = job.anonymize(rules, engine=engine, progress=show)
        verdict = None if dry_run or directory is None else job.write(release, directory, progress=show)
    for warning in release.warnings:
        console.warn(warning)
    if as_json:
        from cobogo.report import story

        console.say_json(story.expected(release))
    elif not quiet:
        for line in lines(release, verdict, directory):
            console.say(line)


@app.command()
def verify(
    release: Annotated[Path, typer.Argument(help="A release directory, or its public part.", show_default=False)],
    policy: Annotated[Path | None, typer.Option("--policy", help="Also check this policy's models and roles.")] = None,
    as_json: Json = False,
) -> None:
    """Check a release: every hash, and every model from the released values. Exit 1 when something does not hold."""
    from cobogo.cli.summary import verdict_lines
    from cobogo.release import verify as verification

    verdict = verification.verify(release, policy=policy)
    if as_json:
        console.say_json(verdict.as_dict())
    else:
        for line in verdict_lines(verdict):
            console.say(line)
    if not verdict:
        raise typer.Exit(1)


@app.command(name="list")
def list_(
    what: Annotated[str, typer.Argument(help="models, metrics, algorithms, attacks or mechanisms", show_default=False)],
    as_json: Json = False,
) -> None:
    """List what a policy can ask for."""
    from cobogo.cli.catalogue import catalogue

    entries = catalogue(what)
    if as_json:
        console.say_json([{"name": name, "about": about} for name, about in entries])
    elif not entries:
        console.say(f"There are no {what} in this version.")
    else:
        console.say(console.table(["name", "what it is"], [[name, about] for name, about in entries], numbers_from=2))


def run(arguments: list[str] | None = None) -> None:
    """Run the command and end the process with its exit code."""
    signal.signal(signal.SIGTERM, _stop)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        app(args=arguments)
    except CobogoError as error:
        console.complain(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("cobogo: stopped; nothing was left behind.", file=sys.stderr)
        sys.exit(130)


def _stop(number: int, frame: object) -> None:  # noqa: ARG001
    raise KeyboardInterrupt
