"""The report of a release that is not a recoding: the verdict, then whatever its transformation tells of it."""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import datetime
from pathlib import Path
from typing import Any

import cobogo
from cobogo.release.contract import Release
from cobogo.release.drawn import DrawnReadBack, DrawnRows, Section, Story
from cobogo.tell.report.bars import draw_compared
from cobogo.tell.report.page import environment, printable
from cobogo.tell.report.words import Words, words


def summary(release: Release, made: DrawnRows, read: DrawnReadBack, story: Story) -> dict[str, Any]:
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


def write_report(release: Release, read: DrawnReadBack, evidence: Path) -> None:
    """Write ``report.json``, ``report.html`` and ``plots/*.png``. The directory shows original values: it stays."""
    made, found = release.transformation, read.verdict
    assert isinstance(made, DrawnRows)
    say = words(release.origin.language)
    story = made.story(release.table, read.rows, say)
    (evidence / "plots").mkdir()
    text = json.dumps(summary(release, made, read, story), indent=1, ensure_ascii=False, allow_nan=False)
    (evidence / "report.json").write_text(text + "\n", encoding="utf-8", newline="\n")
    drawn = []
    for plot in story.plots:
        file = evidence / "plots" / f"{plot.stem}.png"
        draw_compared(plot, file, say=say)
        drawn.append({"title": plot.title, "data": b64encode(file.read_bytes()).decode()})
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
            seconds={say.name("stage", stage): value for stage, value in release.seconds.items()},
        )
    )
    (evidence / "report.html").write_text(printable(page), encoding="utf-8", newline="\n")


def _model(entry: dict[str, Any], say: Words) -> dict[str, Any]:
    aside = ("model", "satisfied", "measured", "attribute")
    name = say.name("model", entry["model"])
    return {
        "name": say("on", model=name, attribute=entry["attribute"]) if entry.get("attribute") else name,
        "asked": ", ".join(f"{key} = {say.show(value)}" for key, value in entry.items() if key not in aside),
        "measured": say.show(entry["measured"]),
        "satisfied": entry["satisfied"],
        "means": say.means("model", entry["model"]),
    }


def _columns(release: Release, made: DrawnRows, say: Words) -> list[dict[str, str]]:
    changed = made.meanings
    rows = []
    for name in release.columns:
        known = release.origin.roles.get(name)
        role = say("transformed.added") if known is None else say.name("role", known)
        rows.append(
            {
                "name": name,
                "role": role,
                "what": changed[name].text if name in changed else say("transformed.collected"),
            }
        )
    return rows


def _section(section: Section, say: Words) -> dict[str, Any]:
    """Columns of numbers get the decimals that their figures need."""
    columns: list[list[str]] = []
    for cells in zip(*section.rows, strict=True):
        if all(cell is None or isinstance(cell, int | float) for cell in cells):
            columns.append(say.column(list(cells)) if any(isinstance(c, float) for c in cells) else _whole(cells, say))
        else:
            columns.append([say.show(cell) for cell in cells])
    numeric = [all(not isinstance(row[place], str) for row in section.rows) for place in range(len(section.header))]
    return {
        "title": section.title,
        "lead": section.lead,
        "header": list(zip(section.header, numeric, strict=True)),
        "rows": [list(zip(row, numeric, strict=True)) for row in zip(*columns, strict=True)],
    }


def _whole(cells: tuple[Any, ...], say: Words) -> list[str]:
    return [say.number(cell) for cell in cells]
