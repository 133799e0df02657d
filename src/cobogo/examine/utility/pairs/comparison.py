"""Distributions, associations and summaries of an original and its release.

Both sides are counted on a common scale: the values or intervals that a column is cut into alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from cobogo.data.classes import parse_number
from cobogo.data.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.examine.utility.pairs.pair import (
    OTHERS,
    CellCounts,
    CountKey,
    Facts,
    NumberBins,
    PairSide,
    TablePair,
    TablePart,
)
from cobogo.examine.utility.statistics import cramers_v, total_variation
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


QUARTILES = (0.25, 0.5, 0.75)

ACROSS = 12
"""Values of each column of a contingency table: more do not fit a page."""


@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """The shares of a column's values on each side; ``apart`` is their total variation distance."""

    column: str
    how: How
    level: int | None
    height: int | None
    shown: tuple[ShownValue, ...]
    before: Floats | None
    after: Floats
    apart: float | None
    distinct: tuple[int | None, int]


@dataclass(frozen=True, eq=False, repr=False)
class Contingency:
    """The joint shares of two columns on each side, the distance of the sides, and Cramér's V of each."""

    columns: tuple[str, str]
    how: tuple[How, How]
    rows: tuple[ShownValue, ...]
    across: tuple[ShownValue, ...]
    before: Floats | None
    after: Floats
    apart: float | None
    association: tuple[float | None, float]


@dataclass(frozen=True)
class Summary:
    """Figures of a column of numbers; ``estimated`` where released values were spread evenly over their leaves."""

    present: float
    missing: float
    mean: float
    deviation: float
    quartiles: tuple[float, float, float]
    least: float
    most: float
    estimated: bool = False


def distribution(pair: TablePair, name: str) -> Distribution:
    """Compare the distribution of a column on both sides."""
    found = scale(pair, name)
    after = _counts(pair.after, found, released=True)
    before = None if pair.before is None else _counts(pair.before, found, released=False)
    kept = after > 0 if before is None else (after > 0) | (before > 0)
    known = found.how != "replaced"
    apart = total_variation(before, after) if before is not None and known else None
    return Distribution(
        name,
        found.how,
        found.level,
        None if found.tree is None else found.tree.height,
        tuple(one for one, keep in zip(found.shown, kept, strict=True) if keep),
        None if before is None else _shares(before)[kept],
        _shares(after)[kept],
        apart,
        (None if pair.before is None else pair.before.facts[name].distinct, pair.after.facts[name].distinct),
    )


def contingency(pair: TablePair, one: str, other: str) -> Contingency | None:
    """Compare the joint distribution of two columns; None where the release does not have it."""
    scales = scale(pair, one, most=ACROSS), scale(pair, other, most=ACROSS)
    after = _joint(pair.after, scales, released=True)
    if after is None:
        return None
    before = None if pair.before is None else _joint(pair.before, scales, released=False)
    both = after if before is None else before + after
    rows, across = both.sum(axis=1) > 0, both.sum(axis=0) > 0
    apart = None if before is None else total_variation(before.ravel(), after.ravel())
    return Contingency(
        (one, other),
        (scales[0].how, scales[1].how),
        tuple(shown for shown, keep in zip(scales[0].shown, rows, strict=True) if keep),
        tuple(shown for shown, keep in zip(scales[1].shown, across, strict=True) if keep),
        None if before is None else _shares(before)[np.ix_(rows, across)],
        _shares(after)[np.ix_(rows, across)],
        apart,
        (None if before is None else _association(before), _association(after)),
    )


def summaries(pair: TablePair) -> dict[str, tuple[Summary | None, Summary | None]]:
    """For each column of numbers, a summary of the original and of the release; None for a side without numbers."""
    both: dict[str, tuple[Summary | None, Summary | None]] = {}
    for name in pair.columns:
        own = pair.before or pair.after
        if not own.facts[name].numeric or own.facts[name].distinct < 3:
            continue
        before = None if pair.before is None else _summarize_numbers(pair.before, name)
        after = (
            _summarize_numbers(pair.after, name) if pair.after.facts[name].numeric else _estimate_summary(pair, name)
        )
        both[name] = before, after
    return both


def _counts(side: PairSide, common: CommonScale, *, released: bool) -> Floats:
    part = side.part_with(common.column)
    assert part is not None
    cells = part.cells([common.after if released else common.before])
    return np.asarray(
        np.bincount(cells.codes[0], cells.counts, len(cells.values[0])) @ _weights(common, cells, released)
    )


