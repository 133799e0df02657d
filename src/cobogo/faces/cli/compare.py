"""The commands ``cobogo compare``, ``improve``, ``frontier`` and ``kinds``: releases side by side."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.errors import PolicyError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Drawings, Engine, Json, PolicyFile
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.studies.comparison import Comparison
    from cobogo.studies.families.study import Families
    from cobogo.studies.frontier import Frontier
    from cobogo.studies.improvement import Improvement, TriedChange

H = {
    "suppressed": tr("suppressed"),
    "classes": tr("classes"),
    "smallest": tr("smallest"),
    "inference": tr("inference"),
    "risk": tr("risk"),
    "precision": tr("precision"),
    "average": tr("average class"),
    "file": tr("file"),
}


def compare(
    policy: PolicyFile,
    algorithms: Annotated[
        str, typer.Option("--algorithms", help="Which, as in optimal,ola,local; all if not given.", show_default=False)
    ] = "",
    out: Drawings = None,
    as_json: Json = False,
) -> None:
    """Run several algorithms on one policy and show loss, time, suppression, classes and risk side by side.

    Exit 1 when none finds a solution.
    """
    from cobogo.data.policy import Policy
    from cobogo.studies import comparison

    rules = Policy.load(policy)
    names = [name.strip() for name in algorithms.split(",") if name.strip()]
    with console.progress(quiet=as_json) as show:
        found = comparison.compare(rules, algorithms=names, progress=show)
        if out is not None:
            found.write(out, language=language.report_language(rules))
    if as_json:
        console.say_json(found.as_dict())
    else:
        console.say(comparison_lines(found))
        if out is not None:
            console.say_written(f"{out}/comparison.html", f"{out}/comparison.png", f"{out}/comparison.json")
    if not any(run.solved for run in found.runs):
        raise typer.Exit(1)


def comparison_lines(found: Comparison) -> str:
    """A table with one row for each algorithm, and below it why some found no solution."""
    say = language.terminal_speech()
    measured = [say(H[key]) for key in ("suppressed", "classes", "smallest", "inference", "risk")]
    header = [say("algorithm"), found.metric, *measured, say("seconds")]
    values = iter(say.column([run.value for run in found.runs if run.solved]))
    rows = []
    for run in found.runs:
        if not run.solved:
            rows.append([run.algorithm, say("none"), *("" for _ in header[2:])])
            continue
        counts = [say.number(number) for number in (run.suppressed, run.classes, run.smallest)]
        chances = [say.percent(run.worst_inference), say.percent(run.risk)]
        rows.append([run.algorithm, next(values), *counts, *chances, say.fixed(run.seconds, ".2f")])
    text = [console.table(header, rows, numbers=range(1, len(header)))]
    text += [f"{run.algorithm}: {say(run.why or '').rstrip('.')}." for run in found.runs if not run.solved]
    return "\n".join(text)


def improve(policy: PolicyFile, engine: Engine = None, as_json: Json = False) -> None:
    """Try changes of a policy that keep more detail without less protection, and show them side by side.

    Each takes about as long as the release itself; a terminal shows each result as soon as it is there. Exit 1 when
    neither the policy nor a change has a solution.
    """
    from cobogo.data.policy import Policy
    from cobogo.studies import improvement

    rules = Policy.load(policy)
    with console.progress(quiet=as_json) as show:
        found = improvement.improve(rules, engine=engine, progress=show, each=_show_tried)
    if as_json:
        console.say_json([one.as_dict() for one in (found.as_it_is, *found.changes)])
    else:
        console.say(improvement_lines(found, rules.name))
    if not found.solved:
        raise typer.Exit(1)


def _show_tried(one: TriedChange) -> None:
    """A result above the progress bar, for those who do not want to wait for the others."""
    if sys.stderr.isatty():
        say = language.terminal_speech()
        kept = say("none") if one.detail is None else say.percent(one.detail)
        print(f"{one.change.key or say(one.change.what)}: {say('detail kept')} {kept}", file=sys.stderr)


def improvement_lines(found: Improvement, name: str) -> str:
    """A table with one row for each change, and below it the line to write."""
    say = language.terminal_speech()
    measured = [say(H[key]) for key in ("suppressed", "smallest", "inference", "risk")]
    changed, better = found.changes, found.better
    rows = []
    for one in (found.as_it_is, *better):
        told = [say(one.change.what), say.percent(one.detail), say.number(one.suppressed), say.number(one.smallest)]
        told += [say.percent(one.inference), say.percent(one.risk), ", ".join(one.withheld)]
        rows.append(told if one.why is None else [told[0], say("none"), *[""] * 5])
    text = [console.table([say("change"), say("detail kept"), *measured, say("withheld")], rows, numbers=range(1, 6))]
    if len(better) < len(changed):
        rest = len(changed) - len(better)
        text += ["", say.plural("{n} change more keeps no more.", "{n} changes more keep no more.", n=rest)]
    if found.idle:
        names = ", ".join(found.idle)
        text += ["", say("Not tried, because nothing else would change: without {names}, withheld now.", names=names)]
    for one in better[:1]:
        advice = say(
            "To keep {kept}, write under [{table}] of {policy}: {key}",
            kept=say.percent(one.detail),
            table=one.change.table,
            policy=name,
            key=one.change.key,
        )
        text += ["", advice]
    return "\n".join(text)


def frontier(
    policy: PolicyFile,
    vary: Annotated[
        list[str],
        typer.Option("--vary", help="What to vary, as in k=2,5,10,20; may be given again.", show_default=False),
    ],
    out: Drawings = None,
    engine: Engine = None,
    as_json: Json = False,
) -> None:
    """Show what more privacy costs: the best release for each value of a parameter. Exit 1 when none has a solution."""
    from cobogo.data.policy import Policy
    from cobogo.studies import frontier as frontiers

    rules = Policy.load(policy)
    with console.progress(quiet=as_json) as show:
        found = frontiers.frontier(rules, vary=frontiers.parse_varied(vary), engine=engine, progress=show)
        if out is not None:
            found.write(out, language=language.report_language(rules))
    if as_json:
        console.say_json(found.as_dict())
    else:
        console.say(frontier_lines(found))
        if out is not None:
            console.say_written(f"{out}/frontier.html", f"{out}/frontier.png", f"{out}/frontier.json")
    if not any(point.levels is not None for point in found.points):
        raise typer.Exit(1)


def frontier_lines(found: Frontier) -> str:
    """A table with one row for each choice."""
    say = language.terminal_speech()
    solved = [point for point in found.points if point.levels is not None]
    attributes = console.level_columns([*(solved[0].levels or ())]) if solved else []
    measured = [say(H[key]) for key in ("suppressed", "classes", "smallest", "inference", "risk")]
    header = [*found.varied, *attributes, found.metric, *measured]
    values = iter(say.column([point.value for point in solved]))
    rows = []
    for point in found.points:
        given = [say.number(value) for value in point.given.values()]
        if point.levels is None:
            cells = [*("" for _ in attributes), say("no solution"), *("" for _ in range(5))]
        else:
            levels = console.level_cells(point.levels)
            counts = [say.number(number) for number in (point.suppressed, point.classes, point.smallest)]
            cells = [*levels, next(values), *counts, say.percent(point.worst_inference), say.percent(point.risk)]
        rows.append([*given, *cells])
    return console.table(header, rows, numbers=range(len(header)))


def kinds(
    policy: PolicyFile,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", help="A kind, or one with values, as in recoding=2,5,10; may be given again.", show_default=False
        ),
    ] = None,
    out: Drawings = None,
    records: Annotated[int, typer.Option("--records", help="Records that are released, at most.")] = 20_000,
    seed: Annotated[int, typer.Option("--seed", help="Draws who is released, the queries and the targets.")] = 0,
    engine: Engine = None,
    as_json: Json = False,
) -> None:
    """Release one table in several ways and compare: the same measures of use, the same attacks, one chart."""
    from cobogo.data.policy import Policy
    from cobogo.studies.families.study import families

    if records < 100:
        raise PolicyError(
            tr("must be 100 or more. Got {value} instead", value=records),
            where="--records",
            remedy=tr("Leave the option out for 20,000 records."),
        )
    if seed < 0:
        raise PolicyError(
            tr("must be 0 or more. Got {value} instead", value=seed), where="--seed", remedy=tr("Leave the option out.")
        )
    rules = Policy.load(policy)
    with console.progress(quiet=as_json) as show:
        asked = parse_kinds(kind) if kind else None
        found = families(rules, kind=asked, records=records, seed=seed, engine=engine, progress=show)
        if out is not None:
            found.write(out, language=language.report_language(rules))
    if as_json:
        console.say_json(found.as_dict())
        return
    console.say(format_kinds(found))
    for name, why in found.skipped.items():
        console.warn(tr("{name} is left out: {why}", name=name, why=why))
    if out is not None:
        console.say_written(f"{out}/kinds.html", f"{out}/kinds.png", f"{out}/kinds.json", tr("(keep)"))


def parse_kinds(texts: list[str]) -> dict[str, list[float] | None]:
    """Kinds with the values of their parameter, as the command line writes them.

    >>> parse_kinds(["recoding=2,5", "local"])
    {'recoding': [2.0, 5.0], 'local': None}
    """
    found: dict[str, list[float] | None] = {}
    for text in texts:
        name, mark, values = text.partition("=")
        try:
            found[name.strip()] = [float(value) for value in values.split(",")] if mark else None
        except ValueError:
            raise PolicyError(
                tr("{text!r} is not a kind with numbers", text=text),
                where="--kind",
                remedy=tr("Write it as in: --kind recoding=2,5,10."),
            ) from None
    return found


def format_kinds(found: Families) -> str:
    """A table with one row for each release."""
    say = language.terminal_speech()
    header: list[str] = [
        tr("kind"), tr("asked"), tr("records"), tr("two-way"), tr("queries"), tr("accuracy"), tr("re-identified"),
        tr("membership"), tr("inference"),
    ]  # fmt: skip
    rows = []
    for one in found.trials:
        given = ", ".join(f"{name} = {say.fixed(value, 'g')}" for name, value in one.given.items())
        cells = [one.name, given, say.number(one.records)]
        cells += [f"{say.fixed(100 * one.use[name], '.1f')} %" for name in ("two-way", "query-error", "accuracy")]
        for name in ("re-identification", "membership", "inference"):
            cells.append(f"{say.fixed(100 * one.attacks[name]['excess'], '+.1f')} %")
        rows.append(cells)
    return console.table(header, rows, numbers=range(2, len(header)))
