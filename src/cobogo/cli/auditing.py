"""Auditing a release from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.cli import console, speaking

if TYPE_CHECKING:
    from cobogo.audit import Audit


def audit(
    release: Annotated[Path, typer.Argument(help="A release directory with its evidence.", show_default=False)],
    earlier: Annotated[
        list[Path],
        typer.Option("--with", help="An earlier release; may be given again. The registry's if not given."),
    ] = [],  # noqa: B006
    knowledge: Annotated[
        Path | None, typer.Option("--knowledge", help="What the attacker knows; the original table if not given.")
    ] = None,
    control: Annotated[
        Path | None, typer.Option("--control", help="A table about people who are not in the release.")
    ] = None,
    queries: Annotated[Path | None, typer.Option("--queries", help="Queries that were answered, one a line.")] = None,
    policy: Annotated[Path | None, typer.Option("--policy", help="The policy; the evidence's if not given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON; write nothing.")] = False,
) -> None:
    """Try every attack that applies to a release, and put a page to sign into its evidence.

    Exit 1 when one succeeds.
    """
    from cobogo import audit as audits

    with console.progress(quiet=as_json) as show:
        found = audits.audit(
            release,
            earlier=earlier,
            knowledge=knowledge,
            control=control,
            queries=queries,
            policy=policy,
            progress=show,
        )
        if not as_json:
            audits.write(found, release, language=speaking.asked())
    if as_json:
        console.say_json(found.as_dict())
    else:
        console.say(lines(found))
        console.written(f"{release}/evidence/audit.html", f"{release}/evidence/audit.json")
    if not found:
        raise typer.Exit(1)


def lines(found: Audit) -> str:
    """A table of the attacks that were tried, and why the others were not."""
    from cobogo.report.audit import surest

    say = speaking.words()
    rows = []
    for trial in found.tried:
        if trial.findings is not None:
            exposed = len(trial.findings.exposed)
            sure, most = say.percent(surest(trial.findings)), say.percent(trial.findings.threshold)
            mark = f"✗ {say('found', n=exposed)}" if exposed else f"✓ {say('nobody')}"
            rows.append([trial.name, say.number(trial.findings.attacked), sure, most, mark])
    header = [say(key) for key in ("attack", "attacked", "surest", "threshold", "verdict")]
    text = [console.table(header, rows, numbers=(1, 2, 3))]
    text += [f"{say('Not tried')}: {trial.name}: {trial.why}." for trial in found.trials if trial.findings is None]
    text += [f"{say('Note')}: {speaking.sentence(note)}." for note in found.notes]
    text.append(say("no attack" if found else "somebody"))
    return "\n".join(text)
