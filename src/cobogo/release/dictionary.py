"""The data dictionary: what each released column's values mean, for whoever receives the release."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from cobogo.data.hierarchy.codes import LEVELS
from cobogo.data.hierarchy.dates import years_of
from cobogo.data.policy import (
    AgeHierarchy,
    AnyHierarchy,
    AttributePolicy,
    CodesHierarchy,
    CsvHierarchy,
    DatesHierarchy,
    IntervalsHierarchy,
    LabelsHierarchy,
    MaskHierarchy,
    OrderingHierarchy,
    PathHierarchy,
    QuantilesHierarchy,
    Role,
    TreeHierarchy,
)  # fmt: skip
from cobogo.floor.language import LANGUAGES, Speech, Text, join, speech, tr, trn
from cobogo.promises.guarantees import PROMISES
from cobogo.promises.models import MODELS, build
from cobogo.promises.models.check import ModelVerdict
from cobogo.release.manifest import ColumnEntry

VALUES = tr(
    "each value as collected or, in every record that has it, suppressed: * stands for the values that are not released"
)
"""What a column means in which values were suppressed wherever they occur."""


RANGES = tr(
    "as collected, or a range that contains the number, both ends included, as in [17-25]; * stands for any value"
)
"""What a column means in which groups of records are released as the range of their numbers."""


NEUTRALISED = tr(
    "An apostrophe precedes every value that a spreadsheet would take for a formula: values that begin with = + - @ "
    "and the like, but not numbers. The apostrophe is not part of the value."
)
"""What is said of a release whose formulas were neutralised."""


MEASURED = tr("Each figure was measured on the released rows alone; `cobogo verify` measures it again.")
"""What is said of a recoding's models."""

COMPARED = tr(
    "For {models}, the promise limits the distance to the whole table before suppression, and it was verified there. "
    "The figure here is the distance to the released rows, because the distance to the whole table would reveal "
    "something about people who are not released."
)
"""What is added of models that compare with the table before suppression."""

UNTOLD = tr("A model without a figure was verified, but what it measures does not follow from the released rows.")
"""What is added where a figure is not told."""

DRAWN = tr(
    "The promise is about how the values were drawn, and cannot be measured on the released rows. `cobogo verify` "
    "checks that the procedure in the manifest keeps the promise, and that the rows are possible results of it."
)
"""What is said of the promises of a release whose values were drawn."""

AS_COLLECTED = tr("as collected")
"""What a column means that was not changed."""

ROLES = {
    Role.IDENTIFIER: tr("identifier"),
    Role.QUASI_IDENTIFIER: tr("quasi-identifier"),
    Role.SENSITIVE: tr("sensitive"),
    Role.NON_SENSITIVE: tr("non-sensitive"),
}


def meaning(attribute: AttributePolicy, level: int, *, top: bool) -> Text:
    """What a column's values mean, in words that give away nothing of the data behind them.

    ``top``: the released level is a single ``*``.
    """
    if attribute.role is Role.IDENTIFIER:
        return tr("removed: * in every row")
    if attribute.role is Role.SENSITIVE:
        return tr("as collected; protected by the models below")
    if attribute.role is Role.NON_SENSITIVE or level == 0:
        return AS_COLLECTED
    if top:
        return tr("withheld: * stands for every value")
    return _level_meaning(attribute.hierarchy, level)


def recall_meaning(written: str, attribute: AttributePolicy, level: int | None) -> str:
    """The English sentence of a manifest as the text that it was written from, which can be said in any language.

    >>> from cobogo.data.policy import Policy
    >>> birth = {"role": "quasi-identifier", "hierarchy": {"dates": "%Y-%m-%d", "levels": ["%Y", "decade"]}}
    >>> policy = Policy.of({"attributes": {"birth": birth}})
    >>> recall_meaning("dates, given as periods of 10 years", policy.attributes["birth"], 2).template
    'dates, given as {form}'
    >>> recall_meaning("withheld: * stands for every value", policy.attributes["birth"], 3).template
    'withheld: * stands for every value'
    """
    if level is None:  # each record, or each value, has its own
        known = (local_meaning(attribute, alike=alike) for alike in (False, True))
    else:
        known = (meaning(attribute, level, top=top) for top in (True, False))  # the top has no words of its own
    return next((text for text in known if text == written), written)


