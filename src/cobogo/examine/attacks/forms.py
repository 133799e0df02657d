"""What a released value allows, read from its form: 05/1988 lies in 1988, 60127*** in 6012****, 20-24 in 20-29.

It takes no policy, only the values. A value is read as a *box*: a span of possible values for each part that it
specifies. A date specifies year, month and day; a masked number its length and some of its places; a path its last
parts; an interval a number. Two boxes can be of one person unless their spans of some part are disjoint.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

import numpy as np

from cobogo.data.hierarchy import SUPPRESSED, Label
from cobogo.data.hierarchy.dates import DIRECTIVE, format_of
from cobogo.data.policy import AnyHierarchy, DatesHierarchy, IntervalsHierarchy, MaskHierarchy, PathHierarchy
from cobogo.floor.arrays import Ints

Span = tuple[Any, Any, bool]
"""The lower end, the upper end, and whether the upper end is excluded."""

Box = Mapping[Hashable, Span]
Form = Callable[[str], Box | None]
"""Reads a value as a box; None for a value that is not of this form."""

LIKELY = 0.5
"""The least share of a column's distinct values that a form must read to be the column's. The others are taken for
typing errors or codes of missing values; a larger share would reject dirty columns."""


def meet(one: Box, other: Box) -> Box | None:
    """The box of what two boxes allow together; None where they contradict each other.

    >>> read = date_form(["%m/%Y", "%Y"])
    >>> meet(read("05/1988"), read("1988")) == read("05/1988"), meet(read("05/1988"), read("1989"))
    (True, None)
    """
    together = dict(one)
    for part, span in other.items():
        common = _overlap(together[part], span) if part in together else span
        if common is None:
            return None
        together[part] = common
    return together


def is_within(one: Box, other: Box) -> bool:
    """Whether one box allows nothing that the other does not."""
    return all(part in one and _overlap(one[part], span) == one[part] for part, span in other.items())


def identity(box: Box) -> frozenset[tuple[Hashable, Span]]:
    """A hashable key of a box."""
    return frozenset(box.items())


def _overlap(one: Span, other: Span) -> Span | None:
    low = max(one[0], other[0])
    high, included = min((one[1], not one[2]), (other[1], not other[2]))
    return (low, high, not included) if low < high or (low == high and included) else None


def _single(value: Any) -> Span:
    return value, value, False


def date_form(formats: Sequence[str]) -> Form:
    """Dates in one of some formats, quarters, and ranges of years. A format that is not made of parts of a date (a
    week, for example) is a part of its own.

    >>> date_form(["%d/%m/%Y"])("02/05/1988")["month"], date_form(["%Y"])("1980-1989")["year"]
    ((5, 5, False), (1980, 1989, False))
    """
    readers = [(re.compile(_pattern(form)), form) for form in dict.fromkeys(formats)]
    odd = [form for _, form in readers if not _is_plain(form)]

    def read(label: str) -> Box | None:
        years = _YEARS.fullmatch(label)
        if years and int(years[1]) <= int(years[2]):
            return {"year": (int(years[1]), int(years[2]), False)}
        if quarter := _QUARTER.fullmatch(label):
            last = 3 * int(quarter[2])
            return {"year": _single(int(quarter[1])), "month": (last - 2, last, False)}
        for pattern, form in readers:
            found = pattern.fullmatch(label)
            if found is None:
                continue
            if form in odd:
                return {form: _single(label)}
            parts = {part: int(text) for part, text in found.groupdict().items()}
            if all(low <= parts.get(part, low) <= high for part, (low, high) in _CALENDAR.items()):
                return {**{part: _single(number) for part, number in parts.items()}, **_derive_parts(parts, odd)}
        return None

    return read


_YEARS = re.compile(r"([12][0-9]{3}) ?[-–] ?([12][0-9]{3})")
_QUARTER = re.compile(r"([0-9]{4})-Q([1-4])")
_PARTS = {"Y": "year", "m": "month", "d": "day", "H": "hour", "M": "minute", "S": "second"}
_CALENDAR = {"month": (1, 12), "day": (1, 31), "hour": (0, 23), "minute": (0, 59), "second": (0, 60)}


def _is_plain(form: str) -> bool:
    return all(directive[1] in _PARTS for directive in DIRECTIVE.finditer(form))


def _pattern(form: str) -> str:
    pieces = DIRECTIVE.split(form)
    if not _is_plain(form):
        return "".join(r"[\w.:+-]+?" if odd % 2 else re.escape(piece) for odd, piece in enumerate(pieces))
    packed = re.search(r"%[A-Za-z]%", form) is not None
    digits = {name: "{4}" if name == "Y" else "{2}" if packed else "{1,2}" for name in _PARTS}
    return "".join(
        f"(?P<{_PARTS[piece]}>[0-9]{digits[piece]})" if odd % 2 else re.escape(piece)
        for odd, piece in enumerate(pieces)
    )


def _derive_parts(parts: Mapping[str, int], formats: Sequence[str]) -> Box:
    """A whole date in those formats that are parts of their own."""
    if not formats or not parts.keys() >= {"year", "month", "day"}:
        return {}
    try:
        moment = datetime(**parts)  # type: ignore[arg-type]
    except ValueError:
        return {}
    return {form: _single(moment.strftime(form)) for form in formats}


def number_form(decimal: str = ".") -> Form:
    """Numbers and intervals of numbers. A range of whole numbers contains whole numbers only.

    >>> read = number_form()
    >>> [meet(read(one), read(other)) is not None for one, other in (("31", "30-39"), ("40", "30-39"), ("5", "[1, 5)"))]
    [True, False, False]
    """
    number = rf"([+-]?[0-9]+(?:\{decimal}[0-9]+)?)"
    plain = re.compile(number)
    between = re.compile(
        rf"{number}(?: ?[-–—] ?| to | a | até |\.\.){number}|[\[(]{number}(?:[,;] ?| ?- ?){number}([\])])"
    )
    open_end = re.compile(rf"(<=|>=|<|>|≤|≥) ?{number}|{number}\+")

    def value(text: str) -> Fraction:
        return Fraction(text.replace(decimal, "."))

    def read(label: str) -> Box | None:
        if plain.fullmatch(label):
            point = value(label)
            return {"number": _single(point), "whole": _single(point.denominator == 1)}
        if found := between.fullmatch(label):
            low, high = value(found[1] or found[3]), value(found[2] or found[4])
            if low > high:
                return None
            out = found[5] == ")"
            whole = found[1] is not None and low.denominator == high.denominator == 1
            span: Span = (low, high, out)
            return {"number": span, "whole": _single(True)} if whole else {"number": span}
        if found := open_end.fullmatch(label):
            limit = value(found[2] or found[3])
            if found[1] in ("<", "<=", "≤"):
                return {"number": (-_FAR, limit, found[1] == "<")}
            return {"number": (limit, _FAR, False)}
        return None

    return read


_FAR = Fraction(10**400)


def mask_form(character: str = "*") -> Form:
    """Texts in which one character masks any other, place by place.

    >>> meet(mask_form()("60127***"), mask_form()("6012****")) == mask_form()("60127***")
    True
    """

    def read(label: str) -> Box:
        kept: dict[Hashable, Span] = {place: _single(sign) for place, sign in enumerate(label) if sign != character}
        return {"length": _single(len(label)), **kept}

    return read


def path_form(separator: str = "/") -> Form:
    """Paths from the finest part to the coarsest; the finest parts may be left out.

    >>> read = path_form()
    >>> is_within(read("Centro/Sobral/CE"), read("Sobral/CE")), is_within(read("Centro/Sobral/CE"), read("Crato/CE"))
    (True, False)
    """
    return lambda label: {place: _single(part) for place, part in enumerate(reversed(label.split(separator)))}


def form_of(labels: Iterable[Label], specs: Sequence[AnyHierarchy | None] = (), *, decimal: str = ".") -> Form | None:
    """The form of a column's values: that of its hierarchies, if they are known, or the one that reads most values.

    None where no form reads enough of them.
    """
    known = [spec for spec in specs if spec is not None]
    texts = sorted({label for label in labels if label is not None and label != SUPPRESSED})
    stated = _form_of_hierarchies(known, decimal)
    if stated is not None or known or not texts:
        return stated
    found = [
        (sum(form(text) is not None for text in texts), -place, form)
        for place, form in enumerate(_candidate_forms(texts))
    ]
    most, _, best = max(found, key=lambda entry: entry[:2], default=(0, 0, None))
    return best if most >= LIKELY * len(texts) else None


def _form_of_hierarchies(specs: Sequence[AnyHierarchy], decimal: str) -> Form | None:
    """The form of the labels of some hierarchies; None unless all have the same."""
    if not specs:
        return None
    first = specs[0]
    if all(isinstance(spec, DatesHierarchy) for spec in specs):
        return date_form([form for spec in specs for form in (spec.dates, *map(format_of, spec.levels))])  # type: ignore[union-attr]
    if all(isinstance(spec, IntervalsHierarchy) for spec in specs):
        return number_form(first.decimal or decimal)  # type: ignore[union-attr]
    if isinstance(first, MaskHierarchy) and all(getattr(spec, "character", "") == first.character for spec in specs):
        return mask_form(first.character)
    if isinstance(first, PathHierarchy) and all(getattr(spec, "path", "") == first.path for spec in specs):
        return path_form(first.path)
    return None


def _candidate_forms(texts: Sequence[str]) -> Iterator[Form]:
    """The forms that some texts may have, the likeliest first."""
    if not all(_YEAR.fullmatch(text) for text in texts):
        for sign in "/-.":
            for order in ("%d{0}%m{0}%Y", "%Y{0}%m{0}%d", "%m{0}%d{0}%Y"):
                day = order.format(sign)
                month = f"%Y{sign}%m" if order.startswith("%Y") else f"%m{sign}%Y"
                yield date_form([day, *(f"{day}{gap}{time}" for gap in " T" for time in _TIMES), month, "%Y"])
    yield number_form(".")
    yield number_form(",")
    for character in "*#?":
        if any(character in text and set(text) != {character} for text in texts):
            yield mask_form(character)
    for separator in ("/", " > ", "|", "\\"):
        if any(separator in text for text in texts):
            yield path_form(separator)


_YEAR = re.compile(r"[0-9]{4}( ?[-–] ?[0-9]{4})?|[<>].*")
_TIMES = ("%H:%M:%S", "%H:%M", "%H")


def overlapping_pairs(known: Sequence[Box | None], released: Sequence[Box | None]) -> Iterator[tuple[int, int]]:
    """The places of all pairs of boxes that do not contradict each other.

    Boxes with the same parts are compared at once: by a dictionary over the parts that are exact, then by spans.
    """
    for mine, ours in _group_by_parts(known).items():
        for theirs, others in _group_by_parts(released).items():
            common = mine & theirs
            exact = sorted(
                (part for part in common if _all_exact(known, ours, part) and _all_exact(released, others, part)),
                key=str,
            )
            rest = [part for part in common if part not in exact]
            yield from _join_boxes(known, ours, released, others, exact, rest)


def _group_by_parts(boxes: Sequence[Box | None]) -> dict[frozenset[Hashable], list[int]]:
    found: dict[frozenset[Hashable], list[int]] = defaultdict(list)
    for place, box in enumerate(boxes):
        if box is not None:
            found[frozenset(box)].append(place)
    return found


def _all_exact(boxes: Sequence[Box | None], places: Sequence[int], part: Hashable) -> bool:
    return all((box := boxes[place]) is not None and box[part][0] == box[part][1] for place in places)


def _join_boxes(
    known: Sequence[Any],
    ours: Sequence[int],
    released: Sequence[Any],
    others: Sequence[int],
    exact: Sequence[Hashable],
    rest: Sequence[Hashable],
) -> Iterator[tuple[int, int]]:
    def key(box: Box) -> tuple[Any, ...]:
        return tuple(box[part][0] for part in exact)

    index: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for place in ours:
        index[key(known[place])].append(place)
    if not rest:
        yield from ((mine, theirs) for theirs in others for mine in index.get(key(released[theirs]), ()))
        return
    spans = {name: [_spans(known, places, part) for part in rest] for name, places in index.items()}
    for theirs in others:
        name = key(released[theirs])
        if name in index:
            fits = np.ones(len(index[name]), dtype=np.bool_)
            for part, (low, high, out) in zip(rest, spans[name], strict=True):
                start, end, end_out = released[theirs][part]
                start, end = float(max(start, -_MOST)), float(min(end, _MOST))
                fits &= (low < end) | ((low == end) & (not end_out))
                fits &= (start < high) | ((start == high) & ~out)
            yield from ((index[name][n], theirs) for n in np.flatnonzero(fits).tolist())


_MOST = Fraction(10**300)


def _spans(boxes: Sequence[Any], places: Sequence[int], part: Hashable) -> tuple[Any, Any, Any]:
    found = [boxes[place][part] for place in places]
    low = np.array([float(max(span[0], -_MOST)) for span in found])
    high = np.array([float(min(span[1], _MOST)) for span in found])
    return low, high, np.array([span[2] for span in found], dtype=np.bool_)


def as_pairs(found: Iterable[tuple[int, int]], width: int) -> Ints:
    """Pairs as numbers: ``first × width + second``."""
    return np.array([mine * width + theirs for mine, theirs in found], dtype=np.int64)
