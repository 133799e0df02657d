"""The command ``cobogo location protect``: a file of points through a device mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cobogo.cli import console
from cobogo.cli.location_trajectories import File, Json, Lat, Lon, Separator, Time, User
from cobogo.errors import DataError, PolicyError, number_of


def protect(
    file: File,
    mechanism: Annotated[
        str, typer.Option("--mechanism", help="As in planar-laplace:epsilon=0.01 (per metre).", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", help="Where the release goes.")] = Path("reports"),
    user: User = None,
    time: Time = None,
    lon: Lon = None,
    lat: Lat = None,
    separator: Separator = None,
    as_json: Json = False,
) -> None:
    """Release what devices would have reported with a mechanism: positions with noise, people under pseudonyms."""
    from cobogo.location import asking
    from cobogo.location.protecting import protected
    from cobogo.location.reading import read_points
    from cobogo.location.writing import write

    asked = asking.parsed(mechanism, "--mechanism")
    if len(asked) != 1:
        raise PolicyError("names several mechanisms", where="--mechanism", remedy="A release is made by one.")
    points = read_points(file, separator=separator, lon=lon, lat=lat, time=time, user=user)
    if not len(points):
        raise DataError("has no points", where=str(file))
    made = asking.mechanism(asked[0], None)
    package = protected(points, made, asked[0].label)
    verdict = write(package, out, source=str(file.absolute()), records=len(points))
    report = dict(package.report)
    if as_json:
        console.say_json({"holds": bool(verdict), "reports": len(package.points), **report})
        return
    loss = report["quality_loss_metres"] or {"mean": 0.0}
    console.say(f"Reports   {number_of(len(package.points), 'report')}, {loss['mean']:,.0f} m off on average")
    console.say(f"Promised  {report['guarantee']}")
    spent = report["most_spent_by_a_person_per_metre"]
    console.say(f"Spent     ε = {spent:g} per metre by whoever reported most: reports of one place add up")
    console.say(f"Written   {out}/public (give away)   {out}/evidence (keep)")
