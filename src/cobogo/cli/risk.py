"""The command ``cobogo risk``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.cli import console
from cobogo.errors import number_of

if TYPE_CHECKING:
    from cobogo.report.words import Words
    from cobogo.risk.result import RiskReport

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
    out: Annotated[
        Path | None, typer.Option("--out", help="Also draw it, as a picture and a page, here.", show_default=False)
    ] = None,
    language: Annotated[str | None, typer.Option("--language", help="Of the page: en or pt-BR.")] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", help="The engine's URL; DuckDB in memory if not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Measure how exposed the people of a table are: attackers' chances, uniqueness, telling combinations, columns."""
    from cobogo.errors import PolicyError
    from cobogo.policy import Policy
    from cobogo.risk.assess import risk as measured

    if language not in (None, "en", "pt-BR"):
        raise PolicyError(f"must be en or pt-BR. Got {language!r} instead", where="--language")
    rules = None if policy is None else Policy.load(policy)
    with console.progress(quiet=as_json) as show:
        found = measured(
            data, rules, population=None if population is None else population.absolute(),
            population_size=population_size, fraction=fraction, threshold=threshold, combinations=combinations,
            engine=engine, progress=show,
        )  # fmt: skip
        if records is not None:
            found.write_records(records)
        if out is not None:
            found.write(out, language=language or (rules.report.language if rules else "en"))
    if as_json:
        console.say_json(found.as_dict())
        return
    console.say(lines(found))
    if records is not None:
        console.say(f"\nWritten   {records}   a line for each row: keep it where the data are")
    if out is not None:
        console.say(f"\nWritten   {out}/risk.html   {out}/risk.png   {out}/risk.json")


def lines(found: RiskReport) -> str:
    """The report for a terminal."""
    from cobogo.report.words import words

    say = words("en")
    parts = [_head(found, say), _chances(found, say), _population(found, say), _combinations(found, say)]
    parts += [_special(found, say), _columns(found, say)]
    parts += [f"Note: {note}." for note in found.notes]
    return "\n\n".join(part for part in parts if part)


def _head(found: RiskReport, say: Words) -> str:
    who = f"{number_of(found.people, 'person', 'people')} in " if found.unit else ""
    smallest, largest = int(found.sizes.min()), int(found.sizes.max())
    return (
        f"{found.source}: {who}{number_of(found.records, 'record')}, "
        f"{number_of(len(found.sizes), 'class', 'classes')} of {smallest:,} to {largest:,}; "
        f"{found.uniques:,} ({say.percent(found.unique_share)}) stand alone in theirs"
    )


def _chances(found: RiskReport, say: Words) -> str:
    chances, over = found.attackers, f"over {say.percent(found.threshold)}"
    rows = [("prosecutor", chances.prosecutor, "knows that the person is in the table")]
    if chances.journalist is not None:
        known = "estimated from the population's size" if chances.estimated else "counted in the population"
        rows.append(("journalist", chances.journalist, f"does not know who is in it; {known}"))
    shown = [
        [name, say.percent(one.highest), say.percent(one.average), f"{one.over:,} ({say.percent(one.over_share)})", why]
        for name, one, why in rows
    ]
    shown.append(["marketer", "", say.percent(chances.marketer), "", "wants as many as possible"])
    return console.table(["attacker", "highest", "average", over, ""], shown, numbers=(1, 2, 3))


def _population(found: RiskReport, say: Words) -> str:
    known = found.population
    if known is None:
        return ""
    head = f"Of a population of {known.size:,}, of whom {say.percent(known.fraction)} are here, these are unique in it:"
    rows = []
    if known.counted is not None:
        rows.append(["counted", f"{known.counted:,}", say.percent(known.counted / known.size), ""])
    chosen = known.estimates["dankar"].model
    for name, title in _NAMES.items():
        one = known.estimates[name]
        if one.uniques is None:
            rows.append([title, "–", "", one.why or ""])
        else:
            mark = "chosen by Dankar's rule" if name == chosen else ""
            rows.append([title, f"{round(one.uniques):,}", say.percent(one.uniques / known.size), mark])
    return head + "\n" + console.table(["estimator", "people", "share", ""], rows, numbers=(1, 2))


def _combinations(found: RiskReport, say: Words) -> str:
    alone = [one for one in found.combinations if len(one.attributes) == 1]
    alone.sort(key=lambda one: -one.separation)
    rows = [
        [" + ".join(one.attributes), say.percent(one.distinction), say.percent(one.separation), f"{one.uniques:,}"]
        for one in [*alone, *(one for one in found.telling() if len(one.attributes) > 1)]
    ]
    head = "Which quasi-identifiers tell people apart, alone and together:"
    return head + "\n" + console.table(["attributes", "distinction", "separation", "unique"], rows, numbers=(1, 2, 3))


def _special(found: RiskReport, say: Words) -> str:
    special = found.special
    if not any(special.found.values()):
        return ""
    rows = [
        [f"{size}", f"{special.found[size]:,}", f"{people:,}"]
        for size, people in special.smallest.items()
        if special.found[size]
    ]
    dis = (
        ""
        if special.dis is None
        else f" A match with one of them is right with a chance of {say.percent(special.dis)}."
    )
    head = f"How few attributes single out the {number_of(special.uniques, 'person', 'people')} who stand alone.{dis}"
    return head + "\n" + console.table(["attributes", "minimal uniques", "people"], rows, numbers=(0, 1, 2))


def _columns(found: RiskReport, say: Words) -> str:
    if not found.columns:
        return "No column looks like one that HIPAA's safe harbour or the LGPD speak of."
    rows = [
        [one.column, one.what, say.percent(one.confidence), one.role or "", ", ".join(one.rules), one.reason]
        for one in found.columns
    ]
    return console.table(["column", "holds", "sure", "role", "rule", "because"], rows, numbers=(2,))
