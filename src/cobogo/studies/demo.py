"""The guide's example, complete: ten verified releases of made-up COVID-19 cases, their histograms and a page.

The ten are alternatives: an attacker with two of them singles out people whom neither exposes alone. One is chosen to
be given away.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from cobogo.data.policy import Data, Policy
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import read
from cobogo.errors import NoSolution, PolicyError
from cobogo.examples import ceara
from cobogo.floor.files import stage_directory
from cobogo.floor.language import Speech, speech, tr
from cobogo.floor.progress import Progress
from cobogo.publish import anonymize as job
from cobogo.release.contract import Release
from cobogo.release.evidence import is_output
from cobogo.tell.report import plots
from cobogo.tell.report.page import (
    Field,
    PageSection,
    lines,
    link,
    page,
    paragraph,
    strong,
    table,
    verdict_box,
)

DEMO = {
    "precision": tr("precision"),
    "average": tr("average class size"),
    "classes": tr("classes"),
    "suppressed": tr("suppressed records"),
    "inference": tr("worst inference"),
    "histogram": tr("histogram"),
}

DATA = "dados_covid-ce.csv"
QUASI_IDENTIFIERS = ("localidade", "data_nascimento")
SENSITIVE = "raca_cor"
LARGEST = 10
STYLE = """a { color: var(--blue); }
header p { text-align: left; }
"""
FEWEST_ROWS = 300


@dataclass(frozen=True)
class DemoCase:
    """One release of the guide: k alone, or k with l."""

    k: int
    l: int | None = None

    @property
    def name(self) -> str:
        """The name of its output directory."""
        return f"{self.k}" if self.l is None else f"{self.k}_{self.l}"

    @property
    def file(self) -> str:
        """The name of its data file."""
        return f"dados_covid-ce_{self.k}_anonimizado.csv" if self.l is None else f"dados_covid-ce_{self.k}_{self.l}.csv"

    @property
    def histogram(self) -> str:
        """The name of its picture."""
        return f"histograma_k_{self.k}.png" if self.l is None else f"histograma_l_{self.k}_{self.l}.png"


@dataclass(frozen=True)
class DemoResult:
    """A case, its report, and the share of the records that it was allowed to suppress."""

    case: DemoCase
    report: dict[str, Any]
    limit: float


@dataclass(frozen=True)
class Demo:
    """The ten releases, which are alternatives, and how many people two of them expose together."""

    results: list[DemoResult]
    exposed: int


CHOSEN = DemoCase(8, 4)
"""The one to give away: it keeps the promises of all ten."""

TOGETHER = (DemoCase(2), DemoCase(4, 4))
"""Two that together expose people, by differencing."""


def cases() -> Iterator[DemoCase]:
    """k ∈ {2, 4, 8}, each alone and with every l ∈ {2, 3, 4} up to k.

    >>> [case.name for case in cases()]
    ['2', '2_2', '4', '4_2', '4_3', '4_4', '8', '8_2', '8_3', '8_4']
    """
    for k in (2, 4, 8):
        yield DemoCase(k)
        yield from (DemoCase(k, l) for l in (2, 3, 4) if l <= k)


def policy(case: DemoCase, language: str, *, limit: float = 0.2) -> Policy:
    """The guide's policy for one case, with the metric that the guide uses."""
    models: list[dict[str, Any]] = [{"model": "k-anonymity", "k": case.k}]
    if case.l is not None:
        models.append({"model": "l-diversity", "attribute": SENSITIVE, "l": case.l})
    content = {
        "data": {"path": DATA, "separator": ";"},
        "attributes": {
            "nome": {"role": "identifier"},
            "cpf": {"role": "identifier"},
            "localidade": {"role": "quasi-identifier", "hierarchy": {"path": "/"}},
            "data_nascimento": {
                "role": "quasi-identifier",
                "hierarchy": {"dates": "%d/%m/%Y", "levels": ["%m/%Y", "%Y"]},
            },
            SENSITIVE: {"role": "sensitive"},
        },
        "privacy": {"models": models},
        "recoding": {"metric": "precision", "suppression-limit": limit},
        "report": {"language": language, "largest-classes": LARGEST},
    }
    return Policy.of(content, name=f"the demo's policy {case.name}")


