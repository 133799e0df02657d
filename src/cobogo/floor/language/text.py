"""Sentences that can be said in any language: English in the code, with the template and the values kept apart."""

from __future__ import annotations

import difflib
import string
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
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
        form = template if plural is None or values.get("n", 1) == 1 else plural
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
    """A sentence to translate. The template is a literal, so that it can be gathered; ``{name}`` stands for a value."""
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


def nearest(name: object, known: Iterable[str], command: str) -> Text:
    """A remedy for a name that is not known: the one that was meant, perhaps, and how to see all.

    >>> nearest("k-anonimity", ["k-anonymity", "l-diversity"], "cobogo list models")
    'Did you mean "k-anonymity"? `cobogo list models` shows all.'
    """
    near = difflib.get_close_matches(str(name), list(known), n=1)
    meant = [tr('Did you mean "{name}"?', name=near[0])] if near else []
    return join([*meant, tr("`{command}` shows all.", command=command)])


def change(text: str, how: Callable[[str], str]) -> str:
    """A text with every string among its values changed: a path hidden, a name shortened. The template stays.

    >>> change(tr("{place}: no such file", place="/srv/x/a.csv"), lambda value: value.removeprefix("/srv/x/"))
    'a.csv: no such file'
    """
    if not isinstance(text, Text):
        return how(text)
    values = {name: _changed(value, how) for name, value in text.values.items()}
    return Text(text.template, text.plural, values)


def _changed(value: Any, how: Callable[[str], str]) -> Any:
    """A value with its strings changed, wherever a template may write them."""
    if isinstance(value, str):
        return change(value, how)
    if isinstance(value, PurePath):
        return how(str(value))
    return [_changed(one, how) for one in value] if isinstance(value, list | tuple) else value


def to_json(text: str | None) -> Any:
    """A text as JSON: its English, its template and its values. What is no text stays as it is."""
    if not isinstance(text, Text):
        return text
    values = {name: to_json(value) if isinstance(value, str) else _plain(value) for name, value in text.values.items()}
    plural = {} if text.plural is None else {"plural": text.plural}
    return {"text": str(text), "template": text.template, **plural, "values": values}


def from_json(content: Any) -> Any:
    """The text again.

    >>> text = tr("{name}: {why}", name="a.csv", why=tr("no such file"))
    >>> from_json(to_json(text)).values["why"].template
    'no such file'
    """
    if not (isinstance(content, Mapping) and "template" in content):
        return content
    values = {name: from_json(value) for name, value in content["values"].items()}
    return Text(content["template"], content.get("plural"), values)


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | int | float | None) else str(value)
