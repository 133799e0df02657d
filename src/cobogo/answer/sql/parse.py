"""From an analyst's SQL to a typed question, or a refusal that says what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from cobogo.answer.public import PublicTable
from cobogo.answer.query import (
    ColumnValue,
    CuratorQuery,
    Expression,
    OrderBy,
    aggregates_of,
    text_of,
)
from cobogo.answer.sql.expressions import find_column, parse_condition, parse_expression
from cobogo.answer.sql.figures import FigureScope
from cobogo.answer.sql.nodes import QuestionDialect, check_text, column_parts, refusal, take
from cobogo.answer.sql.rewrite import rewrite
from cobogo.answer.sql.scope import NameScope
from cobogo.answer.sql.sources import parse_source, unalias
from cobogo.errors import QueryRefused
from cobogo.floor.language import tr
from cobogo.promises.curator_file import DeclaredDataset


def parse(
    text: str, datasets: Mapping[str, DeclaredDataset], public: Mapping[str, PublicTable] = MappingProxyType({})
) -> CuratorQuery:
    """Parse a question about one of the data sets, or two of them, which may be joined with a public table."""
    select = rewrite(_statement(text), _shared_columns(datasets, public))
    parts = ("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset")
    expressions, source, joins, where, group, having, order, limit, offset = take(select, *parts)
    found = parse_source(source, joins, where, datasets, public)
    scope = found.scope
    scope.clause = "GROUP BY"
    keys = _keys(group, expressions, scope)
    scope.clause = "SELECT"
    figures = FigureScope(scope, keys)
    shown = _outputs(expressions, figures)
    scope.clause = "HAVING"
    wanted = None if having is None else parse_condition(take(having, "this")[0], figures)
    scope.clause = "ORDER BY"
    ordered = _order(order, figures, [figure for _, figure in shown])
    aggregates = aggregates_of(*(figure for _, figure in shown), wanted, *(one.figure for one in ordered))
    if not aggregates:
        raise refusal(tr("no aggregate is asked for"), clause="SELECT")
    return CuratorQuery(
        dataset=found.dataset,
        aggregates=tuple(aggregates),
        keys=keys,
        where=found.where,
        shown=shown,
        having=wanted,
        order=ordered,
        limit=_whole(limit, "LIMIT"),
        offset=_whole(offset, "OFFSET") or 0,
        lookup=found.lookup,
        combined=found.combined,
        derived=scope.derived,
    )


def _shared_columns(datasets: Mapping[str, DeclaredDataset], public: Mapping[str, PublicTable]) -> list[str]:
    """The columns by which tables are joined: units first, since two data sets are joined by nothing else."""
    return [*(one.unit for one in datasets.values() if one.unit is not None), *(one.key for one in public.values())]


def _statement(text: str) -> exp.Select:
    check_text(text)
    try:
        statements = sqlglot.parse(text, read=QuestionDialect)
    except (SqlglotError, RecursionError, ValueError):
        raise refusal(tr("this is not SQL that can be read")) from None
    if len(statements) != 1 or statements[0] is None:
        raise refusal(tr("the curator answers one statement at a time"))
    (statement,) = statements
    if not isinstance(statement, exp.Select):
        raise refusal(tr("{node} is not answered", node=type(statement).__name__.upper()))
    return statement


def _keys(group: object, shown: list[exp.Expression], scope: NameScope) -> tuple[str, ...]:
    """The columns of GROUP BY: named, computed, or by the place or the name of one that is shown."""
    if group is None:
        return ()
    assert isinstance(group, exp.Group)
    (expressions,) = take(group, "expressions")
    keys = [_key(node, shown, scope) for node in expressions or ()]
    if not keys:
        raise refusal(tr("no column is named"), clause="GROUP BY")
    if len(set(keys)) < len(keys):
        raise refusal(tr("a column appears twice"), tr("Name each column once."), clause="GROUP BY")
    return tuple(keys)


def _key(node: exp.Expression, shown: list[exp.Expression], scope: NameScope) -> str:
    alias, meant = _shown_key(node, shown, scope)
    if isinstance(meant, exp.Star | exp.AggFunc) or meant.find(exp.AggFunc) is not None:
        raise refusal(tr("a question cannot group by an aggregate"), clause="GROUP BY")
    if isinstance(meant, exp.Literal):
        raise refusal(tr("a question cannot group by a literal"), clause="GROUP BY")
    if alias is None or isinstance(meant, exp.Column):
        return find_column(meant, scope)
    expression = parse_expression(meant, scope)
    known = next((one.name for one in scope.derived if one.expression == expression), None)
    return known or (expression.name if isinstance(expression, ColumnValue) else scope.add(alias, expression))


def _shown_key(
    node: exp.Expression, shown: list[exp.Expression], scope: NameScope
) -> tuple[str | None, exp.Expression]:
    """What GROUP BY means, with the name that it is shown under."""
    if isinstance(node, exp.Literal) and not node.is_string:
        place = str(node.this)
        if not place.isdecimal() or len(place) > 6 or not 1 <= int(place) <= len(shown):
            raise refusal(tr("the answer has no column number {place}", place=place[:20]), clause="GROUP BY")
        return unalias(shown[int(place) - 1])
    if isinstance(node, exp.Column) and not _is_column(node, scope):
        name, _, table = column_parts(node)
        for one in shown:
            alias, meant = unalias(one)
            if table is None and alias is not None and alias.casefold() == name.casefold():
                return alias, meant
    return next(((alias, node) for alias, meant in map(unalias, shown) if meant == node), (None, node))


def _is_column(node: exp.Column, scope: NameScope) -> bool:
    try:
        scope.find(node)
    except QueryRefused:
        return False
    return True


def _outputs(nodes: list[exp.Expression], figures: FigureScope) -> tuple[tuple[str, Expression], ...]:
    """The answer's columns. HAVING and ORDER BY may name them."""
    shown: list[tuple[str, Expression]] = []
    for node in nodes:
        alias, inner = unalias(node)
        figure = parse_expression(inner, figures)
        figures.declare(figure)
        shown.append((alias or _own_name(inner, figure), figure))
    names = [name.casefold() for name, _ in shown]
    if len(set(names)) < len(names):
        raise refusal(
            tr("two columns of the answer have the same name"), tr("Give them names with AS."), clause="SELECT"
        )
    figures.named.update({name.casefold(): figure for name, figure in shown})
    return tuple(shown)