def run(directory: Path, *, rows: int, language: str, progress: Progress) -> Demo:
    """Generate the cases, make the ten releases, draw, attack two of them, and put everything in place at once."""
    if rows < FEWEST_ROWS:
        raise PolicyError(
            tr("the demo needs at least {fewest_rows} rows. Got {rows} instead", fewest_rows=FEWEST_ROWS, rows=rows),
            where="--rows",
        )
    with stage_directory(directory, replaceable=is_demo) as stage:
        progress("generate", 0, 0)
        ceara.write(stage / DATA, rows)
        todo = list(cases())
        results = []
        for number, case in enumerate(todo):
            progress("release", number, len(todo))
            results.append(_one(stage, case, language))
        progress("attack", 0, 0)
        demo = Demo(results, _count_exposed(stage))
        (stage / "index.html").write_text(_page(demo, rows, language), encoding="utf-8", newline="\n")
    return demo


def _count_exposed(stage: Path) -> int:
    """The number of people that differencing the two releases of `TOGETHER` exposes."""
    from cobogo.examine.attacks import attack

    return len(attack("differencing", *(stage / "releases" / case.name for case in TOGETHER)).exposed)


def _page(demo: Demo, rows: int, language: str) -> str:
    """The results as tables, with pictures and links to the reports."""
    say = speech(language)
    chosen, (one, other) = f"releases/{CHOSEN.name}/public", (case.name for case in TOGETHER)
    together = (
        say.plural(
            "Two of these releases together expose {n} person",
            "Two of these releases together expose {n} people",
            n=demo.exposed,
        )
        if demo.exposed
        else say("Two of these releases together may expose people")
    )
    command = Markup("<code>cobogo attack differencing releases/{} releases/{}</code>").format(one, other)
    exposed = [
        say(
            "The ten are alternatives to compare, not ten files to publish. Each release alone keeps its "
            "promise. The difference between {one} and {other} is a few people of a class, or one person, with "
            "their “{attribute}”. Try it:",
            one=one,
            other=other,
            attribute=SENSITIVE,
        ),
        command,
    ]
    given = Markup("{} {}").format(
        say("This one keeps the promises of all ten (k = 8, l = 4):"), link(f"{chosen}/release.csv", chosen)
    )
    limit = say(
        "Up to {share} of the records may be suppressed in each release. The guide suppresses no records, and "
        "then most of its ten cases have no release.",
        share=say.percent(max(result.limit for result in demo.results)),
    )
    alone = [result for result in demo.results if result.case.l is None]
    diverse = [result for result in demo.results if result.case.l is not None]
    sections = [
        PageSection(
            parts=[
                verdict_box(together, exposed, mark="✗", holds=False),
                verdict_box(say("Give away only one of them"), [given], mark="✓", holds=True),
                paragraph(limit, "lead"),
            ]
        ),
        PageSection(
            say("k-anonymity"),
            say("Every combination of place and date of birth is shared by at least k people."),
            _results(alone, say),
        ),
        PageSection(
            say("l-diversity"),
            say("In every class, at least l distinct values of “{attribute}” occur.", attribute=SENSITIVE),
            _results(diverse, say),
        ),
    ]
    lead = say(
        "k-anonymity and l-diversity on {records} of COVID-19 cases in Ceará. The people are invented.",
        records=say.plural("{n} record", "{n} records", n=rows),
    )
    data = Markup("{}: {}").format(say("Original data"), link(DATA))
    return page(
        say, say("Cobogó: the guide, step by step"), sections, about=lines(lead, data), images="'self'", style=STYLE
    )


