"""The commands ``cobogo demo`` and ``cobogo guide``: the guide on invented people, and on one's own table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.errors import PolicyError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.compare import H
from cobogo.faces.cli.options import Encoding, FileTable, GuessedSeparator, Json, LabelsAs, Range, Sheet
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.studies.guide.results import Guide


def demo(
    out: Annotated[Path, typer.Option("--out", help="The directory of all results.")] = Path("demo"),
    rows: Annotated[int, typer.Option("--rows", help="How many invented people.")] = 20_000,
) -> None:
    """Anonymize invented COVID-19 cases of Ceará with k = 2, 4, 8 and l = 2, 3, 4, and show the results."""
    from cobogo.studies.guide.run import run_demo

    with console.progress() as show:
        found = run_demo(out, rows=rows, language=language.report_language(None), progress=show)
    console.say(guide_lines(found, out))


def guide(
    data: Annotated[Path, typer.Argument(help="A file: CSV, Excel, SPSS, Parquet, …", show_default=False)],
    policy: Annotated[
        Path | None, typer.Option("--policy", help="A policy with the roles and hierarchies; suggested if not given.")
    ] = None,
    separator: GuessedSeparator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    cells: Range = None,
    table: FileTable = None,
    labels: LabelsAs = None,
    out: Annotated[Path, typer.Option("--out", help="The directory of all results.")] = Path("guide"),
    k: Annotated[str, typer.Option("--k", help="The values of k.")] = "2,4,8",
    l: Annotated[str, typer.Option("--l", help="The values of l, each used with every k that is as large.")] = "2,3,4",
    limit: Annotated[
        float | None,
        typer.Option(
            "--suppression-limit",
            help="The share of the records that may be suppressed; the policy's, or else 0.2, if not given.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Anonymize a table with several k and l side by side, attack the releases, and place one to give away.

    Exit 1 when there is no release with any of these values.
    """
    from cobogo.data.files.settle import reading_options
    from cobogo.data.policy import Policy
    from cobogo.studies.guide.run import run

    ks, ls = parse_values("--k", k), parse_values("--l", l)
    options = reading_options(
        separator=separator, encoding=encoding, sheet=sheet, range=cells, table=table, labels=labels
    )
    check_limit(limit)
    rules = None if policy is None else Policy.load(policy)
    with console.progress(quiet=as_json) as show:
        found = run(
            data,
            out,
            policy=rules,
            options=options,
            ks=ks,
            ls=ls,
            limit=limit,
            language=language.report_language(rules),
            progress=show,
        )
    for warning in found.warnings:
        console.warn(warning)
    if as_json:
        console.say_json(found.as_dict())
    else:
        console.say(guide_lines(found, out))


def parse_values(option: str, text: str) -> list[int]:
    """The values of k or l, as the command line writes them.

    >>> parse_values("--k", "8,2,4,2")
    [2, 4, 8]
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and 2 <= int(part) <= LARGEST_VALUE for part in parts):
        raise PolicyError(
            tr("must be whole numbers from 2 on with commas between them. Got {text!r} instead", text=text),
            where=option,
            remedy=tr("Write it as in: {option} 2,4,8.", option=option),
        )
    return sorted({int(part) for part in parts})


LARGEST_VALUE = 10**6
"""Of k and l: what is larger is a slip of the hand."""


def check_limit(limit: float | None) -> None:
    """Refuse a share that is none."""
    if limit is not None and not 0 <= limit <= 1:
        raise PolicyError(
            tr("must be a number from 0 to 1. Got {value} instead", value=limit),
            where="--suppression-limit",
            remedy=tr("Write 0.1 for a tenth of the records."),
        )


def guide_lines(found: Guide, directory: Path) -> str:
    """A table of the releases, what two of them expose together, and which one to give away."""
    say = language.terminal_speech()
    measured = [say(H[key]) for key in ("precision", "average", "classes", "suppressed", "file")]
    header = ["k", "l", *console.level_columns(found.quasi_identifiers), *measured[:-1], say("limit"), measured[-1]]
    rows = []
    for result in found.results:
        asked = [str(result.case.k), "" if result.case.l is None else str(result.case.l)]
        limit, report = say.percent(result.limit), result.report
        if report is None:
            rows.append([*asked, *("" for _ in header[2:-2]), limit, say("could not achieve it")])
            continue
        mark = say(" (give away)") if result.case == found.chosen else ""
        suppressed = f"{say.number(report['suppressed'])} ({say.percent(result.suppressed_share)})"
        rows.append(
            [
                *asked,
                *console.level_cells(report["levels"]),
                say.fixed(report["metrics"]["precision"], ".4f"),
                say.fixed(report["classes"]["average"], ",.2f"),
                say.number(report["classes"]["count"]),
                suppressed,
                limit,
                f"{found.file(result.case)}{mark}",
            ]
        )
    table = console.table(header, rows, numbers=range(len(header) - 1))
    return "\n".join([table, "", *_advice(found, directory)])


def _advice(found: Guide, directory: Path) -> list[str]:
    """What to read, what not to do, and what to give away."""
    say, pair = language.terminal_speech(), found.together
    sentences = [
        say.plural(
            "The release was read back and verified. Open {directory}/index.html",
            "Each of the {n} releases was read back and verified. Open {directory}/index.html",
            n=len(found.achieved),
            directory=directory,
        )
    ]
    if len(found.achieved) > 1:
        sentences.append(
            say("They are alternatives: two of them together can expose people whom neither exposes alone.")
        )
    if found.explained:
        sentences.insert(
            0, say("No policy was given: the roles are those that cobogo inspect suggests. The page lists them.")
        )
    if pair is not None and pair.exposed:
        one, other = (f"{directory}/releases/{case.name}" for case in (pair.subtrahend, pair.minuend))
        sentences.append(
            say(
                "People found by subtracting two: {n}. Try it: cobogo attack differencing {one} {other}",
                n=pair.exposed,
                one=one,
                other=other,
            )
        )
    given = f"{directory}/public"
    sentences.append(
        say("Give away only this one. It keeps the promises of all: {directory}", directory=given)
        if found.strongest
        else say("Give away only this one. It is the strongest: {directory}", directory=given)
    )
    return sentences
