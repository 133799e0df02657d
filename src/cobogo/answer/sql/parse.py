"""From an analyst's SQL to a typed question, or a refusal that says what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from cobogo.answer.public import PublicTable, extend_dataset, plan_join
from cobogo.answer.query import CuratorQuery, Kind, Lookup, OrderBy, QueryAggregate, default_name
from cobogo.answer.sql.conditions import parse_condition
from cobogo.answer.sql.nodes import (
    ALLOWED,
    check_text,
    column_name,
    describe,
    identifier_name,
    place,
    refusal,
    take,
)
from cobogo.floor.language import join, tr
from cobogo.floor.untrusted import fraction
from cobogo.promises.curator_file import DeclaredDataset, find_dataset

OF_A_COLUMN: dict[type[exp.Expression], Kind] = {
    exp.Sum: "sum",
    exp.Avg: "mean",
    exp.Variance: "variance",
    exp.Stddev: "deviation",
    exp.Median: "quantile",
}


def parse(
    text: str, datasets: Mapping[str, DeclaredDataset], public: Mapping[str, PublicTable] = MappingProxyType({})
) -> CuratorQuery:
    """Parse a question about one of the data sets, which may be joined with a public table."""
    select = _statement(text)
    parts = ("expressions", "from_", "joins", "where", "group", "order", "limit")
    expressions, source, joins, where, group, order, limit = take(select, *parts)
    name = find_dataset(_table(source), datasets, place("FROM"))
    lookup = _join(joins, datasets[name], public)
    dataset = extend_dataset(CuratorQuery(name, (), lookup=lookup), datasets[name])
    keys = _keys(group, dataset)
    shown, aggregates = _outputs(expressions, keys, dataset)
    return CuratorQuery(
        dataset=name,
        aggregates=aggregates,
        keys=keys,
        where=None if where is None else parse_condition(take(where, "this")[0], dataset),
        shown=shown,
        order=_order(order, [column for column, _ in shown]),
        limit=_limit(limit),
        lookup=lookup,
    )


def _statement(text: str) -> exp.Select:
    check_text(text)
    try:
        statements = sqlglot.parse(text, read="duckdb")
    except (SqlglotError, RecursionError, ValueError):
        raise refusal(tr("this is not SQL that can be read")) from None
    if len(statements) != 1 or statements[0] is None:
        raise refusal(tr("the curator answers one statement at a time"))
    (statement,) = statements
    if not isinstance(statement, exp.Select):
        raise refusal(tr("{node} is not answered", node=type(statement).__name__.upper()))
    return statement


def _table(source: object) -> str:
    if not isinstance(source, exp.From):
        raise refusal(tr("the question names no data set"), clause="FROM")
    (table,) = take(source, "this")
    if not isinstance(table, exp.Table):
        raise refusal(tr("found {node} where a data set is expected", node=describe(table)), clause="FROM")
    (identifier,) = take(table, "this")
    return identifier_name(identifier, clause="FROM")[0]


def _join(joins: list[exp.Join] | None, dataset: DeclaredDataset, public: Mapping[str, PublicTable]) -> Lookup | None:
    if not joins:
        return None
    if len(joins) > 1 or not public:
        raise refusal(tr("a question can join one public table, and nothing else"), clause="JOIN")
    table, using, kind = take(joins[0], "this", "using", "kind")
    if not isinstance(table, exp.Table) or (kind or "INNER") != "INNER" or not using or len(using) != 1:
        raise refusal(tr("a join must have the form JOIN table USING (key)"), clause="JOIN")
    (identifier,) = take(table, "this")
    name, key = (identifier_name(one, clause="JOIN")[0] for one in (identifier, using[0]))
    return plan_join(name, key, dataset, public, where=place("JOIN"))


def _keys(group: object, dataset: DeclaredDataset) -> tuple[str, ...]:
    if group is None:
        return ()
    assert isinstance(group, exp.Group)
    (expressions,) = take(group, "expressions")
    keys = []
    for node in expressions or ():
        name, quoted = column_name(node, clause="GROUP BY")
        keys.append(dataset.find_column(name, quoted=quoted, where=place("GROUP BY")))
    if not keys:
        raise refusal(tr("no column is named"), clause="GROUP BY")
    if len(set(keys)) < len(keys):
        raise refusal(tr("a column appears twice"), tr("Name each column once."), clause="GROUP BY")
    return tuple(keys)


def _outputs(
    nodes: list[exp.Expression], keys: tuple[str, ...], dataset: DeclaredDataset
) -> tuple[tuple[tuple[str, str | QueryAggregate], ...], tuple[QueryAggregate, ...]]:
    """The answer's columns, and the aggregates among them."""
    shown: list[tuple[str, str | QueryAggregate]] = []
    aggregates: list[QueryAggregate] = []
    for node in nodes:
        alias, inner = None, node
        if isinstance(node, exp.Alias):
            inner, identifier = take(node, "this", "alias")
            alias = identifier_name(identifier, clause="SELECT")[0]
        if isinstance(inner, exp.Column):
            name, quoted = column_name(inner, clause="SELECT")
            found = dataset.find_column(name, quoted=quoted, where=place("SELECT"))
            if found not in keys:
                raise refusal(
                    tr('"{name}" is selected, and the question does not group by it', name=found),
                    join([tr("Add it to GROUP BY."), ALLOWED]),
                    clause="SELECT",
                )
            shown.append((alias or found, found))
            continue
        kind, column, share = _aggregate(inner, dataset)
        one = QueryAggregate(kind, column, default_name(kind, column, share), share)
        aggregates.append(one)
        shown.append((alias or one.name, one))
    names = [name.casefold() for name, _ in shown]
    if len(set(names)) < len(names):
        raise refusal(
            tr("two columns of the answer have the same name"), tr("Give them names with AS."), clause="SELECT"
        )
    if not aggregates:
        raise refusal(tr("no aggregate is asked for"), clause="SELECT")
    return tuple(shown), tuple(dict.fromkeys(aggregates))


