"""The commands ``cobogo locate protect``, ``anonymize`` and ``synthesize``: each makes a release of points or trips."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cobogo.errors import DataError, PolicyError
from cobogo.faces.cli import console
from cobogo.faces.cli.options import Encoding, GuessedSeparator, Json, Ledger, PayingAnalyst, PayingDataset
from cobogo.floor.language import join, tr, trn

if TYPE_CHECKING:
    from cobogo.locate.places.grid import Grid
    from cobogo.locate.places.points import Points

File = Annotated[Path, typer.Argument(help="Points of people in time: CSV or Parquet.", show_default=False)]
User = Annotated[str | None, typer.Option("--user", help="The column of people.")]
Time = Annotated[str | None, typer.Option("--time", help="The column of times.")]
Lon = Annotated[str | None, typer.Option("--lon", help="The column of longitudes.")]
Lat = Annotated[str | None, typer.Option("--lat", help="The column of latitudes.")]
Gap = Annotated[float, typer.Option("--gap", min=0, help="This many seconds without a point end a trip.")]
Stay = Annotated[
    float, typer.Option("--stay", min=0, help="This many seconds at one place end a trip, too; with 0 they never do.")
]

Directory = Annotated[Path, typer.Option("--out", help="The directory of the release.")]
EpsilonOfPerson = Annotated[
    str, typer.Option("--epsilon", help="The ε that all data of a person may cost.", show_default=False)
]

HIDES = 100.0
"""Metres: a place that is told more exactly than that is as good as an address."""


def protect(
    file: File,
    mechanism: Annotated[
        str, typer.Option("--mechanism", help="As in planar-laplace:epsilon=0.01 (per metre).", show_default=False)
    ],
    budget: Annotated[
        float | None, typer.Option("--budget", help="What all reports of a person may cost together, in ε per metre.")
    ] = None,
    every: Annotated[
        float, typer.Option("--every", help="Make at most one report of a person in this many seconds.")
    ] = 0.0,
    round_times: Annotated[
        float, typer.Option("--round-times", help="Round times down to multiples of this many seconds.")
    ] = 0.0,
    out: Directory = Path("reports"),
    user: User = None,
    time: Time = None,
    lon: Lon = None,
    lat: Lat = None,
    separator: GuessedSeparator = None,
    encoding: Encoding = None,
    as_json: Json = False,
) -> None:
    """Release what devices would have reported with a mechanism: positions with noise, people with pseudonyms."""
    from cobogo.locate import spec as asking
    from cobogo.locate.places.reading import read_points
    from cobogo.locate.protect import ReportLimits, protect_points
    from cobogo.locate.release import release_of
    from cobogo.release.write import write_release

    asked = asking.parse_specs(mechanism, "--mechanism")
    if len(asked) != 1:
        raise PolicyError(
            tr("names several mechanisms"),
            where="--mechanism",
            remedy=tr("Name one: a release is made with one mechanism."),
        )
    points = read_points(file, separator=separator, encoding=encoding, lon=lon, lat=lat, time=time, user=user)
    if not len(points):
        raise DataError(tr("has no points"), where=str(file), remedy=tr("Give a file with at least one row of data."))
    made = asking.build_mechanism(asked[0], None)
    package = protect_points(points, made, asked[0].label, ReportLimits(budget, every, round_times))
    verdict = write_release(release_of(package, points, str(file.absolute())), out)
    report = dict(package.report)
    if as_json:
        console.say_json({"holds": bool(verdict), "reports": len(package.points), **report})
        return
    loss = report["quality_loss_metres"] or {"mean": 0.0}
    left_out = report["reports_left_out"]
    reports = tr(
        "{reports}, with an error of {metres:,.0f} m on average",
        reports=trn("{n:,} report", "{n:,} reports", n=len(package.points)),
        metres=loss["mean"],
    )
    console.say_line("reports", join([reports, tr("{n:,} left out", n=left_out) if left_out else ""], "; "))
    console.say_line("promise", report["guarantee"])
    whole, many = report["budget_per_metre"], report["most_reports_of_a_person"]
    console.say_line(
        "together",
        tr("ε = {epsilon:g} per metre for all reports of a person, at most {n:,}", epsilon=whole, n=many),
    )
    if report["place_told_to_metres"] < HIDES:
        console.warn(
            tr(
                "little is hidden: an attacker who averages the reports of one place finds it to about {metres:,.0f} "
                "m; spend less (--budget), or report less often (--every)",
                metres=report["place_told_to_metres"],
            )
        )
    console.say_release(out)


def anonymize(
    file: File,
    k: Annotated[int, typer.Option("--k", min=2, help="How many people must move together.", show_default=False)],
    delta: Annotated[float, typer.Option("--delta", help="How close they must be, in metres.", show_default=False)],
    out: Directory = Path("trajectories"),
    method: Annotated[
        str, typer.Option("--method", help="w4m moves trips in space and time, nwa in space only.")
    ] = "w4m",
    trash: Annotated[float, typer.Option("--trash", help="The share of trips that may be suppressed.")] = 0.1,
    step: Annotated[float, typer.Option("--step", help="Seconds between released points.")] = 60.0,
    period: Annotated[
        float, typer.Option("--period", help="For nwa: trips are cut to periods of this many seconds.")
    ] = 900.0,
    gap: Gap = 1800.0,
    stay: Stay = 1200.0,
    daily: Annotated[
        bool, typer.Option("--daily", help="Ignore dates: trips of different days may be put together.")
    ] = False,
    user: User = None,
    time: Time = None,
    lon: Lon = None,
    lat: Lat = None,
    separator: GuessedSeparator = None,
    encoding: Encoding = None,
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
    points = read_points(file, separator=separator, encoding=encoding, lon=lon, lat=lat, time=time, user=user)
    found = make(points, asked)
    verdict = write_release(release_of(anonymous_trips(found), points, str(file.absolute())), out)
    figures = found.figures()
    if as_json:
        console.say_json({"holds": bool(verdict), "k": k, "delta": delta, "method": method, **figures})
        return
    read = trn("{n:,} point", "{n:,} points", n=len(points)), trn("{n:,} trip", "{n:,} trips", n=found.trips)
    console.say_line("read", join(read, ", "))
    console.say_line(
        "release",
        tr(
            "{trips} in {clusters}, moved by {metres:,.0f} m on average; {suppressed} ({share:.1%})",
            trips=trn("{n:,} trip", "{n:,} trips", n=int(figures["released"])),
            clusters=trn("{n:,} cluster", "{n:,} clusters", n=int(figures["clusters"])),
            metres=figures["mean_metres_moved"],
            suppressed=trn("{n:,} trip suppressed", "{n:,} trips suppressed", n=found.suppressed),
            share=found.suppressed / max(found.trips, 1),
        ),
    )
    console.say_line("verified", tr("k = {k} within {metres:g} m at all times ✓", k=found.measured.k, metres=delta))
    console.say_release(out)


def synthesize(
    file: File,
    epsilon: EpsilonOfPerson,
    region: Annotated[
        str,
        typer.Option(
            "--region",
            help="West, south, east, north in degrees, chosen without looking at the data.",
            show_default=False,
        ),
    ],
    cell: Annotated[float, typer.Option("--cell", help="The side of the cells of the public grid, in metres.")] = 500.0,
    out: Directory = Path("synthetic-trips"),
    number: Annotated[
        int | None,
        typer.Option("--number", min=1, help="How many trips to invent; about as many as in the file if not given."),
    ] = None,
    trips: Annotated[int, typer.Option("--trips", min=1, help="How many trips of a person count.")] = 10,
    longest: Annotated[int, typer.Option("--longest", min=2, help="How many cells of a trip count.")] = 60,
    moves: Annotated[int, typer.Option("--moves", min=1, help="How many moves of a person count.")] = 100,
    gap: Gap = 1800.0,
    stay: Stay = 1200.0,
    user: User = None,
    time: Time = None,
    lon: Lon = None,
    lat: Lat = None,
    separator: GuessedSeparator = None,
    encoding: Encoding = None,
    ledger: Ledger = None,
    dataset: PayingDataset = None,
    analyst: PayingAnalyst = None,
    as_json: Json = False,
) -> None:
    """Invent trips like those of a file, with differential privacy for each person and all of their trips."""
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
    points = read_points(file, separator=separator, encoding=encoding, lon=lon, lat=lat, time=time, user=user)
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
    console.say_line(
        "model",
        tr(
            "ε = {epsilon:g} for all trips of a person, {cells:,} cells of {metres:g} m",
            epsilon=float(asked.epsilon),
            cells=asked.grid.cells,
            metres=cell,
        ),
    )
    invented = trn("{n:,} trip", "{n:,} trips", n=made.users), trn("{n:,} point", "{n:,} points", n=len(made))
    console.say_line("made_up", join(invented, ", "))
    console.say_line(
        "fidelity",
        tr(
            "error of the cells {cells:.0%} (random trips: {anywhere:.0%}), of the journeys {journeys:.0%}, "
            "of the lengths {lengths:.0%}; these figures are not private: keep them",
            cells=alike["cells"],
            anywhere=alike["cells_of_trips_anywhere"],
            journeys=alike["journeys"],
            lengths=alike["lengths"],
        ),
    )
    console.say_release(out)


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
        raise PolicyError(
            tr("must be west, south, east, north in degrees, south below north"),
            where="--region",
            remedy=tr("Write it as in: --region=-38.64,-3.90,-38.40,-3.68."),
        )
    if west > east and (east - west) % 360 > 180:
        raise PolicyError(
            tr("is wider than half of the globe"),
            where="--region",
            remedy=tr("Check whether west and east are exchanged: west comes first."),
        )
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
        console.warn(tr("no point is in --region: the release is noise alone. The order is west, south, east, north"))
