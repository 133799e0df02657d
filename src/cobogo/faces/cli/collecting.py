"""The commands ``cobogo ldp …``: reports of clients, from a column of a pilot to estimates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.errors import DataError, OutputError, PolicyError, number_of
from cobogo.faces.cli import associating, console, planning

if TYPE_CHECKING:
    from cobogo.collect.aggregate import Aggregate
    from cobogo.collect.collection import Collection
    from cobogo.collect.protocol import Findings

app = typer.Typer(
    name="ldp", help="Collect without trusting the collector: local differential privacy.", no_args_is_help=True
)

Described = Annotated[Path, typer.Argument(help="The collection: a TOML file.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Level = Annotated[float, typer.Option("--level", help="The chance of finding anything at all that is not there.")]


@app.command()
def encode(
    collection: Described,
    data: Annotated[str, typer.Argument(help="A CSV or Parquet file with one client a row.", show_default=False)],
    column: Annotated[str, typer.Option("--column", help="The column that holds the values.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Where the reports go: a new file.", show_default=False)],
    form: Annotated[
        str | None, typer.Option("--form", help="binary, text, json, csv or parquet; by the file's name if not given.")
    ] = None,
    separator: Annotated[str, typer.Option("--separator", help="Of a CSV file.")] = ",",
    encoding: Annotated[str, typer.Option("--encoding", help="utf-8 or latin-1.")] = "utf-8",
    seed: Annotated[
        int | None, typer.Option("--seed", help="Draw from a seed, for made-up data only: the reports say so.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make one report of each row of a column: for simulations, pilots and gateways that clients trust.

    Whoever runs this sees the values: for real data it belongs on the clients' side.
    """
    from cobogo.collect import files
    from cobogo.collect.encoding import encoded

    asked = _collection(collection)
    rows = encoded(asked, data, column, separator=separator, encoding=encoding, seed=seed)
    chosen = files.write(asked, rows, out, form, seeded=seed is not None)
    if seed is not None:
        console.warn("the reports were drawn from a seed: they protect nobody, and say so")
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
    console.say(
        f"Encoded   {number_of(len(rows), 'report')} of {number_of(protocol.layout.width, 'byte')}, "
        f"{asked.mechanism}, {_losses(asked)}\n"
        f"Written   {out}   {data} stays where it is: on the clients' side"
    )


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
    skip: Annotated[bool, typer.Option("--skip", help="Leave out what is no report of this collection.")] = False,
    as_json: Json = False,
) -> None:
    """Count reports. Counts of parts add up: give reports and earlier aggregates together, in any order."""
    from cobogo.collect.aggregate import Aggregate
    from cobogo.collect.files import aggregate_source

    asked = _collection(collection)
    twice = next((name for name in sources if sources.count(name) > 1), None)
    if twice is not None:
        raise PolicyError("is named twice", where=twice, remedy="Every report counts once.")
    total = Aggregate.empty(asked)
    with console.progress(quiet=as_json) as show:
        for number, source in enumerate(sources):
            show("count", number, len(sources))
            total = total + aggregate_source(asked, source, engine=engine, column=column, skip=skip)
    total.save(out)
    if as_json:
        console.say_json(total.as_dict())
        return
    console.say(
        f"Counted   {number_of(total.users, 'report')} of {asked.question}, version {asked.version}, "
        f"in {number_of(len(sources), 'file')}\nWritten   {out}"
    )
    _say_if_seeded(total)


@app.command()
def decode(
    collection: Described,
    counts: Annotated[Path, typer.Argument(help="An aggregate.", show_default=False)],
    candidates: Annotated[
        Path | None, typer.Option("--candidates", help="Strings to look for, one a line, instead of the collection's.")
    ] = None,
    level: Level = 0.05,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the estimates: a new PNG.")] = None,
    as_json: Json = False,
) -> None:
    """Estimate how many clients hold each value. Exit 1 when nothing stands out of the noise."""
    from cobogo.collect.aggregate import Aggregate

    asked = _collection(collection)
    if candidates is not None:
        asked = asked.looking_for(candidates)
    if getattr(asked, "candidates", None) == ():
        raise PolicyError(
            "there is nothing to look for",
            where=f"{asked.where}.candidates",
            remedy="Give --candidates, a file of strings.",
        )
    if not 0 < level < 1:
        raise PolicyError(f"must be above 0 and below 1. Got {level!r} instead", where="--level")
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
            console.say(f"\nWritten   {plot}")
    if not found.significant.any():
        raise typer.Exit(1)


