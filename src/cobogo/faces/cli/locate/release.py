"""The commands ``cobogo locate protect``, ``anonymize``, ``synthesize`` and ``where``: each makes a release."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cobogo.errors import DataError, PolicyError, number_of
from cobogo.faces.cli import console
from cobogo.faces.cli.options import GuessedSeparator, Json, Ledger, PayingAnalyst, PayingDataset
from cobogo.floor.language import tr
from cobogo.floor.untrusted import fraction

if TYPE_CHECKING:
    from cobogo.locate.places.grid import Grid
    from cobogo.locate.places.points import Points

File = Annotated[Path, typer.Argument(help="Points of people in time: CSV or Parquet.", show_default=False)]
User = Annotated[str | None, typer.Option("--user", help="The column of people.")]
Time = Annotated[str | None, typer.Option("--time", help="The column of times.")]
Lon = Annotated[str | None, typer.Option("--lon", help="The column of longitudes.")]
Lat = Annotated[str | None, typer.Option("--lat", help="The column of latitudes.")]
Gap = Annotated[float, typer.Option("--gap", help="Seconds without a point end a trip.")]
Stay = Annotated[float, typer.Option("--stay", help="So many seconds at one place end a trip, too; 0: never.")]

HIDES = 100.0
"""Metres: a place that is told more exactly than that is as good as an address."""


def protect(
    file: File,
    mechanism: Annotated[
        str, typer.Option("--mechanism", help="As in planar-laplace:epsilon=0.01 (per metre).", show_default=False)
    ],
    budget: Annotated[
        float | None, typer.Option("--budget", help="What all reports of a person may cost together, ε per metre.")
    ] = None,
    every: Annotated[float, typer.Option("--every", help="Seconds: one report of a person in each, at most.")] = 0.0,
    round_times: Annotated[float, typer.Option("--round-times", help="Seconds that times are rounded down to.")] = 0.0,
    out: Annotated[Path, typer.Option("--out", help="Where the release goes.")] = Path("reports"),
    user: User = None,
    time: Time = None,
    lon: Lon = None,
    lat: Lat = None,
    separator: GuessedSeparator = None,
    as_json: Json = False,
) -> None:
    """Release what devices would have reported with a mechanism: positions with noise, people under pseudonyms."""
    from cobogo.locate import spec as asking
    from cobogo.locate.places.reading import read_points
    from cobogo.locate.protect import ReportLimits, protect_points
    from cobogo.locate.release import release_of
    from cobogo.release.write import write_release

    asked = asking.parse_specs(mechanism, "--mechanism")
    if len(asked) != 1:
        raise PolicyError(tr("names several mechanisms"), where="--mechanism", remedy=tr("A release is made by one."))
    points = read_points(file, separator=separator, lon=lon, lat=lat, time=time, user=user)
    if not len(points):
        raise DataError(tr("has no points"), where=str(file))
    made = asking.build_mechanism(asked[0], None)
    package = protect_points(points, made, asked[0].label, ReportLimits(budget, every, round_times))
    verdict = write_release(release_of(package, points, str(file.absolute())), out)
    report = dict(package.report)
    if as_json:
        console.say_json({"holds": bool(verdict), "reports": len(package.points), **report})
        return
    loss = report["quality_loss_metres"] or {"mean": 0.0}
    left_out = report["reports_left_out"]
    console.say(
        f"Reports   {number_of(len(package.points), 'report')}, {loss['mean']:,.0f} m off on average"
        + (f"; {left_out:,} left out" if left_out else "")
    )
    console.say(f"Promised  {report['guarantee']}")
    whole, many = report["budget_per_metre"], report["most_reports_of_a_person"]
    console.say(f"Together  ε = {whole:g} per metre for all reports of a person, {many:,} at most")
    if report["place_told_to_metres"] < HIDES:
        console.warn(
            f"little is hidden: whoever averages the reports of one place finds it to about "
            f"{report['place_told_to_metres']:,.0f} m; spend less (--budget), or report less often (--every)"
        )
    console.say(f"Written   {out}/public (give away)   {out}/evidence (keep)")


def anonymize(
    file: File,
    k: Annotated[int, typer.Option("--k", min=2, help="How many people must go together.", show_default=False)],
    delta: Annotated[float, typer.Option("--delta", help="Metres within which they do.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Where the release goes.")] = Path("trajectories"),
    method: Annotated[str, typer.Option("--method", help="w4m moves in space and time, nwa in space only.")] = "w4m",
    trash: Annotated[float, typer.Option("--trash", help="The share of trips that may be suppressed.")] = 0.1,
    step: Annotated[float, typer.Option("--step", help="Seconds between released points.")] = 60.0,
    period: Annotated[float, typer.Option("--period", help="nwa: seconds of the periods trips are cut to.")] = 900.0,
    gap: Gap = 1800.0,
    stay: Stay = 1200.0,
    daily: Annotated[bool, typer.Option("--daily", help="Forget dates: trips of different days go together.")] = False,
    user: User = None,
    time: Time = None,
    lon: Lon = None,
    lat: Lat = None,
    separator: GuessedSeparator = None,
    as_json: Json = False,
) -> None:
    """Release trajectories of which each has at least k − 1 others within δ metres of it at all times."""
    from cobogo.locate.places.reading import read_points
    from cobogo.locate.release import release_of
    from cobogo.locate.trips import KDelta
    from cobogo.locate.trips import anonymize_trips as make
    from cobogo.locate.trips.release import anonymous_trips
    from cobogo.release.write import write_release

    try:
        asked = KDelta(k, delta, method, trash, step, period, gap, stay, daily=daily)  # type: ignore[arg-type]
    except ValueError as error:
        raise PolicyError(str(error), where="cobogo locate anonymize") from None
    points = read_points(file, separator=separator, lon=lon, lat=lat, time=time, user=user)
    found = make(points, asked)
    verdict = write_release(release_of(anonymous_trips(found), points, str(file.absolute())), out)
    figures = found.figures()
    if as_json:
        console.say_json({"holds": bool(verdict), "k": k, "delta": delta, "method": method, **figures})
        return
    console.say(f"Read      {number_of(len(points), 'point')}, {number_of(found.trips, 'trip')}")
    console.say(
        f"Released  {number_of(int(figures['released']), 'trip')} in {number_of(int(figures['clusters']), 'cluster')}, "
        f"moved by {figures['mean_metres_moved']:,.0f} m on average; "
        f"{number_of(found.suppressed, 'trip')} suppressed ({found.suppressed / max(found.trips, 1):.1%})"
    )
    console.say(f"Verified  k = {found.measured.k} within {delta:g} m at all times ✓")
    console.say(f"Written   {out}/public (give away)   {out}/evidence (keep)")


def synthesize(
    file: File,
    epsilon: Annotated[
        str, typer.Option("--epsilon", help="What it may cost anybody's privacy, in all.", show_default=False)
    ],
    region: Annotated[
        str, typer.Option("--region", help="West, south, east, north in degrees: public.", show_default=False)
    ],
    cell: Annotated[float, typer.Option("--cell", help="Metres of the cells of the public grid.")] = 500.0,
    out: Annotated[Path, typer.Option("--out", help="Where the release goes.")] = Path("synthetic-trips"),
    number: Annotated[int | None, typer.Option("--number", min=1, help="Trips to make up; as many as seem.")] = None,
    trips: Annotated[int, typer.Option("--trips", min=1, help="Trips of a person that count.")] = 10,
    longest: Annotated[int, typer.Option("--longest", min=2, help="Cells of a trip that count.")] = 60,
    moves: Annotated[int, typer.Option("--moves", min=1, help="Moves of a person that count.")] = 100,
    gap: Gap = 1800.0,
    stay: Stay = 1200.0,
    user: User = None,
    time: Time = None,
    lon: Lon = None,
    lat: Lat = None,
    separator: GuessedSeparator = None,
    ledger: Ledger = None,
    dataset: PayingDataset = None,
    analyst: PayingAnalyst = None,
    as_json: Json = False,
) -> None:
    """Make up trips like those of a file, with differential privacy for each person and all of their trips."""
    from cobogo.locate.places.grid import Grid
    from cobogo.locate.places.reading import read_points
    from cobogo.locate.release import release_of
    from cobogo.locate.trips import TripSynthesis, fit_trips
    from cobogo.locate.trips.release import costs, made_up_trips
    from cobogo.locate.trips.synthesis import likeness
    from cobogo.promises.accounting import PrivacyLoss, exact_amount
    from cobogo.promises.payer import payer_of_options
    from cobogo.release.write import write_release

    asked = TripSynthesis(
        exact_amount(epsilon, "--epsilon"),
        Grid.from_bounds(*_edges(region), size=cell),
        trips,
        longest,
        moves,
        gap,
        stay,
    )
    paying = payer_of_options(ledger, dataset, analyst)
    points = read_points(file, separator=separator, lon=lon, lat=lat, time=time, user=user)
    _warn_of_nothing_inside(points, asked.grid)
    if paying is not None:
        paying.pay(PrivacyLoss("epsilon", asked.epsilon), f"locate synthesize, {asked.grid.cells} cells")
    model = fit_trips(points, asked)
    made = model.sample(number)
    alike = likeness(points, made, asked.grid, gap=gap, stay=stay)
    report: dict[str, Any] = {"epsilon": float(asked.epsilon), "likeness": alike, "parts": costs(asked)}
    verdict = write_release(release_of(made_up_trips(model, made, report), points, str(file.absolute())), out)
    if as_json:
        console.say_json({"holds": bool(verdict), **report, "trips": made.users, "points": len(made)})
        return
    console.say(
        f"Model     ε = {float(asked.epsilon):g} for all trips of a person, {asked.grid.cells:,} cells of {cell:g} m"
    )
    console.say(f"Made up   {number_of(made.users, 'trip')}, {number_of(len(made), 'point')}")
    console.say(
        f"Fidelity  cells off by {alike['cells']:.0%} (trips anywhere: {alike['cells_of_trips_anywhere']:.0%}), "
        f"journeys by {alike['journeys']:.0%}, lengths by {alike['lengths']:.0%}; not private, keep it"
    )
    console.say(f"Written   {out}/public (give away)   {out}/evidence (keep)")


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
    separator: GuessedSeparator = None,
    ledger: Ledger = None,
    dataset: PayingDataset = None,
    analyst: PayingAnalyst = None,
    as_json: Json = False,
) -> None:
    """Make a differentially private model of how people move, and calls of made-up people, from call records."""
    from cobogo.locate.mobility import Space
    from cobogo.locate.mobility.release import MadeUpCalls, release_of
    from cobogo.locate.places.reading import read_calls, read_cells
    from cobogo.promises.accounting import loss_of
    from cobogo.promises.payer import payer_of_options
    from cobogo.release.write import write_release
    from cobogo.studies.fortaleza import layers_below

    cost = loss_of(epsilon).amount
    start = _first_day(first, days)
    network = read_cells(cells, separator=separator)
    space = Space(network, start, days, utc_offset, area, most_a_day)
    paying = payer_of_options(ledger, dataset, analyst)
    calls = read_calls(events, network, separator=separator, leave_out=leave_out)
    within = (calls.time >= space.start) & (calls.time < space.start + 86_400.0 * days)
    if len(calls) and not within.any():  # for who has the data; a refusal would tell of them
        console.warn("no call is of these days: what is released is noise alone. Look at --first and --days")
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
        off, hours = compared["daily range"]["earth mover's metres"], compared["population by hour"]
        console.say(
            f"Fidelity  daily range off by {off:,.0f} m, population by hour by {hours['mean']:,.0f} m "
            f"(calls from anywhere: {hours['of calls from anywhere']:,.0f} m); not private, keep it"
        )
    console.say(f"Written   {out}/public (give away)   {out}/evidence (keep)")


def _edges(text: str) -> tuple[float, float, float, float]:
    from cobogo.locate.places.geometry import look_exchanged

    try:
        west, south, east, north = (float(part) for part in text.split(","))
    except ValueError:
        raise PolicyError(
            tr("must be four numbers. Got {text!r} instead", text=text),
            where="--region",
            remedy=tr(
                "Write it as in: --region=-38.64,-3.90,-38.40,-3.68. It must be chosen without looking at the data."
            ),
        ) from None
    if not (abs(west) <= 360 and abs(east) <= 360 and -90 <= south < north <= 90):
        raise PolicyError(tr("must be west, south, east, north in degrees, south below north"), where="--region")
    if west > east and (east - west) % 360 > 180:
        raise PolicyError(tr("is wider than half of the globe: are west and east exchanged?"), where="--region")
    if look_exchanged([west, west, east, east], [south, north, south, north]):
        raise PolicyError(
            tr("is far out at sea, and would be on land with longitude and latitude exchanged"),
            where="--region",
            remedy=tr("Longitude comes first: west, south, east, north."),
        )
    return west, south, east, north


def _warn_of_nothing_inside(points: Points, grid: Grid) -> None:
    """For the eyes of who has the data: the release is made all the same, since a refusal would tell of them."""
    if len(points) and not (grid.cell_of(points.lon, points.lat) >= 0).any():
        console.warn("no point lies in --region: what is released is noise alone. It takes west, south, east, north")


def _first_day(text: str, days: int) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise PolicyError(
            tr("must be a day, as 2024-03-04. Got {text!r} instead", text=text), where="--first"
        ) from None
    ahead = (found - datetime.now(UTC).date()).days + min(max(days, 1), 366) - 1
    if ahead > 1:  # by clocks of the far east it is tomorrow already
        raise PolicyError(tr("the days end in the future, of which there are no calls"), where="--first and --days")
    return found
