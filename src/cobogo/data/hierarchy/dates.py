"""A hierarchy of dates or times: the data in one strptime format, each level in a coarser strftime format or a period
with a name (quarter, 5-years)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from operator import attrgetter, itemgetter

from cobogo.data.hierarchy.base import Hierarchy
from cobogo.data.policy import DatesHierarchy
from cobogo.errors import HierarchyError, UnfitValues
from cobogo.floor.language import join, tr, trn

DATE = ("year", "month", "day")
MOMENT = (*DATE, "hour", "minute", "second", "microsecond")

SHOWS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("YyC", ("year",)),
    **dict.fromkeys("mbBh", ("month",)),
    **dict.fromkeys("de", ("day",)),
    **dict.fromkeys("aAuwjUWVGxDF", DATE),
    **dict.fromkeys("HIp", ("hour",)),
    **dict.fromkeys("M", ("minute",)),
    **dict.fromkeys("S", ("second",)),
    **dict.fromkeys("f", ("microsecond",)),
    **dict.fromkeys("R", ("hour", "minute")),
    **dict.fromkeys("TXr", ("hour", "minute", "second")),
    **dict.fromkeys("c", MOMENT[:-1]),
    **dict.fromkeys("zZ", ("tzinfo",)),
    "%": (),
}
"""What each directive of strftime is computed from."""

SAYS = SHOWS | {"G": ("year",), "j": ("month", "day")} | dict.fromkeys("aAuwUWVZ", ())
"""What each directive tells of a moment when it is read. A week and a weekday tell the day only together."""

NUMERIC = {"Y": "[0-9]{4}"} | dict.fromkeys("mdHMS", "[0-9]{1,2}")
DIRECTIVE = re.compile(r"%-?(.?)", re.DOTALL)
_PARTS = {
    "year": tr("year"),
    "month": tr("month"),
    "day": tr("day"),
    "hour": tr("hour"),
    "minute": tr("minute"),
    "second": tr("second"),
    "microsecond": tr("microsecond"),
    "tzinfo": tr("time zone"),
}
LEAP_YEAR = 2000
"""Stands for the year where the data has none, so that 29/02 is a date."""

PERIODS = {"week": "%G-W%V", "month": "%Y-%m", "quarter": "%Y-%m", "year": "%Y"}
"""Levels with a name, and the format of what they are computed from. A week is ISO 8601's, in its own year."""

_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_MONTH_NAMES = """
January janeiro jan enero ene / February fevereiro fev feb febrero / March marco mar marzo / April abril abr apr
May maio mai mayo / June junho jun junio / July julho jul julio / August agosto ago aug
September setembro set sep sept septiembre setiembre / October outubro out oct octubre / November novembro nov noviembre
December dezembro dez dec diciembre dic
"""
_ENGLISH = {
    name.lower(): names[0] for line in re.split("[/\n]", _MONTH_NAMES) if (names := line.split()) for name in names
}
_WORD = re.compile(r"[^\W\d_]{3,}\.?")
_HOURS_EAST = re.compile(r"[+-][0-9]{2}")
_SEVERAL_YEARS = re.compile("([2-9]|[1-9][0-9]{1,2})-years")


def years_of(level: str) -> int:
    """How many years a level puts together, or 0.

    >>> years_of("5-years"), years_of("decade"), years_of("%Y")
    (5, 10, 0)
    """
    several = _SEVERAL_YEARS.fullmatch("10-years" if level == "decade" else level)
    return int(several[1]) if several else 0


def format_of(level: str) -> str:
    """The format of what a level's labels are computed from; of a level that is a format, itself.

    >>> format_of("5-years"), format_of("%m/%Y")
    ('%Y', '%m/%Y')
    """
    return "%Y" if years_of(level) else PERIODS.get(level, level)


def plain_date(text: str, form: str) -> str:
    """A text of the data as strptime reads it in a format: its month in English, whether that was written in English,
    Portuguese or Spanish, whole or short, and the minutes of its time zone, which DuckDB and PostgreSQL leave out.

    >>> plain_date("12 de março de 2019", "%d de %b de %Y"), plain_date("2019-03-12 10:00-03", "%Y-%m-%d %H:%M%z")
    ('12 de Mar de 2019', '2019-03-12 10:00-0300')
    """
    if "%b" in form or "%B" in form:
        text = english_months(text, whole="%B" in form)
    return f"{text}00" if form.endswith("%z") and _HOURS_EAST.fullmatch(text[-3:]) else text


