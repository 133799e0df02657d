"""Measures for releases of every family: their utility, and the success of the same three attacks.

The attacks of `cobogo.examine.attacks` are not used here: each reads the releases of the families that it is made for,
and measures in its own way. To compare families the attacker must be the same, and know of a released value only how
well it fits an original one. People whose records were released are attacked, and as many others: what succeeds against
both alike is general knowledge, and reveals nothing about a person (Giomi et al. 2023).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.kernels import kernel
from cobogo.studies.families.releases import CodedOriginal, ReleaseView

QUERIES = 500  # count queries: the mean of their errors varies by a few per cent with the seed
TARGETS = 4000  # people attacked on each side: enough to see an excess of about 4 %, in seconds
ATTACKS = ("re-identification", "membership", "inference")


def measure_use(original: CodedOriginal, view: ReleaseView, seed: int) -> dict[str, float]:
    """Total variation of one- and two-way frequencies, the error of counts, the accuracy of a classifier.

    Frequencies are those that the release lets one estimate (`ReleasedColumn.counts`); below 0 they count as 0.
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


def _true(original: CodedOriginal, places: tuple[int, ...]) -> Floats:
    sizes = [len(original.leaves[place]) for place in places]
    joint = np.ravel_multi_index([original.members[place] for place in places], sizes)
    found = np.bincount(joint, minlength=int(np.prod(sizes))).astype(np.float64).reshape(sizes)
    return np.asarray(found / max(found.sum(), 1.0))


def _frequencies(view: ReleaseView, places: tuple[int, ...]) -> Floats:
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


def _query_error(original: CodedOriginal, pairs: dict[tuple[int, int], Floats], seed: int) -> float:
    """The mean relative error of counts of people with some values of two columns, each value chosen with probability
    ½.

    Counts below one in a hundred are divided by one in a hundred.
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


def draw_leaves(original: CodedOriginal, view: ReleaseView, seed: int) -> list[Ints]:
    """Draw one leaf for each released value, by its fit: what a classifier learns from."""
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


def accuracy(original: CodedOriginal, view: ReleaseView, seed: int) -> float:
    """The share of people outside the data whose sensitive value is predicted right, by the best of three models that
    were trained on the release."""
    from cobogo.examine.utility.learning import accuracies

    if not view.records:
        return 0.0
    learnt, tested = draw_leaves(original, view, seed), original.others
    columns = [np.concatenate([a, b]) for a, b in zip(learnt, tested, strict=True)]
    ones, many = np.ones(view.records, dtype=np.int64), len(tested[0])
    learns = np.concatenate([ones, np.zeros(many, dtype=np.int64)])
    tests = np.concatenate([0 * ones, np.ones(many, dtype=np.int64)])
    widths = [len(original.leaves[place]) for place in original.known]
    found = accuracies(columns[:-1], widths, columns[-1], learns, tests)
    return max(found.values())


def measure_attacks(original: CodedOriginal, view: ReleaseView, seed: int) -> dict[str, dict[str, float]]:
    """For each attack its success against people in the data, against others, and the excess.

    *Re-identification*: the attacker picks one of the released records that fit all that is known; it is right with
    probability one over their number, 0 if none fits. *Membership*: a person nearer to some released record than a
    threshold is taken for a member; the best threshold counts. *Inference*: the most frequent sensitive value among the
    nearest records is guessed.
    """
    if not view.records:
        nothing = {"members": 0.0, "others": 0.0, "excess": 0.0}
        return {name: dict(nothing) for name in ATTACKS}
    random = np.random.default_rng(seed)
    size = min(TARGETS, len(original.members[0]), len(original.others[0]))
    sides = [
        _against(original, view, np.sort(random.choice(len(people[0]), size, replace=False)), people)
        for people in (original.members, original.others)
    ]
    rates = {"re-identification": [float(side[0].mean()) for side in sides]}
    rates["inference"] = [float(side[2].mean()) for side in sides]
    inside, outside = (np.sort(side[1]) for side in sides)
    steps = np.unique(np.concatenate([inside, outside]))
    caught = [np.searchsorted(one, steps, side="right") / size for one in (inside, outside)]
    best = int(np.argmax(caught[0] - caught[1]))
    rates["membership"] = [float(caught[0][best]), float(caught[1][best])]
    return {
        name: {"members": rates[name][0], "others": rates[name][1], "excess": max(0.0, rates[name][0] - rates[name][1])}
        for name in ATTACKS
    }


def _against(
    original: CodedOriginal, view: ReleaseView, chosen: Ints, people: tuple[Ints, ...]
) -> tuple[Floats, Floats, Floats]:
    """For each target the probability of re-identification, the distance to the nearest record, and whether the
    inferred value is right."""
    targets = np.stack([column[chosen] for column in people], axis=1).astype(np.int64)
    rows, many = np.unique(np.stack([column.codes for column in view.columns], axis=1), axis=0, return_counts=True)
    most = max(column.fits.shape[1] for column in view.columns)
    starts = np.concatenate([[0], np.cumsum([len(column.fits) for column in view.columns])]).astype(np.int64)
    fits = np.zeros((int(starts[-1]), most))
    for start, column in zip(starts, view.columns, strict=False):
        fits[start : start + len(column.fits), : column.fits.shape[1]] = column.fits
    guess = np.ascontiguousarray(view.columns[-1].fits)
    known, values = len(original.known), guess.shape[1]
    whole, fitting, votes = _match(
        targets, np.ascontiguousarray(rows, dtype=np.int64), many.astype(np.float64), fits, starts, known, guess, values
    )
    pointed = np.where(fitting > 0, 1 / np.maximum(fitting, 1), 0.0)
    return pointed, np.round(whole, 9), (votes.argmax(axis=1) == targets[:, known]).astype(np.float64)


@kernel()
def _match(targets, rows, many, fits, starts, known, guess, values):  # type: ignore[no-untyped-def]
    """Compare every target with every distinct row.

    Returns for each target the misfit of the nearest row over all columns; how many of the records that are nearest by
    the ``known`` columns fit in all of these; and how many of them have each value of the last column. ``many`` counts
    the records of each row; ``fits[starts[c] + label, leaf]`` is the fit of column c.
    """
    count, width = targets.shape
    whole = np.empty(count)
    fitting = np.zeros(count)
    votes = np.zeros((count, values))
    misfits = np.empty(len(rows))
    for target in range(count):
        best, best_of_all = 1e300, 1e300
        for row in range(len(rows)):
            misfit = 0.0
            for column in range(known):
                misfit += 1.0 - fits[starts[column] + rows[row, column], targets[target, column]]
            misfits[row] = misfit
            best = min(best, misfit)
            for column in range(known, width):
                misfit += 1.0 - fits[starts[column] + rows[row, column], targets[target, column]]
            best_of_all = min(best_of_all, misfit)
        whole[target] = best_of_all
        for row in range(len(rows)):
            if misfits[row] > best + 1e-9:
                continue
            right = True
            for column in range(known):
                right = right and fits[starts[column] + rows[row, column], targets[target, column]] > 0.0
            if right:
                fitting[target] += many[row]
            for value in range(values):
                votes[target, value] += many[row] * guess[rows[row, known], value]
    return whole, fitting, votes
