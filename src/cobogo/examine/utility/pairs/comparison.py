"""Distributions, associations and summaries of an original and its release."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cobogo.data.classes import parse_number
from cobogo.examine.utility.pairs.pair import CellCounts, CountKey, PairSide, TablePair, TablePart
from cobogo.examine.utility.pairs.scale import CommonScale, How, ShownValue, leaves_under, scale
from cobogo.examine.utility.statistics import cramers_v, total_variation
from cobogo.floor.arrays import Floats

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
