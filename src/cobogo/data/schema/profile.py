"""The profile of a column: how many records and values it has, and what kind of values they are.

The numbers come from an engine, which counts; the kind is deduced here, from the most frequent values alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from functools import cache
from itertools import product
from typing import Literal

from cobogo.data.hierarchy.dates import english_months, plain_date
from cobogo.data.schema.words import CODES, Topic, topic_of, words_of
from cobogo.floor.language import Text, tr

CERTAIN = 0.6
"""The confidence from which on a suggestion is ready to use; below, the user must confirm it."""

ODD_VALUES = 0.05
"""The share of a column's records whose values may have another form than the rest and stay as they are: a forgotten
district is a slip, and more of them are another kind of value. Not tuned."""

MOST_VALUES = 2_000
"""How many of a column's values a profile holds at most."""

PLACEHOLDERS = frozenset(
    {"na", "n/a", "n/d", "nd", "nan", "null", "none", "nil", "-", "--", "?", ".", "ignorado", "unknown"}
)
"""What people write, in any case, where they have no value. They count as such only among numbers and dates."""

_DAYS = (
    "%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d", "%d-%m-%Y", "%Y%m%d", "%d/%m/%y", "%d.%m.%Y", "%Y/%m/%d",
    "%d-%b-%Y", "%d %b %Y", "%d/%b/%Y", "%d%b%Y", "%b %d, %Y", "%b %d %Y", "%d de %b de %Y", "%d-%b-%y", "%d %b %y",
    "%d/%b/%y", "%d%b%y",
)  # fmt: skip
_CLOCKS = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f")
_TIMES = ("", *(f"{clock}{zone}" for clock, zone in product(_CLOCKS, ("", "%z", " %z", " %Z"))))
# In order of preference: of two formats that read every value the first is taken, so the day comes before the month.
# A month's name is read as %b, whole or short (`plain_date`).
DATE_FORMATS = (
    *(
        f"{day}{joint if time else ''}{time}"
        for joint, day, time in product(" T", _DAYS, _TIMES)
        if time or joint == " "
    ),
    "%b/%Y",
    "%b %Y",
    "%b-%Y",
    "%b de %Y",
    "%m/%Y",
    "%Y-%m",
)
_ZONE = re.compile(r"(:[0-9.]+ ?)(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$")
_YEARS = range(1850, 2101)  # a number of eight digits whose "year" lies outside is no date

# A number with zeros in front is a code. Sizes are bounded as where hierarchies read them.
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,299})")
_POINT = re.compile(r"-?(?=[.]?[0-9])(?:0|[1-9][0-9]{0,299})?(?:[.][0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?")
_COMMA = re.compile(r"-?(?=,?[0-9])(?:[1-9][0-9]{0,2}(?:[.][0-9]{3}){1,99}|0|[1-9][0-9]{0,299})?(?:,[0-9]{1,300})?")
_WORD_PAIRS = ({"true", "false"}, {"sim", "não"}, {"sim", "nao"}, {"yes", "no"}, {"verdadeiro", "falso"})
_LETTER_PAIRS = ({"s", "n"}, {"y", "n"}, {"t", "f"}, {"v", "f"}, {"0", "1"})


