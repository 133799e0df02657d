"""The command ``cobogo location where``: a private model of how a city moves."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

import typer

from cobogo.errors import PolicyError, number_of
from cobogo.faces.cli import console
from cobogo.floor.untrusted import fraction


def where(
    events: Annotated[Path, typer.Argument(help="Call records: user, time, cell.", show_default=False)],
    cells: Annotated[Path, typer.Option("--cells", help="The public cells: cell, lon, lat.", show_default=False)],
    epsilon: Annotated[
        str, typer.Option("--epsilon", help="What it may cost anybody's privacy, in all.", show_default=False)
    ],
    first: Annotated[str, typer.Option("--first", help="The first day, as 2024-03-04.", show_default=False)],
    days: Annotated[int, typer.Option("--days", help="How many days are looked at.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Where the release goes.")] = Path("where"),
    utc_offset: Annotated[float, typer.Option("--utc-offset", help="Hours from UTC of the people's clock.")] = 0.0,
    area: Annotated[float, typer.Option("--area", help="Metres of the squares that cells are grouped in.")] = 3_000.0,
    most_a_day: Annotated[int, typer.Option("--most-a-day", help="Calls of a person that count on one day.")] = 40,
    people: Annotated[
        int | None, typer.Option("--people", min=1, help="How many people to make up; as many as there seem to be.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Repeats the made-up people, never the noise.")
    ] = None,
    leave_out: Annotated[
        bool, typer.Option("--leave-out-unknown", help="Leave out calls from cells that are not declared.")
    ] = False,
    separator: Annotated[str | None, typer.Option("--separator", help="Guessed from the header if not given.")] = None,
    ledger: Annotated[
        str | None, typer.Option("--ledger", help="The ledger to pay from: a file, or a database's URL.")
    ] = None,
    dataset: Annotated[str | None, typer.Option("--dataset", help="Whose book of the ledger is charged.")] = None,
    analyst: Annotated[str | None, typer.Option("--analyst", help="Who is charged.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Make a differentially private model of how people move, and calls of made-up people, from call records."""
    from cobogo.locate.mobility import Space
    from cobogo.locate.mobility import write as writing
    from cobogo.locate.places.reading import read_calls, read_cells
    from cobogo.promises.accounting import loss_of
    from cobogo.promises.payer import payer_of_options
    from cobogo.studies.fortaleza import layers_below

    cost = loss_of(epsilon).amount
    start = _day(first, days)
    network = read_cells(cells, separator=separator)
    space = Space(network, start, days, utc_offset, area, most_a_day)
    paying = payer_of_options(ledger, dataset, analyst)
    calls = read_calls(events, network, separator=separator, leave_out=leave_out)
    within = (calls.time >= space.start) & (calls.time < space.start + 86_400.0 * days)
    if len(calls) and not within.any():  # for who has the data; a refusal would tell of them
        console.warn("no call is of these days: what is released is noise alone. Look at --first and --days")
    found = writing.write(
        calls,
        space,
        cost,
        out,
        source=str(events.absolute()),
        people=people,
        seed=seed,
        paying=paying,
        base=layers_below(network.lon, network.lat),
    )
    made, compared = found.made, found.fidelity
    if as_json:
        console.say_json(
            {"holds": bool(found.verdict), "epsilon": float(cost), "parts": made.model.costs(),
             "people": made.calls.users, "records": len(made.calls), "fidelity": compared}
        )  # fmt: skip
        return
    console.say(f"Model     ε = {float(cost):g} for all records of a person")
    header = ["part", "ε", "bins", "scale", "counts"]
    rows = [
        [row["part"], f"{float(fraction(row['epsilon'])):.4g}", f"{row['bins'][0]:,} + {row['bins'][1]:,}",
         f"{row['scale']:.6g}", row["about"]]
        for row in made.model.costs()
    ]  # fmt: skip
    console.say(console.table(header, rows, numbers=[1, 2, 3]))
    console.say(f"\nMade up   {number_of(made.calls.users, 'person', 'people')}, {number_of(len(made.calls), 'call')}")
    if compared["daily range"] is not None:
        spans, hours = compared["daily range"], compared["population by hour"]
        console.say(
            f"Fidelity  daily range off by {spans[EMD]:,.0f} m, population by hour by {hours['mean']:,.0f} m "
            f"(calls from anywhere: {hours['of calls from anywhere']:,.0f} m); not private, keep it"
        )
    console.say(f"Written   {out}/public (give away)   {out}/evidence (keep)")


EMD = "earth mover's metres"


def _day(text: str, days: int) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise PolicyError(f"must be a day, as 2024-03-04. Got {text!r} instead", where="--first") from None
    ahead = (found - datetime.now(UTC).date()).days + min(max(days, 1), 366) - 1
    if ahead > 1:  # by clocks of the far east it is tomorrow already
        raise PolicyError("the days end in the future, of which there are no calls", where="--first and --days")
    return found
