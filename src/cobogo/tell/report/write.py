"""Writing a report: JSON, HTML and plots in one directory.

The report of a recoding is written from its `Content`, that of any other release from the story of its transformation.
The directory holds original values, so it stays with the data holder.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import cobogo
from cobogo.floor.language import Speech, speech
from cobogo.release.contract import Release
from cobogo.release.drawn import DrawnReadBack, DrawnRows, Section, Story
from cobogo.tell.report import html, plots
from cobogo.tell.report.bars import draw_shares
from cobogo.tell.report.content import Content, Plot, plots_of, required_diversity
from cobogo.tell.report.labels import ROLE, STAGE, model_meaning, model_name
from cobogo.tell.report.page import environment, picture, printable


def write(content: Content, directory: Path, *, language: str) -> None:
    """Write the report of a recoding: ``report.json``, ``report.html`` and ``plots/*.png``."""
    say = speech(language)
    (directory / "plots").mkdir(parents=True, exist_ok=True)
    _write_json(dict(content.summary), directory)
    drawn = {}
    for plot in plots_of(content):
        drawn[plot.stem] = draw(plot, content, directory / "plots" / f"{plot.stem}.png", say=say)
    _write_page(html.render(content, drawn, language=language), directory)


def _write_json(summary: dict[str, Any], directory: Path) -> None:
    text = json.dumps(summary, indent=1, ensure_ascii=False, allow_nan=False)
    (directory / "report.json").write_text(text + "\n", encoding="utf-8", newline="\n")


def _write_page(page: str, directory: Path) -> None:
    (directory / "report.html").write_text(page, encoding="utf-8", newline="\n")


def draw(plot: Plot, content: Content, path: Path, *, say: Speech) -> str:
    """Draw one plot of a report into a file, and for its page."""
    summary = content.summary
    records = int(content.class_sizes.sum())
    match plot.kind:
        case "class_sizes":
            return plots.class_sizes(content.class_sizes, path, say=say)
        case "largest_classes":
            return plots.largest_classes(
                content.largest, path, say=say,
                names=content.quasi_identifiers, classes=len(content.class_sizes), records=records,
            )  # fmt: skip
        case "distinct_values":
            story = next(story for story in content.sensitive if story.name == plot.attribute)
            asked = required_diversity(summary.get("models", []), plot.attribute)
            return plots.distinct_values(story.distinct_per_class, path, say=say, attribute=plot.attribute, asked=asked)
        case "levels":
            return plots.levels(content.attributes, path, say=say)
        case "lattice":
            assert content.lattice is not None
            return plots.lattice(content.lattice, path, say=say, optimal=bool(summary.get("search", {}).get("optimal")))
        case "distribution":
            attribute = next(story for story in content.attributes if story.name == plot.attribute)
            return plots.distribution(attribute, path, say=say, before=summary.get("records"), after=records)
        case _:
            raise ValueError(f"There is no plot {plot.kind!r}")


def _drawn_summary(release: Release, made: DrawnRows, read: DrawnReadBack, story: Story) -> dict[str, Any]:
    """What report.json holds."""
    return {
        "version": cobogo.__version__,
        "kind": made.kind,
        "headline": story.headline,
        "records": read.verdict.records,
        "models": [verdict.as_dict() for verdict in read.verdict.models],
        "problems": list(read.verdict.problems),
        "notes": list(read.verdict.notes),
        "transformation": made.statement(),
        **story.summary,
        "warnings": list(release.warnings),
        "seconds": {stage: round(seconds, 4) for stage, seconds in release.seconds.items()},
    }


def write_drawn_report(release: Release, read: DrawnReadBack, evidence: Path) -> None:
    """Write the report of a release that is not a recoding: its verdict, and the sections of its story."""
    made, found = release.transformation, read.verdict
    assert isinstance(made, DrawnRows)
    say = speech(release.origin.language)
    story = made.story(release.table, read.rows, say)
    (evidence / "plots").mkdir()
    _write_json(_drawn_summary(release, made, read, story), evidence)
    drawn = []
    for plot in story.plots:
        svg = draw_shares(plot, evidence / "plots" / f"{plot.stem}.png", say=say)
        drawn.append(picture(svg, plot.title))
    page = (
        environment()
        .get_template("transformed.html.j2")
        .render(
            say=say,
            source=Path(release.table.name).name,
            created=datetime.now().astimezone().isoformat(timespec="seconds"),
            holds=not found.problems and all(verdict.satisfied for verdict in found.models),
            promised=bool(found.models),
            story=story,
            models=[_model(verdict.as_dict(), say) for verdict in found.models],
            columns=_columns(release, made, say),
            sections=[_section(section, say) for section in story.sections],
            warnings=list(dict.fromkeys([*found.problems, *release.warnings, *found.notes])),
            figures=drawn,
            seconds={say(STAGE.get(stage, stage)): value for stage, value in release.seconds.items()},
        )
    )
    _write_page(printable(page), evidence)


def _model(entry: dict[str, Any], say: Speech) -> dict[str, Any]:
    aside = ("model", "satisfied", "measured", "attribute")
    name = model_name(entry["model"], say)
    return {
        "name": say("{model} on “{attribute}”", model=name, attribute=entry["attribute"])
        if entry.get("attribute")
        else name,
        "asked": ", ".join(f"{key} = {say.show(value)}" for key, value in entry.items() if key not in aside),
        "measured": say.show(entry["measured"]),
        "satisfied": entry["satisfied"],
        "means": model_meaning(entry["model"], say),
    }


def _columns(release: Release, made: DrawnRows, say: Speech) -> list[dict[str, str]]:
    changed = made.meanings
    rows = []
    for name in release.columns:
        known = release.origin.roles.get(name)
        role = say("added") if known is None else say(ROLE.get(known, known))
        rows.append(
            {
                "name": name,
                "role": role,
                "what": say(changed[name].text) if name in changed else say("unchanged"),
            }
        )
    return rows


def _section(section: Section, say: Speech) -> dict[str, Any]:
    """A section for the template; all numbers of a column have as many decimals as the one that needs most."""
    columns: list[list[str]] = []
    for cells in zip(*section.rows, strict=True):
        if all(cell is None or isinstance(cell, int | float) for cell in cells):
            fractions = any(isinstance(cell, float) for cell in cells)
            columns.append(say.column(list(cells)) if fractions else [say.number(cell) for cell in cells])
        else:
            columns.append([say.show(cell) for cell in cells])
    numeric = [all(not isinstance(row[place], str) for row in section.rows) for place in range(len(section.header))]
    return {
        "title": section.title,
        "lead": section.lead,
        "header": list(zip(section.header, numeric, strict=True)),
        "rows": [list(zip(row, numeric, strict=True)) for row in zip(*columns, strict=True)],
    }