def _own_name(node: exp.Expression, figure: Expression) -> str:
    """The name of a figure without an alias; that of a column comes without the name of its table."""
    name = text_of(figure)
    if not isinstance(node, exp.Column):
        return name
    if node.table and name.casefold().startswith(f"{node.table.casefold()}."):
        name = name[len(node.table) + 1 :]
    return name if name.casefold() == node.name.casefold() else node.name


def _order(node: object, figures: FigureScope, shown: list[Expression]) -> tuple[OrderBy, ...]:
    if node is None:
        return ()
    assert isinstance(node, exp.Order)
    (expressions,) = take(node, "expressions")
    order = []
    for ordered in expressions:
        by, descending = take(ordered, "this", "desc", ignored=("nulls_first",))
        if isinstance(by, exp.Literal):
            place = _whole_number(by, "ORDER BY")
            if not 1 <= place <= len(shown):
                raise refusal(tr("the answer has no column number {place}", place=place), clause="ORDER BY")
            order.append(OrderBy(shown[place - 1], bool(descending)))
            continue
        figure = parse_expression(by, figures)
        figures.declare(figure)
        order.append(OrderBy(figure, bool(descending)))
    return tuple(order)


def _whole(node: object, clause: str) -> int | None:
    if node is None:
        return None
    if isinstance(node, exp.Fetch):  # FETCH FIRST 5 ROWS ONLY
        number, options = take(node, "count", "limit_options", ignored=("direction",))
        take(options or exp.LimitOptions(), ignored=("rows",))
        return _whole_number(exp.Literal.number(1) if number is None else number, clause)
    assert isinstance(node, exp.Limit | exp.Offset)
    return _whole_number(take(node, "expression")[0], clause)


def _whole_number(number: object, clause: str) -> int:
    text = "" if not isinstance(number, exp.Literal) or number.is_string else str(number.this)
    if not text.isdecimal() or len(text) > 18:
        raise refusal(
            tr("must be a whole number with at most 18 digits"), tr("Write it as in: LIMIT 10."), clause=clause
        )
    return int(text)
