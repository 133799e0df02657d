"""Which original values are compatible with a masked one, for each operator that a manifest may state.

Truncation keeps the last digits, shifted dates stay within some days, blurred numbers within a share, and a substitute
occurs as often as its original: each rules out some values. Dates of a person that are shifted alike keep the days
between them, which can identify a person as well as a name does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.data.policy import Role
from cobogo.data.table.columns import read_times
from cobogo.examine.attacks.case import PublishedTable
from cobogo.examine.attacks.compatibility import Compatibility, build_compatibility
from cobogo.examine.attacks.forms import as_pairs, mask_form, number_form, overlapping_pairs
from cobogo.examine.attacks.rows import Rows, concatenate_ranges
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr

ALIKE = "all dates of a person by the same"
SAME = "the same for the same value"
"""What the meaning of a column says where dates of a person move alike, and where a value has one substitute."""

PAIRS = 20_000_000
"""The most pairs of a known and a released value of a column; with more, linking does not use the column."""


def stated_operators(release: PublishedTable) -> Mapping[str, Mapping[str, Any]]:
    """The operators that the manifest of a masked release states, by column; empty for any other release."""
    if release.manifest is None or release.manifest.kind != "masking":
        return {}
    stated: Mapping[str, Mapping[str, Any]] = (release.manifest.transformation or {}).get("columns", {})
    return stated


def linkable_columns(release: PublishedTable) -> tuple[str, ...]:
    """The columns that linking may use: quasi-identifiers and all masked columns that are not sensitive."""
    masked_columns = [name for name in stated_operators(release) if name not in release.sensitive]
    return tuple(dict.fromkeys((*release.quasi_identifiers, *masked_columns)))


def changed_columns(release: PublishedTable) -> frozenset[str]:
    """The quasi-identifiers whose values were replaced by noisy ones or by means; masked columns do not count."""
    if release.manifest is None or release.manifest.kind not in ("recoding", "perturbation"):
        return frozenset()
    return frozenset(
        column.name
        for column in release.manifest.columns
        if column.role is Role.QUASI_IDENTIFIER and not column.truthful
    )


def unlinkable_reason(release: PublishedTable) -> str | None:
    """Why no quasi-identifier can be linked by its values, as part of a sentence; None where one can."""
    if release.quasi_identifiers and changed_columns(release) >= set(release.quasi_identifiers):
        return tr(
            "has nothing to compare: all quasi-identifiers were changed, and the attack distance-linkage uses them"
        )
    return None


def add_days_between(
    knowledge: Rows, release: PublishedTable, columns: Sequence[str]
) -> tuple[Rows, PublishedTable, list[str]]:
    """Add to both tables the days between every two dates that are shifted alike; and the names of these columns."""
    moved = {
        name: stated
        for name, stated in stated_operators(release).items()
        if name in columns and _moves_alike(name, release)
    }
    added: list[str] = []
    for one, other in combinations(moved, 2):
        if moved[one]["days"] == moved[other]["days"]:
            name = f"days from {one} to {other}"
            forms = moved[one]["format"], moved[other]["format"]
            knowledge = _add_days(knowledge, name, (one, other), forms)
            release = replace(release, rows=_add_days(release.rows, name, (one, other), forms))
            added.append(name)
    return knowledge, release, added


def _moves_alike(name: str, release: PublishedTable) -> bool:
    if release.manifest is None or stated_operators(release)[name]["operator"] != "days":
        return False
    return any(column.name == name and ALIKE in column.meaning for column in release.manifest.columns)


def _add_days(rows: Rows, name: str, columns: tuple[str, str], forms: tuple[str, str]) -> Rows:
    one, other = (
        np.append(read_times(rows.labels(column), form), np.datetime64("NaT", "us"))[rows.codes(column)]
        for column, form in zip(columns, forms, strict=True)
    )
    between = other - one
    known = ~np.isnat(between)
    numbers, codes = np.unique(between[known].astype(np.int64), return_inverse=True)
    found = np.full(rows.count, len(numbers), dtype=np.int32)
    found[known] = codes
    return replace(rows, columns={**rows.columns, name: (found, (*map(str, numbers.tolist()), None))})


def masked_compatibility(name: str, knowledge: Rows, release: PublishedTable) -> Compatibility | None:
    """Which released values the column's operator can make of each known one; None where it can make any."""
    stated = stated_operators(release)[name]
    known, released = knowledge.labels(name), release.rows.labels(name)
    pairs: Ints | None
    match stated["operator"]:
        case "mask":
            pairs = _pattern_pairs(known, released, str(stated["character"]))
        case "truncate":
            pairs = _end_pairs(known, released, int(stated["characters"]))
        case "days":
            pairs = _date_pairs(known, released, int(stated["days"]), str(stated["format"]))
        case "blur":
            pairs = _blur_pairs(known, released, float(stated["share"]), release)
        case "fake" | "list" | "pseudonym" | "token":
            pairs = _frequency_pairs(name, knowledge, release, exactly=stated["operator"] in ("pseudonym", "token"))
        case _:  # shuffled, left out, encrypted, free text
            return None
    if pairs is None:
        return None
    missing = [n for n, label in enumerate(known) if label is None]
    empty = [n for n, label in enumerate(released) if label is None]
    nulls = np.array([one * max(len(released), 1) + other for one in missing for other in empty], dtype=np.int64)
    return build_compatibility([pairs, nulls], known, len(released))


