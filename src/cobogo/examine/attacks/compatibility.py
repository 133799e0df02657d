"""Which values of two columns are compatible: equal, or one more general than the other, or overlapping, or masked.

What a masked value may have been follows from the operator that the manifest states. Truncation keeps the last digits,
shifted dates stay within some days, blurred numbers within a share, and a substitute occurs as often as its original:
each rules out some values. Dates of a person that are shifted alike keep the days between them, which can identify a
person as well as a name does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import IntervalsHierarchy, PathHierarchy, Policy, Role
from cobogo.data.table.columns import read_times
from cobogo.errors import HierarchyError, UnfitValues
from cobogo.examine.attacks.case import PublishedTable
from cobogo.examine.attacks.forms import Form, as_pairs, form_of, mask_form, number_form, overlapping_pairs
from cobogo.examine.attacks.rows import Rows, concatenate_ranges
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr


@dataclass(frozen=True, eq=False, repr=False)
class Compatibility:
    """For each label of one column (by code), the compatible labels of another, sorted, as a sparse matrix.

    ``unplaced`` are labels of the first column that neither the hierarchy nor a form can read: they are compatible with
    themselves and with ``*`` only. ``unread`` are such labels of the other column.
    """

    offsets: Ints
    options: Ints
    unplaced: Ints
    unread: Ints

    @property
    def owners(self) -> Ints:
        """The label that each option belongs to."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def merge_equal(self) -> tuple[Ints, Compatibility]:
        """Labels with the same options made one, in the order of the first of each: the new code of each label, and the
        compatibility of the new codes.

        >>> codes, merged = equal_values(["a", "x", "b", "y"], ["a", "b"]).merge_equal()
        >>> codes.tolist(), merged.offsets.tolist(), merged.options.tolist()
        ([0, 1, 2, 1], [0, 1, 1, 2], [0, 1])
        """
        from cobogo.examine.attacks import kernels

        codes = np.empty(len(self.offsets) - 1, dtype=np.int64)
        first = np.empty(len(codes), dtype=np.int64)
        first = first[: kernels.number_lists(self.offsets, self.options, codes, first)]
        lengths = np.diff(self.offsets)[first]
        options = self.options[concatenate_ranges(self.offsets[first], lengths)[1]]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return codes, Compatibility(offsets, options, codes[self.unplaced], self.unread)

    def share(self, known: Ints, released: Ints) -> float:
        """The share of all pairs of a known and a released record that agree, given the counts of their values."""
        agreeing = np.bincount(self.owners, released[self.options], len(known))
        return float((known * agreeing).sum() / max(int(known.sum()) * int(released.sum()), 1))

    def count_agreeing(self, released: Ints) -> Ints:
        """For each label, how many released records are compatible with it."""
        return np.bincount(self.owners, released[self.options], len(self.offsets) - 1).astype(np.int64)


def equal_values(known: Sequence[Label], released: Sequence[Label]) -> Compatibility:
    """Values are compatible if their texts are equal; NULL equals NULL."""
    index = {label: code for code, label in enumerate(released)}
    return build_compatibility([_equal_pairs(known, index)], known, len(released))


def compatible_values(
    attribute: str,
    known: Sequence[Label],
    released: Sequence[Label],
    policy: Policy | None,
    *,
    as_collected: bool = False,
) -> Compatibility:
    """Values are compatible if their texts are equal, one is ``*``, or some original value lies under both.

    The policy's hierarchy says what lies under a value; without a policy, or for a value that the hierarchy lacks, the
    form of the value does. Values that were released ``as_collected`` have nothing under them.

    >>> policy = Policy.of({"attributes": {"zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}}},
    ...                     "privacy": {"models": [{"model": "k-anonymity", "k": 2}]}})
    >>> compatible_values("zip", ["02138", "02141"], ["0213*", "0214*", "*"], policy).options.tolist()
    [0, 2, 1, 2]
    >>> compatible_values("age", ["31", "47"], ["30-39", "40-49"], None).options.tolist()
    [0, 1]
    """
    index = {label: code for code, label in enumerate(released)}
    width = max(len(released), 1)
    pairs = [_equal_pairs(known, index)]
    if SUPPRESSED in index:
        pairs.append(np.arange(len(known), dtype=np.int64) * width + index[SUPPRESSED])
    if SUPPRESSED in known:
        pairs.append(known.index(SUPPRESSED) * width + np.arange(len(released), dtype=np.int64))
    spec = None if policy is None or attribute not in policy.attributes else policy.attributes[attribute].hierarchy
    placed: set[Label] = {None, SUPPRESSED}
    if as_collected or (spec is None and policy is not None and attribute in policy.attributes):
        placed.update((*known, *released))  # there is no level between a value and *
    elif spec is not None and policy is not None:
        tree = build_hierarchy(attribute, known, released, policy)
        if tree is not None:
            pairs += _pairs_with_common_leaves(tree, known, index, width)
            placed.update(label for labels in tree.labels for label in labels)
    if not placed >= {*known, *released}:
        decimal = "." if policy is None else policy.data.decimal
        pairs.append(_pairs_by_form(known, released, placed, form_of((*known, *released), [spec], decimal=decimal)))
    unread = set(released) - placed - set(known)
    return build_compatibility(
        pairs,
        known,
        len(released),
        [n for n, label in enumerate(known) if label not in placed and spec is not None],
        [n for n, label in enumerate(released) if label in unread],
    )


