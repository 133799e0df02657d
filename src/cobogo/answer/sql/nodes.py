"""Nodes of the parser, taken apart such that nothing is overlooked: every argument is consumed or refused."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import TokenType, exp
from sqlglot.dialects.duckdb import DuckDB

from cobogo.errors import QueryRefused
from cobogo.floor.language import tr
from cobogo.floor.untrusted import is_writable

WHERE = "SQL"

ALLOWED = tr(
    "Allowed: SELECT keys, aggregates and what is computed from them FROM a data set, (SELECT … UNION SELECT …) AS t, "
    "or two JOINed USING (their unit) [JOIN a public table USING (its key)] WHERE … GROUP BY columns HAVING … "
    "ORDER BY … LIMIT n OFFSET n; aggregates COUNT(*), COUNT(column), COUNT(DISTINCT column), SUM, AVG, VARIANCE, "
    "STDDEV, MEDIAN, QUANTILE(column, share), of columns or of what is computed from them."
)


class QuestionDialect(DuckDB):
    """The SQL in which questions are written: DuckDB's, with % beside * and /, where all engines have it. Its parser
    has it beside + and -, which would make ``age % 4 * 5`` the rest of a division by 20."""

    class Parser(DuckDB.Parser):  # type: ignore[misc, valid-type]
        """The parser of questions."""

        TERM: ClassVar = {token: kind for token, kind in DuckDB.Parser.TERM.items() if token != TokenType.MOD}
        FACTOR: ClassVar = {**DuckDB.Parser.FACTOR, TokenType.MOD: exp.Mod}


LONGEST = 20_000
"""Characters of a question."""


def check_text(text: str) -> None:
    """Refuse a text that the ledger could not write down."""
    if len(text) > LONGEST:
        raise refusal(tr("the question has more than {most:,} characters", most=LONGEST), tr("Ask a shorter question."))
    if not is_writable(text):
        raise refusal(
            tr("the question holds a NUL or half of a character"), tr("Remove it, or type the question again.")
        )


def refusal(what: str, remedy: str = ALLOWED, *, clause: str = "") -> QueryRefused:
    """A refusal that names the clause of the SQL and says what is allowed instead."""
    return QueryRefused(what, where=place(clause) if clause else WHERE, remedy=remedy)


def place(clause: str) -> str:
    """A clause of the question, as errors name it."""
    return f"{WHERE}, {clause}"


def take(node: exp.Expression, *names: str, ignored: tuple[str, ...] = ()) -> tuple[Any, ...]:
    """Take the arguments of a node by their names; refuse a node that has any other argument."""
    for name, value in node.args.items():
        if name not in names and name not in ignored and value not in (None, False, []):
            part = name.strip("_").replace("_", " ").upper()
            raise refusal(tr("{node} with {part} is not answered", node=describe(node), part=part))
    return tuple(node.args.get(name) for name in names)


def describe(node: exp.Expression) -> str:
    """Describe a node in the words of SQL, without its content."""
    return type(node).__name__.upper() if not isinstance(node, exp.Select) else "SELECT"


def column_parts(node: object, *, clause: str = "") -> tuple[str, bool, str | None]:
    """The name of a column, whether it was quoted, and the table that it is said to be of."""
    if not isinstance(node, exp.Column):
        if not isinstance(node, exp.Expression):
            raise refusal(tr("the name of a column is missing"), clause=clause)
        raise refusal(tr("found {node} where the name of a column is expected", node=describe(node)), clause=clause)
    identifier, table = take(node, "this", "table")
    name, quoted = identifier_name(identifier, clause=clause)
    return name, quoted, None if table is None else identifier_name(table, clause=clause)[0]


def identifier_name(node: object, *, clause: str) -> tuple[str, bool]:
    """A name in a clause, and whether it was quoted."""
    if not isinstance(node, exp.Identifier):
        if not isinstance(node, exp.Expression):
            raise refusal(tr("a name is missing"), clause=clause)
        raise refusal(tr("found {node} where a name is expected", node=describe(node)), clause=clause)
    name, quoted = take(node, "this", "quoted")
    return str(name), bool(quoted)
