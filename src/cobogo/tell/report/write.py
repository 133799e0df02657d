"""Writing a report: JSON, HTML and plots in one directory."""

from __future__ import annotations

import json
from pathlib import Path

from cobogo.tell.report import html, plots
from cobogo.tell.report.content import Content
from cobogo.tell.report.figures import Plot, asked_diversity, plots_of
from cobogo.tell.report.words import Words, words


def write(content: Content, directory: Path, *, language: str) -> None:
    """Write ``report.json``, ``report.html`` and ``plots/*.png``. The directory shows original values: it stays."""
    say = words(language)
    (directory / "plots").mkdir(parents=True, exist_ok=True)
    summary = json.dumps(dict(content.summary), indent=1, ensure_ascii=False, allow_nan=False)
    (directory / "report.json").write_text(summary + "\n", encoding="utf-8", newline="\n")
    drawn = {}
    for plot in plots_of(content):
        drawn[plot.stem] = directory / "plots" / f"{plot.stem}.png"
        draw(plot, content, drawn[plot.stem], say=say)
    page = html.render(content, drawn, language=language)
    (directory / "report.html").write_text(page, encoding="utf-8", newline="\n")


def draw(plot: Plot, content: Content, path: Path, *, say: Words) -> None:
    """Draw one plot of a report."""
    summary = content.summary
    records = int(content.class_sizes.sum())
    match plot.kind:
        case "class_sizes":
            plots.class_sizes(content.class_sizes, path, say=say)
        case "largest_classes":
            plots.largest_classes(
                content.largest, path, say=say,
                names=content.quasi_identifiers, classes=len(content.class_sizes), records=records,
            )  # fmt: skip
        case "distinct_values":
            story = next(story for story in content.sensitive if story.name == plot.attribute)
            asked = asked_diversity(summary.get("models", []), plot.attribute)
            plots.distinct_values(story.distinct_per_class, path, say=say, attribute=plot.attribute, asked=asked)
        case "levels":
            plots.levels(content.attributes, path, say=say)
        case "lattice":
            assert content.lattice is not None
            plots.lattice(content.lattice, path, say=say, optimal=bool(summary.get("search", {}).get("optimal")))
        case "distribution":
            attribute = next(story for story in content.attributes if story.name == plot.attribute)
            plots.distribution(attribute, path, say=say, before=summary.get("records"), after=records)
        case _:
            raise ValueError(f"There is no plot {plot.kind!r}")
