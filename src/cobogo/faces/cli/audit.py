"""The commands ``cobogo audit`` and ``cobogo statement``: attacks on a release, and pages to sign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Control, Queries, ReleaseWithEvidence
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.studies.audit import Audit

AUDIT = {
    "nobody": tr("No attack finds a person, beyond what was known before. Attacks tried: {tried}."),
    "inferred": tr(
        "No attack that was tried finds a person. Attacks infer a sensitive value of {value} people. The page says "
        "what helps."
    ),
    "exposed": tr(
        "Attacks find people. Re-identified: {record}; a value inferred: {value}; presence revealed: "
        "{presence}. The page says what helps."
    ),
    "open": tr(
        "No verdict: attacks that are made for such a release could not be tried ({untried}). This does not mean "
        "that the release is safe."
    ),
}

FINDS = {
    "record": tr("record"),
    "value": tr("value"),
    "presence": tr("presence"),
}


def audit(
    release: ReleaseWithEvidence,
    earlier: Annotated[
        list[Path],
        typer.Option("--with", help="An earlier release; may be given again. The registry's if not given."),
    ] = [],  # noqa: B006
    knowledge: Annotated[
        Path | None, typer.Option("--knowledge", help="What the attacker knows; the original table if not given.")
    ] = None,
    control: Control = None,
    queries: Queries = None,
    policy: Annotated[Path | None, typer.Option("--policy", help="The policy; the evidence's if not given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON and write nothing.")] = False,
) -> None:
    """Try every attack that applies to a release, and put a page to sign into its evidence.

    Exit 0 when every attack that is made for such a release was tried and no attack finds a person or infers a value.
    Exit 1 when an attack does, and when one could not be tried: there is no verdict then.
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


def statement(
    release: ReleaseWithEvidence,
    pdf: Annotated[bool, typer.Option("--pdf", help="Also as PDF; needs Chromium or Chrome.")] = False,
) -> None:
    """Put a page for the person who signs a release, and an impact report, into its evidence."""
    from cobogo.studies import statement as statements

    found = statements.statement(release)
    asked = "en" if found.policy is None else language.report_language(found.policy)
    written = found.write(language=language.requested_language() or asked, pdf=pdf)
    console.say_written(*map(str, written))


def audit_lines(found: Audit) -> str:
    """A table of the attacks that were tried, and why the others were not."""
    from cobogo.studies.audit_page import exposed_words

    say = language.terminal_speech()
    rows = []
    for trial in found.tried:
        if trial.findings is not None:
            exposed = trial.exposed
            surest, before = trial.findings.surest
            knew = "" if before is None else say.percent(before)
            mark = say(exposed_words(trial), n=exposed) if exposed else "✓ " + say("no one found")
            figures = [say.number(trial.attacked), say.percent(surest), knew]
            rows.append(
                [trial.name, say(FINDS[trial.attack.finds]), *figures, say.percent(trial.findings.threshold), mark]
            )
    header: list[str] = [
        tr("attack"), tr("finds"), tr("attacked"), tr("surest"), tr("before"), tr("threshold"), tr("verdict"),
    ]  # fmt: skip
    text = [console.table(header, rows, numbers=(2, 3, 4, 5))]
    could_not, not_tried = say("Could not be tried"), say("Not tried")
    text += [
        f"{could_not if trial.open else not_tried}: {trial.name}: {say(trial.why or '').rstrip('.')}."
        for trial in sorted(found.trials, key=lambda trial: trial.open)
        if trial.findings is None
    ]
    text += [console.note(note) for note in found.notes]
    text.append(say(AUDIT[found.verdict], tried=len(found.tried), untried=len(found.untried), **found.people))
    return "\n".join(text)