def _weights(common: CommonScale, cells: CellCounts, released: bool, place: int = 0) -> Floats:
    return common.weights(cells.values[place], released=released)


def _joint(side: PairSide, scales: tuple[CommonScale, CommonScale], *, released: bool) -> Floats | None:
    keys = [one.after if released else one.before for one in scales]
    part = side.part_with(keys[0].column, keys[1].column)
    if part is not None:
        cells = part.cells(keys)
        left, right = (_weights(one, cells, released, place) for place, one in enumerate(scales))
        return np.asarray((left[cells.codes[0]] * cells.counts[:, None]).T @ right[cells.codes[1]])
    parts = [side.part_with(key.column) for key in keys]
    if side.group is None or any(found is None or side.group not in found.table.columns for found in parts):
        return None
    one, other = (
        _count_by_group(part, key, common, side.group) for part, key, common in zip(parts, keys, scales, strict=True)
    )
    groups = one.keys() & other.keys()
    if not groups:
        return None
    tall, wide = (np.stack([side_of[group] for group in sorted(groups)]) for side_of in (one, other))
    return np.asarray(tall.T @ (wide / np.maximum(wide.sum(axis=1, keepdims=True), 1e-300)))


def _count_by_group(part: TablePart | None, key: CountKey, common: CommonScale, group: str) -> dict[str, Floats]:
    """The records of each bucket by their value of a column."""
    assert part is not None
    cells = part.cells([CountKey(group), key])
    counts = np.zeros((len(cells.values[0]), len(common.shown)))
    weights = _weights(common, cells, True, 1)
    np.add.at(counts, cells.codes[0], weights[cells.codes[1]] * cells.counts[:, None])
    return {str(label): counts[place] for place, label in enumerate(cells.values[0])}


def _association(counts: Floats) -> float:
    rows, across = np.indices(counts.shape)
    return cramers_v(rows.ravel(), across.ravel(), counts.ravel())


def _shares(counts: Floats) -> Floats:
    return np.asarray(counts / max(float(counts.sum()), 1e-300))


def _summarize_numbers(side: PairSide, name: str) -> Summary | None:
    part = side.part_with(name)
    assert part is not None
    if part.weight is not None:
        cells = part.cells([CountKey(name)])
        values = np.array([parse_number(label, part.decimal) for label in cells.values[0]])
        return _summarize_weighted(values[cells.codes[0]], cells.counts)
    number = part.number(name)
    rows = part.table.expression
    quantiles = {f"q{place}": number.quantile(level) for place, level in enumerate(QUARTILES)}
    found = part.table.engine.fetch(
        rows.aggregate(
            mean=number.mean(), deviation=number.std(how="pop"), least=number.min(), most=number.max(), **quantiles
        )
    ).to_pylist()[0]
    facts = side.facts[name]
    quartiles = (found["q0"], found["q1"], found["q2"])
    return Summary(
        facts.present, facts.missing, found["mean"], found["deviation"], quartiles, found["least"], found["most"]
    )


def _estimate_summary(pair: TablePair, name: str) -> Summary | None:
    """Summarize released values, each spread evenly over the leaves under it, as an analyst could. None where every
    value stands for every leaf: then the release says nothing of them."""
    tree, part = pair.tree(name), pair.after.part_with(name)
    if tree is None or part is None:
        return None
    decimal = pair.policy.data.decimal
    numbers = np.array([parse_number(leaf, decimal) for leaf in tree.leaves])
    cells = part.cells([CountKey(name)])
    records, told = np.zeros(len(numbers)), False
    for label, count in zip(cells.values[0], np.bincount(cells.codes[0], cells.counts).tolist(), strict=True):
        leaves = leaves_under(tree, label, decimal)
        if len(leaves):
            records[leaves] += count / len(leaves)
            told |= len(leaves) < len(numbers)
    found = _summarize_weighted(numbers, records) if told else None
    return None if found is None else replace(found, estimated=True)


def _summarize_weighted(values: Floats, counts: Floats) -> Summary | None:
    known = ~np.isnan(values) & (counts > 0)
    missing = float(counts[~known].sum())
    values, counts = values[known], counts[known]
    if not len(values):
        return None
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    total = float(counts.sum())
    mean = float(values @ counts / total)
    upto = np.cumsum(counts) / total
    low, middle, high = (
        float(values[min(int(np.searchsorted(upto, level - 1e-12)), len(values) - 1)]) for level in QUARTILES
    )
    deviation = float(np.sqrt(((values - mean) ** 2) @ counts / total))
    return Summary(total, missing, mean, deviation, (low, middle, high), float(values[0]), float(values[-1]))
