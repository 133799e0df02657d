"""The command ``cobogo verify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Json
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.promises.models.check import ModelVerdict
    from cobogo.release.contract import Verdict


def verify(
    release: Annotated[
        Path,
        typer.Argument(
            help="A release directory, its public part, or its address in object storage.", show_default=False
        ),
    ],
    policy: Annotated[Path | None, typer.Option("--policy", help="Also check this policy's models and roles.")] = None,
    engine: Annotated[
        str | None,
        typer.Option("--engine", help="The URL of the database, or of the lake's table, with the released rows."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 also when a model cannot be decided from what is there.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check a release: every hash, and every model from the released values. Exit 1 when something does not hold."""
    from cobogo.release import verify as verification

    verdict = verification.verify(release, policy=policy, engine=engine)
    if as_json:
        console.say_json(verdict.as_dict())
    else:
        for line in verdict_lines(verdict):
            console.say(line)
    if not verdict or (strict and verdict.undecided):
        raise typer.Exit(1)


def verdict_lines(verdict: Verdict) -> list[str]:
    """Lines of text for a verdict: one for each model, then problems, notes and the conclusion."""
    say = language.terminal_speech()
    text = []
    width = max((len(str(found.model)) for found in verdict.models), default=0)
    for found in verdict.models:
        failing = ""
        if verdict.classes is not None:
            failing = "  " + say.plural(
                "{failing} of {n} class fails",
                "{failing} of {n} classes fail",
                n=verdict.classes,
                failing=found.failing_classes,
            )
        mark = "?" if found.undecided else "✓" if found.satisfied else f"✗{failing}"
        text.append(f"{found.model!s:<{width}}  {measured_value(found):<16} {mark}")
    text += [f"✗ {say(problem)}" for problem in verdict.problems]
    text += [console.note(note) for note in verdict.notes]
    if verdict and verdict.undecided:
        text.append(
            say(
                "No error was found; {undecided} of {models} models cannot be decided from what is here (?).",
                undecided=len(verdict.undecided),
                models=len(verdict.models),
            )
        )
    else:
        text.append(say(tr("The release holds.") if verdict else tr("The release does NOT hold.")))
    return text


def measured_value(found: ModelVerdict) -> str:
    """What a verification measured of a model."""
    say = language.terminal_speech()
    if found.undecided and found.measured is None:
        return say("not measured")
    return say("no records") if found.measured is None else say("measured {value}", value=say.fixed(found.measured))