class Type(StrEnum):
    """What the values of a column are."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    BOOLEAN = "boolean"
    CATEGORY = "category"  # values that repeat
    TEXT = "text"  # values that do not
    EMPTY = "empty"


_TYPES = {
    Type.INTEGER: tr("integer"),
    Type.DECIMAL: tr("decimal"),
    Type.DATE: tr("date"),
    Type.BOOLEAN: tr("boolean"),
    Type.CATEGORY: tr("category"),
    Type.TEXT: tr("text"),
    Type.EMPTY: tr("empty"),
}


@dataclass(frozen=True)
class ColumnKind:
    """A type with what it takes to read it: a decimal's mark, a date's format.

    >>> print(ColumnKind(Type.DATE, format="%d/%m/%Y"))
    date (%d/%m/%Y)
    """

    type: Type
    mark: Literal[".", ","] | None = None
    format: str | None = None
    ambiguous: bool = False  # the month may as well come before the day

    def __str__(self) -> str:
        return self.words

    @property
    def words(self) -> Text:
        """The type and its detail, in any language."""
        name = _TYPES[self.type]
        detail = self.format or (tr("decimal comma") if self.mark == "," else None)
        return Text("{type} ({detail})", None, {"type": name, "detail": detail}) if detail else name


@dataclass(frozen=True)
class ColumnProfile:
    """One column in numbers. ``values`` are raw: do not show those of a column that may be an identifier."""

    name: str
    records: int
    missing: int  # records without a value
    distinct: int
    unique: int  # values that occur exactly once
    values: tuple[tuple[str, int], ...] = field(repr=False)  # the most frequent, with their counts
    kind: ColumnKind
    placeholders: tuple[str, ...] = field(default=(), repr=False)  # such as "NA", written among numbers or dates
    title: str = ""  # what the file calls it besides: the label of a variable in SPSS, Stata and SAS

    @property
    def topic(self) -> Topic | None:
        """What its name speaks of; where that is doubtful, what its title does."""
        named = topic_of(self.name)
        return named if named and named.confidence >= CERTAIN else topic_of(self.title) or named

    @property
    def is_code(self) -> bool:
        """Whether its name or its title says that its values are codes: numbers that say nothing by their size."""
        return not CODES.isdisjoint((*words_of(self.name), *words_of(self.title)))

    @property
    def titles(self) -> dict[str, str]:
        """Its title as a policy says it."""
        return {"title": self.title[:256]} if self.title else {}

    @property
    def present(self) -> int:
        """Records with a value."""
        return self.records - self.missing

    @property
    def sampled(self) -> bool:
        """Whether there are more values than the profile holds."""
        return self.distinct > len(self.values)

    @property
    def constant(self) -> bool:
        """Whether every record says the same; NULL is a value."""
        return self.distinct + bool(self.missing) <= 1

    @property
    def unique_share(self) -> float:
        """The share of the values' records that nobody else shares a value with."""
        return self.unique / self.present if self.present else 0.0

    @property
    def words(self) -> float:
        """How many words a value has on average."""
        return sum(len(value.split()) for value, _ in self.values) / max(len(self.values), 1)

    @property
    def texts(self) -> tuple[str, ...]:
        """The values without the blanks around them and without placeholders."""
        return tuple(value.strip() for value, _ in self.values if value not in self.placeholders)

    @property
    def numbers(self) -> list[tuple[Decimal, int]]:
        """The values of a column of numbers, with their counts, in ascending order."""
        said = [(value.strip(), count) for value, count in self.values if value not in self.placeholders]
        if self.kind.mark == ",":
            said = [(value.replace(".", "").replace(",", "."), count) for value, count in said]
        return sorted((Decimal(value), count) for value, count in said)


def profile(
    name: str,
    records: int,
    missing: int,
    distinct: int,
    unique: int,
    values: Iterable[tuple[str, int]],
    title: str = "",
) -> ColumnProfile:
    """The profile of a column from its counts and its most frequent values as text.

    >>> profile("visit", 3, 0, 2, 1, [("31/01/2020", 2), ("01/02/2020", 1)]).kind.format
    '%d/%m/%Y'
    >>> seen = profile("weight", 4, 1, 3, 3, [("71,5", 1), ("64", 1), ("NA", 1)])
    >>> print(seen.kind, seen.placeholders)
    decimal (decimal comma) ('NA',)
    """
    most = tuple(values)[:MOST_VALUES]
    placeholders = tuple(value for value, _ in most if value.strip().casefold() in PLACEHOLDERS)
    said = [value.strip() for value, _ in most if value not in placeholders]
    kind = _read_kind(said) or _nearly_dates([(value.strip(), n) for value, n in most if value not in placeholders])
    if kind is None:  # in other columns a placeholder is a value like any other
        kind, placeholders = _text_kind([value.strip() for value, _ in most], records - missing, distinct), ()
    return ColumnProfile(name, records, missing, distinct, unique, most, kind, placeholders, title)


def decimal_mark(profiles: Sequence[ColumnProfile]) -> Literal[".", ","]:
    """The decimal mark of most columns with decimals; a point if there are none.

    >>> decimal_mark([profile("x", 2, 0, 2, 2, [("1,5", 1), ("2,25", 1)])])
    ','
    """
    marks = [profile.kind.mark for profile in profiles if profile.kind.mark]
    return "," if 2 * marks.count(",") > len(marks) else "."


