"""The walk along the rim, compiled: backward sums, and forward steps drawn with exactly the probabilities they give.

Sums are of positive floats and never leave their range, so each is exact up to one rounding for each operation; powers
of two scale them exactly. A coin compares random words with the binary digits of a float, to the last of them.
"""

from __future__ import annotations

import math

import numpy as np

from cobogo.floor.kernels import kernel

SMALLEST = 2.0**-940
"""A sum below this share of the largest on its diagonal counts as 0 (`cobogo.publish.frequency_list.bounds`)."""


@kernel(error_model="numpy")
def step_back(sums, weights, down, pinned, out):  # type: ignore[no-untyped-def]
    """Compute the sums of a point from those of the next: the states' ``weights`` times the two ways to go on."""
    last = len(sums) - 1
    if pinned:
        out[:] = 0.0
        middle = last // 2
        out[middle] = sums[middle] + sums[middle + 1 if down else middle - 1]
    elif down:
        for d in range(last):
            out[d] = weights[d] * (sums[d] + sums[d + 1])
        out[last] = weights[last] * sums[last]
    else:
        for d in range(1, last + 1):
            out[d] = weights[d] * (sums[d] + sums[d - 1])
        out[0] = weights[0] * sums[0]


@kernel(error_model="numpy")
def scale(sums):  # type: ignore[no-untyped-def]
    """Rescale sums by a power of two, and set those to 0 that are negligible beside the largest."""
    _, exponent = math.frexp(sums.max())
    factor = math.ldexp(1.0, -exponent)
    for d in range(len(sums)):
        value = sums[d] * factor
        sums[d] = value if value >= SMALLEST else 0.0


@kernel(error_model="numpy")
def checkpoints(downs, pinned, weights, block, between):  # type: ignore[no-untyped-def]
    """The sums of every ``block``-th point and of the last: `restore_sums` computes those in between from them."""
    steps = len(downs)
    blocks = (steps + block - 1) // block
    kept = np.zeros((blocks + 1, len(weights)))
    sums, other = np.zeros(len(weights)), np.zeros(len(weights))
    sums[len(weights) // 2] = 1.0
    kept[blocks] = sums
    for t in range(steps - 1, -1, -1):
        step_back(sums, weights, downs[t], pinned[t], other)
        sums, other = other, sums
        if t % between == 0:
            scale(sums)
        if t % block == 0:
            kept[t // block] = sums
    return kept


@kernel(error_model="numpy")
def restore_sums(downs, pinned, weights, start, end, last, between):  # type: ignore[no-untyped-def]
    """Compute the sums of a block's points again from those of its end: the same operations give the same floats."""
    sums = np.empty((end - start + 1, len(weights)))
    sums[end - start] = last
    for t in range(end - 1, start - 1, -1):
        step_back(sums[t - start + 1], weights, downs[t], pinned[t], sums[t - start])
        if t % between == 0:
            scale(sums[t - start])
    return sums


@kernel(error_model="numpy")
def walk(downs, sums, start, state, words, used, states):  # type: ignore[no-untyped-def]
    """Draw the states of the points of a block after its first; return the last state and how many words were used.

    The caller gives two words for each step, and some more.
    """
    for step in range(len(sums) - 1):
        move = 1 if downs[start + step] else -1
        stay, go = sums[step + 1, state], 0.0
        if 0 <= state + move < sums.shape[1]:
            go = sums[step + 1, state + move]
        less = min(stay, go)
        if less > 0:
            share, rare = less / (stay + go), False
            while share > 0:
                scaled = share * 18446744073709551616.0
                digits = np.floor(scaled)
                word, threshold = words[used], np.uint64(digits)
                used += 1
                if word != threshold:
                    rare = word < threshold
                    break
                share = scaled - digits
            if rare == (go < stay):
                state += move
        elif go > 0:
            state += move
        states[start + step + 1] = state
    return state, used


@kernel()
def trace_list(downs, states, skipped, top, counts, items):  # type: ignore[no-untyped-def]
    """Write the list that the states along the rim stand for into ``counts`` and ``items``; return its length.

    ``skipped`` has an entry for each point.
    """
    found, height, width = 0, top, 0
    for t in range(len(downs)):
        ahead = skipped[t]
        if not downs[t]:
            width += ahead
        falls = downs[t] != (states[t + 1] != states[t])
        if width > 0 and (falls or (downs[t] and ahead > 0)):
            counts[found], items[found] = height, width
            found, width = found + 1, 0
        if downs[t]:
            height -= ahead
        if falls:
            height -= 1
        else:
            width += 1
    return found
