"""Common scales: the values or intervals by which a column is counted alike on both sides."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from cobogo.data.classes import parse_number
from cobogo.data.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.examine.utility.pairs.pair import OTHERS, CountKey, Facts, NumberBins, TablePair
from cobogo.floor.arrays import Floats, Ints

MOST = 20
"""Values that are counted one by one by default; all others are counted together."""

_RANGE = re.compile(r"\[(-?[^\[\]]+?)(?:-| to )(-?[^\[\]]+)\]")


class ShownValue(NamedTuple):
    """One entry of a scale: a value, an interval of numbers, NULL, suppressed values, or all others."""

    kind: Literal["value", "interval", "missing", "suppressed", "others"]
    text: str = ""
    low: float | None = None  # None in the first interval
    high: float | None = None  # None in the last


How = Literal["values", "bins", "level", "spread", "replaced"]
"""What a scale consists of: values; intervals of numbers; labels of the released level of a hierarchy; labels over
which released values are spread evenly; or replaced values, which cannot be compared."""


@dataclass(frozen=True, eq=False, repr=False)
class CommonScale:
    """The entries of a column's scale, and the shares of each value in them."""

    column: str
    how: How
    shown: tuple[ShownValue, ...]
    before: CountKey
    after: CountKey
    tree: Hierarchy | None = None
    level: int | None = None
    decimal: str = "."
    places: Ints | None = None  # the entry of each leaf, where there is a tree
    bins: NumberBins | None = None

    def weights(self, values: Sequence[Label], *, released: bool) -> Floats:
        """For each value that the engine returned, its share of each entry; rows sum to 1."""
        shares = np.zeros((len(values), len(self.shown)))
        index = {one.text: place for place, one in enumerate(self.shown) if one.kind == "value"}
        for number, value in enumerate(values):
            shares[number] = self._weight(value, index, released)
        return shares

    def _weight(self, value: Label, index: dict[str, int], released: bool) -> Floats:
        weight = np.zeros(len(self.shown))
        if self.tree is not None and not (released and self.how == "level"):
            leaves = leaves_under(self.tree, value, self.decimal) if released else _own_leaf(self.tree, value)
            if len(leaves):
                assert self.places is not None
                places = np.bincount(self.places[leaves], minlength=len(self.shown))
                return np.asarray(places / places.sum(), dtype=np.float64)
        if value is None:
            place = self._place("missing")
        elif value == OTHERS:
            place = self._place("others")
        elif self.bins is not None and self.tree is None:
            place = int(value)
        elif value in index:
            place = index[value]
        elif value == SUPPRESSED:
            place = self._place("suppressed")
        elif self.bins is not None and not math.isnan(number := parse_number(value, self.decimal)):
            place = int(self.bins.place(np.array([number]))[0])
        else:
            place = self._place("others")
        weight[place] = 1.0
        return weight

    def _place(self, kind: str) -> int:
        return next(place for place, one in enumerate(self.shown) if one.kind == kind)


def scale(pair: TablePair, name: str, *, most: int = MOST) -> CommonScale:
    """The scale of a column: at most ``most`` values or intervals, and entries for NULL, stars and other values."""
    tree = pair.tree(name)
    level = pair.described[name].level
    if tree is not None and (_coarser(pair, name, tree) if level is None else level > 0):
        return _scale_of_tree(pair, name, tree, level, most)
    facts = (pair.before or pair.after).facts[name]
    if facts.numeric and facts.distinct > min(most, 12) and pair.after.facts[name].numeric:
        bins = nice_bins(facts, min(most, 12))
        key = CountKey(name, bins=bins)
        return CommonScale(
            name, "bins", (*intervals(bins), *_ends()), key, key, bins=bins, decimal=pair.policy.data.decimal
        )
    return _scale_of_values(pair, name, most)


def _coarser(pair: TablePair, name: str, tree: Hierarchy) -> bool:
    """Whether some released value is not a leaf."""
    part = pair.after.part_with(name)
    assert part is not None
    return not set(part.cells([CountKey(name)]).values[0]) <= tree.index.keys()


def _scale_of_values(pair: TablePair, name: str, most: int) -> CommonScale:
    original, released = (pair.before or pair.after), pair.after
    first, second = original.part_with(name), released.part_with(name)
    assert first is not None
    assert second is not None
    labels = first.top(name, most)
    also = [label for label in second.top(name, most) if label not in labels]
    replaced = len(labels) > 0 and pair.before is not None and len(also) == len(second.top(name, most)) > 0
    if replaced and released.facts[name].present:
        labels = []
    else:
        labels += [label for label in also if label != SUPPRESSED][: max(most - len(labels), 3)]
    numbers = [parse_number(label, pair.policy.data.decimal) for label in labels]
    if numbers and not np.isnan(numbers).any():
        labels = [labels[place] for place in np.argsort(numbers, kind="stable")]
    only = tuple(labels)
    shown = (*(ShownValue("value", str(label)) for label in labels if label != SUPPRESSED), *_ends())
    key = CountKey(name, only=(*only, SUPPRESSED))
    return CommonScale(name, "replaced" if replaced else "values", shown, key, key)


def _scale_of_tree(pair: TablePair, name: str, tree: Hierarchy, level: int | None, most: int) -> CommonScale:
    decimal = pair.policy.data.decimal
    numbers = _numbers(tree, level or 0, decimal)
    few = min(most, 12) if level is None else most
    if numbers is not None and len(np.unique(numbers[~np.isnan(numbers)])) > few:
        return _scale_of_bins(name, tree, level, numbers, decimal, min(most, 12))
    return _scale_of_labels(pair, name, tree, level, most)


