"""What a masked value tells of the one that it was made of, operator by operator; the manifest states which was used.

The last digits that were kept, a date within so many days, a number within a share of itself, how often a substitute
occurs: each leaves some values and rules out the others. All dates of a person that move alike keep the days between
them, which are as good as a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Label
from cobogo.data.policy import Role
from cobogo.data.table.columns import read_times
from cobogo.examine.attacks.case import Published
from cobogo.examine.attacks.compatible import Compatibility, compatibility_of
from cobogo.examine.attacks.forms import as_pairs, mask_form, number_form, overlapping
from cobogo.examine.attacks.rows import Rows
from cobogo.floor.arrays import Floats, Ints

ALIKE = "all dates of a person by the same"
SAME = "the same for the same value"
"""What the meaning of a column says where dates of a person move alike, and where a value has one substitute."""

PAIRS = 20_000_000
"""Pairs of a known and a released value that a column may have; one with more is not used."""


def made_by(release: Published) -> Mapping[str, Mapping[str, Any]]:
    """The operators that a masked release states, by column; of any other release none."""
    if release.manifest is None or release.manifest.kind != "masking":
        return {}
    stated: Mapping[str, Mapping[str, Any]] = (release.manifest.transformation or {}).get("columns", {})
    return stated


def linkable(release: Published) -> tuple[str, ...]:
    """The columns by which a person may be linked: quasi-identifiers and, of a masked release, all that was masked."""
    masked_columns = [name for name in made_by(release) if name not in release.sensitive]
    return tuple(dict.fromkeys((*release.quasi_identifiers, *masked_columns)))


def changed_columns(release: Published) -> frozenset[str]:
    """The quasi-identifiers whose values were changed and not made coarser, by noise or means; masked ones apart."""
    if release.manifest is None or release.manifest.kind not in ("recoding", "perturbation"):
        return frozenset()
    return frozenset(
        column.name
        for column in release.manifest.columns
        if column.role is Role.QUASI_IDENTIFIER and not column.truthful
    )


def followed_by_distance(release: Published) -> str | None:
    """Why linking by what values stand for has nothing to look at, as part of a sentence; None where it has."""
    if release.quasi_identifiers and changed_columns(release) >= set(release.quasi_identifiers):
        return "has nothing to compare: all quasi-identifiers were changed, and distance-linkage follows that"
    return None


def with_days_between(knowledge: Rows, release: Published, columns: Sequence[str]) -> tuple[Rows, Published, list[str]]:
    """Both tables with the days between every two dates that move alike, as columns of their own; and their names."""
    moved = {
        name: stated for name, stated in made_by(release).items() if name in columns and _moves_alike(name, release)
    }
    added: list[str] = []
    for one, other in combinations(moved, 2):
        if moved[one]["days"] == moved[other]["days"]:
            name = f"days from {one} to {other}"
            forms = moved[one]["format"], moved[other]["format"]
            knowledge = _with_days(knowledge, name, (one, other), forms)
            release = replace(release, rows=_with_days(release.rows, name, (one, other), forms))
            added.append(name)
    return knowledge, release, added


def _moves_alike(name: str, release: Published) -> bool:
    if release.manifest is None or made_by(release)[name]["operator"] != "days":
        return False
    return any(column.name == name and ALIKE in column.meaning for column in release.manifest.columns)


def _with_days(rows: Rows, name: str, columns: tuple[str, str], forms: tuple[str, str]) -> Rows:
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


def fitting(name: str, knowledge: Rows, release: Published) -> Compatibility | None:
    """Which released values may be made of each known one, by what was done to the column; None where any may."""
    stated = made_by(release)[name]
    known, released = knowledge.labels(name), release.rows.labels(name)
    pairs: Ints | None
    match stated["operator"]:
        case "mask":
            pairs = _by_pattern(known, released, str(stated["character"]))
        case "truncate":
            pairs = _by_end(known, released, int(stated["characters"]))
        case "days":
            pairs = _by_days(known, released, int(stated["days"]), str(stated["format"]))
        case "blur":
            pairs = _by_factor(known, released, float(stated["share"]), release)
        case "fake" | "list" | "pseudonym" | "token":
            pairs = _by_frequency(name, knowledge, release, exactly=stated["operator"] in ("pseudonym", "token"))
        case _:  # shuffled, left out, encrypted
            return None
    if pairs is None:
        return None
    missing = [n for n, label in enumerate(known) if label is None]
    empty = [n for n, label in enumerate(released) if label is None]
    nulls = np.array([one * max(len(released), 1) + other for one in missing for other in empty], dtype=np.int64)
    return compatibility_of([pairs, nulls], known, len(released))


def _by_pattern(known: Sequence[Label], released: Sequence[Label], character: str) -> Ints:
    read_pattern = mask_form(character)
    ours, theirs = ([None if label is None else read_pattern(label) for label in part] for part in (known, released))
    return as_pairs(overlapping(ours, theirs), max(len(released), 1))


def _by_end(known: Sequence[Label], released: Sequence[Label], count: int) -> Ints:
    """Either end: what was cut off need not be known."""
    index = {label: code for code, label in enumerate(released) if label is not None}
    width = max(len(released), 1)
    found = set()
    for code, label in enumerate(known):
        if label is not None:
            ends = (label[:count], label[max(len(label) - count, 0) :])
            found |= {code * width + index[end] for end in ends if end in index}
    return np.array(sorted(found), dtype=np.int64)


def _by_days(known: Sequence[Label], released: Sequence[Label], days: int, form: str) -> Ints | None:
    ours, theirs = (read_times(part, form) for part in (known, released))
    day = np.timedelta64(1, "D").astype("timedelta64[us]").astype(np.int64)
    mine, other = (np.where(np.isnat(part), np.nan, part.astype(np.int64) / day) for part in (ours, theirs))
    pairs = _within(mine, other, mine - days - 1e-6, mine + days + 1e-6)
    if pairs is None:
        return None
    width = max(len(released), 1)
    moved: Ints = pairs[mine[pairs // width] != other[pairs % width]]  # no date stays where it was
    return moved


def _by_factor(known: Sequence[Label], released: Sequence[Label], share: float, release: Published) -> Ints | None:
    mark = "." if release.manifest is None else release.manifest.data.decimal
    form = number_form(mark)

    def numbers(labels: Sequence[Label]) -> Floats:
        boxes = [None if label is None else form(label.strip()) for label in labels]
        return np.array([np.nan if box is None else float(box["number"][0]) for box in boxes])

    mine, other = numbers(known), numbers(released)
    places = np.array([len(label.partition(mark)[2]) if label is not None else 0 for label in known])
    reach = np.abs(mine) * share + 0.5 * 10.0**-places + 1e-9
    return _within(mine, other, mine - reach, mine + reach)


def _within(mine: Floats, other: Floats, low: Floats, high: Floats) -> Ints | None:
    """The pairs of numbers of which the second lies between bounds of the first; None where they are too many."""
    order = np.argsort(other, kind="stable")
    ordered = other[order][: int((~np.isnan(other)).sum())]
    begin, end = np.searchsorted(ordered, low), np.searchsorted(ordered, high, side="right")
    many = np.where(np.isnan(mine), 0, np.maximum(end - begin, 0))
    if int(many.sum()) > PAIRS:
        return None
    owners = np.repeat(np.arange(len(mine)), many)
    places = np.arange(len(owners)) - np.repeat(np.cumsum(many) - many, many) + np.repeat(begin, many)
    return np.asarray(owners * max(len(other), 1) + order[places], dtype=np.int64)


def _by_frequency(name: str, knowledge: Rows, release: Published, *, exactly: bool) -> Ints | None:
    """A substitute is there as often as its value, or oftener where two values may share it: of whole tables only."""
    says_so = release.manifest is not None and any(
        column.name == name and SAME in column.meaning for column in release.manifest.columns
    )
    if knowledge.count != release.rows.count or not (exactly or says_so):
        return None
    mine, other = (_counts(rows, name) for rows in (knowledge, release.rows))
    if mine.max(initial=0) == 1:
        return None  # all are alike
    high = mine.astype(np.float64) if exactly else np.full(len(mine), np.inf)
    return _within(mine.astype(np.float64), other.astype(np.float64), mine.astype(np.float64), high)


def _counts(rows: Rows, name: str) -> NDArray[np.int64]:
    return np.bincount(rows.codes(name), minlength=len(rows.labels(name))).astype(np.int64)
