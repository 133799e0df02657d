"""Sentences that can be said in any language: English in the code, with the template and the values kept apart."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from typing import Any, Self


class Text(str):
    """An English sentence that remembers its template and values, so that a translation is a look-up.

    >>> text = tr("{name} has {records:,} records", name="people.csv", records=1204)
    >>> text, text.template
    ('people.csv has 1,204 records', '{name} has {records:,} records')
    """

    template: str
    plural: str | None
    values: Mapping[str, Any]

    def __new__(cls, template: str, plural: str | None = None, values: Mapping[str, Any] | None = None) -> Self:
        values = {} if values is None else values
        form = template if plural is None or values["n"] == 1 else plural
        self = super().__new__(cls, form.format_map(values) if values else form)
        self.template, self.plural, self.values = template, plural, values
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[str, str | None, Mapping[str, Any]]]:
        return type(self), (self.template, self.plural, self.values)

    @property
    def has_words(self) -> bool:
        """Whether the template itself says something, besides holding its values together."""
        return any(any(map(str.isalpha, literal)) for literal, *_ in string.Formatter().parse(self.template))


def tr(template: str, /, **values: Any) -> Text:
    """A sentence to translate. The template is a literal, so that it can be extracted; ``{name}`` stands for a value."""
    return Text(template, None, values)


def trn(one: str, many: str, /, *, n: int, **values: Any) -> Text:
    """A sentence with a number ``n`` in it, which decides the form.

    >>> trn("{n:,} record", "{n:,} records", n=1), trn("{n:,} record", "{n:,} records", n=1200)
    ('1 record', '1,200 records')
    """
    return Text(one, many, {"n": n, **values})


def join(parts: Iterable[str], by: str = " ") -> Text:
    """Several sentences as one text; empty ones are left out.

    >>> join([tr("Check the path."), "", tr("Or leave it out.")])
    'Check the path. Or leave it out.'
    """
    values = {f"part{number}": part for number, part in enumerate(part for part in parts if part)}
    return Text(by.join(f"{{{name}}}" for name in values), None, values)
