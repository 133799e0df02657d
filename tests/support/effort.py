"""How much a test tries: all of it in ``make bench``, a part of it whenever the suite is run."""

import os

THOROUGH = bool(os.environ.get("COBOGO_THOROUGH"))


def examples(number: int) -> int:
    """Of so many examples that Hypothesis may draw, those that are drawn now: three in five, ten at least."""
    return number if THOROUGH else max(3 * number // 5, min(number, 10))
