"""Exact amounts. ε, ρ and δ are fractions in thought and whole numbers in the ledger: floats decide nothing."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from cobogo.errors import PolicyError
from cobogo.floor.untrusted import fraction, shorten

NANO = 10**9
"""Parts of one ε or ρ that the ledger counts in."""

ATTO = 10**18
"""Parts of one δ that the ledger counts in."""

Amount = int | float | str | Decimal | Fraction
"""What a person may write for an amount; 0.1 means one tenth, not the nearest float to it."""


def exact(amount: Amount, name: str, *, zero: bool = False) -> Fraction:
    """An amount as the fraction that its writer meant.

    >>> exact(0.1, "epsilon"), exact("1e-6", "delta")
    (Fraction(1, 10), Fraction(1, 1000000))
    """
    try:
        found = fraction(amount)
    except ValueError as error:
        raise PolicyError(f"must be a number: {error}. Got {shorten(amount)} instead", where=name) from None
    if found < 0 or (found == 0 and not zero):
        raise PolicyError(f"must be above 0. Got {shorten(amount)} instead", where=name)
    return found


def charged(amount: Fraction, unit: int) -> int:
    """An amount in whole units, rounded up: nothing is cheaper than it is.

    >>> charged(Fraction(1, 3), NANO)
    333333334
    """
    return math.ceil(amount * unit)


def allowed(amount: Fraction, unit: int) -> int:
    """A limit in whole units, rounded down: nobody gets more than was meant.

    >>> allowed(Fraction(2, 3), NANO)
    666666666
    """
    return math.floor(amount * unit)


def above(amount: Fraction) -> float:
    """The least float that is not below a fraction.

    >>> above(Fraction(1, 10)) >= Fraction(1, 10)
    True
    """
    found = float(amount)
    return found if Fraction(found) >= amount else math.nextafter(found, math.inf)
