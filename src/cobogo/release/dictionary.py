"""The data dictionary: what each released column's values mean, for whoever receives the release."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from cobogo.data.policy import (
    AttributePolicy,
    CsvHierarchy,
    DatesHierarchy,
    IntervalsHierarchy,
    MaskHierarchy,
    OrderingHierarchy,
    PathHierarchy,
    Role,
    TreeHierarchy,
)  # fmt: skip
from cobogo.errors import number_of
from cobogo.promises.models import MODELS
from cobogo.promises.models.check import ModelVerdict
from cobogo.release.manifest import ColumnEntry

VALUES = "each value as collected or, in every record that has it, suppressed: * stands for those that are not released"
"""What a column means in which values were suppressed wherever they occur."""


RANGES = "as collected or a range that the number lies in, both ends included, as [17-25]; * stands for every value"
"""What a column means in which groups of records are released as the range of their numbers."""


NEUTRALISED = """
An apostrophe stands before what a spreadsheet would take for a formula: before = + - @ and the like, but not before
numbers. It is no part of the value.
"""
"""What is said of a release whose formulas were neutralised."""


MEASURED = "Each figure was measured on the released rows alone; `cobogo verify` measures it again."
"""What is said of a recoding's models."""

COMPARED = (
    "Promised of {models} is a bound on the distance to the whole table before suppression, and it was verified there; "
    "the figure here is the distance to the released rows, for that to the whole table would tell of people who are "
    "not released."
)
"""What is added of models that compare with the table before suppression."""

UNTOLD = "Where there is no figure the model was verified, and what it measures does not follow from the released rows."
"""What is added where a figure is not told."""

DRAWN = (
    "The promise is about how the values were drawn, and cannot be measured on the released rows. `cobogo verify` "
    "checks that the procedure that the manifest states keeps the promise, and that the rows are such as it draws."
)
"""What is said of the promises of a release whose values were drawn."""


def meaning(attribute: AttributePolicy, level: int, *, top: bool) -> str:
    """What a column's values mean, in words that give away nothing of the data behind them.

    ``top``: the released level is a single ``*``.
    """
    if attribute.role is Role.IDENTIFIER:
        return "removed: * in every row"
    if attribute.role is Role.SENSITIVE:
        return "as collected; protected by the models below"
    if attribute.role is Role.NON_SENSITIVE or level == 0:
        return "as collected"
    if top:
        return "withheld: * stands for every value"
    match attribute.hierarchy:
        case DatesHierarchy() as dates:
            return f"dates, given as {_date_words(dates.levels[level - 1])}"
        case IntervalsHierarchy() as intervals:
            return _intervals(intervals, level)
        case OrderingHierarchy() as ordering:
            return f"categories, in groups of {ordering.steps[level - 1]} neighbours"
        case MaskHierarchy() as mask:
            side = "last" if mask.mask == "right" else "first"
            return f"the {side} {number_of(level, 'character')} masked with {mask.character}"
        case PathHierarchy() as path:
            return f"without the first {number_of(level, 'part')} before {path.path}"
        case CsvHierarchy() | TreeHierarchy() | None:
            return f"generalized to level {level} of a hierarchy"
    raise AssertionError(attribute.hierarchy)


def local_meaning(attribute: AttributePolicy, *, alike: bool = False) -> str:
    """The same of a column in which each record has its own level; or, where records are treated ``alike``, each
    value."""
    match attribute.hierarchy:
        case DatesHierarchy() as dates:
            how = "given as " + ", ".join(_date_words(form) for form in dates.levels)
        case IntervalsHierarchy() as intervals:
            how = "in intervals of width " + ", ".join(f"{width:g}" for width in intervals.intervals)
        case MaskHierarchy() as mask:
            how = f"masked with {mask.character}"
        case PathHierarchy() as path:
            how = f"without the first parts before {path.path}"
        case _:
            how = "generalized"
    if alike:
        return (
            f"each value as collected or {how}, the same in all records; a coarser value stands for those under it "
            "that are not released themselves"
        )
    return f"as collected or, where a record needs it, {how}; * stands for every value"


def aggregated_meaning(how: str) -> str:
    """The same of a column in which each record has what its group has in common."""
    if how == "drawn":
        return "drawn from the mean and covariance of a group of similar records: nobody's value"
    what = {"mean": "the mean", "median": "the median", "mode": "the most frequent value"}[how]
    return f"{what} of a group of similar records: not what was collected of the one"


