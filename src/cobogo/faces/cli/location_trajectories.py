"""The commands ``cobogo location anonymize`` and ``cobogo location synthesize``: trajectories that may be released."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cobogo.errors import PolicyError, number_of
from cobogo.faces.cli import console

if TYPE_CHECKING:
    from cobogo.locate.places.grid import Grid
    from cobogo.locate.places.points import Points

File = Annotated[Path, typer.Argument(help="Points of people in time: CSV or Parquet.", show_default=False)]
User = Annotated[str | None, typer.Option("--user", help="The column of people.")]
Time = Annotated[str | None, typer.Option("--time", help="The column of times.")]
Lon = Annotated[str | None, typer.Option("--lon", help="The column of longitudes.")]
Lat = Annotated[str | None, typer.Option("--lat", help="The column of latitudes.")]
Separator = Annotated[str | None, typer.Option("--separator", help="Guessed from the header if not given.")]
Gap = Annotated[float, typer.Option("--gap", help="Seconds without a point end a trip.")]
Stay = Annotated[float, typer.Option("--stay", help="So many seconds at one place end a trip, too; 0: never.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


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
    separator: Separator = None,
    as_json: Json = False,
) -> None:
    """Release trajectories of which each has at least k − 1 others within δ metres of it at all times."""
    from cobogo.locate.places.reading import read_points
    from cobogo.locate.trips import KDelta
    from cobogo.locate.trips import anonymize as make
    from cobogo.locate.trips.release import packed
    from cobogo.locate.write import write

    try:
        asked = KDelta(k, delta, method, trash, step, period, gap, stay, daily=daily)  # type: ignore[arg-type]
    except ValueError as error:
        raise PolicyError(str(error), where="cobogo location anonymize") from None
    points = read_points(file, separator=separator, lon=lon, lat=lat, time=time, user=user)
    found = make(points, asked)
    verdict = write(packed(found), out, source=str(file.absolute()), records=len(points))
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
    separator: Separator = None,
    ledger: Annotated[
        str | None, typer.Option("--ledger", help="The ledger to pay from: a file, or a database's URL.")
    ] = None,
    dataset: Annotated[str | None, typer.Option("--dataset", help="Whose book of the ledger is charged.")] = None,
    analyst: Annotated[str | None, typer.Option("--analyst", help="Who is charged.")] = None,
    as_json: Json = False,
) -> None:
    """Make up trips like those of a file, with differential privacy for each person and all of their trips."""
    from cobogo.locate.places.grid import Grid
    from cobogo.locate.places.reading import read_points
    from cobogo.locate.trips import TripSynthesis, fit
    from cobogo.locate.trips.release import costs, made_up
    from cobogo.locate.trips.synthesis import likeness
    from cobogo.locate.write import write
    from cobogo.promises.accounting import Loss
    from cobogo.promises.paying import payer
    from cobogo.promises.units import exact

    asked = TripSynthesis(
        exact(epsilon, "--epsilon"), Grid.over(*_edges(region), size=cell), trips, longest, moves, gap, stay
    )
    paying = payer(ledger, dataset, analyst)
    points = read_points(file, separator=separator, lon=lon, lat=lat, time=time, user=user)
    _warn_of_nothing_inside(points, asked.grid)
    if paying is not None:
        paying.pay(Loss("epsilon", asked.epsilon), f"location synthesize, {asked.grid.cells} cells")
    model = fit(points, asked)
    made = model.sample(number)
    alike = likeness(points, made, asked.grid, gap=gap, stay=stay)
    report: dict[str, Any] = {"epsilon": float(asked.epsilon), "likeness": alike, "parts": costs(asked)}
    verdict = write(made_up(model, made, report), out, source=str(file.absolute()), records=len(points))
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


def _edges(text: str) -> tuple[float, float, float, float]:
    from cobogo.locate.places.geometry import look_exchanged

    try:
        west, south, east, north = (float(part) for part in text.split(","))
    except ValueError:
        raise PolicyError(
            f"must be four numbers. Got {text!r} instead",
            where="--region",
            remedy="Write it as in: --region=-38.64,-3.90,-38.40,-3.68. It must be chosen without looking at the data.",
        ) from None
    if not (abs(west) <= 360 and abs(east) <= 360 and -90 <= south < north <= 90):
        raise PolicyError("must be west, south, east, north in degrees, south below north", where="--region")
    if west > east and (east - west) % 360 > 180:
        raise PolicyError("is wider than half of the globe: are west and east exchanged?", where="--region")
    if look_exchanged([west, west, east, east], [south, north, south, north]):
        raise PolicyError(
            "is far out at sea, and would be on land with longitude and latitude exchanged",
            where="--region",
            remedy="Longitude comes first: west, south, east, north.",
        )
    return west, south, east, north


def _warn_of_nothing_inside(points: Points, grid: Grid) -> None:
    """For the eyes of who has the data: the release is made all the same, since a refusal would tell of them."""
    if len(points) and not (grid.cell_of(points.lon, points.lat) >= 0).any():
        console.warn("no point lies in --region: what is released is noise alone. It takes west, south, east, north")
