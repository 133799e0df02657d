"""What the parser found, taken apart so that nothing is overlooked: every argument is consumed or refused."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from cobogo.errors import QueryRefused
from cobogo.floor.untrusted import is_writable

WHERE = "SQL"

ALLOWED = (
    "Allowed: SELECT keys and aggregates FROM one data set [JOIN a public table USING (its key)] WHERE … "
    "GROUP BY columns ORDER BY columns of the answer LIMIT n; aggregates COUNT(*), COUNT(column), "
    "COUNT(DISTINCT column), SUM, AVG, VARIANCE, STDDEV, MEDIAN, QUANTILE(column, share)."
)


LONGEST = 20_000
"""Characters of a question."""


def check_text(text: str) -> None:
    """Refuse what no ledger could write down, before anybody reads it."""
    if len(text) > LONGEST:
        raise refused(f"the question is longer than {LONGEST:,} characters")
    if not is_writable(text):
        raise refused("the question holds a NUL or half of a character")


def refused(what: str, remedy: str = ALLOWED) -> QueryRefused:
    """A refusal that says what is allowed instead."""
    return QueryRefused(what, where=WHERE, remedy=remedy)


def taken(node: exp.Expression, *names: str, ignored: tuple[str, ...] = ()) -> tuple[Any, ...]:
    """The arguments of a node by their names; any other argument that says something is refused."""
    for name, value in node.args.items():
        if name not in names and name not in ignored and value not in (None, False, []):
            raise refused(f"{described(node)} with {name.strip('_').replace('_', ' ').upper()} is not answered")
    return tuple(node.args.get(name) for name in names)


def described(node: exp.Expression) -> str:
    """What a node is, in the words of SQL, without its content."""
    return type(node).__name__.upper() if not isinstance(node, exp.Select) else "SELECT"


def column_name(node: object) -> tuple[str, bool]:
    """The name of a plain column, and whether it was quoted."""
    if not isinstance(node, exp.Column):
        what = described(node) if isinstance(node, exp.Expression) else "this"
        raise refused(f"{what} stands where the name of a column is expected")
    (identifier,) = taken(node, "this")
    return identifier_name(identifier)


def identifier_name(node: object) -> tuple[str, bool]:
    """A name, and whether it was quoted."""
    if not isinstance(node, exp.Identifier):
        what = described(node) if isinstance(node, exp.Expression) else "this"
        raise refused(f"{what} stands where a name is expected")
    name, quoted = taken(node, "this", "quoted")
    return str(name), bool(quoted)
