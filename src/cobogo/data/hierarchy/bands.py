"""Hierarchies of bands that the policy declares: ages on a day, and quantiles of a distribution that is known before.

Bands that were cut at the quantiles of the data would say where the data lie: whoever sees the cut points learns
something of the people, and releases of the same data with a person more could differ in them. These never do.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from operator import itemgetter

from cobogo.data.hierarchy.base import Hierarchy
from cobogo.data.hierarchy.dates import read_dates
from cobogo.data.hierarchy.intervals import (
    DecimalMark,
    exact_number,
    interval_label,
    intervals_hierarchy,
    number_text,
    read_numbers,
    to_units,
)
from cobogo.data.policy import AgeHierarchy, IntervalsHierarchy, QuantilesHierarchy
from cobogo.errors import HierarchyError, UnfitValues
from cobogo.floor.language import Text, tr, trn


def age_hierarchy(attribute: str, spec: AgeHierarchy, values: Sequence[str], *, where: str) -> Hierarchy:
    """Level 0 is the text of the data, level 1 the age in full years on the day ``at``, the others bands of ages.

    Who was born on 29 February is a year older from 1 March on in a year without that day.

    >>> spec = AgeHierarchy(age="%d/%m/%Y", at=date(2024, 12, 31), widths=(5, 20))
    >>> age_hierarchy("birth", spec, ["31/12/1999", "01/01/2000"], where="policy").labels
    (('31/12/1999', '01/01/2000'), ('25', '24'), ('25-29', '20-24'), ('20-39',))
    """
    dated = read_dates(spec.age, ("%Y-%m-%d",), values, where, key="age")
    unborn = [value for moment, value in dated if moment.date() > spec.at]
    if unborn:
        raise UnfitValues(
            trn(
                "{n:,} value of the data is a date after {at}, on which ages are counted",
                "{n:,} values of the data are dates after {at}, on which ages are counted",
                n=len(unborn),
                at=spec.at.isoformat(),
            ),
            unborn,
            where=where,
            remedy=tr("Correct them in the data, or write a later day under at."),
        )
    ages = [str(_age(moment.date(), spec.at)) for moment, _ in dated]
    bands = IntervalsHierarchy(intervals=(1, *spec.widths), top_code=spec.top_code)
    tree = intervals_hierarchy(attribute, bands, list(dict.fromkeys(ages)), decimal=".", where=where)
    columns = [[tree.generalize(age, level) for age in ages] for level in range(1, tree.height + 1)]
    return Hierarchy.from_columns(attribute, [[value for _, value in dated], *columns], where=where)


def _age(birth: date, at: date) -> int:
    return at.year - birth.year - ((at.month, at.day) < (birth.month, birth.day))


def quantiles_hierarchy(
    attribute: str, spec: QuantilesHierarchy, values: Sequence[str], *, decimal: DecimalMark, where: str
) -> Hierarchy:
    """Level 0 is the text of the data in numeric order, level n one of ``quantiles[n - 1]`` bands of equal shares.

    With the distribution function $F$ of the declared population, linear between the numbers of ``domain``, the cuts
    of q bands are $F^{-1}(i / q)$, rounded to ``decimals``. They follow from the policy alone.

    >>> spec = QuantilesHierarchy(quantiles=(4, 2), domain=(0, 20, 100), shares=(3, 1))
    >>> quantiles_hierarchy("age", spec, ["5", "19", "99", "100"], decimal=".", where="policy").labels[1:]
    (('0-6', '13-19', '20-100'), ('0-12', '13-100'))
    """
    places = spec.decimals
    ends = [exact_number(end, "domain", where) for end in spec.domain]
    _check_quantiles(spec, ends, where)
    numbers = read_numbers(values, decimal, where)
    fine = [value for number, value in numbers if number[1] > places]
    if fine:
        raise UnfitValues(
            trn(
                "{n:,} value of the data has more than {places} decimals",
                "{n:,} values of the data have more than {places} decimals",
                n=len(fine),
                places=places,
            ),
            fine,
            where=where,
            remedy=tr("Round them, or write how many they have under decimals."),
        )
    ordered = sorted(((to_units(number, places=places), value) for number, value in numbers), key=itemgetter(0))
    lowest, *_, highest = (to_units(end, places=places) for end in ends)
    outside = [value for amount, value in ordered if not lowest <= amount <= highest]
    if outside:
        raise UnfitValues(
            trn(
                "{n:,} value of the data is outside the domain",
                "{n:,} values of the data are outside the domain",
                n=len(outside),
            ),
            outside,
            where=where,
            remedy=tr("Correct them in the data, or widen the domain."),
        )
    write = partial(_band, text=partial(number_text, places=places, decimal=decimal), decimal=decimal, whole=not places)
    columns = [[value for _, value in ordered]]
    for bands in spec.quantiles:
        cuts = [lowest, *_cuts(spec, ends, bands, where), highest]
        labels = [write(low, high, last=high == highest) for low, high in pairwise(cuts)]
        columns.append([labels[min(bisect_right(cuts, amount), bands) - 1] for amount, _ in ordered])
    return Hierarchy.from_columns(attribute, columns, where=where)


def _cuts(spec: QuantilesHierarchy, ends: Sequence[tuple[int, int]], bands: int, where: str) -> list[int]:
    """Where the declared population is cut into bands of equal shares, in units of the last decimal."""
    knots = [Fraction(number, 10**places) for number, places in ends]
    shares = [Fraction(str(share)) for share in spec.shares or (1,)]
    below = [Fraction(0), *accumulate(shares)]
    cuts = []
    for band in range(1, bands):
        share = below[-1] * band / bands
        part = bisect_right(below, share) - 1
        number = knots[part] + (knots[part + 1] - knots[part]) * (share - below[part]) / shares[part]
        cuts.append(round(number * 10**spec.decimals))
    edges = [knots[0] * 10**spec.decimals, *cuts, knots[-1] * 10**spec.decimals]
    if any(low >= high for low, high in pairwise(edges)):
        raise _wrong(
            tr("{bands} bands are too many: some would be empty", bands=bands),
            tr("Ask for fewer quantiles, or for more decimals."),
            where,
        )
    return cuts


def _band(low: int, high: int, *, last: bool, text: Callable[[int], str], whole: bool, decimal: DecimalMark) -> str:
    """The label of a band. The last one has its upper end in it."""
    if last and not whole:
        return interval_label(low, high, text=text, whole=False, decimal=decimal)[:-1] + "]"
    return interval_label(low, high + last, text=text, whole=whole, decimal=decimal)


def _check_quantiles(spec: QuantilesHierarchy, ends: Sequence[tuple[int, int]], where: str) -> None:
    if any(places > spec.decimals for _, places in ends):
        raise _wrong(tr("the numbers of domain have more decimals than decimals says"), tr("Raise decimals."), where)
    if any(low >= high for low, high in pairwise(spec.domain)):
        raise _wrong(tr("the numbers of domain do not ascend"), tr("Write them from the least to the greatest."), where)
    for many, few in pairwise(spec.quantiles):
        if many % few or many == few:
            raise _wrong(
                tr("{many} and {few} quantiles do not nest: {many} is not a multiple of {few}", many=many, few=few),
                tr("Make each number of quantiles a multiple of the next."),
                where,
            )


def _wrong(what: Text, remedy: Text, where: str) -> HierarchyError:
    return HierarchyError(what, where=where, remedy=remedy, code="COBOGO-HIERARCHY-OPTIONS")
