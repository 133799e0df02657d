"""Compiled kernels of the attacks."""

from __future__ import annotations

import numpy as np

from cobogo.floor.kernels import kernel


@kernel()
def _lower_bound(released, column, low, high, code):  # type: ignore[no-untyped-def]
    """The first row of a sorted range whose code in a column is at least ``code``."""
    while low < high:
        middle = (low + high) // 2
        if released[middle, column] < code:
            low = middle + 1
        else:
            high = middle
    return low


@kernel()
def _find_option(options, begin, end, code):  # type: ignore[no-untyped-def]
    """The first place of a sorted range whose option is at least ``code``."""
    while begin < end:
        middle = (begin + end) // 2
        if options[middle] < code:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel()
def match(known, released, bases, offsets, options, room, misses, numbers, found, missed):  # type: ignore[no-untyped-def]
    """The released tuples that are compatible with each known one in all columns but at most ``misses``.

    ``released`` is sorted. The options of code ``c`` in column ``j`` are ``options[offsets[b + c]:offsets[b + c + 1]]``
    with ``b = bases[j]``. Writes the number of tuples of each known one into ``numbers`` and, as far as ``found`` has
    room, the tuples into ``found`` and the columns they miss (as bits) into ``missed``; returns the total. The sorted
    tuples are walked as a tree whose levels are the columns, so that only compatible branches are visited.
    """
    width = known.shape[1]
    depths = np.empty(room, dtype=np.int64)
    lows = np.empty(room, dtype=np.int64)
    highs = np.empty(room, dtype=np.int64)
    bits = np.empty(room, dtype=np.int64)
    total = 0
    for person in range(known.shape[0]):
        before = total
        depths[0], lows[0], highs[0], bits[0] = 0, 0, released.shape[0], 0
        waiting = 1 if released.shape[0] else 0
        while waiting:
            waiting -= 1
            depth, low, high, missing = depths[waiting], lows[waiting], highs[waiting], bits[waiting]
            if depth == width:
                if total < len(found):
                    found[total] = low
                    missed[total] = missing
                total += 1
                continue
            place = bases[depth] + known[person, depth]
            begin, end = offsets[place], offsets[place + 1]
            used = 0
            for column in range(depth):
                used += (missing >> column) & 1
            if used < misses:
                while low < high:
                    code = released[low, depth]
                    after = _lower_bound(released, depth, low, high, code + 1)
                    option = _find_option(options, begin, end, code)
                    agrees = option < end and options[option] == code
                    depths[waiting], lows[waiting], highs[waiting] = depth + 1, low, after
                    bits[waiting] = missing if agrees else missing | (1 << depth)
                    waiting += 1
                    low = after
                continue
            for option in range(begin, end):
                low = _lower_bound(released, depth, low, high, options[option])
                if low == high:
                    break
                if released[low, depth] != options[option]:
                    continue
                after = _lower_bound(released, depth, low, high, options[option] + 1)
                depths[waiting], lows[waiting], highs[waiting] = depth + 1, low, after
                bits[waiting] = missing
                waiting += 1
                low = after
        numbers[person] = total - before
    return total


