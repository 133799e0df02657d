"""One value written in several ways: HIV, hiv and "HIV ", 1 and 1.0. They count as different ones, unless a policy says
that they are one."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal

from cobogo.data.hierarchy import Label
from cobogo.data.policy import NORMALIZATIONS, Policy
from cobogo.data.table.columns import replace_values
from cobogo.data.table.read import Table
from cobogo.floor.language import trn

MOST = 1_000_000
"""Values that are compared; more of them would take longer than the search, and a warning is all that is lost."""

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)", re.ASCII)


def normal_form(text: str, how: Collection[str] = NORMALIZATIONS) -> str:
    """A value as it is compared with others.

    >>> [normal_form(text) for text in ("HIV ", "hiv", " Crato", "Icó", "1.0", "01", "1,50")]
    ['hiv', 'hiv', 'crato', 'ico', '1', '1', '1.5']
    >>> normal_form("HIV ", ["trim"])
    'HIV'
    """
    if "trim" in how:
        text = " ".join(text.split())
    if "case" in how:
        text = text.casefold()
    if "accents" in how:
        apart = unicodedata.normalize("NFKD", text)
        text = unicodedata.normalize("NFC", "".join(mark for mark in apart if not unicodedata.combining(mark)))
    if "number" in how and _NUMBER.fullmatch(text):
        number = Decimal(text.replace(",", ".")).normalize()
        text = f"{number if number else abs(number):f}"
    return text


def count_agreeing(labels: Iterable[Label]) -> int:
    """How many values agree with another one but for how they are written.

    >>> count_agreeing(["HIV", "hiv", "HIV ", "flu", None])
    3
    """
    counted = Counter(normal_form(label) for label in labels if label is not None)
    return sum(count for count in counted.values() if count > 1)


def spelling_warnings(name: str, labels: Collection[Label]) -> tuple[str, ...]:
    """What the data holder should know of a column whose different values are counted."""
    found = count_agreeing(labels) if len(labels) <= MOST else 0
    if not found:
        return ()
    text = trn(
        '"{name}": {n:,} value differs from another one only in spaces, case, accents or the way a number is written, '
        "and counts as a different value. If they mean the same, write {key} in the attribute",
        '"{name}": {n:,} values differ from another one only in spaces, case, accents or the way a number is written, '
        "and count as different values. If they mean the same, write {key} in the attribute",
        n=found,
        name=name,
        key='normalize = ["trim", "case", "accents", "number"]',
    )
    return (text,)


def normalize(table: Table, policy: Policy) -> Table:
    """A table in which values that a policy takes for one are written alike: as most of their records are."""
    for name, attribute in policy.attributes.items():
        if attribute.normalize and name in table.columns:
            mapping = _mapping(table, name, attribute.normalize)
            if any(before != after for before, after in mapping.items()):
                rows = replace_values(table.engine, table.expression, name, mapping)
                table = replace(table, expression=rows)
    return table


def _mapping(table: Table, name: str, how: Collection[str]) -> Mapping[Label, Label]:
    """Each value of a column, and how it is written instead."""
    counts = table.counts(name)
    best: dict[str, tuple[int, str]] = {}
    for label, records in counts.items():
        if label is not None:
            shown = " ".join(label.split()) if "trim" in how else label
            key = normal_form(label, how)
            best[key] = min(best.get(key, (0, shown)), (-records, shown))
    return {label: None if label is None else best[normal_form(label, how)][1] or None for label in counts}
