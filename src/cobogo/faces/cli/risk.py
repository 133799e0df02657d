"""The command ``cobogo risk``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Drawings, Engine, Json
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.floor.language import Speech
    from cobogo.studies.risk import RiskReport

_NAMES = {"zayatz": "Zayatz", "pitman": "Pitman", "snb": "slide negative binomial"}


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
    """Measure how exposed the people of a table are: attackers' chances, uniqueness, telling combinations, columns."""
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
        console.say_written(str(records), language.terminal_speech()("each row"))
    if out is not None:
        console.say_written(f"{out}/risk.html", f"{out}/risk.png", f"{out}/risk.json")


def risk_lines(found: RiskReport) -> str:
    """The report of risks as text for a terminal."""
    say = language.terminal_speech()
    parts = [_head(found, say), _chances(found, say), _population(found, say), _combinations(found, say)]
    parts += [_special(found, say), _columns(found, say)]
    parts += [f"{say('Note')}: {language.terminal_speech()(note)}." for note in found.notes]
    return "\n\n".join(part for part in parts if part)


def _head(found: RiskReport, say: Speech) -> str:
    who = say("{people} in ", people=say.plural("{n} person", "{n} people", n=found.people)) if found.unit else ""
    smallest, largest = int(found.sizes.min()), int(found.sizes.max())
    return (
        f"{found.source}: {who}{say.plural('{n} record', '{n} records', n=found.records)}, "
        f"{say('{classes} of {smallest} to {largest}', classes=say.plural('{n} class', '{n} classes', n=len(found.sizes)), smallest=smallest, largest=largest)}; "
        f"{say('{uniques} ({share}) stand alone in theirs', uniques=found.uniques, share=say.percent(found.unique_share))}"
    )


def _chances(found: RiskReport, say: Speech) -> str:
    chances, over = found.attackers, say("over {share}", share=say.percent(found.threshold))
    rows = [(say("prosecutor"), chances.prosecutor, say("knows that the person is in the table"))]
    if chances.journalist is not None:
        known = say(
            tr("estimated from the population's size") if chances.estimated else tr("counted in the population")
        )
        rows.append((say("journalist"), chances.journalist, say("does not know who is in it; {known}", known=known)))
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
    shown.append([say("marketer"), "", say.percent(chances.marketer), "", say("wants as many as possible")])
    return console.table([say("attacker"), say("highest"), say("average"), over, ""], shown, numbers=(1, 2, 3))


def _population(found: RiskReport, say: Speech) -> str:
    known = found.population
    if known is None:
        return ""
    head = say(
        "Of a population of {size}, of whom {share} are here, these are unique in it:",
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
            rows.append([title, "–", "", one.why or ""])
        else:
            mark = say("chosen by Dankar's rule") if name == chosen else ""
            rows.append([title, say.number(round(one.uniques)), say.percent(one.uniques / known.size), mark])
    return head + "\n" + console.table([say("estimator"), say("people"), say("share"), ""], rows, numbers=(1, 2))


def _combinations(found: RiskReport, say: Speech) -> str:
    alone = [one for one in found.combinations if len(one.attributes) == 1]
    alone.sort(key=lambda one: -one.separation)
    rows = [
        [" + ".join(one.attributes), say.percent(one.distinction), say.percent(one.separation), say.number(one.uniques)]
        for one in [*alone, *(one for one in found.telling() if len(one.attributes) > 1)]
    ]
    header = [say(key) for key in ("attributes", "distinction", "separation", "unique")]
    return (
        say("Which quasi-identifiers tell people apart, alone and together:")
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
        else say(" A match with one of them is right with a chance of {share}.", share=say.percent(special.dis))
    )
    head = (
        say(
            "How few attributes single out the {people} who stand alone.",
            people=say.plural("{n} person", "{n} people", n=special.uniques),
        )
        + match
    )
    header = [say("attributes"), say("minimal uniques"), say("people")]
    return head + "\n" + console.table(header, rows, numbers=(0, 1, 2))


def _columns(found: RiskReport, say: Speech) -> str:
    if not found.columns:
        return say("No column looks like one that HIPAA's safe harbour or the LGPD speak of.")
    rows = [
        [
            one.column,
            one.what,
            say.percent(one.confidence),
            one.role or "",
            ", ".join(one.rules),
            language.terminal_speech()(one.reason),
        ]
        for one in found.columns
    ]
    header = [say(key) for key in ("column", tr("holds"), "sure", tr("role"), "rule", "because")]
    return console.table(header, rows, numbers=(2,))
