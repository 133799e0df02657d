"""The command ``cobogo attack``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cobogo.errors import PolicyError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Control, Json, Queries
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.examine.attacks.base import Findings

LISTED = 10
"""Rows that the terminal lists."""


def attack(
    name: Annotated[str, typer.Argument(help="The name of the attack: see `cobogo list attacks`.", show_default=False)],
    releases: Annotated[
        list[Path],
        typer.Argument(
            help="Release directories, or files with --policy. Some attacks take several.", metavar="RELEASE…"
        ),
    ],
    knowledge: Annotated[
        Path | None, typer.Option("--knowledge", help="A table about people that the attacker knows.")
    ] = None,
    control: Control = None,
    queries: Queries = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy", help="The policy with the roles and hierarchies; the evidence of a release directory has it."
        ),
    ] = None,
    attribute: Annotated[
        str | None, typer.Option("--attribute", help="The sensitive attribute; each of them in turn if not given.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", help="The columns that the attacker uses, as in age,sex.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="A person who is found with more than this counts as exposed.")
    ] = None,
    options: Annotated[
        list[str], typer.Option("--set", help="Another option of the attack, as in t=2; may be given again.")
    ] = [],  # noqa: B006
    separator: Annotated[
        str | None,
        typer.Option("--separator", help="The character between the columns of plain files; guessed if not given."),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", help="The encoding of plain files; detected if not given.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Attack a release as an attacker would.

    Exit 1 when a person is found beyond the threshold, and when the attack could not be tried: it says which. Shows row
    numbers and figures, never values.
    """
    from cobogo.examine import attacks

    asked: dict[str, Any] = {"attribute": attribute, "columns": columns, "threshold": threshold, **_options_of(options)}
    findings = attacks.attack(
        name,
        *releases,
        knowledge=knowledge,
        control=control,
        queries=queries,
        policy=policy,
        separator=separator,
        encoding=encoding,
        **{key: value for key, value in asked.items() if value is not None},
    )
    if as_json:
        console.say_json(findings.to_dict())
    else:
        console.say(attack_lines(findings))
    if findings.succeeded or not findings.tried:
        raise typer.Exit(1)


def attack_lines(findings: Findings) -> str:
    """Lines of text for what an attack found."""
    content = findings.to_dict()
    say, line = language.terminal_speech(), console.line
    text = [
        line("attack", findings.attack),
        line("knows", say(findings.knows)),
        *([line("assumes", _options_text(content["assumes"]))] if content["assumes"] else []),
        line("found", say(findings.summary)),
    ]
    text += [line("", f"{say(name)}: {_figure(value)}") for name, value in content["measures"].items()]
    rows = content["rows"][:LISTED]
    if rows:
        more = content["exposed"] - len(rows)
        numbers = ", ".join(str(entry["row"]) for entry in rows)
        numbers += say(", and {n} more", n=more) if more else ""
        text.append(line("rows", f"{say(_whose(findings.rows_of))}: {numbers}"))
    text += [line("note", say(note)) for note in findings.notes]
    text.append(line("defence", say(findings.defence)))
    return "\n".join(text)


def _whose(rows_of: str) -> str:
    """Whose rows are numbered."""
    name, _, number = rows_of.partition(" ")
    if name == "release" and number:
        return tr("of release {number}", number=number)
    known = {"knowledge": tr("of the knowledge"), "release": tr("of the release")}
    return known.get(rows_of, rows_of)


def _options_text(options: dict[str, Any]) -> str:
    """The options of an attack, as they are given."""
    texts = {
        name: ",".join(map(str, value)) if isinstance(value, list) else str(value) for name, value in options.items()
    }
    return ", ".join(f"{name.replace('_', '-')} = {text.lower()}" for name, text in texts.items())


def _figure(value: float | int | None) -> str:
    say = language.terminal_speech()
    if value is None:
        return say("none")
    return say.number(value) if isinstance(value, int) else say.fixed(value)


def _options_of(options: list[str]) -> dict[str, str]:
    found = {}
    for option in options:
        key, sign, value = option.partition("=")
        if not sign or not key.strip():
            raise PolicyError(
                tr("must be written as NAME=VALUE. Got {option!r} instead", option=option),
                where="--set",
                remedy=tr("Write it as in: --set t=2."),
            )
        found[key.strip()] = value.strip()
    return found