def _level_meaning(spec: AnyHierarchy | None, level: int) -> Text:
    """What the labels of a level between the values and the top mean."""
    match spec:
        case DatesHierarchy() as dates:
            return tr("dates, given as {form}", form=date_words(dates.levels[level - 1]))
        case IntervalsHierarchy() as intervals:
            return _intervals(intervals, level)
        case AgeHierarchy() as age:
            return _age(age, level)
        case QuantilesHierarchy() as quantiles:
            return tr(
                "numbers, in {bands} bands with equal shares of a population that was declared beforehand",
                bands=quantiles.quantiles[level - 1],
            )
        case OrderingHierarchy() as ordering:
            return tr("categories, in groups of {size} neighbours", size=ordering.steps[level - 1])
        case MaskHierarchy(mask="right") as mask:
            return trn(
                "the last character masked with {mask}",
                "the last {n:,} characters masked with {mask}",
                n=level,
                mask=mask.character,
            )
        case MaskHierarchy() as mask:
            return trn(
                "the first character masked with {mask}",
                "the first {n:,} characters masked with {mask}",
                n=level,
                mask=mask.character,
            )
        case PathHierarchy() as path:
            return trn(
                "without the first part before {separator}",
                "without the first {n:,} parts before {separator}",
                n=level,
                separator=path.path,
            )
        case CodesHierarchy() as codes:
            return LEVELS[codes.codes][level - 1]
        case LabelsHierarchy():
            return tr("the label of each code")
        case CsvHierarchy() | TreeHierarchy() | None:
            return tr("generalized to level {level} of a hierarchy", level=level)
    raise AssertionError(spec)


def local_meaning(attribute: AttributePolicy, *, alike: bool = False) -> Text:
    """The same of a column in which each record has its own level; or, where records are treated ``alike``, each
    value."""
    match attribute.hierarchy:
        case DatesHierarchy() as dates:
            how = tr("given as {form}", form=join(map(date_words, dates.levels), by=", "))
        case IntervalsHierarchy() as intervals:
            widths = join((tr("{number:g}", number=width) for width in intervals.intervals), by="; ")
            how = tr("in intervals of width {widths}", widths=widths)
        case MaskHierarchy() as mask:
            how = tr("masked with {mask}", mask=mask.character)
        case PathHierarchy() as path:
            how = tr("without the first parts before {separator}", separator=path.path)
        case _:
            how = tr("generalized")
    if alike:
        return tr(
            "each value as collected or {how}, the same in all records; a coarser value stands for the values under it "
            "that are not released themselves",
            how=how,
        )
    return tr("as collected or, where a record needs it, {how}; * stands for any value", how=how)


def aggregated_meaning(how: str) -> Text:
    """The same of a column in which each record has what its group has in common."""
    return {
        "drawn": tr("drawn from the mean and covariance of a group of similar records: not the value of any person"),
        "mean": tr("the mean of a group of similar records: not what was collected for this one"),
        "median": tr("the median of a group of similar records: not what was collected for this one"),
        "mode": tr("the most frequent value of a group of similar records: not what was collected for this one"),
    }[how]


def withheld_meaning(text: str) -> Text:
    """The same of a column whose values are not told in some classes."""
    return tr("{meaning}; * where values are withheld, in all records with the same quasi-identifiers", meaning=text)


def sliced_meaning(beside: Sequence[str]) -> Text:
    """The same of a column that was shuffled within buckets."""
    if beside:
        return tr(
            "as collected, shuffled within the bucket together with {columns}: a row is not a record",
            columns=", ".join(beside),
        )
    return tr("as collected, shuffled within the bucket: a row is not a record")


DATE_WORDS = {
    "%Y": tr("year"),
    "%m": tr("month"),
    "%d": tr("day"),
    "%y": tr("year (two digits)"),
    "%H": tr("hour"),
    "%M": tr("minute"),
    "%S": tr("second"),
    "%B": tr("name of the month"),
    "%b": tr("short name of the month"),
    "%A": tr("day of the week"),
    "%j": tr("day of the year"),
    "%U": tr("week of the year"),
    "%W": tr("week of the year"),
}


_PERIODS = {
    "week": tr("year and week (ISO 8601)"),
    "month": tr("year and month"),
    "quarter": tr("year and quarter"),
    "year": tr("year"),
}


def date_words(form: str) -> Text:
    """A level of dates for people who do not know strftime.

    >>> date_words("%m/%Y"), date_words("decade")
    ('month/year', 'periods of 10 years')
    """
    if years := years_of(form):
        return tr("periods of {years} years", years=years)
    return _PERIODS.get(form) or join((DATE_WORDS.get(part, part) for part in re.split("(%[A-Za-z])", form)), by="")


def _age(spec: AgeHierarchy, level: int) -> Text:
    at = spec.at.isoformat()
    parts = [tr("the age in full years on {at}", at=at)]
    if level > 1:
        parts = [tr("the age on {at}, in bands of {width} years", at=at, width=spec.widths[level - 2])]
    if spec.top_code is not None:
        parts.append(tr("all from {bound:g} on together", bound=spec.top_code))
    return join(parts, by="; ")