def _pairs_with_common_leaves(
    tree: Hierarchy, known: Sequence[Label], index: dict[Label, int], width: int
) -> list[Ints]:
    """Pairs of labels that have a leaf under both."""
    mine = {label: code for code, label in enumerate(known)}
    levels = range(tree.height + 1)
    ours = [_codes(tree, level, mine) for level in levels]
    theirs = [_codes(tree, level, index) for level in levels]
    pairs = []
    for one in ours:
        for other in theirs:
            both = (one >= 0) & (other >= 0)
            pairs.append(np.unique(one[both] * width + other[both]))
    return pairs


def _pairs_by_form(known: Sequence[Label], released: Sequence[Label], placed: set[Label], form: Form | None) -> Ints:
    """Overlapping pairs of labels that the form reads and of which at least one is not ``placed`` yet; adds the labels
    that it reads to ``placed``."""
    if form is None:
        return np.zeros(0, dtype=np.int64)
    ours, theirs = ([None if label is None else form(label) for label in labels] for labels in (known, released))
    strange = [
        [None if label in placed else box for label, box in zip(labels, boxes, strict=True)]
        for labels, boxes in ((known, ours), (released, theirs))
    ]
    for labels, boxes in ((known, strange[0]), (released, strange[1])):
        placed.update(label for label, box in zip(labels, boxes, strict=True) if box is not None)
    width = max(len(released), 1)
    found = [
        as_pairs(overlapping_pairs(ours, strange[1]), width),
        as_pairs(overlapping_pairs(strange[0], theirs), width),
    ]
    return np.concatenate(found)


def build_hierarchy(
    attribute: str, known: Sequence[Label], released: Sequence[Label], policy: Policy
) -> Hierarchy | None:
    """An attribute's hierarchy over those values of two tables that it can place; None if it can place none."""
    spec = policy.attributes[attribute].hierarchy
    values = list(dict.fromkeys((*known, *released)))
    if isinstance(spec, PathHierarchy):
        parts = max(_usual_parts(labels, spec.path) for labels in (known, released))
        odd = set(known) if spec.lenient else set()
        values = [value for value in values if value is None or value in odd or value.count(spec.path) + 1 == parts]
    tree = _build_placeable(attribute, values, policy)
    if isinstance(spec, IntervalsHierarchy) and _unknown_labels(tree, released):
        # Intervals are written otherwise where all numbers are whole; the two tables need not agree on that.
        mark = spec.decimal or policy.data.decimal
        whole = [value for value in values if value is None or mark not in value]
        others = [_build_placeable(attribute, some, policy) for some in (whole, [*values, f"0{mark}5"])]
        tree = min([tree, *others], key=lambda one: len(_unknown_labels(one, released)))
    return tree


def _build_placeable(attribute: str, values: Sequence[Label], policy: Policy) -> Hierarchy | None:
    """The hierarchy over the values that its builder does not refuse."""
    for _ in range(3):  # a builder may complain of one kind of value at a time
        try:
            return build(attribute, policy.attributes[attribute].hierarchy, values, policy=policy)
        except UnfitValues as error:
            unfit = set(error.values)
            values = [value for value in values if value not in unfit]
        except HierarchyError:
            if None not in values:
                raise
            values = [value for value in values if value is not None]
    return None


def _unknown_labels(tree: Hierarchy | None, labels: Sequence[Label]) -> set[Label]:
    """The labels that are not in a hierarchy."""
    known = set() if tree is None else {label for level in tree.labels for label in level}
    return set(labels) - known - {SUPPRESSED, None}


def _usual_parts(labels: Sequence[Label], separator: str) -> int:
    numbers = Counter(label.count(separator) + 1 for label in labels if label is not None and label != SUPPRESSED)
    return max(((count, number) for number, count in numbers.items()), default=(0, 1))[1]


def _equal_pairs(known: Sequence[Label], index: dict[Label, int]) -> Ints:
    pairs = [(code, index[label]) for code, label in enumerate(known) if label in index]
    return np.array([one * max(len(index), 1) + other for one, other in pairs], dtype=np.int64)


def _codes(tree: Hierarchy, level: int, index: dict[Label, int]) -> Ints:
    """For each leaf, the code of its label at a level; −1 for a label without a code."""
    found = np.array([index.get(label, -1) for label in tree.labels[level]], dtype=np.int64)
    return found[tree.maps[level]] if len(found) else found


def build_compatibility(
    pairs: Sequence[NDArray[np.int64]],
    known: Sequence[Label],
    width: int,
    unplaced: Sequence[int] = (),
    unread: Sequence[int] = (),
) -> Compatibility:
    """The compatibility of pairs that are given as numbers: ``known code × width + released code``."""
    together = np.unique(np.concatenate(pairs)) if pairs else np.zeros(0, dtype=np.int64)
    width = max(width, 1)
    offsets = np.searchsorted(together // width, np.arange(len(known) + 1)).astype(np.int64)
    return Compatibility(
        offsets, together % width, np.array(unplaced, dtype=np.int64), np.array(unread, dtype=np.int64)
    )


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
