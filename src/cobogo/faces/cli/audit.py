"""The command ``cobogo audit``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.faces.cli import console, language
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.studies.audit import Audit

AUDIT = {
    "nobody": tr("None of the {tried} attacks that were tried finds anybody beyond what anybody knew."),
    "exposed": tr(
        "Somebody is found. Re-identified: {record}; a value inferred: {value}; known to be there: "
        "{presence}. See what helps in the page."
    ),
    "open": tr(
        "No verdict: of the attacks that are made for such a release {untried} could not be tried. This "
        "is no all-clear."
    ),
}

FINDS = {
    "record": tr("record"),
    "value": tr("value"),
    "presence": tr("presence"),
}


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

    Exit 0 when every attack that is made for such a release was tried and none finds anybody. Exit 1 when one does, and
    when one could not be tried: there is no verdict then.
    """
    from cobogo.studies import audit as audits

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
            found.write(release, language=language.requested_language())
    if as_json:
        console.say_json(found.as_dict())
    else:
        console.say(audit_lines(found))
        console.say_written(f"{release}/evidence/audit.html", f"{release}/evidence/audit.json")
    if not found:
        raise typer.Exit(1)


def audit_lines(found: Audit) -> str:
    """A table of the attacks that were tried, and why the others were not."""
    say = language.terminal_speech()
    rows = []
    for trial in found.tried:
        if trial.findings is not None:
            exposed = len(trial.findings.exposed)
            surest, before = trial.findings.surest
            knew = "" if before is None else say.percent(before)
            mark = f"✗ {say('{n} found', n=exposed)}" if exposed else f"✓ {say('nobody')}"
            figures = [say.number(trial.findings.attacked), say.percent(surest), knew]
            rows.append(
                [trial.name, say(FINDS[trial.attack.finds]), *figures, say.percent(trial.findings.threshold), mark]
            )
    header = [say(key) for key in ("attack", "finds", "attacked", "surest", "before", "threshold", "verdict")]
    text = [console.table(header, rows, numbers=(2, 3, 4, 5))]
    text += [
        f"{say(tr('Could not be tried') if trial.open else tr('Not tried'))}: {trial.name}: {trial.why}."
        for trial in sorted(found.trials, key=lambda trial: trial.open)
        if trial.findings is None
    ]
    text += [f"{say('Note')}: {language.terminal_speech()(note)}." for note in found.notes]
    text.append(say(AUDIT[found.verdict], tried=len(found.tried), untried=len(found.untried), **found.people))
    return "\n".join(text)