def withheld_meaning(text: str) -> str:
    """The same of a column whose values are not told in some classes."""
    return f"{text}; * where they are withheld, in all records with the same quasi-identifiers"


def sliced_meaning(beside: Sequence[str]) -> str:
    """The same of a column that was shuffled within buckets."""
    together = f" together with {', '.join(beside)}" if beside else ""
    return f"as collected, shuffled within the bucket{together}: a row is not a record"


def _date_words(form: str) -> str:
    """A strftime format for people who do not know it.

    >>> _date_words("%m/%Y")
    'month/year'
    """
    words = {"%Y": "year", "%m": "month", "%d": "day", "%y": "year (two digits)", "%H": "hour", "%M": "minute",
             "%S": "second", "%B": "name of the month", "%b": "short name of the month", "%A": "day of the week",
             "%j": "day of the year", "%U": "week of the year", "%W": "week of the year"}  # fmt: skip
    for code, word in words.items():
        form = form.replace(code, word)
    return form


def _intervals(spec: IntervalsHierarchy, level: int) -> str:
    text = f"numbers, in intervals of width {spec.intervals[level - 1]:g}"
    if spec.bottom_code is not None:
        text += f"; all below {spec.bottom_code:g} together"
    if spec.top_code is not None:
        text += f"; all from {spec.top_code:g} on together"
    return text


def render(
    columns: Sequence[ColumnEntry],
    models: Sequence[dict[str, Any]],
    *,
    star: bool,
    explained: str = "",
    drawn: Collection[str] = (),
    order: str = "The order of the rows is random.",
) -> str:
    """The dictionary as Markdown; ``explained`` is what a kind of release says of itself, and ``drawn`` are the
    models that are about how values were drawn, and are not measured on the released rows."""
    lines = ["# What this release holds", ""]
    lines += ["| column | role | its values |", "|---|---|---|"]
    lines += [f"| {_cell(c.name)} | {c.role} | {_cell(_cell_meaning(c))} |" for c in columns]
    lines += ["", f"An empty field means that no value was recorded. {order}"]
    apart = sorted({column.file for column in columns if column.file is not None})
    if apart and all(column.file is not None for column in columns):
        lines += [
            f"There are no records, only counts, in {', '.join(apart)}. All are of the same records; what goes "
            "together in none of the files is not told. A combination that is not listed is one that nobody has."
        ]
    elif apart:
        lines += [
            f"The sensitive values are in {', '.join(apart)}, counted for each bucket. The rest is as collected: "
            "who is in the table is not hidden, only whose value is whose."
        ]
    if star:
        lines += [
            "A record with * in every quasi-identifier, if there is one, is one whose quasi-identifiers were withheld."
        ]
    if explained:
        lines += ["", explained.rstrip()]
    if models:
        lines += ["", "## What protects the people in it", "", "| model | asked | measured |", "|---|---|---|"]
        for entry in models:
            asked = ", ".join(f"{k} = {v}" for k, v in entry.items() if k not in ("model", "satisfied", "measured"))
            lines.append(f"| {entry['model']} | {_cell(asked)} | {entry.get('measured', 'holds')} |")
        lines += ["", " ".join(_figure_notes(models, drawn))]
    return "\n".join([*lines, ""])


def drawn_models(verdicts: Sequence[ModelVerdict]) -> set[str]:
    """The promises, by name, that are about how values were drawn."""
    return {verdict.model.name for verdict in verdicts if verdict.model.drawn}


def _figure_notes(models: Sequence[dict[str, Any]], drawn: Collection[str]) -> list[str]:
    """What the figures of models are, and what they are not."""
    text = [DRAWN] if any(entry["model"] in drawn for entry in models) else []
    if any(entry["model"] not in drawn for entry in models):
        text.append(MEASURED)
    compared = dict.fromkeys(
        entry["model"] for entry in models if entry["model"] in MODELS and MODELS[entry["model"]].compares
    )
    if compared:
        text.append(COMPARED.format(models=", ".join(compared)))
    if any("measured" not in entry for entry in models):
        text.append(UNTOLD)
    return text


def _cell_meaning(column: ColumnEntry) -> str:
    """What a column's values mean, and where it is if not in the released table."""
    return column.meaning if column.file is None else f"in {column.file}: {column.meaning}"


def _cell(text: str) -> str:
    """Text that no reader of Markdown takes for a cell's end, or for HTML.

    >>> _cell("a|b <script>")
    'a\\\\|b &lt;script>'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace("\\", "\\\\").replace("|", "\\|")
    return text.replace("\n", " ").replace("\r", " ")
