"""The commands ``cobogo anonymize`` and ``cobogo apply``: a recoding that is searched for, or used again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Engine, Json, Memory, Out, PolicyFile, Quiet, limit_memory
from cobogo.faces.cli.registry import DEFAULT, KeyFile, Place, registry_at

if TYPE_CHECKING:
    from cobogo.publish.recoding import AnonymizedRelease
    from cobogo.release.contract import Verdict


def anonymize(
    policy: PolicyFile,
    out: Out = None,
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
    from cobogo.faces.cli.summary import directory_of
    from cobogo.publish import anonymize as job
    from cobogo.publish.recoding import check_against_earlier
    from cobogo.release.write import write_release

    limit_memory(memory)
    rules = language.with_report_language(Policy.load(policy))
    if algorithm is not None:
        rules = rules.model_copy(update={"recoding": rules.recoding.model_copy(update={"algorithm": algorithm})})
    directory = None if dry_run else directory_of(rules, out)
    with console.progress(quiet=quiet or as_json) as show:
        release = job.anonymize(rules, engine=engine, progress=show)
        if directory is None:
            check_against_earlier(release)
        verdict = None if directory is None else write_release(release, directory, progress=show)
    _say_recoding(release, verdict, directory, quiet, as_json)


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
    from cobogo.release.write import write_release

    book = registry_at(registry, key)
    with console.progress(quiet=quiet or as_json) as show:
        show("read", 0, 0)
        made = reuse.apply(book, registry, key, release, data, engine=engine)
        verdict = write_release(made, out, progress=show)
    _say_recoding(made, verdict, out, quiet, as_json)


def _say_recoding(
    release: AnonymizedRelease, verdict: Verdict | None, directory: Path | None, quiet: bool, as_json: bool
) -> None:
    from cobogo.faces.cli.summary import recoding_lines, report_of

    for warning in release.warnings:
        console.warn(warning)
    if as_json:
        console.say_json(report_of(release, directory))
    elif not quiet:
        for line in recoding_lines(release, verdict, directory):
            console.say(line)
