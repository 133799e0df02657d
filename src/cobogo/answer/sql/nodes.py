"""Nodes of the parser, taken apart such that nothing is overlooked: every argument is consumed or refused."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from cobogo.errors import QueryRefused
from cobogo.floor.untrusted import is_writable

WHERE = "SQL"

ALLOWED = (
    "Allowed: SELECT keys, aggregates and what is computed from them FROM a data set, (SELECT … UNION SELECT …) AS t, "
    "or two JOINed USING (their unit) [JOIN a public table USING (its key)] WHERE … GROUP BY columns HAVING … "
    "ORDER BY … LIMIT n OFFSET n; aggregates COUNT(*), COUNT(column), COUNT(DISTINCT column), SUM, AVG, VARIANCE, "
    "STDDEV, MEDIAN, QUANTILE(column, share), of columns or of what is computed from them."
)


LONGEST = 20_000
"""Characters of a question."""


def check_text(text: str) -> None:
    """Refuse a text that the ledger could not write down."""
    if len(text) > LONGEST:
        raise refusal(f"the question is longer than {LONGEST:,} characters")
    if not is_writable(text):
        raise refusal("the question holds a NUL or half of a character")


def refusal(what: str, remedy: str = ALLOWED) -> QueryRefused:
    """A refusal that says what is allowed instead."""
    return QueryRefused(what, where=WHERE, remedy=remedy)


def take(node: exp.Expression, *names: str, ignored: tuple[str, ...] = ()) -> tuple[Any, ...]:
    """Take the arguments of a node by their names; refuse a node that has any other argument."""
    for name, value in node.args.items():
        if name not in names and name not in ignored and value not in (None, False, []):
            raise refusal(f"{describe(node)} with {name.strip('_').replace('_', ' ').upper()} is not answered")
    return tuple(node.args.get(name) for name in names)


def describe(node: exp.Expression) -> str:
    """Describe a node in the words of SQL, without its content."""
    return type(node).__name__.upper() if not isinstance(node, exp.Select) else "SELECT"


def column_name(node: object) -> tuple[str, bool]:
    """The name of a plain column, and whether it was quoted."""
    if not isinstance(node, exp.Column):
        what = describe(node) if isinstance(node, exp.Expression) else "this"
        raise refusal(f"{what} stands where the name of a column is expected")
    (identifier,) = take(node, "this")
    return identifier_name(identifier)


def column_parts(node: object) -> tuple[str, bool, str | None]:
    """The name of a column, whether it was quoted, and the table that it is said to be of."""
    if not isinstance(node, exp.Column):
        what = describe(node) if isinstance(node, exp.Expression) else "this"
        raise refusal(f"{what} stands where the name of a column is expected")
    identifier, table = take(node, "this", "table")
    return *identifier_name(identifier), None if table is None else identifier_name(table)[0]


def identifier_name(node: object) -> tuple[str, bool]:
    """A name, and whether it was quoted."""
    if not isinstance(node, exp.Identifier):
        what = describe(node) if isinstance(node, exp.Expression) else "this"
        raise refusal(f"{what} stands where a name is expected")
    name, quoted = take(node, "this", "quoted")
    return str(name), bool(quoted)
