"""A hierarchy of numbers in intervals of nested widths: 37 → 30-39 → 20-39 → …"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import inf, isfinite
from operator import itemgetter
from typing import Literal

from cobogo.data.hierarchy.base import SUPPRESSED, Hierarchy
from cobogo.data.policy import IntervalsHierarchy
from cobogo.errors import HierarchyError, UnfitValues
from cobogo.floor.language import tr, trn

DecimalMark = Literal[".", ","]

# Digits and exponents are bounded, or a single 1e999999999 would fill the memory.
_TAIL = r"(?:[eE]([+-]?[0-9]{1,3}))?\s*"
_WHOLE = {
    ".": "[0-9]{1,300}",
    ",": r"[0-9]{1,3}(?:\.[0-9]{3}){1,100}|[0-9]{1,300}",  # 1.234,56 has dots between its thousands
}
_NUMBER = {
    mark: re.compile(rf"\s*([+-]?)(?=[.,]?[0-9])({whole})?(?:[{mark}]([0-9]{{0,300}}))?{_TAIL}")
    for mark, whole in _WHOLE.items()
}


def intervals_hierarchy(
    attribute: str, spec: IntervalsHierarchy, values: Sequence[str], *, decimal: DecimalMark, where: str
) -> Hierarchy:
    """Level 0 is the text of the data in numeric order, level n the interval of width ``intervals[n - 1]`` around it.

    Whole numbers give labels like 10-19, others half-open intervals like [10.5, 12). All arithmetic is exact.

    >>> spec = IntervalsHierarchy(intervals=(10, 20), top_code=90)
    >>> intervals_hierarchy("age", spec, ["7", "85", "95"], decimal=".", where="policy").labels
    (('7', '85', '95'), ('0-9', '80-89', '>=90'), ('0-19', '80-89', '>=90'))
    """
    numbers, wrong = [], []
    for value in values:
        number = _parse(value, decimal)
        if number is None:
            wrong.append(value)
        else:
            numbers.append((number, value))
    if wrong:
        raise _no_numbers(wrong, decimal, where)

    keys = ("origin", "lower", "upper", "bottom_code", "top_code")
    given = {key: _exact(getattr(spec, key), key, where) for key in keys if getattr(spec, key) is not None}
    widths = [_exact(width, "intervals", where) for width in spec.intervals]
    # Everything is counted in the smallest unit that occurs, so that 0.3 in steps of 0.1 is 3 in steps of 1.
    places = max(number[1] for number in (*given.values(), *widths, *(number for number, _ in numbers)))
    unit = partial(_to_units, places=places)
    cuts = _Cuts.from_options({key: unit(number) for key, number in given.items()}, spec.open_ends)
    text = partial(_text, places=places, decimal=decimal)
    steps = [unit(width) for width in widths]
    _check(steps, cuts, text, where)

    ordered = sorted(((unit(number), value) for number, value in numbers), key=itemgetter(0))
    if not cuts.open_ends:
        _check_bounds(ordered, cuts, text, where)
    amounts = [amount for amount, _ in ordered]
    write = partial(_label, text=text, whole=places == 0, decimal=decimal)
    columns = [[value for _, value in ordered], *(_column(amounts, step, cuts, write) for step in steps)]
    return Hierarchy.from_columns(attribute, columns, where=where)


def _no_numbers(wrong: list[str], decimal: DecimalMark, where: str) -> UnfitValues:
    other: DecimalMark = "." if decimal == "," else ","
    if all(_parse(value, other) is not None for value in wrong):
        remedy = tr('They have the decimal mark "{mark}": write decimal = "{mark}" under [data].', mark=other)
    else:
        remedy = tr(
            "Correct them in the data, or list them under missing in [data] if they mean that a value is unknown."
        )
    what = trn(
        '{n:,} value of the data is not a number with the decimal mark "{mark}"',
        '{n:,} values of the data are not numbers with the decimal mark "{mark}"',
        n=len(wrong),
        mark=decimal,
    )
    return UnfitValues(what, wrong, where=where, remedy=remedy)


@dataclass(frozen=True)
class _Cuts:
    """Where the intervals begin and what cuts them, in units."""

    origin: int
    lower: int | None
    upper: int | None
    bottom: int | None
    top: int | None
    open_ends: bool

    @classmethod
    def from_options(cls, given: dict[str, int], open_ends: bool) -> _Cuts:
        lower = given.get("lower")
        origin = given.get("origin", lower if lower is not None else 0)
        return cls(origin, lower, given.get("upper"), given.get("bottom_code"), given.get("top_code"), open_ends)

    def outermost(self, width: int) -> tuple[float, float]:
        """The numbers of the first and the last interval, which open ends make open."""
        if not self.open_ends or self.lower is None or self.upper is None:
            return float("-inf"), float("inf")
        # The last interval holds the numbers just below upper.
        return (self.lower - self.origin) // width, -((self.origin - self.upper) // width) - 1


def _column(amounts: list[int], width: int, cuts: _Cuts, write: Callable[[int | None, int | None], str]) -> list[str]:
    """The label of each amount at one level.

    The thresholds cut the intervals alike at all levels, so the pieces nest as the intervals do; a piece is labelled
    with its own ends, so no label claims numbers that are coded elsewhere.
    """
    origin, bottom, top = cuts.origin, cuts.bottom, cuts.top
    first, last = cuts.outermost(width)
    below, above = write(None, bottom), write(top, None)
    known: dict[float, str] = {}
    labels = []
    for amount in amounts:
        if bottom is not None and amount < bottom:
            labels.append(below)
            continue
        if top is not None and amount >= top:
            labels.append(above)
            continue
        nth = min(max((amount - origin) // width, first), last)
        label = known.get(nth)
        if label is None:
            low = None if nth == first else origin + int(nth) * width
            high = None if nth == last else origin + int(nth + 1) * width
            if bottom is not None:
                low = bottom if low is None else max(low, bottom)
            if top is not None:
                high = top if high is None else min(high, top)
            label = known[nth] = write(low, high)
        labels.append(label)
    return labels


def _label(low: int | None, high: int | None, *, text: Callable[[int], str], whole: bool, decimal: DecimalMark) -> str:
    """The numbers from ``low`` on and below ``high``; None is an open end."""
    if low is None:
        return SUPPRESSED if high is None else f"<{text(high)}"
    if high is None:
        return f">={text(low)}"
    if whole:
        if high - low == 1:
            return text(low)
        return f"{text(low)} to {text(high - 1)}" if low < 0 else f"{text(low)}-{text(high - 1)}"
    return f"[{text(low)}{'; ' if decimal == ',' else ', '}{text(high)})"


def interval_bounds(label: str, decimal: DecimalMark = ".") -> tuple[float, float] | None:
    """The numbers that a label stands for, from the first on and below the second; None where it is no interval.

    >>> interval_bounds("30-39"), interval_bounds("-5 to -1"), interval_bounds("[1.5, 2)"), interval_bounds(">=90")
    ((30, 40), (-5, 0), (1.5, 2.0), (90, inf))
    """
    found = _INTERVAL.fullmatch(label.replace(",", ".") if decimal == "," else label)
    if found is None:
        return None
    low, high, first, last, alone, below, start = found.groups()
    if low is not None:
        return float(low), float(high)
    if first is not None or alone is not None:
        return int(first or alone), int(last or alone) + 1
    return (-inf, _number(below)) if below is not None else (_number(start), inf)


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


_DIGITS = r"-?[0-9]+(?:[.][0-9]+)?"
_INTERVAL = re.compile(
    rf"\[({_DIGITS})[,;.] ({_DIGITS})\)|(-?[0-9]+)(?:-| to )(-?[0-9]+)|(-?[0-9]+)|<({_DIGITS})|>=({_DIGITS})"
)
"""The labels that `_label` writes, but for ``*``."""


def _text(amount: int, *, places: int, decimal: DecimalMark) -> str:
    digits = str(abs(amount)).rjust(places + 1, "0")
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    return ("-" if amount < 0 else "") + whole + (decimal + fraction if fraction else "")


def _parse(text: str, decimal: DecimalMark) -> tuple[int, int] | None:
    """A number as (n, places), which is n / 10**places with the fewest places; None if the text is no number."""
    found = _NUMBER[decimal].fullmatch(text)
    if found is None:
        return None
    sign, whole, fraction, exponent = found.groups()
    fraction = (fraction or "").rstrip("0")
    digits = (whole or "").replace(".", "") + fraction
    number = int(sign + (digits or "0"))
    places = len(fraction) - int(exponent or 0)
    if places < 0:
        return number * 10**-places, 0
    while exponent and places and number % 10 == 0:
        number, places = number // 10, places - 1
    return number, places


def _to_units(number: tuple[int, int], *, places: int) -> int:
    return number[0] if number[1] == places else number[0] * int(10 ** (places - number[1]))


def _exact(number: float, key: str, where: str) -> tuple[int, int]:
    """A number of the policy as it was written: 0.1 is a tenth, not the nearest binary fraction."""
    parsed = _parse(repr(number), ".") if isfinite(number) else None
    if parsed is None:
        key = key.replace("_", "-")
        raise HierarchyError(
            tr("{key} must be a finite number. Got {number} instead", key=key, number=number),
            where=where,
            remedy=tr("Write another number."),
            code="COBOGO-HIERARCHY-OPTIONS",
        )
    return parsed


def _check(steps: list[int], cuts: _Cuts, text: Callable[[int], str], where: str) -> None:
    def wrong(what: str, remedy: str) -> HierarchyError:
        return HierarchyError(what, where=where, remedy=remedy, code="COBOGO-HIERARCHY-OPTIONS")

    for step in steps:
        if step <= 0:
            raise wrong(tr("an interval cannot be {width} wide", width=text(step)), tr("Give widths above 0."))
    for small, large in pairwise(steps):
        if large % small:
            what = tr(
                "intervals {small} and {large} wide do not nest: {large} is not a multiple of {small}",
                small=text(small),
                large=text(large),
            )
            raise wrong(what, tr("Make each width a multiple of the one before."))
    if cuts.open_ends and (cuts.lower is None or cuts.upper is None):
        raise wrong(
            tr("open-ends needs both lower and upper"), tr("Give the numbers between which the intervals are closed.")
        )
    if cuts.lower is not None and cuts.upper is not None and cuts.lower >= cuts.upper:
        raise wrong(
            tr("lower {lower} is not below upper {upper}", lower=text(cuts.lower), upper=text(cuts.upper)),
            tr("Exchange them."),
        )
    if cuts.bottom is not None and cuts.top is not None and cuts.bottom > cuts.top:
        raise wrong(
            tr("bottom-code {bottom} is above top-code {top}", bottom=text(cuts.bottom), top=text(cuts.top)),
            tr("Exchange them."),
        )


def _check_bounds(ordered: list[tuple[int, str]], cuts: _Cuts, text: Callable[[int], str], where: str) -> None:
    """Without open ends nothing may lie outside lower … upper, both included."""
    low = cuts.lower if cuts.lower is not None else float("-inf")
    high = cuts.upper if cuts.upper is not None else float("inf")
    outside = [value for amount, value in ordered if not low <= amount <= high]
    if outside:
        known = {"lower": cuts.lower, "upper": cuts.upper}
        bounds = [f"{key} = {text(bound)}" for key, bound in known.items() if bound is not None]
        what = trn(
            "{n:,} value of the data is outside {bounds}",
            "{n:,} values of the data are outside {bounds}",
            n=len(outside),
            bounds=", ".join(bounds),
        )
        remedy = tr("Correct them in the data, widen the bounds, or write open-ends = true.")
        raise UnfitValues(what, outside, where=where, remedy=remedy)
