"""The commands ``cobogo locate where`` and ``flows``: how many move how, as a private model and as private counts."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

import typer

from cobogo.errors import PolicyError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.locate.release import Directory, EpsilonOfPerson, Gap, Stay
from cobogo.faces.cli.options import Encoding, GuessedSeparator, Json, Ledger, PayingAnalyst, PayingDataset
from cobogo.floor.language import join, tr, trn
from cobogo.floor.untrusted import fraction

MOSTLY_NOISE = 0.5
"""The share of journeys in wrong pairs above which a level of flows is of no use."""


def where(
    events: Annotated[Path, typer.Argument(help="A file of call records: user, time, cell.", show_default=False)],
    cells: Annotated[
        Path, typer.Option("--cells", help="A file of the public cells: cell, lon, lat.", show_default=False)
    ],
    epsilon: EpsilonOfPerson,
    first: Annotated[str, typer.Option("--first", help="The first day, as in 2024-03-04.", show_default=False)],
    days: Annotated[int, typer.Option("--days", help="How many days are used.", show_default=False)],
    out: Directory = Path("where"),
    utc_offset: Annotated[float, typer.Option("--utc-offset", help="Hours from UTC of the people's clock.")] = 0.0,
    area: Annotated[
        float, typer.Option("--area", help="The side of the squares into which cells are grouped, in metres.")
    ] = 3_000.0,
    most_a_day: Annotated[int, typer.Option("--most-a-day", help="How many calls of a person count on one day.")] = 40,
    people: Annotated[
        int | None,
        typer.Option("--people", min=1, help="How many people to invent; about as many as in the file if not given."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="The seed of the invented people; the noise never has a seed.")
    ] = None,
    leave_out: Annotated[
        bool, typer.Option("--leave-out-unknown", help="Leave out calls from cells that are not declared.")
    ] = False,
    separator: GuessedSeparator = None,
    encoding: Encoding = None,
    ledger: Ledger = None,
    dataset: PayingDataset = None,
    analyst: PayingAnalyst = None,
    as_json: Json = False,
) -> None:
    """Make a differentially private model of how people move, and calls of invented people, from call records."""
    from cobogo.locate.mobility import Space
    from cobogo.locate.mobility.release import MadeUpCalls, release_of
    from cobogo.locate.places.reading import read_calls, read_cells
    from cobogo.promises.accounting import loss_of
    from cobogo.promises.payer import payer_of_options
    from cobogo.release.write import write_release
    from cobogo.studies.fortaleza import layers_below

    cost = loss_of(epsilon).amount
    start = _first_day(first, days)
    network = read_cells(cells, separator=separator, encoding=encoding)
    space = Space(network, start, days, utc_offset, area, most_a_day)
    paying = payer_of_options(ledger, dataset, analyst)
    calls = read_calls(events, network, separator=separator, encoding=encoding, leave_out=leave_out)
    within = (calls.time >= space.start) & (calls.time < space.start + 86_400.0 * days)
    if len(calls) and not within.any():  # for who has the data; a refusal would tell of them
        console.warn(tr("no call is from these days: the release is noise alone. Check --first and --days"))
    release = release_of(
        calls, space, cost, source=str(events.absolute()), people=people, seed=seed, paying=paying,
        base=layers_below(network.lon, network.lat),
    )  # fmt: skip
    verdict = write_release(release, out)
    assert isinstance(release.transformation, MadeUpCalls)
    made, compared = release.transformation.result, release.transformation.fidelity
    if as_json:
        console.say_json(
            {"holds": bool(verdict), "epsilon": float(cost), "parts": made.model.costs(),
             "people": made.calls.users, "records": len(made.calls), "fidelity": compared}
        )  # fmt: skip
        return
    say = language.terminal_speech()
    console.say_line("model", tr("ε = {epsilon:g} for all records of a person", epsilon=float(cost)))
    header: list[str] = [tr("part"), "ε", tr("bins"), tr("scale"), tr("counts")]
    rows = [
        [
            say(part), say.fixed(float(fraction(row["epsilon"])), ".4g"),
            f"{say.number(row['bins'][0])} + {say.number(row['bins'][1])}", say.fixed(row["scale"]), say(about),
        ]
        for row in made.model.costs()
        for part, about in [(row["part"], row["about"])]
    ]  # fmt: skip
    console.say(console.table(header, rows, numbers=[1, 2, 3]))
    console.say()
    people_and_calls = (
        trn("{n:,} person", "{n:,} people", n=made.calls.users),
        trn("{n:,} call", "{n:,} calls", n=len(made.calls)),
    )
    console.say_line("made_up", join(people_and_calls, ", "))
    if compared["daily range"] is not None:
        off, hours = compared["daily range"]["earth mover's metres"], compared["population by hour"]
        console.say_line(
            "fidelity",
            tr(
                "error of the daily range {daily:,.0f} m, of the population by hour {hourly:,.0f} m "
                "(random calls: {anywhere:,.0f} m); these figures are not private: keep them",
                daily=off,
                hourly=hours["mean"],
                anywhere=hours["of calls from anywhere"],
            ),
        )
    console.say_release(out)


def flows(
    file: Annotated[
        Path,
        typer.Argument(
            help="Journeys (person, origin, destination), or points of people in time: CSV or Parquet.",
            show_default=False,
        ),
    ],
    areas: Annotated[
        Path, typer.Option("--areas", help="A file of the public areas: area, lon, lat.", show_default=False)
    ],
    epsilon: Annotated[
        str, typer.Option("--epsilon", help="The ε that all journeys of a person may cost.", show_default=False)
    ],
    levels: Annotated[
        str, typer.Option("--levels", help="Columns of coarser areas, from finer to coarser: zone,region.")
    ] = "",
    shares: Annotated[
        str | None, typer.Option("--shares", help="How the levels share ε, the finest first: 3,1; evenly if not given.")
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="How many journeys of a person count.")] = 1,
    out: Directory = Path("flows"),
    leave_out: Annotated[
        bool, typer.Option("--leave-out-unknown", help="Leave out journeys of areas that are not declared.")
    ] = False,
    gap: Gap = 1800.0,
    stay: Stay = 1200.0,
    separator: GuessedSeparator = None,
    encoding: Encoding = None,
    ledger: Ledger = None,
    dataset: PayingDataset = None,
    analyst: PayingAnalyst = None,
    as_json: Json = False,
) -> None:
    """Release how many people go from area to area, with differential privacy; the counts add up over all levels."""
    from cobogo.locate.mobility.areas import read_areas, read_journeys
    from cobogo.locate.mobility.flows import FlowTable, check_shares, release_of
    from cobogo.promises.accounting import loss_of
    from cobogo.promises.payer import payer_of_options
    from cobogo.release.write import write_release
    from cobogo.studies.fortaleza import layers_below

    cost = loss_of(epsilon).amount
    tree = read_areas(
        areas, [level.strip() for level in levels.split(",") if level.strip()], separator=separator, encoding=encoding
    )
    parts = None if shares is None else check_shares(shares.split(","), tree)
    paying = payer_of_options(ledger, dataset, analyst)
    journeys = read_journeys(
        file, tree, separator=separator, encoding=encoding, leave_out=leave_out, gap=gap, stay=stay
    )
    release = release_of(
        journeys, cost, source=str(file.absolute()), most=most, shares=parts, paying=paying,
        base=layers_below(tree.places.lon, tree.places.lat),
    )  # fmt: skip
    verdict = write_release(release, out)
    made = release.transformation
    assert isinstance(made, FlowTable)
    if as_json:
        console.say_json(
            {"holds": bool(verdict), "epsilon": float(cost), "journeys": int(made.counts.table[-1].sum()),
             "parts": made.counts.costs(), "fidelity": made.fidelity}
        )  # fmt: skip
        return
    console.say_line(
        "model", tr("ε = {epsilon:g} for a person, {most:,} of whose journeys count", epsilon=float(cost), most=most)
    )
    say = language.terminal_speech()
    header: list[str] = [tr("level"), tr("pairs of areas"), tr("scale"), tr("mean error of a pair"), tr("wrong")]
    rows = [
        [row["level"], say.number(row["pairs"]), say.fixed(cost["scale"]), say.fixed(row["mean_error"]),
         say.percent(row["wrong_share"])]
        for row, cost in zip(made.fidelity, made.counts.costs(), strict=True)
    ]  # fmt: skip
    console.say(console.table(header, rows, numbers=[1, 2, 3, 4]))
    console.say(tr("The errors are computed without noise: they are not private; keep them."))
    noise = [row["level"] for row in made.fidelity if row["wrong_share"] > MOSTLY_NOISE]
    if noise:
        console.warn(
            tr(
                "these levels are mostly noise: {levels}. There are too few journeys for so many pairs: use coarser "
                "areas, or a larger ε",
                levels=", ".join(noise),
            )
        )
    console.say_release(out)


def _first_day(text: str, days: int) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise PolicyError(
            tr("must be a date. Got {text!r} instead", text=text),
            where="--first",
            remedy=tr("Write year, month and day, as in 2024-03-04."),
        ) from None
    ahead = (found - datetime.now(UTC).date()).days + min(max(days, 1), 366) - 1
    if ahead > 1:  # by clocks of the far east it is tomorrow already
        raise PolicyError(
            tr("the days end in the future, from which there are no calls"),
            where="--first, --days",
            remedy=tr("Choose days that are over."),
        )
    return found
