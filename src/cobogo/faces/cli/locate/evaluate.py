"""The command ``cobogo locate evaluate``: mechanisms × attacks on a file of trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.errors import DataError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Encoding, GuessedSeparator, Json
from cobogo.floor.language import tr, trn

if TYPE_CHECKING:
    from cobogo.locate.attacks import LocationFindings
    from cobogo.studies.locations import Evaluation, MechanismTrial

USUAL = (
    "planar-laplace:epsilon=0.05|0.02|0.01|0.005|0.002",
    "disc:radius=100|300|1000",
)
"""Mechanisms that are tried where none is named."""


def evaluate(
    file: Annotated[Path, typer.Argument(help="Points of people: CSV or Parquet.", show_default=False)],
    mechanism: Annotated[
        list[str] | None,
        typer.Option("--mechanism", help="As in planar-laplace:epsilon=0.01|0.1; may be given again."),
    ] = None,
    attack: Annotated[
        list[str] | None,
        typer.Option("--attack", help="As in tracking:speed=10; may be given again. All attacks if not given."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Also write a page, pictures and a map into this directory: evidence, to keep."),
    ] = None,
    every: Annotated[
        float, typer.Option("--every", help="Use at most one point of a person in this many seconds.")
    ] = 60.0,
    most: Annotated[
        int, typer.Option("--most", min=10, help="Use at most this many points, of people chosen at random.")
    ] = 5000,
    places: Annotated[
        Path | None, typer.Option("--places", help="A file of places that attackers know: addresses, clinics.")
    ] = None,
    background: Annotated[
        Path | None, typer.Option("--background", help="A file of movements that attackers know from elsewhere.")
    ] = None,
    cells: Annotated[int, typer.Option("--cells", min=4, help="How many places attackers consider, at most.")] = 2500,
    utc_offset: Annotated[float, typer.Option("--utc-offset", help="Hours from UTC of the people's clock.")] = 0.0,
    user: Annotated[str | None, typer.Option("--user", help="The column of people.")] = None,
    time: Annotated[str | None, typer.Option("--time", help="The column of times.")] = None,
    lon: Annotated[str | None, typer.Option("--lon", help="The column of longitudes.")] = None,
    lat: Annotated[str | None, typer.Option("--lat", help="The column of latitudes.")] = None,
    separator: GuessedSeparator = None,
    encoding: Encoding = None,
    as_json: Json = False,
) -> None:
    """Try mechanisms on true points, attack what they release, and show what each costs and what is still found.

    What is written is evidence: it shows true positions.
    """
    from cobogo.locate import spec as asking
    from cobogo.locate.attacks import ATTACKS
    from cobogo.locate.places.reading import read_points
    from cobogo.studies.location_page import write
    from cobogo.studies.locations import evaluate as measure
    from cobogo.studies.locations import ground_of, sample_points

    wanted = [one for text in mechanism or USUAL for one in asking.parse_specs(text, "--mechanism")]
    attacks = [asking.build_attack(one) for text in attack or ATTACKS for one in asking.parse_specs(text, "--attack")]
    whole = read_points(file, separator=separator, encoding=encoding, lon=lon, lat=lat, time=time, user=user)
    sample = sample_points(whole, every, most)
    points = sample.points
    known = None if places is None else read_points(places)
    before = None if background is None else read_points(background)
    for name, some in ((file, points), (places, known), (background, before)):
        if some is not None and not len(some):
            raise DataError(
                tr("has no points"), where=str(name), remedy=tr("Give a file with at least one row of data.")
            )
    made = {one.label: asking.build_mechanism(one, points, places=known) for one in wanted}
    with console.progress(quiet=as_json) as show:
        found = measure(
            sample,
            made,
            attacks,
            name=file.name,
            grid=ground_of(points, before, cells),
            background=before,
            places=known,
            hours_from_utc=utc_offset,
            progress=show,
        )
        if out is not None:
            write(found, out, language=language.report_language(None))
    if as_json:
        console.say_json(found.to_dict())
        return
    console.say(evaluation_table(found))
    for line in attacks_not_run(found):
        console.say(line)
    for note in found.notes:
        console.say_line("note", note)
    if out is not None:
        console.say_written(tr("{directory}/evidence (keep: it shows true positions)", directory=str(out)))


def evaluation_table(found: Evaluation) -> str:
    """Mechanisms in rows; for each attack the share found beside what anybody finds, and by how much a guess is off."""
    say = language.terminal_speech()
    header: list[str] = [tr("mechanism"), tr("loss m"), tr("asks about"), *found.attacks]
    rows = [
        [
            run.label,
            say.fixed(run.quality_loss, ",.0f"),
            _price(run),
            *(_cell(run.findings.get(name)) for name in found.attacks),
        ]
        for run in found.runs
    ]
    lead = tr(
        "{source}: {points} of {people}; the share found (without any report), the error",
        source=found.source,
        points=trn("{n:,} point", "{n:,} points", n=len(found.truth)),
        people=trn("{n:,} person", "{n:,} people", n=found.truth.users),
    )
    return console.line("attacked", lead) + "\n" + console.table(header, rows, numbers=range(1, len(header)))


def _price(run: MechanismTrial) -> str:
    """What a service must answer about, and for how many it is not asked at all."""
    say = language.terminal_speech()
    silent = "" if run.answered == 1 else say(", {share} silent", share=say.fixed(1 - run.answered, ".0%"))
    if run.area is None or run.positions is not None:
        return say.plural("{n} place", "{n} places", n=1 if run.positions is None else run.positions) + silent
    return f"{say.fixed(run.area / 1e6, '.3g')} km²{silent}"


def _cell(finding: LocationFindings | None) -> str:
    if finding is None:
        return ""
    say = language.terminal_speech()
    share = f"{finding.success:.0%} ({finding.baseline:.0%})"
    return f"{share} {say.fixed(finding.error.mean(), ',.0f')} m" if len(finding.error) else share


def attacks_not_run(found: Evaluation) -> list[str]:
    """Why an attack could not be run on some mechanisms, in lines."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for run in found.runs:
        for attack, why in run.skipped.items():
            reasons.setdefault((attack, why), []).append(run.label)
    return [
        console.line(
            "not_tried",
            tr("{attack}: {why}", attack=attack, why=why)
            if len(runs) == len(found.runs)
            else tr("{attack} on {mechanisms}: {why}", attack=attack, mechanisms=", ".join(runs), why=why),
        )
        for (attack, why), runs in reasons.items()
    ]
