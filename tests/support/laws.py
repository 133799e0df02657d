"""Exact laws to hold samplers against, and a χ² test that errs once in a million runs."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from scipy import stats

ERROR = 1e-6


def fits(drawn: Iterable[Any], law: Mapping[Any, float]) -> bool:
    """Whether draws follow a law; outcomes that are expected less than ten times, and all others, count as one."""
    counts = Counter(drawn)
    total = sum(counts.values())
    expected = {outcome: total * probability for outcome, probability in law.items()}
    common = [outcome for outcome, number in expected.items() if number >= 10]
    found = [counts[outcome] for outcome in common]
    wanted = [expected[outcome] for outcome in common]
    rest = total - sum(wanted)
    if rest > 1e-9 * total:
        found.append(total - sum(found))
        wanted.append(rest)
    elif sum(found) != total:
        return False
    if len(wanted) == 1:
        return found[0] == total
    statistic = sum((f - w) ** 2 / w for f, w in zip(found, wanted, strict=True))
    return bool(stats.chi2.sf(statistic, len(wanted) - 1) > ERROR)


def laplace(scale: float) -> dict[int, float]:
    p = math.exp(-1 / scale)
    reach = math.ceil(40 * scale)
    return {x: (1 - p) / (1 + p) * p ** abs(x) for x in range(-reach, reach + 1)}


def gaussian(scale: float) -> dict[int, float]:
    reach = math.ceil(12 * scale)
    weights = {x: math.exp(-x * x / (2 * scale**2)) for x in range(-reach, reach + 1)}
    return {x: weight / sum(weights.values()) for x, weight in weights.items()}


def permute_and_flip(scores: list[int], scale: float) -> dict[int, float]:
    """∫₀¹ qᵢ ∏ (1 − t·qⱼ) dt with q = exp(−(best − score)/scale), as a sum over the sets of the others."""
    q = [math.exp((score - max(scores)) / scale) for score in scores]

    def chance(i: int) -> float:
        others = [q[j] for j in range(len(q)) if j != i]
        return q[i] * sum(
            (-1) ** size * math.prod(chosen) / (size + 1)
            for size in range(len(others) + 1)
            for chosen in itertools.combinations(others, size)
        )

    return {i: chance(i) for i in range(len(q))}


def peeled(scores: list[int], scale: float) -> dict[tuple[int, int], float]:
    """The law of the two best where the second is chosen from those that the first leaves, with fresh noise."""
    found = {}
    for one, first in permute_and_flip(scores, scale).items():
        rest = [i for i in range(len(scores)) if i != one]
        for two, second in permute_and_flip([scores[i] for i in rest], scale).items():
            found[one, rest[two]] = first * second
    return found
