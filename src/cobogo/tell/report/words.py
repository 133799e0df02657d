"""The texts of reports, plots and the demo page, and the number and date formats of each language."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from numbers import Integral, Real
from typing import Any

from cobogo.data.hierarchy import Label
from cobogo.floor.catalogue import Card, Registry
from cobogo.tell.report import audit_words, releases_words, risk_words, studies_words
from cobogo.tell.report.english import ENGLISH
from cobogo.tell.report.portuguese import PORTUGUESE

ROOMS = (audit_words, releases_words, risk_words, studies_words)
"""Modules with texts besides those of the main report."""

TEXTS: dict[str, Mapping[str, str]] = {
    "en": ENGLISH | {key: text for room in ROOMS for key, text in room.ENGLISH.items()},
    "pt-BR": PORTUGUESE | {key: text for room in ROOMS for key, text in room.PORTUGUESE.items()},
}
"""The texts of each language. ``one|many`` has two forms, chosen by the value ``n``."""

NOTHING = "–"
"""Shown in place of a missing number."""

_SWAPPED = str.maketrans(",.", ".,")


@dataclass(frozen=True)
class Words:
    """One language: call it with a key and the values that its text names.

    >>> say = words("pt-BR")
    >>> say("records", n=1), say("records", n=12345), say.percent(0.0446)
    ('1 registro', '12.345 registros', '4,5%')
    """

    language: str
    texts: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key, with its values written the way of the language."""
        text = self.texts[key]
        if "|" in text:
            one, many = text.split("|")
            text = one if values.get("n") == 1 else many
        return text.format(**{name: self.show(value) for name, value in values.items()}) if values else text

    def name(self, kind: str, name: str) -> str:
        """What the language calls something that the policy names: where it has no word for it, the title of its card;
        the policy's name where it has no card.

        >>> words("pt-BR").name("model", "k-anonymity"), words("pt-BR").name("model", "new-model")
        ('k-anonimato', 'new-model')
        """
        found = self.texts.get(f"{kind}.{name}")
        card = _card(kind, name) if found is None else None
        return found or (name if card is None else card.title)

    def means(self, kind: str, name: str) -> str:
        """What a model or a metric means, in a sentence; where the language has none, the one of its card.

        >>> words("en").means("model", "k-map"), words("en").means("model", "new-model")
        ('Every released record matches at least k people of the population.', '')
        """
        found = self.texts.get(f"{kind}.{name}.means")
        card = _card(kind, name) if found is None else None
        return found or ("" if card is None else f"{card.summary}.")

    def label(self, value: Label) -> str:
        """A value of the data for people to read: NULL and ``*`` say what they mean.

        >>> [words("en").label(value) for value in (None, "*", "", "CE")]
        ['NULL (missing)', '* (any value)', '(empty)', 'CE']
        """
        if value is None:
            return self("null")
        return {"*": self("star"), "": self("empty")}.get(value, value)

    def show(self, value: object) -> str:
        """A value of any kind: numbers are formatted, the rest is left as it is."""
        if isinstance(value, bool):
            return self("yes") if value else self("no")
        if isinstance(value, Real):
            return self.number(value)
        return NOTHING if value is None else str(value)

    def number(self, value: Any, digits: int = 4) -> str:
        """A number with so many significant digits, whole ones with all of theirs.

        >>> [words("en").number(value) for value in (30162, 0.170123, 72.583, 1234.56, None)]
        ['30,162', '0.1701', '72.58', '1,234.6', '–']
        >>> words("pt-BR").number(1234.56)
        '1.234,6'
        """
        if value is None or math.isnan(value):
            return NOTHING
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        return self._localize(_trim_zeros(f"{value:,.{_decimals(value, digits)}f}"))

    def format(self, value: float, form: str = ".6g") -> str:
        """A number in one of Python's formats, with the language's decimal sign.

        >>> words("en").format(0.170123456), words("pt-BR").format(12.5, ".1f")
        ('0.170123', '12,5')
        """
        return self._localize(f"{value:{form}}")

    def column(self, values: Sequence[float | None]) -> list[str]:
        """Numbers of one column of a table: all have as many decimals as the one that needs most.

        >>> words("en").column([0.1717, 0.204, 0, None])
        ['0.1717', '0.2040', '0.0000', '–']
        """
        known = [value for value in values if value is not None and math.isfinite(value)]
        texts = [_trim_zeros(f"{value:.{_decimals(value, 4)}f}") for value in known]
        decimals = max((len(text.partition(".")[2]) for text in texts), default=0)
        return [
            self._localize(f"{value:,.{decimals}f}")
            if value is not None and math.isfinite(value)
            else self.number(value)
            for value in values
        ]

    def percent(self, share: float | None) -> str:
        """A share as a percentage that never rounds something to nothing, nor a little less than all to all.

        >>> [words("en").percent(share) for share in (0, 0.25, 0.0446, 0.0084, 0.99996, 1, 1e-9)]
        ['0%', '25%', '4.5%', '0.84%', '99.996%', '100%', '<0.0001%']
        """
        if share is None or math.isnan(share):
            return NOTHING
        hundredths = 100 * share
        for decimals in range(2 if hundredths < 1 else 1, 5):
            text = _trim_zeros(f"{hundredths:,.{decimals}f}")
            if (text == "0") == (share == 0) and (text == "100") == (share == 1):
                return self._localize(text) + "%"
        return self._localize("<0.0001%" if share < 0.5 else ">99.9999%")

    def seconds(self, value: float | None) -> str:
        """A duration.

        >>> words("pt-BR").seconds(1.234), words("en").seconds(0.004)
        ('1,23 s', '<0.01 s')
        """
        if value is None:
            return NOTHING
        return self._localize("<0.01 s" if 0 < value < 0.005 else f"{value:,.2f} s")

    def date(self, iso: str) -> str:
        """An ISO date and time in words; any other text is returned unchanged.

        >>> words("en").date("2025-11-15T10:06:30+00:00"), words("pt-BR").date("2025-11-01T10:06:30-03:00")
        ('15 November 2025, 10:06 UTC', '1º de novembro de 2025, 10:06 UTC−03:00')
        """
        try:
            moment = datetime.fromisoformat(iso)
        except ValueError:
            return iso
        month = self("months").split()[moment.month - 1]
        day = "1º" if moment.day == 1 and self.language == "pt-BR" else str(moment.day)
        text = self("date", day=day, month=month, year=str(moment.year), time=f"{moment:%H:%M}")
        zone = f"{moment:%z}"
        if not zone:
            return text
        away = "" if zone == "+0000" else f"{zone[:3]}:{zone[3:5]}".replace("-", "−")
        return f"{text} UTC{away}"

    def _localize(self, text: str) -> str:
        return text.translate(_SWAPPED) if self.language == "pt-BR" else text


def _decimals(value: Any, digits: int) -> int:
    """The decimals that show so many significant digits: none of a whole number, at least one of any other."""
    if isinstance(value, Integral) or value == int(value):
        return 0
    return max(1, digits - 1 - math.floor(math.log10(abs(value))))


def _trim_zeros(text: str) -> str:
    """Remove trailing zeros after the decimal point."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def words(language: str) -> Words:
    """The words of a language, "en" or "pt-BR"."""
    if language not in TEXTS:
        raise ValueError(
            f"The 'language' parameter of a report must be one of {', '.join(TEXTS)}. Got {language!r} instead"
        )
    return Words(language, TEXTS[language])


def _card(kind: str, name: str) -> Card | None:
    """The card of a model or a metric; for one that another package adds, it is the only source of words."""
    if kind not in ("model", "metric"):
        return None
    from cobogo.examine.metrics import METRICS
    from cobogo.promises.registry import PROMISES

    registry: Registry[Any] = PROMISES if kind == "model" else METRICS
    return registry.card(name) if name in registry else None