app.command()(planning.plan)
app.command()(associating.associate)


def _collection(path: Path) -> Collection:
    from cobogo.collect.collection import Collection

    return Collection.load(path)


def _losses(asked: Collection) -> str:
    once, forever = asked.protocol.epsilon_once, asked.protocol.epsilon_forever
    return f"ε = {once:.4g}" if once == forever else f"ε = {once:.4g} a report, {forever:.4g} for all of one value"


def _say_findings(asked: Collection, found: Findings) -> None:
    marks = ["✓" if there else "" for there in found.significant]
    entries = list(
        zip(found.labels, found.counts.tolist(), found.errors.tolist(), found.chances.tolist(), marks, strict=True)
    )
    entries.sort(key=lambda entry: -entry[1])
    if found.counted:
        users = max(found.users, 1)
        header = ["value", "clients", "± 1 s.e.", "share", "95 %", "by chance", "there"]
        rows = [
            [
                label, f"{count:,.0f}", f"{error:,.0f}", f"{count / users:.2%}",
                f"{(count - 1.96 * error) / users:.2%} … {(count + 1.96 * error) / users:.2%}", f"{chance:.2g}", mark,
            ]
            for label, count, error, chance, mark in entries
        ]  # fmt: skip
        numbers = [1, 2, 3, 5]
    else:
        header = ["figure", "estimate", "± 1 s.e.", "95 %"]
        rows = [
            [label, f"{count:.6g}", f"{error:.3g}", f"{count - 1.96 * error:.6g} … {count + 1.96 * error:.6g}"]
            for label, count, error, *_ in entries
        ]
        numbers = [1, 2]
    console.say(
        f"{number_of(found.users, 'report')} of {asked.question}, version {asked.version}: {asked.mechanism}, "
        f"{_losses(asked)}\n"
    )
    console.say(console.table(header, rows, numbers=numbers))
    if not found.counted:
        return
    if found.too_few:
        console.say(
            "\nToo few reports to say anything: a value that every client holds would not stand out of the noise."
        )
        return
    there = int(found.significant.sum())
    fit = "" if found.fit is None else f"; they explain {found.fit:.0%} of what the bits show"
    console.say(f"\n{there} of {found.tested:,} are there, at a level of {found.level:g} for all together{fit}.")


def _say_if_seeded(total: Aggregate) -> None:
    if total.seeded:
        console.warn("some of the reports were drawn from a seed: they are made up, or protect nobody")


def _draw(path: Path, asked: Collection, found: Findings) -> None:
    from cobogo.floor import scratch
    from cobogo.tell.report.bars import Estimated, draw_estimates

    if path.exists():
        raise OutputError("is there already", where=str(path), remedy="Choose another name for --plot.")
    if not found.labels:
        raise DataError("there is nothing to draw", where=str(path), remedy="Give other candidates, or more reports.")
    scale = max(found.users, 1) if found.counted else 1
    lines = [
        Estimated(label, count / scale, error / scale, bool(there))
        for label, count, error, there in zip(
            found.labels, found.counts.tolist(), found.errors.tolist(), found.significant, strict=True
        )
    ]
    lines.sort(key=lambda line: -line.value)
    with scratch.whole(path) as stage:
        draw_estimates(
            stage, asked.name, f"{number_of(found.users, 'report')} through {asked.mechanism}, {_losses(asked)}", lines,
            unit="share of the clients" if found.counted else asked.question, percent=found.counted,
        )  # fmt: skip
