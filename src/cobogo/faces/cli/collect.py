"""The commands ``cobogo collect …``: reports of clients, from a column of a pilot to estimates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.errors import DataError, OutputError, PolicyError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.commands import CommandLine
from cobogo.faces.cli.options import Encoding, Json
from cobogo.floor.language import Text, tr, trn

if TYPE_CHECKING:
    from cobogo.collect.aggregate import Aggregate
    from cobogo.collect.association import Association
    from cobogo.collect.collection import Collection
    from cobogo.collect.plan import CollectionPlan
    from cobogo.collect.protocol import CollectionFindings

app = CommandLine(name="collect", help="Collect without trusting the collector: local differential privacy.")

Described = Annotated[Path, typer.Argument(help="The collection: a TOML file.", show_default=False)]
Level = Annotated[float, typer.Option("--level", help="The probability of finding anything that is not there.")]

SHOWN = 20
"""Pairs of answers that the terminal lists."""


@app.command()
def encode(
    collection: Described,
    data: Annotated[str, typer.Argument(help="A CSV or Parquet file with one client per row.", show_default=False)],
    column: Annotated[str, typer.Option("--column", help="The column that holds the values.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Where the reports go: a new file.", show_default=False)],
    form: Annotated[
        str | None, typer.Option("--form", help="binary, text, json, csv or parquet; by the file's name if not given.")
    ] = None,
    separator: Annotated[
        str, typer.Option("--separator", help="The character between the columns of a CSV file.")
    ] = ",",
    encoding: Encoding = "utf-8",
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Draw the noise from a seed, for invented data only: the reports say so."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make one report from each row of a column: for simulations, pilots and gateways that clients trust.

    The person who runs this sees the values: with real data, run it on the clients' side.
    """
    from cobogo.collect.encode import encode_column
    from cobogo.collect.report_sources import write_reports

    asked = _collection(collection)
    rows = encode_column(asked, data, column, separator=separator, encoding=encoding, seed=seed)
    chosen = write_reports(asked, rows, out, form, seeded=seed is not None)
    if seed is not None:
        console.warn(tr("the reports were drawn from a seed: they protect no one, and they say so"))
    protocol = asked.protocol
    if as_json:
        console.say_json(
            {
                "reports": len(rows), "form": chosen, "bytes": protocol.layout.width,
                "epsilon": protocol.epsilon_once, "lifetime_epsilon": protocol.epsilon_forever,
                "seeded": seed is not None,
            }
        )  # fmt: skip
        return
    console.say_line(
        "encoded",
        tr(
            "{reports} of {size}, {mechanism}, {losses}",
            reports=trn("{n:,} report", "{n:,} reports", n=len(rows)),
            size=trn("{n:,} byte", "{n:,} bytes", n=protocol.layout.width),
            mechanism=asked.mechanism,
            losses=_losses(asked),
        ),
    )
    console.say_line("written", str(out), tr("{data} stays where it is: on the clients' side", data=data))


@app.command()
def aggregate(
    collection: Described,
    sources: Annotated[
        list[str], typer.Argument(help="Files of reports, tables of them, or aggregates.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", help="Where the counts go.", show_default=False)],
    column: Annotated[str, typer.Option("--column", help="The column of a table that holds reports.")] = "report",
    engine: Annotated[
        str | None, typer.Option("--engine", help="The URL of the engine that counts tables; DuckDB if not given.")
    ] = None,
    skip: Annotated[bool, typer.Option("--skip", help="Leave out what is not a report of this collection.")] = False,
    as_json: Json = False,
) -> None:
    """Count reports. Counts of parts can be added: give reports and earlier aggregates together, in any order."""
    from cobogo.collect.aggregate import Aggregate
    from cobogo.collect.report_sources import aggregate_source

    asked = _collection(collection)
    twice = next((name for name in sources if sources.count(name) > 1), None)
    if twice is not None:
        raise PolicyError(tr("is named twice"), where=twice, remedy=tr("Name it once: every report counts once."))
    total = Aggregate.empty(asked)
    with console.progress(quiet=as_json) as show:
        for number, source in enumerate(sources):
            show("count", number, len(sources))
            total = total + aggregate_source(asked, source, engine=engine, column=column, skip=skip)
    total.save(out)
    if as_json:
        console.say_json(total.as_dict())
        return
    console.say_line(
        "counted",
        tr(
            "{reports} of {question}, version {version}, in {files}",
            reports=trn("{n:,} report", "{n:,} reports", n=total.users),
            question=asked.question,
            version=asked.version,
            files=trn("{n:,} file", "{n:,} files", n=len(sources)),
        ),
    )
    console.say_line("written", str(out))
    _say_if_seeded(total)


