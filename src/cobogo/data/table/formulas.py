"""Cells that a spreadsheet would take for formulas, and what makes them harmless: an apostrophe before them.

Somebody who could put ``=HYPERLINK(…)`` into a field of the original would otherwise have it run on the machine of
whoever opens the release. What begins with ``= + - @``, a tab or a line end gets the apostrophe, and so does what
begins so after apostrophes of its own: that way it can be taken away again, and nothing is lost. Plain numbers such as
-3.5 are left as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cobogo.data.engines.engine import Expression
from cobogo.errors import DataError
from cobogo.floor.language import tr

MARKS = "[=+@\t\r\n-]"
NUMBER = "^[+-]([0-9]+([.,][0-9]+)*|[.,][0-9]+)([eE][+-]?[0-9]+)?$"


def neutralise(table: Expression) -> Expression:
    """A table in which no text is a formula."""
    refuse_names(table.columns)
    return _map_texts(
        table,
        lambda text: (text.re_search(f"^'*{MARKS}") & ~text.re_search(NUMBER)).ifelse("'" + text, text),
    )


def restore(table: Expression) -> Expression:
    """The table that was neutralised."""
    return _map_texts(table, lambda text: text.re_search(f"^'+{MARKS}").ifelse(text.substr(1), text))


def refuse_names(names: Sequence[str]) -> None:
    """A column's name stands in a cell, too, and cannot be changed without changing what the release says of itself."""
    import re

    for name in names:
        if re.match(f"'*{MARKS}", name):
            raise DataError(
                tr("begins like a formula of a spreadsheet"),
                where=tr('the column "{name}"', name=name),
                remedy=tr("Rename the column in the data."),
                code="COBOGO-DATA-HEADER",
            )


def _map_texts(table: Expression, change: Callable[[Expression], Expression]) -> Expression:
    texts = [name for name, kind in table.schema().items() if kind.is_string()]
    return table.mutate(**{name: change(table[name]) for name in texts}) if texts else table
