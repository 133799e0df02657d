"""Checks of parameters, all in one form of words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from cobogo.floor.language.text import Text, join, tr
from cobogo.floor.untrusted import shorten


@dataclass(frozen=True)
class Bounds:
    """What a parameter was checked for: a form of input can offer what passes."""

    kind: str  # whole, number, choice, text, names, flag, or where else it is told
    least: float | None = None
    most: float | None = None
    above: float | None = None
    words: tuple[str, ...] = ()

    @property
    def in_words(self) -> Text:
        """What the parameter may be.

        >>> Bounds("whole", least=1).in_words, Bounds("number", above=0, most=1).in_words
        ('whole number, at least 1', 'number, above 0, at most 1')
        >>> Bounds("choice", words=("equal", "ordered")).in_words
        'equal or ordered'
        """
        if self.kind == "choice":
            *others, last = self.words
            return tr("{others} or {last}", others=", ".join(others), last=last) if others else join([last])
        limits = [
            tr("above {number:g}", number=self.above) if self.above is not None else "",
            tr("at least {number:g}", number=self.least) if self.least is not None else "",
            tr("at most {number:g}", number=self.most) if self.most is not None else "",
        ]
        return join([_KINDS.get(self.kind, self.kind), *limits], ", ")


_KINDS = {
    "whole": tr("whole number"),
    "number": tr("number"),
    "flag": tr("true or false"),
    "text": tr("text"),
    "names": tr("names"),
    "see the guide": tr("see the guide"),
}


_seen: ContextVar[dict[str, Bounds] | None] = ContextVar("seen", default=None)


@contextmanager
def notice_bounds() -> Iterator[dict[str, Bounds]]:
    """While a model is made, the checks that its parameters go through, by name."""
    found: dict[str, Bounds] = {}
    token = _seen.set(found)
    try:
        yield found
    finally:
        _seen.reset(token)


def _notice(name: str, bounds: Bounds) -> None:
    found = _seen.get()
    if found is not None:
        found[name] = bounds


def whole(owner: str, name: str, value: object, *, least: int) -> None:
    """Refuse what is not a whole number of at least ``least``."""
    _notice(name, Bounds("whole", least=least))
    if isinstance(value, bool) or not isinstance(value, int) or value < least or value > 2**62:
        raise ValueError(refusal(owner, name, tr("a whole number of at least {least}", least=least), value))


def number(
    owner: str,
    name: str,
    value: object,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
) -> None:
    """Refuse what is not a finite number within the bounds (``above`` is exclusive)."""
    _notice(name, Bounds("number", least=least, most=most, above=above))
    wanted = _number_wanted(least, most, above)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        raise ValueError(refusal(owner, name, wanted, value))
    too_low = (least is not None and value < least) or (above is not None and value <= above)
    if too_low or (most is not None and value > most):
        raise ValueError(refusal(owner, name, wanted, value))


def _number_wanted(least: float | None, most: float | None, above: float | None) -> Text:
    low = above if above is not None else least
    if low is None:
        return tr("a number") if most is None else tr("a number of at most {most:g}", most=most)
    if above is not None:
        if most is None:
            return tr("a number above {above:g}", above=above)
        return tr("a number above {above:g} and of at most {most:g}", above=above, most=most)
    if most is None:
        return tr("a number of at least {least:g}", least=least)
    return tr("a number of at least {least:g} and of at most {most:g}", least=least, most=most)


def _finite(value: float) -> bool:
    """Whether a number is one that can be reckoned with; a whole number may be too large for that."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def choice(owner: str, name: str, value: object, known: tuple[str, ...]) -> None:
    """Refuse what is not one of the words."""
    _notice(name, Bounds("choice", words=known))
    if value not in known:
        raise ValueError(refusal(owner, name, tr("one of {known}", known=", ".join(known)), value))


def text(owner: str, name: str, value: object) -> None:
    """Refuse what is not text."""
    _notice(name, Bounds("text"))
    if not isinstance(value, str) or not value:
        raise ValueError(refusal(owner, name, tr("text"), value))


def missing(owner: str, value: object) -> None:
    """Refuse what is not the one word that makes a missing value count."""
    _notice("missing", Bounds("choice", words=("value",)))
    if value not in (None, "value"):
        raise ValueError(refusal(owner, "missing", tr('"value", or left out'), value))


def refusal(owner: str, name: str, wanted: str, value: object) -> Text:
    """The one form of words for a parameter that is not what it must be."""
    return tr(
        "The '{name}' parameter of {owner} must be {wanted}. Got {value} instead",
        name=name,
        owner=owner,
        wanted=wanted,
        value=shorten(value),
    )
