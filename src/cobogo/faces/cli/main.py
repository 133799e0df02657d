"""The command ``cobogo``."""

from __future__ import annotations

import io
import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from cobogo import __version__
from cobogo.errors import CobogoError, PolicyError
from cobogo.faces.cli import (
    applying,
    attacking,
    auditing,
    bench,
    collecting,
    console,
    curating,
    explaining,
    kinds,
    listing,
    location,
    masking,
    registering,
    risk,
    serving,
    speaking,
    transforming,
    vaulting,
)
from cobogo.floor import scratch
from cobogo.floor.extras import missing

app = typer.Typer(
    name="cobogo",
    cls=speaking.Speaking,
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
    lang: Annotated[
        str | None, typer.Option("--lang", help="en or pt-BR; the locale's if not given. Every command takes it.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass  # both are dealt with before


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
    from cobogo.data.policy import Policy
    from cobogo.faces.cli.summary import lines
    from cobogo.publish import anonymize as job
    from cobogo.publish import write as publish

    rules = speaking.in_language(Policy.load(policy))
    directory = out or (rules.resolve(rules.output.directory) if rules.output.directory else None)
    if directory is None and not dry_run:
        raise PolicyError(
            "says nowhere where the release should go",
            where=f"{policy}, output.directory",
            remedy="Add it, or give --out.",
        )
    with console.progress(quiet=quiet or as_json) as show:
        release = job.anonymize(rules, engine=engine, progress=show)
        if dry_run:
            publish.check_against_earlier(release)
        verdict = None if dry_run or directory is None else publish.write(release, directory, progress=show)
    for warning in release.warnings:
        console.warn(warning)
    if as_json:
        from cobogo.tell.report import story

        console.say_json(story.expected(release))
    elif not quiet:
        for line in lines(release, verdict, directory):
            console.say(line)


@app.command()
def verify(
    release: Annotated[Path, typer.Argument(help="A release directory, or its public part.", show_default=False)],
    policy: Annotated[Path | None, typer.Option("--policy", help="Also check this policy's models and roles.")] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", help="The URL of the database that holds a released table.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 also when a model cannot be decided from what is there.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check a release: every hash, and every model from the released values. Exit 1 when something does not hold."""
    from cobogo.faces.cli.summary import verdict_lines
    from cobogo.release import verify as verification

    verdict = verification.verify(release, policy=policy, engine=engine)
    if as_json:
        console.say_json(verdict.as_dict())
    else:
        for line in verdict_lines(verdict):
            console.say(line)
    if not verdict or (strict and verdict.undecided):
        raise typer.Exit(1)


app.command()(transforming.perturb)
app.command()(transforming.sample)
app.command()(kinds.kinds)
app.command()(transforming.synthesize)
app.command()(masking.mask)
app.command()(masking.tokenize)
app.command()(masking.detokenize)
app.add_typer(vaulting.app, name="vault")
app.command()(serving.serve)
app.command()(bench.workbench)


@app.command()
def inspect(
    data: Annotated[Path, typer.Argument(help="A CSV or Parquet file.", show_default=False)],
    separator: Annotated[str | None, typer.Option("--separator", help="Guessed from the header if not given.")] = None,
    encoding: Annotated[str, typer.Option("--encoding", help="utf-8 or latin-1.")] = "utf-8",
    write: Annotated[Path | None, typer.Option("--write", help="Write a starter policy here.")] = None,
    as_json: Json = False,
) -> None:
    """Look at a file: its columns' types, and suggested roles and hierarchies. Shows no values."""
    from cobogo.data.schema import inspection as inspecting
    from cobogo.faces.cli import inspection

    if encoding not in ("utf-8", "latin-1"):
        raise PolicyError(f"must be utf-8 or latin-1. Got {encoding!r} instead", where="--encoding")
    if separator is not None and len(separator) != 1:
        raise PolicyError(f"must be one character. Got {separator!r} instead", where="--separator")
    options, profiles, suggestions = inspecting.inspect(data, separator, encoding)
    if write is not None:
        inspection.write_starter(write, data, options, profiles, suggestions)
    if as_json:
        console.say_json(inspecting.as_json(profiles, suggestions))
        return
    say = speaking.words()
    console.say(inspection.as_table(profiles, suggestions))
    if any(not found.certain for found in suggestions):
        console.say(f"\n{say('guess')}")
    if write is not None:
        console.written(str(write), say("confirm", policy=write))


@app.command()
def frontier(
    policy: Annotated[Path, typer.Argument(help="The policy: a TOML file.", show_default=False)],
    vary: Annotated[
        list[str],
        typer.Option("--vary", help="What to vary, as in k=2,5,10,20; may be given again.", show_default=False),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="Also draw it, as a picture and a page, here.", show_default=False)
    ] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", help="The engine's URL; DuckDB in memory if not given.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what more privacy costs: the best release for each value of a parameter. Exit 1 when none has a solution."""
    from cobogo.data.policy import Policy
    from cobogo.faces.cli.tradeoff import lines
    from cobogo.studies import frontier as frontiers

    rules = Policy.load(policy)
    with console.progress(quiet=as_json) as show:
        found = frontiers.frontier(rules, vary=frontiers.parsed(vary), engine=engine, progress=show)
        if out is not None:
            frontiers.write(found, out, language=speaking.written(rules))
    if as_json:
        console.say_json(found.as_dict())
    else:
        console.say(lines(found))
        if out is not None:
            console.written(f"{out}/frontier.html", f"{out}/frontier.png", f"{out}/frontier.json")
    if not any(point.levels is not None for point in found.points):
        raise typer.Exit(1)


@app.command()
def compare(
    policy: Annotated[Path, typer.Argument(help="The policy: a TOML file.", show_default=False)],
    algorithms: Annotated[
        str, typer.Option("--algorithms", help="Which, as in optimal,ola,local; all if not given.", show_default=False)
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--out", help="Also draw it, as a picture and a page, here.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Run several algorithms on one policy and show loss, time, suppression, classes and risk side by side.

    Exit 1 when none finds a solution.
    """
    from cobogo.data.policy import Policy
    from cobogo.faces.cli.comparing import lines
    from cobogo.studies import comparison

    rules = Policy.load(policy)
    names = [name.strip() for name in algorithms.split(",") if name.strip()]
    with console.progress(quiet=as_json) as show:
        found = comparison.compare(rules, algorithms=names, progress=show)
        if out is not None:
            comparison.write(found, out, language=speaking.written(rules))
    if as_json:
        console.say_json(found.as_dict())
    else:
        console.say(lines(found))
        if out is not None:
            console.written(f"{out}/comparison.html", f"{out}/comparison.png", f"{out}/comparison.json")
    if not any(run.solved for run in found.runs):
        raise typer.Exit(1)


app.command()(risk.risk)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", help="Where everything goes.")] = Path("demo"),
    rows: Annotated[int, typer.Option("--rows", help="How many made-up people.")] = 20_000,
) -> None:
    """Anonymize made-up COVID-19 cases of Ceará with k = 2, 4, 8 and l = 2, 3, 4, and show what came of it."""
    from cobogo.faces.cli.demonstration import lines
    from cobogo.studies.demo.run import run as run_demo

    with console.progress() as show:
        made = run_demo(out, rows=rows, language=speaking.written(None), progress=show)
    console.say(lines(made, out))


app.command(name="attack")(attacking.attack)
app.command(name="apply")(applying.apply)
app.command(name="audit")(auditing.audit)
app.add_typer(registering.app, name="registry")


app.command()(explaining.explain)


@app.command(name="list")
def list_(
    what: Annotated[
        str, typer.Argument(help="models, metrics, algorithms, engines, attacks or mechanisms", show_default=False)
    ],
    as_json: Json = False,
) -> None:
    """List what a policy can ask for."""
    from cobogo.faces.cli.catalogue import catalogue

    entries = catalogue(what)
    if as_json:
        console.say_json([{"name": name, "about": about} for name, about in entries])
    elif not entries:
        console.say(f"There are no {what} in this version.")
    else:
        console.say(console.table(["name", "what it is"], [[name, about] for name, about in entries]))


curating.app.command(name="frequency-list")(listing.frequency_list)
app.add_typer(curating.app)
app.add_typer(collecting.app)
app.add_typer(location.app)


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
        console.complain_of_ourselves(error)
        sys.exit(70)


def _stop(number: int, frame: object) -> None:  # noqa: ARG001
    """End at once. An exception could be lost in a callback of some library; what is on disk cannot wait for that."""
    scratch.remove_all()
    os.write(2, b"cobogo: stopped; nothing was left behind.\n")
    os._exit(128 + number)