def _pattern_pairs(known: Sequence[Label], released: Sequence[Label], character: str) -> Ints:
    read_pattern = mask_form(character)
    ours, theirs = ([None if label is None else read_pattern(label) for label in part] for part in (known, released))
    return as_pairs(overlapping_pairs(ours, theirs), max(len(released), 1))


def _end_pairs(known: Sequence[Label], released: Sequence[Label], count: int) -> Ints:
    """Pairs of a value and its beginning or its end: the manifest does not say which was kept."""
    index = {label: code for code, label in enumerate(released) if label is not None}
    width = max(len(released), 1)
    found = set()
    for code, label in enumerate(known):
        if label is not None:
            ends = (label[:count], label[max(len(label) - count, 0) :])
            found |= {code * width + index[end] for end in ends if end in index}
    return np.array(sorted(found), dtype=np.int64)


def _date_pairs(known: Sequence[Label], released: Sequence[Label], days: int, form: str) -> Ints | None:
    ours, theirs = (read_times(part, form) for part in (known, released))
    day = np.timedelta64(1, "D").astype("timedelta64[us]").astype(np.int64)
    mine, other = (np.where(np.isnat(part), np.nan, part.astype(np.int64) / day) for part in (ours, theirs))
    pairs = _pairs_within(mine, other, mine - days - 1e-6, mine + days + 1e-6)
    if pairs is None:
        return None
    width = max(len(released), 1)
    moved: Ints = pairs[mine[pairs // width] != other[pairs % width]]  # no date stays where it was
    return moved


def _blur_pairs(
    known: Sequence[Label], released: Sequence[Label], share: float, release: PublishedTable
) -> Ints | None:
    mark = "." if release.manifest is None else release.manifest.data.decimal
    form = number_form(mark)

    def numbers(labels: Sequence[Label]) -> Floats:
        boxes = [None if label is None else form(label.strip()) for label in labels]
        return np.array([np.nan if box is None else float(box["number"][0]) for box in boxes])

    mine, other = numbers(known), numbers(released)
    places = np.array([len(label.partition(mark)[2]) if label is not None else 0 for label in known])
    reach = np.abs(mine) * share + 0.5 * 10.0**-places + 1e-9
    return _pairs_within(mine, other, mine - reach, mine + reach)


def _pairs_within(mine: Floats, other: Floats, low: Floats, high: Floats) -> Ints | None:
    """Pairs of numbers of which the second lies within the bounds of the first; None if they exceed `PAIRS`."""
    order = np.argsort(other, kind="stable")
    ordered = other[order][: int((~np.isnan(other)).sum())]
    begin, end = np.searchsorted(ordered, low), np.searchsorted(ordered, high, side="right")
    many = np.where(np.isnan(mine), 0, np.maximum(end - begin, 0))
    if int(many.sum()) > PAIRS:
        return None
    owners, places = concatenate_ranges(begin, many)
    return np.asarray(owners * max(len(other), 1) + order[places], dtype=np.int64)


def _frequency_pairs(name: str, knowledge: Rows, release: PublishedTable, *, exactly: bool) -> Ints | None:
    """Pairs of a value and a substitute that is as frequent, or (unless ``exactly``) more frequent, since two values
    may share it. None unless both tables have as many rows."""
    says_so = release.manifest is not None and any(
        column.name == name and SAME in column.meaning for column in release.manifest.columns
    )
    if knowledge.count != release.rows.count or not (exactly or says_so):
        return None
    mine, other = (rows.value_counts(name) for rows in (knowledge, release.rows))
    if mine.max(initial=0) == 1:
        return None  # all are alike
    high = mine.astype(np.float64) if exactly else np.full(len(mine), np.inf)
    return _pairs_within(mine.astype(np.float64), other.astype(np.float64), mine.astype(np.float64), high)