def _results(results: list[DemoResult], say: Speech) -> list[Markup]:
    """A table of some of the releases, and the picture of each."""
    with_l = any(result.case.l is not None for result in results)
    fields = [
        Field("k", "row"),
        *([Field("l", "row")] if with_l else []),
        Field(say("levels")),
        *(Field(say(DEMO[name]), "num") for name in ("precision", "average", "classes", "suppressed", "inference")),
        Field(say("file")),
        Field(say("report")),
    ]
    rows = []
    for result in results:
        case, report = result.case, result.report
        chosen = [strong(say("the one to give away"))] if case == CHOSEN else []
        rows.append(
            [
                str(case.k),
                *([str(case.l)] if with_l else []),
                lines(*(f"{name} {level}" for name, level in report["levels"].items())),
                say.number(report["metrics"]["precision"], 4),
                say.number(report["classes"]["average"], 1),
                say.number(report["classes"]["count"]),
                say.number(report["suppressed"]),
                say.percent(report["inference"][SENSITIVE]["after"]),
                lines(link(case.file), *chosen),
                link(f"releases/{case.name}/evidence/report.html", say("report")),
            ]
        )
    pictures = [
        Markup('<figure><img alt="{0}" src="{0}"></figure>').format(result.case.histogram) for result in results
    ]
    return [table(fields, rows), *pictures]


def is_demo(directory: Path) -> bool:
    """Whether a directory holds an earlier demo and nothing else."""
    ours = {DATA, "index.html", "releases", *(c.file for c in cases()), *(c.histogram for c in cases())}
    found = {entry.name for entry in directory.iterdir()}
    if found != ours or not (directory / "releases").is_dir():
        return False
    releases = list((directory / "releases").iterdir())
    return {entry.name for entry in releases} == {c.name for c in cases()} and all(map(is_output, releases))


def _one(stage: Path, case: DemoCase, language: str) -> DemoResult:
    output = stage / "releases" / case.name
    release = _anonymize(stage / DATA, case, language)
    limit = release.policy.recoding.suppression_limit
    release.write(output)
    shutil.copyfile(output / "public" / "release.csv", stage / case.file)
    released = frequency_table(read(stage / case.file, Data(separator=";")), QUASI_IDENTIFIERS, [SENSITIVE])
    _draw(case, released, stage / case.histogram, speech(language))
    return DemoResult(case, json.loads((output / "evidence" / "report.json").read_bytes()), float(limit))


def _anonymize(data: Path, case: DemoCase, language: str) -> Release:
    """A release that suppresses at most a fifth of the records or, with few rows, as small a share as has a
    solution."""
    for limit in (0.2, 0.4, 0.6, 0.8):
        try:
            return job.anonymize(data, policy(case, language, limit=limit))
        except NoSolution:
            continue
    return job.anonymize(data, policy(case, language, limit=1.0))


def _draw(case: DemoCase, released: FrequencyTable, path: Path, say: Speech) -> None:
    """The guide's histogram of a case: its largest classes, or how many distinct values its classes hold."""
    classes = say.plural("{n} class", "{n} classes", n=len(released.counts))
    if case.l is None:
        order = (-released.counts).argsort(kind="stable")[:LARGEST].tolist()
        plots.largest_classes(
            [(released.tuple_labels(number), int(released.counts[number])) for number in order],
            path,
            say=say,
            names=QUASI_IDENTIFIERS,
            classes=len(released.counts),
            records=released.records,
            title=say("k = {k}: the {n} largest of {classes}", k=case.k, n=len(order), classes=classes),
        )
    else:
        plots.distinct_values(
            released.histograms[SENSITIVE].known.distinct,
            path,
            say=say,
            attribute=SENSITIVE,
            asked=case.l,
            title=say(
                "k = {k}, l = {l}: distinct values of “{attribute}” in {classes}",
                k=case.k,
                l=case.l,
                attribute=SENSITIVE,
                classes=classes,
            ),
        )