@kernel(small_in_python=True)
def number_lists(offsets, items, numbers, first):  # type: ignore[no-untyped-def]
    """Number equal lists alike, in the order of the first of each: list ``i`` is ``items[offsets[i]:offsets[i + 1]]``.

    Writes the number of each list into ``numbers`` and the first list of each number into ``first``; returns how many
    numbers there are. Lists are found by a hash and compared item by item.
    """
    room = 16
    while room < 2 * len(numbers):
        room *= 2
    slots = np.full(room, -1, dtype=np.int64)
    many = 0
    for one in range(len(numbers)):
        begin, end = offsets[one], offsets[one + 1]
        mixed = np.uint64(end - begin)
        for place in range(begin, end):
            mixed = (mixed ^ np.uint64(items[place])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        slot = np.int64(mixed & np.uint64(room - 1))
        while slots[slot] >= 0:
            other = offsets[first[slots[slot]]]
            same = offsets[first[slots[slot]] + 1] - other == end - begin
            for place in range(end - begin):
                if not same:
                    break
                same = items[begin + place] == items[other + place]
            if same:
                break
            slot = (slot + 1) % room
        if slots[slot] < 0:
            slots[slot] = many
            first[many] = one
            many += 1
        numbers[one] = slots[slot]
    return many


@kernel()
def gather_values(offsets, targets, weights, starts, values, counts, width, numbers, found, amounts):  # type: ignore[no-untyped-def]
    """Weighted sums of sparse histograms: owner ``i`` gets ``weights[p]`` times the histogram of ``targets[p]``, for p
    from ``offsets[i]`` to ``offsets[i + 1]``.

    Writes the number of values of each owner into ``numbers`` and, as far as ``found`` has room, the sorted values into
    ``found`` and their sums into ``amounts``; returns the total number.
    """
    sums = np.zeros(width, dtype=np.float64)
    seen = np.zeros(width, dtype=np.bool_)
    touched = np.empty(width, dtype=np.int64)
    total = 0
    for owner in range(len(offsets) - 1):
        many = 0
        for pair in range(offsets[owner], offsets[owner + 1]):
            target = targets[pair]
            for entry in range(starts[target], starts[target + 1]):
                value = values[entry]
                if not seen[value]:
                    seen[value] = True
                    touched[many] = value
                    many += 1
                sums[value] += weights[pair] * counts[entry]
        if total + many <= len(found):
            found[total : total + many] = np.sort(touched[:many])
            for place in range(total, total + many):
                amounts[place] = sums[found[place]]
        for place in range(many):
            sums[touched[place]] = 0.0
            seen[touched[place]] = False
        numbers[owner] = many
        total += many
    return total


@kernel()
def distance(one, other, categorical, columns):  # type: ignore[no-untyped-def]
    """Gower's distance, not divided by the number of columns: numbers by their difference, categories by whether they
    differ. NaN equals NaN."""
    total = 0.0
    for column in columns:
        mine, theirs = one[column], other[column]
        if categorical[column]:
            total += mine != theirs
        elif np.isnan(mine) or np.isnan(theirs):
            total += 0.0 if np.isnan(mine) and np.isnan(theirs) else 1.0
        else:
            total += abs(mine - theirs)
    return total


@kernel()
def nearest_distances(targets, rows, categorical, columns):  # type: ignore[no-untyped-def]
    """The distance of each target to the nearest row."""
    distances = np.empty(len(targets))
    for target in range(len(targets)):
        best = np.inf
        for row in range(len(rows)):
            gap = distance(targets[target], rows[row], categorical, columns)
            best = min(best, gap)
        distances[target] = best
    return distances


@kernel()
def same_nearest(targets, rows, categorical, one, other, slack):  # type: ignore[no-untyped-def]
    """For each target, the probability that one row is the nearest by some columns and by others; ties are drawn."""
    first = nearest_distances(targets, rows, categorical, one)
    second = nearest_distances(targets, rows, categorical, other)
    probabilities = np.zeros(len(targets))
    for target in range(len(targets)):
        here = there = both = 0
        for row in range(len(rows)):
            is_here = distance(targets[target], rows[row], categorical, one) <= first[target] + slack
            is_there = distance(targets[target], rows[row], categorical, other) <= second[target] + slack
            here += is_here
            there += is_there
            both += is_here and is_there
        probabilities[target] = both / (here * there)
    return probabilities


@kernel()
def guess_values(targets, rows, categorical, columns, secrets, values, slack):  # type: ignore[no-untyped-def]
    """The most frequent secret among the rows nearest to each target, and its share of them."""
    closest = nearest_distances(targets, rows, categorical, columns)
    guesses, shares = np.empty(len(targets), dtype=np.int64), np.empty(len(targets))
    counts = np.zeros(values, dtype=np.int64)
    for target in range(len(targets)):
        counts[:] = 0
        for row in range(len(rows)):
            if distance(targets[target], rows[row], categorical, columns) <= closest[target] + slack:
                counts[secrets[row]] += 1
        guesses[target] = counts.argmax()
        shares[target] = counts.max() / counts.sum()
    return guesses, shares


@kernel()
def _log_likelihood_ratio(target, row, categorical, spread, rare, right, wrong):  # type: ignore[no-untyped-def]
    """The log-likelihood of a row if it is the target's, less that if it is a random person's."""
    ratio = 0.0
    for column in range(len(target)):
        if categorical[column]:
            ratio += right[column] + rare[column] if target[column] == row[column] else wrong[column]
        elif not np.isnan(target[column] - row[column]):
            gap = (target[column] - row[column]) / spread[column]
            ratio += rare[column] - 0.5 * gap * gap - np.log(spread[column] * 2.5066282746310002)  # √(2π)
    return ratio


@kernel()
def weigh_pairs(targets, rows, categorical, model, best, place, squares, agreed):  # type: ignore[no-untyped-def]
    """The probability that each row is a target's, where numbers have noise and categories are sometimes exchanged.

    ``model`` holds, for each column, the standard deviation of the noise, minus the log-density of the values at each
    row, and the log-probabilities that a category agrees and (for each target) disagrees. Writes the largest
    probability of a row into ``best`` and its place into ``place``; adds each column's expected squared noise to
    ``squares`` and its expected agreements to ``agreed``.
    """
    spread, rare, right, wrong = model
    weight = np.empty(rows.shape[0])
    for target in range(targets.shape[0]):
        for row in range(len(weight)):
            weight[row] = _log_likelihood_ratio(
                targets[target], rows[row], categorical, spread, rare[row], right, wrong[target]
            )
        place[target] = weight.argmax()
        weight = np.exp(weight - weight[place[target]])
        total = weight.sum()
        best[target] = 1.0 / total
        for row in range(len(weight)):
            if weight[row] > 1e-9 * total:  # less changes no sum, and most rows have less
                _learn(targets[target], rows[row], categorical, weight[row] / total, squares, agreed)


@kernel()
def _learn(target, row, categorical, sure, squares, agreed):  # type: ignore[no-untyped-def]
    for column in range(len(target)):
        gap = target[column] - row[column]
        if categorical[column]:
            agreed[column] += sure * (gap == 0.0)
        elif not np.isnan(gap):
            squares[column] += sure * gap * gap