def english_months(text: str, *, whole: bool = False) -> str:
    """The names of months in a text in English, the ``whole`` names or their first three letters.

    >>> english_months("12-SET-2019"), english_months("12 mar. 2019", whole=True)
    ('12-Sep-2019', '12 March 2019')
    """

    def in_english(word: re.Match[str]) -> str:
        letters = unicodedata.normalize("NFKD", word[0].rstrip(".")).encode("ascii", "ignore").decode()
        name = _ENGLISH.get(letters.lower())
        return word[0] if name is None else name if whole else name[:3]

    return _WORD.sub(in_english, text)


def dates_hierarchy(attribute: str, spec: DatesHierarchy, values: Sequence[str], *, where: str) -> Hierarchy:
    """Level 0 is the text of the data, in order of time; the labels are made from the date that was read from it.

    With ``lenient``, a value that is no date stays as it is, after the others. One that is called like a level's label
    (1999 among days) goes on as that does.

    >>> spec = DatesHierarchy(dates="%d/%m/%Y", levels=("%m/%Y", "%Y"))
    >>> dates_hierarchy("birth", spec, ["31/12/1999", "02/01/1999"], where="policy").labels
    (('02/01/1999', '31/12/1999'), ('01/1999', '12/1999'), ('1999',))
    >>> spec = DatesHierarchy(dates="%d/%m/%Y", levels=("quarter", "5-years"))
    >>> dates_hierarchy("birth", spec, ["31/12/1999"], where="policy").labels
    (('31/12/1999',), ('1999-Q4',), ('1995-1999',))
    """
    _check_periods(spec, where)
    odd = odd_dates(spec, values, where) if spec.lenient else []
    strange = set(odd)
    dated = read_dates(spec.dates, spec.levels, [value for value in values if value not in strange], where)
    moments = [moment for moment, _ in dated]
    columns = [[value for _, value in dated], *(_labels(moments, level, where) for level in spec.levels)]
    steps = [dict(zip(below, above, strict=True)) for below, above in pairwise(columns)] if odd else []
    columns[0] += odd
    for above, step in enumerate(steps, 1):
        odd = [step.get(label, label) for label in odd]
        columns[above] += odd
    try:
        return Hierarchy.from_columns(attribute, columns, where=where)
    except HierarchyError as error:
        remedy = tr("Order levels from the finest to the coarsest: each must follow from the one before it.")
        raise HierarchyError(error.what, where=error.where, remedy=remedy, code=error.code) from None


def read_dates(
    form: str, levels: Sequence[str], values: Sequence[str], where: str, *, key: str = "dates"
) -> list[tuple[datetime, str]]:
    """The values with the moments that they tell, in order of time; an error for those that are no dates.

    ``levels`` are what the moments must tell, and ``key`` is what the policy calls the format.

    >>> read_dates("%d/%m/%Y", ("%Y",), ["31/12/1999"], "policy")
    [(datetime.datetime(1999, 12, 31, 0, 0), '31/12/1999')]
    """
    dated, wrong = _try_dates(form, levels, values, where)
    if wrong:
        raise _no_dates(wrong, form, key, all_wrong=len(wrong) == len(values), where=where)
    return sorted(dated, key=itemgetter(0))


def odd_dates(spec: DatesHierarchy, values: Sequence[str], where: str = "") -> list[str]:
    """The values that are no dates in the format of a hierarchy.

    >>> odd_dates(DatesHierarchy(dates="%d/%m/%Y", levels=("%Y",)), ["31/12/1999", "31/02/1999"])
    ['31/02/1999']
    """
    return _try_dates(spec.dates, spec.levels, values, where)[1]


def _try_dates(
    form: str, levels: Sequence[str], values: Sequence[str], where: str
) -> tuple[list[tuple[datetime, str]], list[str]]:
    """The values that are dates, with the moments that they tell, and those that are none."""
    read = _reader(form, levels, where)
    dated, wrong = [], []
    for value in values:
        try:
            dated.append((read(value.strip()), value))
        except (ValueError, OverflowError):
            wrong.append(value)
    return dated, wrong


