"""What a release is good for, measured alike for all kinds, on the original's own values."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.studies.families.view import Original, View

QUERIES = 500


def used(original: Original, view: View, seed: int) -> dict[str, float]:
    """Total variation of one- and two-way frequencies, the error of counts, the accuracy of a classifier.

    Frequencies are those that the release lets one estimate (`Column.counts`), with what is below 0 taken for 0.
    """
    width = len(original.names)
    ones = [_apart(_frequencies(view, (place,)), _true(original, (place,))) for place in range(width)]
    pairs = {pair: _frequencies(view, pair) for pair in combinations(range(width), 2)}
    twos = [_apart(found, _true(original, pair)) for pair, found in pairs.items()]
    return {
        "one-way": float(np.mean(ones)),
        "two-way": float(np.mean(twos)),
        "query-error": _query_error(original, pairs, seed),
        "accuracy": accuracy(original, view, seed),
    }


def _true(original: Original, places: tuple[int, ...]) -> Floats:
    sizes = [len(original.leaves[place]) for place in places]
    joint = np.ravel_multi_index([original.members[place] for place in places], sizes)
    found = np.bincount(joint, minlength=int(np.prod(sizes))).astype(np.float64).reshape(sizes)
    return np.asarray(found / max(found.sum(), 1.0))


def _frequencies(view: View, places: tuple[int, ...]) -> Floats:
    columns = [view.columns[place] for place in places]
    sizes = [len(column.counts) for column in columns]
    joint = np.ravel_multi_index([column.codes for column in columns], sizes) if view.records else np.zeros(0, np.int64)
    found = np.bincount(joint, minlength=int(np.prod(sizes))).astype(np.float64).reshape(sizes)
    for axis, column in enumerate(columns):
        found = np.moveaxis(np.tensordot(found, column.counts, axes=(axis, 0)), -1, axis)
    found = np.maximum(found, 0.0)
    total = found.sum()
    return np.asarray(found / total if total else np.full(found.shape, 1 / found.size))


def _apart(one: Floats, other: Floats) -> float:
    return float(np.abs(one - other).sum() / 2)


def _query_error(original: Original, pairs: dict[tuple[int, int], Floats], seed: int) -> float:
    """The mean relative error of counts of people with some values of two columns, each value asked for by a coin.

    What fewer than one in a hundred have counts as one in a hundred.
    """
    random = np.random.default_rng(seed)
    chosen, errors = list(pairs), []
    truths = {pair: _true(original, pair) for pair in chosen}
    for _ in range(QUERIES):
        pair = chosen[int(random.integers(len(chosen)))]
        picks = [random.random(size) < 0.5 for size in truths[pair].shape]
        true, found = (float(shares[np.ix_(*picks)].sum()) for shares in (truths[pair], pairs[pair]))
        errors.append(abs(found - true) / max(true, 0.01))
    return float(np.mean(errors))


def leaves_drawn(original: Original, view: View, seed: int) -> list[Ints]:
    """The rows with one leaf drawn for each released value, by what it fits: what a classifier can learn from."""
    random = np.random.default_rng(seed)
    drawn = []
    for column in view.columns:
        upto = np.cumsum(column.fits, axis=1)
        upto /= np.maximum(upto[:, -1:], 1e-300)
        chance = random.random(len(column.codes))
        codes = np.empty(len(column.codes), dtype=np.int64)
        for label in np.unique(column.codes):
            rows = column.codes == label
            codes[rows] = np.minimum(np.searchsorted(upto[label], chance[rows], side="right"), upto.shape[1] - 1)
        drawn.append(codes)
    assert len(drawn) == len(original.names)
    return drawn


def accuracy(original: Original, view: View, seed: int) -> float:
    """How often the sensitive value of people who are not in the data is predicted right, by the best of three models
    that learnt from the release."""
    from cobogo.examine.utility.learning import accuracies

    if not view.records:
        return 0.0
    learnt, tested = leaves_drawn(original, view, seed), original.others
    columns = [np.concatenate([a, b]) for a, b in zip(learnt, tested, strict=True)]
    ones, many = np.ones(view.records, dtype=np.int64), len(tested[0])
    learns = np.concatenate([ones, np.zeros(many, dtype=np.int64)])
    tests = np.concatenate([0 * ones, np.ones(many, dtype=np.int64)])
    widths = [len(original.leaves[place]) for place in original.known]
    found = accuracies(columns[:-1], widths, columns[-1], learns, tests)
    return max(found.values())
