"""The command ``cobogo risk``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.faces.cli import console, language
from cobogo.faces.cli.inspect import ROLES
from cobogo.faces.cli.options import Drawings, Engine, Json
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.floor.language import Speech
    from cobogo.studies.risk import RiskReport

_NAMES = {"zayatz": "Zayatz", "pitman": "Pitman", "snb": tr("slide negative binomial")}


def risk(
    data: Annotated[Path, typer.Argument(help="A CSV or Parquet file, or a release directory.", show_default=False)],
    policy: Annotated[
        Path | None,
        typer.Option("--policy", help="The policy that gives the roles; a release has them.", show_default=False),
    ] = None,
    population: Annotated[
        Path | None, typer.Option("--population", help="A table of the people the data were drawn from.")
    ] = None,
    population_size: Annotated[
        int | None, typer.Option("--population-size", help="How many people they were drawn from.")
    ] = None,
    fraction: Annotated[
        float | None, typer.Option("--fraction", help="The share of those people who are in the data.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="The risk above which records are counted; 0.2 if not given.")
    ] = None,
    combinations: Annotated[
        int | None, typer.Option("--combinations", help="How many quasi-identifiers to look at together.")
    ] = None,
    records: Annotated[
        Path | None, typer.Option("--records", help="Write the risk of each row, by its number, to this CSV file.")
    ] = None,
    out: Drawings = None,
    engine: Engine = None,
    as_json: Json = False,
) -> None:
    """Measure how exposed the people of a table are: risk by attacker, unique people, combinations, columns."""
    from cobogo.data.policy import Policy
    from cobogo.studies.risk import risk as measure_risk

    rules = None if policy is None else Policy.load(policy)
    with console.progress(quiet=as_json) as show:
        found = measure_risk(
            data, rules, population=None if population is None else population.absolute(),
            population_size=population_size, fraction=fraction, threshold=threshold, combinations=combinations,
            engine=engine, progress=show,
        )  # fmt: skip
        if records is not None:
            found.write_records(records)
        if out is not None:
            found.write(out, language=language.report_language(rules))
    if as_json:
        console.say_json(found.as_dict())
        return
    console.say(risk_lines(found))
    if records is not None:
        console.say_written(str(records), tr("the risk of each row"))
    if out is not None:
        console.say_written(f"{out}/risk.html", f"{out}/risk.png", f"{out}/risk.json")


def risk_lines(found: RiskReport) -> str:
    """The report of risks as text for a terminal."""
    say = language.terminal_speech()
    parts = [_head(found, say), _chances(found, say), _population(found, say), _combinations(found, say)]
    parts += [_special(found, say), _columns(found, say)]
    parts += [console.note(note) for note in found.notes]
    return "\n\n".join(part for part in parts if part)


def _head(found: RiskReport, say: Speech) -> str:
    smallest, largest = int(found.sizes.min()), int(found.sizes.max())
    records = say.plural("{n} record", "{n} records", n=found.records)
    if found.unit:
        people = say.plural("{n} person", "{n} people", n=found.people)
        records = say("{people} in {records}", people=people, records=records)
    count = say.plural("{n} class", "{n} classes", n=len(found.sizes))
    classes = say("{classes} of {smallest} to {largest}", classes=count, smallest=smallest, largest=largest)
    alone = say.plural(
        "{n} is unique ({share})", "{n} are unique ({share})", n=found.uniques, share=say.percent(found.unique_share)
    )
    return f"{found.source}: {records}, {classes}; {alone}"


def _chances(found: RiskReport, say: Speech) -> str:
    chances, over = found.attackers, say("over {share}", share=say.percent(found.threshold))
    rows = [(say("prosecutor"), chances.prosecutor, say("knows that the person is in the table"))]
    if chances.journalist is not None:
        known = say(
            tr("estimated from the population's size") if chances.estimated else tr("counted in the population")
        )
        rows.append(
            (say("journalist"), chances.journalist, say("does not know who is in the table; {known}", known=known))
        )
    shown = [
        [
            name,
            say.percent(one.highest),
            say.percent(one.average),
            f"{say.number(one.over)} ({say.percent(one.over_share)})",
            why,
        ]
        for name, one, why in rows
    ]
    shown.append(
        [say("marketer"), "", say.percent(chances.marketer), "", say("wants to find as many people as possible")]
    )
    return console.table([tr("attacker"), tr("highest"), tr("average"), over, ""], shown, numbers=(1, 2, 3))


def _population(found: RiskReport, say: Speech) -> str:
    known = found.population
    if known is None:
        return ""
    head = say(
        "The population has {size} people, and {share} of them are in this table. People who are unique in the "
        "population:",
        size=known.size,
        share=say.percent(known.fraction),
    )
    rows = []
    if known.counted is not None:
        rows.append([say("counted"), say.number(known.counted), say.percent(known.counted / known.size), ""])
    chosen = known.estimates["dankar"].model
    for name, title in _NAMES.items():
        one = known.estimates[name]
        if one.uniques is None:
            rows.append([say(title), "–", "", say(one.why) if one.why else ""])
        else:
            mark = say("chosen by Dankar's rule") if name == chosen else ""
            rows.append([say(title), say.number(round(one.uniques)), say.percent(one.uniques / known.size), mark])
    return head + "\n" + console.table([tr("estimator"), tr("people"), tr("share"), ""], rows, numbers=(1, 2))


def _combinations(found: RiskReport, say: Speech) -> str:
    alone = [one for one in found.combinations if len(one.attributes) == 1]
    alone.sort(key=lambda one: -one.separation)
    rows = [
        [" + ".join(one.attributes), say.percent(one.distinction), say.percent(one.separation), say.number(one.uniques)]
        for one in [*alone, *(one for one in found.telling() if len(one.attributes) > 1)]
    ]
    header: list[str] = [tr("attributes"), tr("distinction"), tr("separation"), tr("unique")]
    return (
        say("Which quasi-identifiers distinguish people, alone and together:")
        + "\n"
        + console.table(header, rows, numbers=(1, 2, 3))
    )


def _special(found: RiskReport, say: Speech) -> str:
    special = found.special
    if not any(special.found.values()):
        return ""
    rows = [
        [say.number(size), say.number(special.found[size]), say.number(people)]
        for size, people in special.smallest.items()
        if special.found[size]
    ]
    match = (
        ""
        if special.dis is None
        else say(" A match with one of them is right with a probability of {share}.", share=say.percent(special.dis))
    )
    head = (
        say(
            "How few attributes are enough to single out the unique people ({people}).",
            people=say.plural("{n} person", "{n} people", n=special.uniques),
        )
        + match
    )
    header: list[str] = [tr("attributes"), tr("minimal uniques"), tr("people")]
    return head + "\n" + console.table(header, rows, numbers=(0, 1, 2))


def _columns(found: RiskReport, say: Speech) -> str:
    if not found.columns:
        return say("No column looks like one that HIPAA's safe harbour or the LGPD names.")
    rows = [
        [
            one.column,
            say(one.what),
            say.percent(one.confidence),
            say(ROLES[one.role]) if one.role else "",
            ", ".join(one.rules),
            say(one.reason),
        ]
        for one in found.columns
    ]
    header: list[str] = [tr("column"), tr("content"), tr("sure"), tr("role"), tr("rule"), tr("because")]
    return console.table(header, rows, numbers=(2,))