def _aggregate(node: exp.Expression, dataset: DeclaredDataset) -> tuple[Kind, str | None, Fraction | None]:
    if isinstance(node, exp.Count):
        return _count(node, dataset)
    if type(node) in OF_A_COLUMN:
        (column,) = take(node, "this")
        kind = OF_A_COLUMN[type(node)]
        return kind, _column(column, dataset), Fraction(1, 2) if kind == "quantile" else None
    if isinstance(node, exp.Quantile):
        column, share = take(node, "this", "quantile")
        return "quantile", _column(column, dataset), _share(share)
    if isinstance(node, exp.PercentileCont | exp.PercentileDisc):
        column, share = take(node, "this", "expression")
        return "quantile", _column(column, dataset), _share(share)
    raise refusal(tr("{node} is not answered", node=describe(node)), clause="SELECT")


def _count(node: exp.Count, dataset: DeclaredDataset) -> tuple[Kind, str | None, None]:
    inner, more = take(node, "this", "expressions", ignored=("big_int",))
    if more:
        raise refusal(tr("COUNT of several columns is not answered"), clause="SELECT")
    if isinstance(inner, exp.Star):
        take(inner)
        return "count", None, None
    if isinstance(inner, exp.Distinct):
        (columns,) = take(inner, "expressions")
        if len(columns) != 1:
            raise refusal(tr("COUNT(DISTINCT …) of several columns is not answered"), clause="SELECT")
        name, quoted = column_name(columns[0], clause="SELECT")
        if dataset.unit is not None and (
            name == dataset.unit or (not quoted and name.casefold() == dataset.unit.casefold())
        ):
            return "people", None, None
        return "count_distinct", dataset.find_column(name, quoted=quoted, where=place("SELECT")), None
    return "count", _column(inner, dataset), None


def _column(node: object, dataset: DeclaredDataset) -> str:
    name, quoted = column_name(node, clause="SELECT")
    return dataset.find_column(name, quoted=quoted, where=place("SELECT"))


def _share(node: object) -> Fraction:
    wrong = refusal(
        tr("the share of a quantile must be a number between 0 and 1"), tr("Write 0.5 for the median."), clause="SELECT"
    )
    if not isinstance(node, exp.Literal) or node.is_string:
        raise wrong
    try:
        return fraction(str(take(node, "this", ignored=("is_string",))[0]))
    except ValueError:
        raise wrong from None


def _order(node: object, names: list[str]) -> tuple[OrderBy, ...]:
    if node is None:
        return ()
    assert isinstance(node, exp.Order)
    (expressions,) = take(node, "expressions")
    order = []
    for ordered in expressions:
        column, descending = take(ordered, "this", "desc", ignored=("nulls_first",))
        name, quoted = column_name(column, clause="ORDER BY")
        found = [known for known in names if known == name or (not quoted and known.casefold() == name.casefold())]
        if not found:
            raise refusal(
                tr('"{name}" is not a column of the answer', name=name),
                tr("Columns of the answer: {names}.", names=", ".join(names)),
                clause="ORDER BY",
            )
        order.append(OrderBy(found[0], bool(descending)))
    return tuple(order)


def _limit(node: object) -> int | None:
    if node is None:
        return None
    assert isinstance(node, exp.Limit)
    (number,) = take(node, "expression")
    text = "" if not isinstance(number, exp.Literal) or number.is_string else str(number.this)
    if not text.isdecimal() or len(text) > 18:
        raise refusal(
            tr("must be a whole number with at most 18 digits"), tr("Write it as in: LIMIT 10."), clause="LIMIT"
        )
    return int(text)
