"""What comes from outside, looked at before any arithmetic: numerals without end, texts that cannot be written.

``1e999999999`` is a short text and a number that fills the memory; whoever may send it could stop everybody else.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from cobogo.floor.language.text import tr

LONGEST = 8000
"""Characters of a numeral."""

FARTHEST = 300
"""Powers of ten between a number and 1: floats reach as far, on either side."""


def fraction(amount: Any) -> Fraction:
    """A number as the fraction that its writer meant; a `ValueError` for what is none, or none to count with.

    >>> fraction(0.1), fraction("1e-6"), fraction("9/14")
    (Fraction(1, 10), Fraction(1, 1000000), Fraction(9, 14))
    >>> fraction("1e999999999")
    Traceback (most recent call last):
    ...
    ValueError: the number is too large or too small
    """
    if isinstance(amount, Fraction):
        return amount
    if isinstance(amount, bool) or not isinstance(amount, int | float | str | Decimal):
        raise ValueError("this is no number")
    if isinstance(amount, int):
        if amount.bit_length() > FARTHEST * 3:
            raise ValueError("the number is too large or too small")
        return Fraction(amount)
    text = str(amount)
    if len(text) > LONGEST:
        raise ValueError(f"the number has more than {LONGEST:,} characters")
    return _ratio(text) if "/" in text else _decimal(text)


def _ratio(text: str) -> Fraction:
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise ValueError("the number is divided by 0") from None


def _decimal(text: str) -> Fraction:
    try:
        found = Decimal(text)
    except InvalidOperation:
        raise ValueError("this is no number") from None
    if not found.is_finite() or not text.isascii():
        raise ValueError("this is no number")
    if found and not -FARTHEST <= found.adjusted() <= FARTHEST:
        raise ValueError("the number is too large or too small")
    return Fraction(found) if found else Fraction(0)


def shorten(value: object, most: int = 60) -> str:
    """A value as a message may show it, however long it is.

    >>> shorten(0.5), shorten("x" * 99, 10), shorten(10**9999)
    ('0.5', "'xxxxxxxxx…", 'a number of more than 4,000 digits')
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of so many digits
        return tr("a number of more than 4,000 digits")
    return text if len(text) <= most else f"{text[:most]}…"


def is_writable(text: str) -> bool:
    """Whether a text can be stored and sent anywhere: it holds no NUL and no half of a character.

    >>> is_writable("é"), is_writable("a\\x00"), is_writable("a\\ud800")
    (True, False, False)
    """
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
