"""The command ``cobogo location protect``: a file of points through a device mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cobogo.errors import DataError, PolicyError, number_of
from cobogo.faces.cli import console
from cobogo.faces.cli.location_trajectories import File, Json, Lat, Lon, Separator, Time, User

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
    separator: Separator = None,
    as_json: Json = False,
) -> None:
    """Release what devices would have reported with a mechanism: positions with noise, people under pseudonyms."""
    from cobogo.locate import spec as asking
    from cobogo.locate.places.reading import read_points
    from cobogo.locate.protect import Limits, protected
    from cobogo.locate.release import release_of
    from cobogo.release.write import write_release

    asked = asking.parsed(mechanism, "--mechanism")
    if len(asked) != 1:
        raise PolicyError("names several mechanisms", where="--mechanism", remedy="A release is made by one.")
    points = read_points(file, separator=separator, lon=lon, lat=lat, time=time, user=user)
    if not len(points):
        raise DataError("has no points", where=str(file))
    made = asking.mechanism(asked[0], None)
    package = protected(points, made, asked[0].label, Limits(budget, every, round_times))
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
