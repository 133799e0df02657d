"""The least ε that draws of a mechanism with and without a person allow."""

from __future__ import annotations

import math

from scipy import stats

ERROR = 1e-6


def least_epsilon(present: list[int], absent: list[int], delta: float = 0.0) -> float:
    """The largest, over thresholds, of ln((p − δ) / q) with p bounded from below and q from above."""
    found = 0.0
    cuts = sorted(set(present))[:: max(1, len(set(present)) // 20)]
    for cut in cuts:
        for one, other in ((present, absent), (absent, present)):
            k, n = sum(x >= cut for x in one), sum(x >= cut for x in other)
            low = stats.beta.ppf(ERROR / len(cuts) / 4, k, len(one) - k + 1) if k else 0.0
            high = stats.beta.ppf(1 - ERROR / len(cuts) / 4, n + 1, len(other) - n) if n < len(other) else 1.0
            if low > delta:
                found = max(found, math.log((low - delta) / high))
    return found
