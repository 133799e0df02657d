"""The commands ``cobogo anonymize`` and ``cobogo apply``: a recoding that is searched for, or used again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Engine, Evidence, Json, Memory, Out, PolicyFile, Quiet, limit_memory
from cobogo.faces.cli.registry import DEFAULT, KeyFile, Place, registry_at

if TYPE_CHECKING:
    from cobogo.publish.recoding import AnonymizedRelease
    from cobogo.release.contract import Destination, Verdict


def anonymize(
    policy: PolicyFile,
    out: Out = None,
    evidence: Evidence = None,
    engine: Engine = None,
    memory: Memory = None,
    algorithm: Annotated[
        str | None,
        typer.Option("--algorithm", help="Instead of the policy's: see `cobogo list algorithms`.", show_default=False),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Search and show the result, but write nothing.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Find the best release that satisfies a policy, write it and verify it."""
    from cobogo.data.policy import Policy
    from cobogo.faces.cli.summary import destination_of
    from cobogo.publish import anonymize as job
    from cobogo.publish.recoding import check_against_earlier
    from cobogo.release.write import write_release

    limit_memory(memory)
    rules = language.with_report_language(Policy.load(policy))
    if algorithm is not None:
        rules = rules.model_copy(update={"recoding": rules.recoding.model_copy(update={"algorithm": algorithm})})
    place = None if dry_run else destination_of(rules, out, evidence)
    with console.progress(quiet=quiet or as_json) as show:
        release = job.anonymize(rules, engine=engine, progress=show)
        if place is None:
            check_against_earlier(release)
        verdict = None if place is None else write_release(release, place, progress=show)
    _say_recoding(release, verdict, place, quiet, as_json)


def apply(
    release: Annotated[
        str, typer.Argument(help="The id of a registered release: see `cobogo registry list`.", show_default=False)
    ],
    data: Annotated[Path, typer.Argument(help="A file of new rows with the same columns.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="The directory of the release.", show_default=False)],
    registry: Place = DEFAULT,
    key: KeyFile = None,
    engine: Engine = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Recode new rows as a registered release was recoded, leave out what no longer fits, verify and register it.

    Exit 1 when nothing is left to release.
    """
    from cobogo.publish.registry import reuse
    from cobogo.release.contract import Destination
    from cobogo.release.write import write_release

    book = registry_at(registry, key)
    with console.progress(quiet=quiet or as_json) as show:
        show("read", 0, 0)
        made = reuse.apply(book, registry, key, release, data, engine=engine)
        place = Destination.of(out)
        verdict = write_release(made, place, progress=show)
    _say_recoding(made, verdict, place, quiet, as_json)


def _say_recoding(
    release: AnonymizedRelease, verdict: Verdict | None, place: Destination | None, quiet: bool, as_json: bool
) -> None:
    from cobogo.faces.cli.summary import recoding_lines, report_of

    for warning in release.warnings:
        console.warn(warning)
    if as_json:
        console.say_json(report_of(release, place))
    elif not quiet:
        for line in recoding_lines(release, verdict, place):
            console.say(line)
