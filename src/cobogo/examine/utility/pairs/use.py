"""Uses of a release of any kind: counting queries, and learning to predict a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.table.frequency import frequency_table
from cobogo.errors import InputError
from cobogo.examine.utility.learning import accuracies, accuracy, baseline, draw_records, hold_out, require_learning
from cobogo.examine.utility.pairs.comparison import leaves_under, nice_bins, scale
from cobogo.examine.utility.pairs.pair import CountKey, TablePair, TablePart
from cobogo.examine.utility.sides import Sides
from cobogo.examine.utility.workload import query_errors
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr

FEW = 50
"""A column of more distinct numbers is counted in this many bins, unless it was recoded by a hierarchy."""

SEED = 0
"""Fixed, so that a page shows the same figures each time."""

LABELS = 100
"""The most values of a column that can be predicted."""


@dataclass(frozen=True, eq=False, repr=False)
class ObservedSides(Sides):
    """Both sides where the released values are those that occur: of any level, ranges, numbers, or drawn ones."""

    decimal: str = "."

    @cached_property
    def names(self) -> tuple[tuple[Label, ...], ...]:
        """For each column, the values that were released."""
        return tuple(self.after.values[h.attribute] for h in self.hierarchies)

    @cached_property
    def under(self) -> tuple[tuple[Ints, Ints], ...]:
        """For each column, all pairs of a released code and a leaf that it may be."""
        found = []
        for h, names in zip(self.hierarchies, self.names, strict=True):
            leaves = [leaves_under(h, name, self.decimal) for name in names]
            codes = np.repeat(np.arange(len(names)), [len(some) for some in leaves])
            found.append((codes, np.concatenate([*leaves, np.zeros(0, dtype=np.int64)])))
        return tuple(found)


def unfit_reason(pair: TablePair) -> str | None:
    """Why a release cannot be queried or learnt from, as a key: ``buckets``, ``marginals``, no ``original``, or no
    ``columns`` that both sides have; None where it can."""
    if pair.before is None:
        return "original"
    if pair.manifest.marginals:
        return "marginals"
    if pair.manifest.buckets is not None:
        return "buckets"
    return None if features(pair) else "columns"


def features(pair: TablePair) -> tuple[str, ...]:
    """The columns that models learn from: the quasi-identifiers that can be compared on both sides."""
    quasi = [name for name in pair.columns if name in pair.policy.quasi_identifiers]
    return tuple(name for name in quasi or pair.columns if scale(pair, name).how != "replaced")


def query_columns(pair: TablePair) -> tuple[str, ...]:
    """The columns that queries are about: the features and the sensitive attributes."""
    own = [name for name in pair.policy.sensitive if name in pair.columns]
    comparable = own if pair.recoding else [name for name in own if scale(pair, name).how != "replaced"]
    return tuple(dict.fromkeys((*features(pair), *comparable)))


def predictable_columns(pair: TablePair) -> tuple[str, ...]:
    """The columns that models may predict: released unchanged or drawn, with 2 to 100 values."""
    if pair.before is None:
        return ()
    found = []
    for name in sorted(pair.columns, key=lambda name: name in pair.policy.quasi_identifiers):
        recoded = pair.recoding and name in pair.policy.quasi_identifiers
        few = 2 <= pair.before.facts[name].distinct <= LABELS
        if few and not recoded and pair.after.facts[name].distinct >= 2 and scale(pair, name).how != "replaced":
            found.append(name)
    return tuple(found)


def workload(pair: TablePair, *, queries: int = 1000, selectivity: float = 0.05) -> Floats:
    """The relative errors of random counting queries (`cobogo.examine.utility.workload.query_errors`)."""
    if why := unfit_reason(pair):
        raise InputError(
            tr("counting queries cannot be asked of this release: {why}", why=why), where=pair.manifest.kind
        )
    own, about = features(pair), query_columns(pair)
    names, sensitive = (own, [name for name in about if name not in own]) if pair.recoding else (about, [])
    return query_errors(_sides(pair, names, sensitive), queries=queries, selectivity=selectivity, seed=SEED)


def learn_label(pair: TablePair, label: str) -> dict[str, Any]:
    """How well models that learn from the release predict a column (`examine.utility.learning`).

    Where all records have the same levels, models learn from two thirds of the records as released and are tested on
    the others. Otherwise the original of a released record is unknown: models learn from all released rows, each value
    replaced by a random leaf under it, and are tested on a third of the originals; the models of the original learn
    from the other two thirds.
    """
    require_learning()
    if (why := unfit_reason(pair)) or label not in predictable_columns(pair):
        raise InputError(
            tr("a model cannot learn from this release: {why}", why=why or label), where=pair.manifest.kind
        )
    levels = _levels(pair)
    if levels is not None and all(h is not None for h in map(pair.tree, features(pair))):
        found = _sides(pair, features(pair), label=label)
        return accuracy(Sides(found.hierarchies, levels, found.before, found.after), seed=SEED)
    return _learn_from_rows(_sides(pair, [name for name in features(pair) if name != label], label=label))


def _levels(pair: TablePair) -> tuple[int, ...] | None:
    levels = [pair.described[name].level for name in features(pair)]
    return None if not pair.recoding or None in levels else tuple(level or 0 for level in levels)


def _sides(
    pair: TablePair, names: Sequence[str], sensitive: Sequence[str] = (), *, label: str | None = None
) -> ObservedSides:
    """Count both sides: by the hierarchies of a recoding, otherwise by values or bins."""
    assert pair.before is not None
    sides = pair.before.parts[0], pair.after.parts[0]
    if not pair.recoding:
        sides = _bin_columns(pair, sides, names)
    before, after = (frequency_table(part.table, names, sensitive, label=label) for part in sides)
    trees = tuple(pair.tree(name) or Hierarchy.from_columns(name, [before.values[name]]) for name in names)
    return ObservedSides(trees, None, before, after, pair.policy.data.decimal)


def _bin_columns(
    pair: TablePair, sides: tuple[TablePart, TablePart], names: Sequence[str]
) -> tuple[TablePart, TablePart]:
    assert pair.before is not None
    many = [n for n in names if pair.before.facts[n].numeric and pair.before.facts[n].distinct > FEW]
    keys = [CountKey(name, bins=nice_bins(pair.before.facts[name], FEW)) for name in many]
    first, second = (
        replace(
            side,
            table=replace(
                side.table, expression=side.table.expression.mutate(**{key.column: side.key(key) for key in keys})
            ),
        )
        if keys
        else side
        for side in sides
    )
    return first, second


def _learn_from_rows(sides: ObservedSides) -> dict[str, Any]:
    before, after = sides.before.label, sides.after.label
    assert before is not None
    assert after is not None
    random = np.random.default_rng(SEED)
    learns, tests = hold_out(draw_records(before.counts, random), random)
    known = {label: code for code, label in enumerate(before.domain.labels)}
    of_release = np.array([known.get(label, -1) for label in after.domain.labels], dtype=np.int64)[after.values]
    rows = np.repeat(np.arange(len(after.counts)), draw_records(after.counts, random) * (of_release >= 0))
    summary = {"label": before.domain.attribute, "held_out": int(tests.sum()), "baseline": None, "models": {}}
    if not tests.any() or not len(rows):
        return summary
    originals = [column[before.owners] for column in sides.originals]
    released = [
        _draw_leaves(sides, place, codes[after.owners[rows]], random) for place, codes in enumerate(sides.released)
    ]
    widths = [len(h.leaves) for h in sides.hierarchies]
    columns = [np.concatenate(pair) for pair in zip(released, originals, strict=True)]
    values = np.concatenate([of_release[rows], before.values.astype(np.int64)])
    ones, none = np.ones(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    zeros = np.zeros(len(learns), dtype=np.int64)
    found = {
        "release": accuracies(columns, widths, values, np.concatenate([ones, zeros]), np.concatenate([none, tests])),
        "original": accuracies(originals, widths, before.values.astype(np.int64), learns, tests),
    }
    return summary | {
        "baseline": baseline(before.values, learns, tests),
        "models": {name: {side: found[side][name] for side in ("original", "release")} for name in found["release"]},
    }


def _draw_leaves(sides: ObservedSides, place: int, codes: Ints, random: np.random.Generator) -> Ints:
    """For each row, a random leaf that its value may be; any leaf, where the value says nothing."""
    owners, leaves = sides.under[place]
    starts = np.searchsorted(owners, np.arange(len(sides.names[place]) + 1))
    size = (starts[1:] - starts[:-1])[codes]
    pick = starts[:-1][codes] + np.floor(random.random(len(codes)) * np.maximum(size, 1)).astype(np.int64)
    anything = random.integers(len(sides.hierarchies[place].leaves), size=len(codes))
    return np.where(size > 0, np.append(leaves, 0)[np.minimum(pick, len(leaves))], anything)