def _check_periods(spec: DatesHierarchy, where: str) -> None:
    """Refuse periods that do not nest, whatever the dates of the data are."""
    lengths = [12 * years_of(level) or _MONTHS.get(level, 0) for level in spec.levels]
    for (level, length), (above, longer) in pairwise(zip(spec.levels, lengths, strict=True)):
        if level == "week" or (length and (above == "week" or (longer and longer % length) or longer == length)):
            raise HierarchyError(
                tr('the levels "{level}" and "{above}" do not nest', level=level, above=above),
                where=where,
                remedy=tr(
                    "Put periods together that are multiples of each other, from the shortest to the longest. A week "
                    "may lie in two months, and in two years: no level can follow it."
                ),
                code="COBOGO-HIERARCHY-OPTIONS",
            )
    if "%y" in spec.dates and any(lengths):
        raise HierarchyError(
            tr('years of two digits, as in "{form}", do not tell the century', form=spec.dates),
            where=where,
            remedy=tr('Write the years of the data with four digits, or use the levels "%m/%y" and "%y".'),
            code="COBOGO-HIERARCHY-OPTIONS",
        )


def _no_dates(wrong: list[str], form: str, key: str, *, all_wrong: bool, where: str) -> UnfitValues:
    """The error for values that are not dates in a format, with the format that they have where it can be told."""
    from cobogo.data.schema.profile import guess_date_format

    meant = guess_date_format(wrong) if all_wrong else None
    if meant is not None:
        remedy = tr('They look like dates in the format "{form}": write {key} = "{form}".', key=key, form=meant)
    elif key == "dates":
        remedy = tr(
            "Correct them in the data, change dates in the policy, list them under missing in [data], or write "
            "lenient = true: they then stay as they are."
        )
    else:
        remedy = tr(
            "Correct them in the data, change {key} in the policy, or list them under missing in [data].", key=key
        )
    what = trn(
        '{n:,} value of the data is not a date in the format "{form}"',
        '{n:,} values of the data are not dates in the format "{form}"',
        n=len(wrong),
        form=form,
    )
    return UnfitValues(what, wrong, where=where, remedy=remedy)


def _labels(moments: list[datetime], level: str, where: str) -> list[str]:
    """Each moment at a level. Moments that agree in what its format shows are formatted once: strftime is slow."""
    form = format_of(level)
    fields = _fields(form, SHOWS, where)
    if not fields:
        return [form.replace("%%", "%")] * len(moments)
    shown = attrgetter(*fields)
    known: dict[object, str] = {}
    labels = []
    for moment in moments:
        key = shown(moment)
        label = known.get(key)
        if label is None:
            label = known[key] = _name_period(level, _format(moment, form))
        labels.append(label)
    return labels


def _name_period(level: str, text: str) -> str:
    """The label of a period, from the year or the month in it."""
    if years := years_of(level):
        first = int(text) // years * years
        return f"{first:04d}-{first + years - 1:04d}"
    if level == "quarter":
        return f"{text[:4]}-Q{(int(text[5:]) + 2) // 3}"
    return text


def _format(moment: datetime, form: str) -> str:
    """``strftime``, with years before 1000 in four digits; the C library of Linux writes 33 for %Y."""
    if moment.year > 1000:
        return moment.strftime(form)
    padded = {
        "%Y": f"{moment.year:04d}",
        "%G": f"{moment.isocalendar().year:04d}",
        "%C": f"{moment.year // 100:02d}",
        "%F": f"{moment.year:04d}-%m-%d",
    }
    return moment.strftime(DIRECTIVE.sub(lambda found: padded.get(found[0], found[0]), form))


def _fields(form: str, table: dict[str, tuple[str, ...]], where: str) -> tuple[str, ...]:
    """The parts of a moment that a format speaks of."""
    fields: dict[str, None] = {}
    for directive in DIRECTIVE.finditer(form):
        if directive[1] not in table:
            remedy = tr("The usual parts are %d, %m, %Y, %H and %M; the documentation of Python lists all (strftime).")
            raise HierarchyError(
                tr('"{directive}" in "{form}" is not a part of a date', directive=directive[0], form=form),
                where=where,
                remedy=remedy,
                code="COBOGO-HIERARCHY-OPTIONS",
            )
        fields.update(dict.fromkeys(table[directive[1]]))
    return tuple(fields)