def _intervals(spec: IntervalsHierarchy, level: int) -> Text:
    parts = [tr("numbers, in intervals of width {width:g}", width=spec.intervals[level - 1])]
    if spec.bottom_code is not None:
        parts.append(tr("all below {bound:g} together", bound=spec.bottom_code))
    if spec.top_code is not None:
        parts.append(tr("all from {bound:g} on together", bound=spec.top_code))
    return join(parts, by="; ")


def render(
    columns: Sequence[ColumnEntry],
    models: Sequence[dict[str, Any]],
    say: Speech,
    *,
    star: bool,
    explained: str = "",
    drawn: Collection[str] = (),
    sorted_by: str | None = None,
) -> str:
    """The dictionary as Markdown; ``explained`` is what a kind of release says of itself, and ``drawn`` are the
    models that are about how values were drawn, and are not measured on the released rows."""
    head = (say("column"), say("role"), say("its values"))
    lines = [title(say), "", _row(head), "|---|---|---|"]
    lines += [_row((c.name, say(ROLES[c.role]), say(_cell_meaning(c)))) for c in columns]
    order = (
        say("The order of the rows is random.")
        if sorted_by is None
        else say("The rows are sorted by `{column}`.", column=sorted_by)
    )
    lines += ["", f"{say('An empty field means that no value was recorded.')} {order}"]
    apart = sorted({column.file for column in columns if column.file is not None})
    if apart and all(column.file is not None for column in columns):
        lines += [
            say(
                "There are no records, only counts, in {files}. All files count the same records. What no file counts "
                "together is not released. A combination that is not listed occurs in no record.",
                files=", ".join(apart),
            )
        ]
    elif apart:
        lines += [
            say(
                "The sensitive values are in {files}, counted for each bucket. The rest is as collected: it is not "
                "hidden who is in the table, only which value belongs to whom.",
                files=", ".join(apart),
            )
        ]
    if star:
        lines += [say("The quasi-identifiers of a record that shows * in all of them were withheld.")]
    if explained:
        lines += ["", say(explained).rstrip()]
    if models:
        lines += ["", f"## {say('What protects the people in it')}", ""]
        lines += [_row((say("model"), say("asked"), say("measured"))), "|---|---|---|"]
        for entry in models:
            aside = ("model", "satisfied", "measured")
            asked = ", ".join(f"{name} = {_figure(value, say)}" for name, value in entry.items() if name not in aside)
            measured = _figure(entry["measured"], say) if "measured" in entry else say("holds")
            lines.append(_row((_model(entry["model"], say), asked, measured)))
        lines += ["", " ".join(map(say, _figure_notes(models, drawn)))]
    return "\n".join([*lines, ""])


def title(say: Speech) -> str:
    """The first line of a dictionary."""
    return f"# {say('What this release contains')}"


def language_of_dictionary(text: str) -> str:
    """The language that a dictionary is written in."""
    return next((name for name in LANGUAGES if text.startswith(title(speech(name)))), "en")


def _model(name: str, say: Speech) -> str:
    return say(PROMISES.card(name).title) if name in PROMISES else name


def _figure(value: object, say: Speech) -> str:
    """A parameter or a measure, with all of its digits."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return say.localize(str(value)) if number else str(value)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def drawn_models(verdicts: Sequence[ModelVerdict]) -> set[str]:
    """The promises, by name, that are about how values were drawn."""
    return {verdict.model.name for verdict in verdicts if verdict.model.drawn}


def _figure_notes(models: Sequence[dict[str, Any]], drawn: Collection[str]) -> list[Text]:
    """What the figures of models are, and what they are not."""
    text = [DRAWN] if any(entry["model"] in drawn for entry in models) else []
    if any(entry["model"] not in drawn for entry in models):
        text.append(MEASURED)
    compared = dict.fromkeys(entry["model"] for entry in models if _compares(entry))
    if compared:
        text.append(Text(COMPARED.template, None, {"models": ", ".join(compared)}))
    if any("measured" not in entry for entry in models):
        text.append(UNTOLD)
    return text


def _compares(entry: dict[str, Any]) -> bool:
    """Whether a stated model compares with the table before suppression."""
    if entry["model"] not in MODELS:
        return False
    asked = {name: value for name, value in entry.items() if name not in ("satisfied", "measured")}
    return any(model.compares for model in build([asked], [asked.get("attribute", "")]))


def _cell_meaning(column: ColumnEntry) -> str:
    """What a column's values mean, and where it is if not in the released table."""
    if column.file is None:
        return column.meaning
    return tr("in {file}: {meaning}", file=column.file, meaning=column.meaning)


def _cell(text: str) -> str:
    """Text that no reader of Markdown takes for a cell's end, or for HTML.

    >>> _cell("a|b <script>")
    'a\\\\|b &lt;script>'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace("\\", "\\\\").replace("|", "\\|")
    return text.replace("\n", " ").replace("\r", " ")