def _read_kind(values: Sequence[str]) -> ColumnKind | None:
    """Dates and numbers, or None. Dates first, because 20200131 is also a number."""
    values = [value for value in values if value]  # of cells of blanks alone
    if not values or not all(english_months(value).isascii() for value in values):
        return None
    if set(values) == {"0", "1"}:
        return ColumnKind(Type.BOOLEAN)
    return _date(values) or _number(values)


def _number(values: Sequence[str]) -> ColumnKind | None:
    if all(map(_INTEGER.fullmatch, values)):
        return ColumnKind(Type.INTEGER)
    if all(map(_POINT.fullmatch, values)):
        return ColumnKind(Type.DECIMAL, mark=".")
    if all(map(_COMMA.fullmatch, values)) and any("," in value for value in values):
        return ColumnKind(Type.DECIMAL, mark=",")
    return None


def _date(values: Sequence[str]) -> ColumnKind | None:
    shape = _shape(values[0])
    if any(_shape(value) != shape for value in values):
        return None
    fitting = [form for form in DATE_FORMATS if _form_shape(form) == shape and all(is_date(v, form) for v in values)]
    if not fitting:
        return None
    return ColumnKind(Type.DATE, format=fitting[0], ambiguous=len(fitting) > 1)


def _nearly_dates(values: Sequence[tuple[str, int]]) -> ColumnKind | None:
    """Dates among which there are a few texts that are none, such as 31/02/1990 or 00/00/0000."""
    shapes: Counter[str] = Counter()
    for value, count in values:
        shapes[_shape(value)] += count
    usual = max(shapes, key=lambda shape: shapes[shape], default="")
    least = (1 - ODD_VALUES) * shapes.total()
    forms = [form for form in DATE_FORMATS if _form_shape(form) == usual and shapes[usual] >= least]
    dated = {form: sum(n for value, n in values if is_date(value, form)) for form in forms}
    best = max(forms, key=lambda form: dated[form], default=None)
    if best is None or dated[best] < least:
        return None
    return ColumnKind(Type.DATE, format=best, ambiguous=sum(n == dated[best] for n in dated.values()) > 1)


def guess_date_format(values: Sequence[str]) -> str | None:
    """The format in which all values are dates; None if there is none.

    >>> guess_date_format(["31/12/1990", "01/02/1985"]), guess_date_format(["Crato"])
    ('%d/%m/%Y', None)
    """
    kind = _read_kind(values)
    return None if kind is None else kind.format


def _shape(value: str) -> str:
    """Digits as one 9 a run, words as one a, a time zone as z: it spares nearly all attempts to read a date."""
    zoned = _ZONE.sub(r"\1z", value) if ":" in value else value
    return re.sub(r"[^\W\d_]{3,}\.?", "a", re.sub(r"[0-9]+", "9", zoned))


@cache
def _form_shape(form: str) -> str:
    return re.sub(r"(?:%[A-Za-z])+", "9", re.sub("%[bZ]", "a", form.replace("%z", "z")))


def is_date(value: str, form: str) -> bool:
    """Whether a text is a date of our times in a format.

    >>> is_date("29/02/2020", "%d/%m/%Y"), is_date("29/02/2021", "%d/%m/%Y")
    (True, False)
    """
    if form.startswith("%Y%m%d") and not re.fullmatch("[0-9]{8}(?:[ T][0-9]{2}:[0-9]{2}.*)?", value):
        return False  # strptime reads 2020111 as well, one way or another
    try:
        return datetime.strptime(plain_date(value, form), form).year in _YEARS
    except ValueError:
        return False


def _text_kind(values: Sequence[str], present: int, distinct: int) -> ColumnKind:
    """Words and codes: whether they repeat."""
    if not values:
        return ColumnKind(Type.EMPTY)
    folded = {value.casefold() for value in values}
    if any(folded <= pair for pair in _WORD_PAIRS) or folded in _LETTER_PAIRS:
        return ColumnKind(Type.BOOLEAN)
    long = sum(map(len, values)) > 100 * len(values)
    scattered = distinct > 20 and 2 * distinct > present
    return ColumnKind(Type.TEXT if long or scattered else Type.CATEGORY)