@app.command()
def decode(
    collection: Described,
    counts: Annotated[Path, typer.Argument(help="An aggregate.", show_default=False)],
    candidates: Annotated[
        Path | None,
        typer.Option("--candidates", help="A file of strings to look for, one per line, instead of the collection's."),
    ] = None,
    level: Level = 0.05,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the estimates: a new PNG.")] = None,
    as_json: Json = False,
) -> None:
    """Estimate how many clients hold each value. Exit 1 when no value can be told from the noise."""
    from cobogo.collect.aggregate import Aggregate

    asked = _collection(collection)
    if candidates is not None:
        asked = asked.with_candidates(candidates)
    if getattr(asked, "candidates", None) == ():
        raise PolicyError(
            tr("there is nothing to look for"),
            where=f"{asked.where}.candidates",
            remedy=tr("Give --candidates, a file of strings."),
        )
    _check_between(level, 0, "--level")
    total = Aggregate.load(asked, counts)
    found = total.findings(level=level)
    if plot is not None:
        _draw(plot, asked, found)
    if as_json:
        console.say_json({**total.as_dict(), **found.as_dict()})
    else:
        _say_findings(asked, found)
        _say_if_seeded(total)
        if plot is not None:
            console.say_written(str(plot))
    if not found.significant.any():
        raise typer.Exit(1)


@app.command()
def plan(
    collection: Annotated[
        Path | None, typer.Argument(help="A collection, to plan for its values and its ε.", show_default=False)
    ] = None,
    frequency: Annotated[
        float | None, typer.Option("--frequency", help="The share of the clients that hold a value.")
    ] = None,
    error: Annotated[
        float | None,
        typer.Option("--error", help="The standard error that a mean may have, if the collection asks for a mean."),
    ] = None,
    values: Annotated[
        int | None,
        typer.Option("--values", help="How many values, or candidates, there are; the collection's if not given."),
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="The ε of a client's value; the collection's if not given.")
    ] = None,
    power: Annotated[float, typer.Option("--power", help="The probability with which the value must be seen.")] = 0.9,
    level: Annotated[
        float, typer.Option("--level", help="The probability of finding anything that is not there.")
    ] = 0.05,
    users: Annotated[int | None, typer.Option("--users", help="How many clients there are.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw clients against shares: a new PNG.")] = None,
    as_json: Json = False,
) -> None:
    """Say how many clients each mechanism needs to see a value of a given frequency, and which is the cheapest.

    Exit 1 when no number of clients would be enough, or the number given with --users is not.
    """
    from cobogo.collect import plan as planning
    from cobogo.collect.means import MeanProtocol

    asked = None if collection is None else _collection(collection)
    _check_between(power, 0.5, "--power")
    _check_between(level, 0, "--level")
    if users is not None and users < 1:
        raise PolicyError(
            tr("must be 1 or more. Got {users} instead", users=users),
            where="--users",
            remedy=tr("Leave it out if you do not know how many clients there are."),
        )
    if asked is not None and isinstance(asked.protocol, MeanProtocol):
        if plot is not None:
            raise PolicyError(
                tr("a collection of a mean has no curve of shares to draw"), where="--plot", remedy=tr("Leave it out.")
            )
        if error is None or not error > 0:
            raise PolicyError(
                tr("this collection asks for a mean: say which standard error it may have"),
                where="--error",
                remedy=tr("Give --error, above 0."),
            )
        found = planning.plan_mean(asked, error)
        goal = tr(
            "To know the mean with a standard error of {error:g}, at ε = {epsilon:.4g}:",
            error=error,
            epsilon=found.epsilon,
        )
    else:
        if frequency is None or not 0 < frequency <= 1:
            raise PolicyError(
                tr("must be above 0 and at most 1"), where="--frequency", remedy=tr("0.01 is one client in 100.")
            )
        count, loss = _values_and_loss(asked, values, epsilon)
        protocols = planning.alternatives(asked, count, loss)
        found = planning.plan(protocols, loss, frequency, power=power, level=level, users=users)
        goal = tr(
            "To see a value that {share:g} % of the clients hold with a power of {power:g}, "
            "among {values:,} values at ε = {epsilon:.4g}:",
            share=100 * frequency,
            power=power,
            values=count,
            epsilon=loss,
        )
        if plot is not None:
            title = language.terminal_speech()(
                tr(
                    "Of {values:,} values, at ε = {epsilon:.4g}, with a power of {power:g} and a level of {level:g} "
                    "for all",
                    values=count,
                    epsilon=loss,
                    power=power,
                    level=level,
                )
            )
            planning.draw_plan(protocols, plot, title, power=power, level=level, language=language.terminal_language())
    if as_json:
        console.say_json(found.as_dict())
    else:
        _say_plan(found, goal, users, plot)
    able = [offer.users for offer in found.offers if offer.users is not None]
    if not able or (users is not None and min(able) > users):
        raise typer.Exit(1)