def _numbers(tree: Hierarchy, level: int, decimal: str) -> Floats | None:
    """The label of each leaf at a level as a number, NaN for NULL; None where a label is no number."""
    labels = tree.labels[level]
    numbers = np.array([parse_number(label, decimal) for label in labels], dtype=np.float64)
    known = ~np.isnan(numbers)
    if not known.any() or any(label is not None for label, here in zip(labels, known, strict=True) if not here):
        return None
    return np.asarray(numbers[tree.maps[level]])


def _scale_of_bins(
    name: str, tree: Hierarchy, level: int | None, numbers: Floats, decimal: str, most: int
) -> CommonScale:
    known = ~np.isnan(numbers)
    values = numbers[known]
    bins = nice_bins(Facts(len(values), 0, 0, len(values), float(values.min()), float(values.max())), most)
    shown = (*intervals(bins), *_ends())
    places = np.full(len(numbers), bins.number, dtype=np.int64)  # NULL: the first of the ends
    places[known] = bins.place(values)
    how: How = "spread" if level is None else "level"
    return CommonScale(name, how, shown, CountKey(name), CountKey(name), tree, level, decimal, places, bins)


def _scale_of_labels(pair: TablePair, name: str, tree: Hierarchy, level: int | None, most: int) -> CommonScale:
    """The labels of the released level, or of the lowest level with few enough; the most frequent ones, if no level
    has."""
    lowest = (step for step in range(tree.height + 1) if len(tree.labels[step]) <= most)
    at = level if level is not None else next(lowest, tree.height)
    labels, own = tree.labels[at], tree.maps[at]
    kept = set(range(len(labels)))
    if len(labels) > most:
        part = None if pair.before is None else pair.before.part_with(name)
        assert part is not None
        found = part.cells([CountKey(name)])
        counts = np.bincount(own[tree.encode(found.values[0])][found.codes[0]], found.counts, len(labels))
        kept = set(np.argsort(-counts, kind="stable")[:most].tolist())
    plain = [label for code, label in enumerate(labels) if code in kept and label not in (None, SUPPRESSED)]
    shown = (*(ShownValue("value", str(label)) for label in plain), *_ends())
    order: dict[Label, int] = {label: place for place, label in enumerate(plain)}
    ends = {one.kind: len(plain) + place for place, one in enumerate(_ends())}
    order |= {None: ends["missing"], SUPPRESSED: ends["suppressed"]}
    places = np.array([order.get(label, ends["others"]) for label in labels], dtype=np.int64)
    how: How = "spread" if level is None else "level"
    return CommonScale(
        name, how, shown, CountKey(name), CountKey(name), tree, level, pair.policy.data.decimal, places[own]
    )


def _ends() -> tuple[ShownValue, ...]:
    return (ShownValue("missing"), ShownValue("suppressed"), ShownValue("others"))


def _own_leaf(tree: Hierarchy, value: Label) -> Ints:
    return np.array([tree.index[value]], dtype=np.int64) if value in tree.index else np.zeros(0, dtype=np.int64)


def leaves_under(tree: Hierarchy, label: Label, decimal: str) -> Ints:
    """The leaves that a released value may be: those under it in the hierarchy, those within its range of numbers, or
    the leaf nearest to a number; empty where neither applies.

    >>> ages = Hierarchy.from_columns("age", [["20", "25", "31"], ["twenties", "twenties", "thirties"]])
    >>> [leaves_under(ages, label, ".").tolist() for label in ("25", "twenties", "[25-31]", "26.5", "*", "old")]
    [[1], [0, 1], [1, 2], [1], [0, 1, 2], []]
    """
    for level, labels in enumerate(tree.labels):
        if label in labels:
            return np.flatnonzero(tree.maps[level] == labels.index(label))
    if label == SUPPRESSED:
        return np.arange(len(tree.leaves))
    numbers = np.array([parse_number(leaf, decimal) for leaf in tree.leaves])
    if label is None or np.isnan(numbers).all():
        return np.zeros(0, dtype=np.int64)
    found = _RANGE.fullmatch(label)
    if found:
        low, high = (parse_number(text, decimal) for text in found.groups())
        return np.flatnonzero((numbers >= low) & (numbers <= high))
    number = parse_number(label, decimal)
    if math.isnan(number):
        return np.zeros(0, dtype=np.int64)
    return np.array([int(np.nanargmin(np.abs(numbers - number)))], dtype=np.int64)


def nice_bins(facts: Facts, most: int) -> NumberBins:
    """At most ``most`` bins of a round width, from the first percentile to the last.

    >>> nice_bins(Facts(9, 0, 9, 9, 17.0, 90.0), 12).edges()
    [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0]
    """
    low, high = float(facts.low or 0.0), float(facts.high or 0.0)
    span = max(high - low, 1e-9 * max(abs(low), abs(high)), 1e-300)
    power = 10.0 ** math.floor(math.log10(span / most))
    for step in (1, 2, 2.5, 5, 10, 20, 25, 50):
        width = step * power
        first = math.floor(low / width)
        number = math.floor(high / width) - first + 1
        if number <= most:
            return NumberBins(first * width, width, number)
    raise AssertionError  # pragma: no cover


def intervals(bins: NumberBins) -> tuple[ShownValue, ...]:
    """The entries of bins: the first and the last are open-ended."""
    edges = bins.edges()
    last = bins.number - 1
    return tuple(
        ShownValue("interval", "", None if place == 0 else edges[place], None if place == last else edges[place + 1])
        for place in range(bins.number)
    )