def _reader(form: str, levels: Sequence[str], where: str) -> Callable[[str], datetime]:
    """What turns a text of the data into a moment, or raises ValueError. Formats that cannot work are errors."""
    directives = [found[0][1:] for found in DIRECTIVE.finditer(form)]
    said = _fields(form, SAYS, where)
    if set("UWV") & set(directives) and set("aAuw") & set(directives):
        said += ("month", "day")
    if not said:
        remedy = tr('Write the format of the data, such as "%d/%m/%Y".')
        raise HierarchyError(
            tr('"{form}" has no part of a date', form=form),
            where=where,
            remedy=remedy,
            code="COBOGO-HIERARCHY-OPTIONS",
        )
    for level in levels:
        absent = [field for field in _fields(format_of(level), SHOWS, where) if field not in said]
        if absent:
            what = tr(
                'the level "{level}" needs parts that "{form}" does not have: {absent}',
                level=level,
                absent=join([_PARTS[part] for part in absent], ", "),
                form=form,
            )
            remedy = tr("Use in levels only parts that the dates of the data have.")
            raise HierarchyError(what, where=where, remedy=remedy, code="COBOGO-HIERARCHY-OPTIONS")
        if not level:
            remedy = tr('Write a format such as "%Y": an empty label would be released as NULL.')
            raise HierarchyError(
                tr("the format of a level is empty"), where=where, remedy=remedy, code="COBOGO-HIERARCHY-OPTIONS"
            )
    if all(name in NUMERIC for name in directives) and len(set(directives)) == len(directives):
        return _without_midnight(_numeric_reader(form, directives), said)
    # Without a year strptime takes 1900, in which 29 February does not exist.
    before, year = ("", "") if "year" in said else (f"{LEAP_YEAR}|", "%Y|")
    sample = datetime(LEAP_YEAR, 1, 2, 3, 4, 5, tzinfo=UTC).strftime(form)
    try:
        datetime.strptime(before + sample, year + form)
    except (ValueError, re.error):
        raise HierarchyError(
            tr('"{form}" is not a format in which dates can be read', form=form),
            where=where,
            remedy=tr("The documentation of Python lists what a format may have (strptime)."),
            code="COBOGO-HIERARCHY-OPTIONS",
        ) from None
    return _without_midnight(lambda text: datetime.strptime(before + plain_date(text, form), year + form), said)


def _without_midnight(read: Callable[[str], datetime], said: tuple[str, ...]) -> Callable[[str], datetime]:
    """A reader of days that also takes the texts of a column of times all of which are midnight."""
    if "hour" in said:
        return read
    return lambda text: read(text.removesuffix("+00").removesuffix(" 00:00:00") if "00:00:00" in text else text)


def _numeric_reader(form: str, directives: list[str]) -> Callable[[str], datetime]:
    """A reader for formats of numbers alone, several times as fast as strptime and without its guesses.

    Where nothing separates two numbers both need all their digits: 1112020 as %d%m%Y could be two dates.
    """
    packed = re.search(r"%[A-Za-z]%|%[A-Za-z][0-9]|[0-9]%", form) is not None
    widths = {name: "[0-9]{2}" if packed and name != "Y" else digits for name, digits in NUMERIC.items()}
    pieces = DIRECTIVE.split(form)
    pattern = "".join(f"({widths[piece]})" if odd % 2 else re.escape(piece) for odd, piece in enumerate(pieces))
    match = re.compile(pattern).fullmatch
    # Year, month, day, … : each is a number that was read or, behind those, its default.
    usual = (LEAP_YEAR, 1, 1, 0, 0, 0)
    places = [directives.index(x) if x in directives else len(directives) + n for n, x in enumerate("YmdHMS")]
    arranged = itemgetter(*places)

    def read(text: str) -> datetime:
        found = match(text)
        if found is None:
            raise ValueError(text)
        return datetime(*arranged((*map(int, found.groups()), *usual)))

    return read
