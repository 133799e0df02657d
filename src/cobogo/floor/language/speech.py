"""One language, as it is spoken: the translation of sentences, and how it writes numbers, shares and dates."""

from __future__ import annotations

import math
import string
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from numbers import Integral, Real
from typing import Any

from cobogo.errors import CobogoError
from cobogo.floor.language.catalogue import LANGUAGES, catalogue
from cobogo.floor.language.text import Text, tr

NOTHING = "–"
"""What is shown where there is no number."""

_SWAPPED = str.maketrans(",.", ".,")
_MONTHS = tr("January February March April May June July August September October November December")


class Speech:
    """One language. Call it with an English sentence and its values, or with a text that has them.

    >>> say = speech("pt-BR")
    >>> say.plural("{n} record", "{n} records", n=12345), say.percent(0.0446)
    ('12.345 registros', '4,5%')
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._form = None if language == "en" else catalogue(language).form

    def __call__(self, text: str, /, **values: object) -> str:
        """A sentence in this language. Values that come with the call are shown the way of reports: numbers short."""
        if isinstance(text, Text) and not values:
            return self._translate(text)
        template, plural = (text.template, text.plural) if isinstance(text, Text) else (text, None)
        return self._fill(template, plural, values)

    def plural(self, one: str, many: str, /, *, n: float, **values: object) -> str:
        """A sentence in the form that the number ``n`` takes."""
        return self._fill(one, many, {"n": n, **values})

    def knows(self, text: str) -> bool:
        """Whether the language has a translation of a text and of all the texts within it."""
        if self._form is None or not isinstance(text, Text):
            return True
        known = not text.has_words or self._form(text.template, None) is not None
        return known and all(self.knows(value) for value in text.values.values() if isinstance(value, Text))

    def _translate(self, text: Text) -> str:
        """A text with its values as its template writes them; wholly in English where a part has no translation."""
        if self._form is None or not self.knows(text):
            return str(text)
        form = self._form(text.template, text.values.get("n") if text.plural else None) or text.template
        return _Localized(self).vformat(form, (), text.values) if text.values else form

    def _fill(self, template: str, plural: str | None, values: Mapping[str, object]) -> str:
        n = values.get("n") if plural is not None else None
        form = None if self._form is None else self._form(template, None if n is None else _count(n))
        if form is None:
            form = template if plural is None or n == 1 else plural
        return form.format_map({name: self.show(value) for name, value in values.items()}) if values else form

    def label(self, value: str | None) -> str:
        """A value of the data for people to read: NULL and ``*`` say what they mean.

        >>> [speech("en").label(value) for value in (None, "*", "", "CE")]
        ['NULL (missing)', '* (any value)', '(empty)', 'CE']
        """
        if value is None:
            return self(tr("NULL (missing)"))
        return {"*": self(tr("* (any value)")), "": self(tr("(empty)"))}.get(value, value)

    def show(self, value: object) -> str:
        """A value of any kind: texts are translated, numbers formatted, the rest is left as it is."""
        if isinstance(value, bool):
            return self(tr("yes")) if value else self(tr("no"))
        if isinstance(value, Real):
            return self.number(value)
        if isinstance(value, Text):
            return self(value)
        return NOTHING if value is None else str(value)

    def number(self, value: Any, digits: int = 4) -> str:
        """A number with so many significant digits, whole ones with all of theirs.

        >>> [speech("en").number(value) for value in (30162, 0.170123, 72.583, 1234.56, None)]
        ['30,162', '0.1701', '72.58', '1,234.6', '–']
        >>> speech("pt-BR").number(1234.56)
        '1.234,6'
        """
        if value is None or math.isnan(value):
            return NOTHING
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        return self.localize(_trimmed(f"{value:,.{_decimals(value, digits)}f}"))

    def fixed(self, value: float, form: str = ".6g") -> str:
        """A number in a form of Python's, with the signs of the language.

        >>> speech("en").fixed(0.170123456), speech("pt-BR").fixed(12.5, ".1f")
        ('0.170123', '12,5')
        """
        return self.localize(f"{value:{form}}")

    def column(self, values: Sequence[float | None]) -> list[str]:
        """Numbers that stand below each other: as many decimals for each as the one that needs most.

        >>> speech("en").column([0.1717, 0.204, 0, None])
        ['0.1717', '0.2040', '0.0000', '–']
        """
        known = [value for value in values if value is not None and math.isfinite(value)]
        texts = [_trimmed(f"{value:.{_decimals(value, 4)}f}") for value in known]
        decimals = max((len(text.partition(".")[2]) for text in texts), default=0)
        return [
            self.localize(f"{value:,.{decimals}f}")
            if value is not None and math.isfinite(value)
            else self.number(value)
            for value in values
        ]

    def percent(self, share: float | None) -> str:
        """A share as a percentage that never rounds something to nothing, nor a little less than all to all.

        >>> [speech("en").percent(share) for share in (0, 0.25, 0.0446, 0.0084, 0.99996, 1, 1e-9)]
        ['0%', '25%', '4.5%', '0.84%', '99.996%', '100%', '<0.0001%']
        """
        if share is None or math.isnan(share):
            return NOTHING
        hundredths = 100 * share
        for decimals in range(2 if hundredths < 1 else 1, 5):
            text = _trimmed(f"{hundredths:,.{decimals}f}")
            if (text == "0") == (share == 0) and (text == "100") == (share == 1):
                return self.localize(text) + "%"
        return self.localize("<0.0001%" if share < 0.5 else ">99.9999%")

    def seconds(self, value: float | None) -> str:
        """A duration.

        >>> speech("pt-BR").seconds(1.234), speech("en").seconds(0.004)
        ('1,23 s', '<0.01 s')
        """
        if value is None:
            return NOTHING
        return self.localize("<0.01 s" if 0 < value < 0.005 else f"{value:,.2f} s")

    def date(self, iso: str) -> str:
        """An ISO date and time in words; text that is none is left as it is.

        >>> speech("en").date("2025-11-15T10:06:30+00:00"), speech("pt-BR").date("2025-11-01T10:06:30-03:00")
        ('15 November 2025, 10:06 UTC', '1º de novembro de 2025, 10:06 UTC−03:00')
        """
        try:
            moment = datetime.fromisoformat(iso)
        except ValueError:
            return iso
        month = self(_MONTHS).split()[moment.month - 1]
        day = "1º" if moment.day == 1 and self.language == "pt-BR" else str(moment.day)
        between = " de " if self.language in ("es", "pt-BR") else " "
        text = f"{between.join((day, month, str(moment.year)))}, {moment:%H:%M}"
        zone = f"{moment:%z}"
        if not zone:
            return text
        away = "" if zone == "+0000" else f"{zone[:3]}:{zone[3:5]}".replace("-", "−")
        return f"{text} UTC{away}"

    def localize(self, text: str) -> str:
        """An English number with the signs of this language: a comma before decimals, wherever it is not English."""
        return text if self.language == "en" else text.translate(_SWAPPED)

    def error(self, error: CobogoError) -> str:
        """What an error says, where, and what to do about it.

        >>> print(speech("pt-BR").error(CobogoError(tr("no such file"), where="a.csv", remedy=tr("Check the path."))))
        a.csv: o arquivo não existe.
        Confira o caminho.
        """
        parts = (None if part is None else self(part) for part in (error.what, error.where, error.remedy))
        what, where, remedy = parts
        return CobogoError(what or "", where=where, remedy=remedy).message


class _Localized(string.Formatter):
    """Fills a template's values in: texts translated, numbers with a format in the language's signs."""

    def __init__(self, say: Speech) -> None:
        self.say = say

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Text) and not format_spec:
            return self.say(value)
        text = format(value, format_spec)
        return self.say.localize(text) if format_spec and isinstance(value, Real) else text


@cache
def speech(language: str) -> Speech:
    """A language, by its name."""
    if language not in LANGUAGES:
        raise ValueError(f"The 'language' parameter must be one of {', '.join(LANGUAGES)}. Got {language!r} instead")
    return Speech(language)


def _decimals(value: Any, digits: int) -> int:
    """How many decimals show so many significant digits; none for a whole number, one at least for any other."""
    if isinstance(value, Integral) or value == int(value):
        return 0
    return max(1, digits - 1 - math.floor(math.log10(abs(value))))


def _trimmed(text: str) -> str:
    """A decimal without the zeros that say nothing."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _count(n: object) -> int:
    """The whole number that decides a plural form: anything but 1 exactly is many."""
    return int(n) if isinstance(n, Integral) else (1 if n == 1 else 2)