@app.command()
def associate(
    first: Annotated[Path, typer.Argument(help="The collection of the first question.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="The collection of the second.", show_default=False)],
    data: Annotated[
        str, typer.Argument(help="A CSV or Parquet file with a pair of reports per row.", show_default=False)
    ],
    columns: Annotated[
        str, typer.Option("--columns", help="The columns of the reports to the first and the second question.")
    ] = "first,second",
    level: Annotated[
        float, typer.Option("--level", help="The probability of seeing a relation where there is no relation.")
    ] = 0.05,
    as_json: Json = False,
) -> None:
    """Estimate how the answers to two questions go together, from reports that came in pairs.

    Exit 1 when the answers may be unrelated.
    """
    from cobogo.collect.association import associate as estimate_association
    from cobogo.collect.collection import Collection
    from cobogo.collect.report_sources import column_reports
    from cobogo.data.policy import Data
    from cobogo.data.table.read import read

    names = [name.strip() for name in columns.split(",")]
    if len(names) != 2:
        raise PolicyError(
            tr("must be two names with a comma between. Got {columns!r} instead", columns=columns),
            where="--columns",
            remedy=tr("Write it as in: --columns first,second."),
        )
    _check_between(level, 0, "--level")
    table = read(data, Data())
    both = [Collection.load(path) for path in (first, second)]
    one, other = (column_reports(asked, table, name) for asked, name in zip(both, names, strict=True))
    found = estimate_association(both[0], one, both[1], other)
    if as_json:
        console.say_json(found.as_dict())
    else:
        _say_association(found, both[0].question, both[1].question)
    if found.chance > level:
        raise typer.Exit(1)


def _collection(path: Path) -> Collection:
    from cobogo.collect.collection import Collection

    return Collection.load(path)


def _losses(asked: Collection) -> Text:
    once, forever = asked.protocol.epsilon_once, asked.protocol.epsilon_forever
    if once == forever:
        return tr("ε = {once:.4g}", once=once)
    return tr("ε = {once:.4g} a report, {forever:.4g} for all reports of one value", once=once, forever=forever)


def _say_findings(asked: Collection, found: CollectionFindings) -> None:
    say = language.terminal_speech()
    header: list[str]
    marks = ["✓" if there else "" for there in found.significant]
    entries = list(
        zip(found.labels, found.counts.tolist(), found.errors.tolist(), found.chances.tolist(), marks, strict=True)
    )
    entries.sort(key=lambda entry: -entry[1])
    if found.counted:
        users = max(found.users, 1)
        header = [
            tr("value"), tr("clients"), tr("± 1 s.e."), tr("share"), "95 %", tr("by chance"), tr("there"),
        ]  # fmt: skip
        rows = [
            [
                label, say.fixed(count, ",.0f"), say.fixed(error, ",.0f"), say.fixed(count / users, ".2%"),
                f"{say.fixed((count - 1.96 * error) / users, '.2%')} … "
                f"{say.fixed((count + 1.96 * error) / users, '.2%')}",
                say.fixed(chance, ".2g"), mark,
            ]
            for label, count, error, chance, mark in entries
        ]  # fmt: skip
        numbers = [1, 2, 3, 5]
    else:
        header = [tr("figure"), tr("estimate"), tr("± 1 s.e."), "95 %"]
        rows = [
            [
                say(label), say.fixed(count), say.fixed(error, ".3g"),
                f"{say.fixed(count - 1.96 * error)} … {say.fixed(count + 1.96 * error)}",
            ]
            for label, count, error, *_ in entries
        ]  # fmt: skip
        numbers = [1, 2]
    console.say(
        tr(
            "{reports} of {question}, version {version}: {mechanism}, {losses}",
            reports=trn("{n:,} report", "{n:,} reports", n=found.users),
            question=asked.question,
            version=asked.version,
            mechanism=asked.mechanism,
            losses=_losses(asked),
        )
    )
    console.say()
    console.say(console.table(header, rows, numbers=numbers))
    if not found.counted:
        return
    if found.too_few:
        console.say()
        console.say(
            tr("Too few reports to say anything: a value that every client holds could not be told from the noise.")
        )
        return
    there = int(found.significant.sum())
    seen = say(
        tr(
            "{there} of {tested:,} are there, at a level of {level:g} for all together",
            there=there,
            tested=found.tested,
            level=found.level,
        )
    )
    fit = (
        say("; they explain {share} of what the bits show", share=say.fixed(found.fit, ".0%"))
        if found.fit is not None
        else ""
    )
    console.say(f"\n{seen}{fit}.")


def _say_if_seeded(total: Aggregate) -> None:
    if total.seeded:
        console.warn(tr("some of the reports were drawn from a seed: they are invented, or protect no one"))


def _draw(path: Path, asked: Collection, found: CollectionFindings) -> None:
    from cobogo.floor.files import stage_file
    from cobogo.tell.report.bars import EstimateBar, draw_estimates

    if path.exists():
        raise OutputError(tr("already exists"), where=str(path), remedy=tr("Choose another name for --plot."))
    if not found.labels:
        raise DataError(
            tr("there is nothing to draw"), where=str(path), remedy=tr("Give other candidates, or more reports.")
        )
    scale = max(found.users, 1) if found.counted else 1
    rows = zip(found.labels, found.counts.tolist(), found.errors.tolist(), found.significant, strict=True)
    lines = [EstimateBar(label, count / scale, error / scale, bool(there)) for label, count, error, there in rows]
    lines.sort(key=lambda line: -line.value)
    say = language.terminal_speech()
    lead = tr(
        "{reports} through {mechanism}, {losses}",
        reports=trn("{n:,} report", "{n:,} reports", n=found.users),
        mechanism=asked.mechanism,
        losses=_losses(asked),
    )
    unit = say("share of the clients") if found.counted else asked.question
    with stage_file(path) as stage:
        draw_estimates(stage, asked.name, say(lead), lines, unit=unit, percent=found.counted, say=say)


def _values_and_loss(asked: Collection | None, values: int | None, epsilon: float | None) -> tuple[int, float]:
    """How many values to plan for, and at what ε: what the options say, or else the collection."""
    detectable = None if asked is None else asked.protocol.detectable
    count = values or (None if detectable is None else detectable.values)
    loss = epsilon or (None if asked is None else asked.protocol.epsilon_forever)
    if not count or count < 2 or not loss or not 0 < loss <= 20:
        raise PolicyError(
            tr("the number of values and ε are not known"),
            where="--values, --epsilon",
            remedy=tr("Give --values (2 or more) and --epsilon (at most 20), or a collection that says both."),
        )
    return count, loss


def _say_plan(found: CollectionPlan, goal: Text, users: int | None, plot: Path | None) -> None:
    say = language.terminal_speech()
    header: list[str] = [tr("mechanism"), tr("clients needed"), tr("bytes a report")]
    never, nothing = say("never"), say("nothing")
    rows = [[o.mechanism, never if o.users is None else say.number(o.users), say.number(o.width)] for o in found.offers]
    if users is not None and any(offer.share is not None for offer in found.offers):
        header.append(trn("{n:,} client shows", "{n:,} clients show", n=users))
        for row, offer in zip(rows, found.offers, strict=True):
            row.append(nothing if offer.share is None else say.fixed(offer.share, ".3%"))
    console.say(goal)
    console.say("\n" + console.table(header, rows, numbers=[1, 2, 3]))
    if found.cheapest is not None:
        console.say()
        console.say_line(
            "cheapest",
            tr(
                "{mechanism}: about the fewest clients, and of those the shortest reports",
                mechanism=found.cheapest.mechanism,
            ),
        )
    if plot is not None:
        console.say_line("written", str(plot))


def _check_between(value: float, low: float, where: str) -> None:
    if not low <= value < 1 or value <= 0:
        raise PolicyError(
            tr("must be above {low:g} and below 1. Got {value!r} instead", low=low, value=value),
            where=where,
            remedy=tr("Leave the option out for its default."),
        )


def _say_association(found: Association, first: str, second: str) -> None:
    say = language.terminal_speech()
    pairs = sorted(
        ((i, j) for i in range(len(found.rows)) for j in range(len(found.columns))), key=lambda at: -found.shares[at]
    )
    rows = [
        [
            found.rows[i], found.columns[j], say.fixed(found.shares[i, j], ".2%"),
            "" if found.errors[i, j] != found.errors[i, j] else say.fixed(found.errors[i, j], ".2%"),
            say.fixed(found.shares[i].sum() * found.shares[:, j].sum(), ".2%"),
        ]
        for i, j in pairs[:SHOWN]
    ]  # fmt: skip
    header: list[str] = [first, second, tr("share"), tr("± 1 s.e."), tr("if unrelated")]
    console.say(console.table(header, rows, numbers=[2, 3, 4]))
    left = len(pairs) - len(rows)
    if left > 0:
        console.say(trn("… and {n:,} more pair", "… and {n:,} more pairs", n=left))
    console.say()
    console.say(
        trn(
            "{n:,} pair of reports. Unrelated answers would seem as related with a probability of {chance:.2g}.",
            "{n:,} pairs of reports. Unrelated answers would seem as related with a probability of {chance:.2g}.",
            n=found.users,
            chance=found.chance,
        )
    )
