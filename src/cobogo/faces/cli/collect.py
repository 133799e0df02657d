"""The commands ``cobogo collect …``: reports of clients, from a column of a pilot to estimates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.errors import OutputError, PolicyError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.collect_findings import describe_losses, draw_findings, say_association, say_findings, say_plan
from cobogo.faces.cli.commands import CommandLine
from cobogo.faces.cli.options import Encoding, GuessedSeparator, Json
from cobogo.floor.language import tr, trn

if TYPE_CHECKING:
    from cobogo.collect.aggregate import Aggregate
    from cobogo.collect.collection import Collection

app = CommandLine(name="collect", help="Collect without trusting the collector: local differential privacy.")

Described = Annotated[Path, typer.Argument(help="The collection: a TOML file.", show_default=False)]
Level = Annotated[float, typer.Option("--level", help="The probability of finding anything that is not there.")]


@app.command()
def encode(
    collection: Described,
    data: Annotated[str, typer.Argument(help="A CSV or Parquet file with one client per row.", show_default=False)],
    column: Annotated[str, typer.Option("--column", help="The column that holds the values.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Where the reports go: a new file.", show_default=False)],
    form: Annotated[
        str | None,
        typer.Option("--form", help="binary, text, json, csv, parquet or google; by the file's name if not given."),
    ] = None,
    separator: GuessedSeparator = None,
    encoding: Encoding = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Draw the noise from a seed, for invented data only: the reports say so."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make one report from each row of a column: for simulations, pilots and gateways that clients trust.

    The person who runs this sees the values: with real data, run it on the clients' side.
    """
    from cobogo.collect.pilot import encode_column
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
            losses=describe_losses(asked),
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
    level: Annotated[
        float, typer.Option("--level", help="How much of what is not there may be found; --rule says in what sense.")
    ] = 0.05,
    rule: Annotated[
        str,
        typer.Option(
            "--rule",
            help="bonferroni: the level is the probability of finding anything that is not there. "
            "fdr: it is the expected share of such findings; more is found.",
        ),
    ] = "bonferroni",
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
    found = total.findings(level=level, rule=rule)
    if plot is not None:
        draw_findings(plot, asked, found)
    if as_json:
        console.say_json({**total.as_dict(), **found.as_dict()})
    else:
        say_findings(asked, found)
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
        say_plan(found, goal, users, plot)
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
        say_association(found, both[0].question, both[1].question)
    if found.chance > level:
        raise typer.Exit(1)


@app.command("export")
def export_google(
    collection: Described,
    counts: Annotated[Path | None, typer.Argument(help="An aggregate.", show_default=False)] = None,
    out: Annotated[Path, typer.Option("--out", help="Where the files go: a directory.", show_default=False)] = ...,  # type: ignore[assignment]
    as_json: Json = False,
) -> None:
    """Write the files that Google's RAPPOR decoder reads: params.csv, map.csv of the candidates, and counts.csv."""
    from cobogo.collect.aggregate import Aggregate
    from cobogo.collect.rappor.exchange import write_exchange

    asked = _collection(collection)
    total = None if counts is None else Aggregate.load(asked, counts)
    names = write_exchange(asked, total, out)
    if as_json:
        console.say_json({"directory": str(out), "files": names})
        return
    console.say_line("written", str(out), ", ".join(names))
    if total is not None:
        _say_if_seeded(total)


@app.command("import")
def import_google(
    params: Annotated[Path, typer.Argument(help="Google's params.csv.", show_default=False)],
    question: Annotated[
        str, typer.Option("--question", help="The name of the question, for programs.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", help="Where the collection goes: a new TOML file.", show_default=False)],
    candidates: Annotated[
        Path | None, typer.Option("--map", help="Google's map.csv, whose strings become the candidates.")
    ] = None,
    hashing: Annotated[
        str, typer.Option("--hashing", help="google: the Python and C++ clients. google-java: the Java client.")
    ] = "google",
    as_json: Json = False,
) -> None:
    """Write the collection that the files of Google's RAPPOR describe, to aggregate and decode their counts here."""
    from cobogo.collect.rappor.exchange import read_exchange
    from cobogo.floor.files import stage_file

    if out.exists():
        raise OutputError(tr("is there already"), where=str(out), remedy=tr("Choose another --out."))
    text, found = read_exchange(params, question, hashing, candidates)
    with stage_file(out) as stage:
        stage.write_text(text, encoding="utf-8")
    if as_json:
        console.say_json(found.as_dict())
        return
    console.say_line("written", str(out), f"{found.mechanism}, {language.terminal_speech()(describe_losses(found))}")


def _collection(path: Path) -> Collection:
    from cobogo.collect.collection import Collection

    return Collection.load(path)


def _say_if_seeded(total: Aggregate) -> None:
    if total.seeded:
        console.warn(tr("some of the reports were drawn from a seed: they are invented, or protect no one"))


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


def _check_between(value: float, low: float, where: str) -> None:
    if not low <= value < 1 or value <= 0:
        raise PolicyError(
            tr("must be above {low:g} and below 1. Got {value!r} instead", low=low, value=value),
            where=where,
            remedy=tr("Leave the option out for its default."),
        )
