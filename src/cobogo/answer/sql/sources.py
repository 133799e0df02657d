"""FROM: one data set, a selection of one, or two that are combined; and a public table that is looked up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from cobogo.answer.combine import combine
from cobogo.answer.public import PublicTable, extend_dataset, plan_join
from cobogo.answer.query import (
    Both,
    Combined,
    CombinedKind,
    Condition,
    CuratorQuery,
    Lookup,
    PersonTotal,
    Selection,
)
from cobogo.answer.sql.expressions import parse_condition, parse_expression
from cobogo.answer.sql.nodes import column_parts, describe, identifier_name, place, refusal, take
from cobogo.answer.sql.rewrite import alias_name
from cobogo.answer.sql.scope import NameScope
from cobogo.errors import QueryRefused
from cobogo.floor.language import tr
from cobogo.promises.curator_file import DeclaredDataset, find_dataset

Datasets = Mapping[str, DeclaredDataset]

TOTALS: dict[type[exp.Expression], str] = {exp.Sum: "sum", exp.Min: "min", exp.Max: "max", exp.Count: "count"}


@dataclass(frozen=True)
class QuestionSource:
    """What a question asks about: the data set, what names stand for, and what is done to its rows first."""

    dataset: str
    scope: NameScope
    where: Condition | None = None
    combined: Combined | None = None
    lookup: Lookup | None = None


@dataclass(frozen=True)
class NamedSelection:
    """A selection, and what the question calls it."""

    selection: Selection
    name: str


def parse_source(
    node: object,
    joins: list[exp.Join] | None,
    where: exp.Expression | None,
    datasets: Datasets,
    public: Mapping[str, PublicTable],
) -> QuestionSource:
    """Parse FROM, JOIN and WHERE of a question, or of a SELECT within its FROM."""
    source = _parse_from(node, joins, where, datasets, public)
    if where is None:
        return source
    source.scope.clause = "WHERE"
    asked = parse_condition(take(where, "this")[0], source.scope)
    return replace(source, where=asked if source.where is None else Both(source.where, asked))


def _parse_from(
    node: object,
    joins: list[exp.Join] | None,
    where: exp.Expression | None,
    datasets: Datasets,
    public: Mapping[str, PublicTable],
) -> QuestionSource:
    """Parse FROM and what is joined; and of WHERE, whether the person is in another data set."""
    if not isinstance(node, exp.From):
        raise refusal(tr("the question names no data set"), clause="FROM")
    (table,) = take(node, "this")
    private = [join for join in joins or () if not _is_public(join, public)]
    looked_up = [join for join in joins or () if _is_public(join, public)]
    members = [] if where is None else [one for one in where.find_all(exp.In) if one.args.get("query") is not None]
    if len(private) + len(members) > 1 or len(looked_up) > 1:
        raise _too_many()
    if members:
        source = _membership(table, members[0], datasets, public)
    elif private:
        source = _join(table, private[0], datasets, public)
    elif isinstance(table, exp.Subquery) and isinstance(table.this, exp.SetOperation):
        source = _sets(table, datasets, public)
    elif isinstance(table, exp.Subquery):
        source = _view(table, datasets, public)
    else:
        one = _table(table, datasets)
        declared = one.selection.declared
        tables = {one.name: {name: name for name in declared.columns}}
        source = QuestionSource(one.selection.dataset, NameScope(declared, tables))
    return _look_up(source, looked_up, public)


def _too_many() -> QueryRefused:
    return refusal(tr("a question can join two data sets and one public table, and nothing else"))


def _is_public(join: exp.Join, public: Mapping[str, PublicTable]) -> bool:
    table = join.this
    return isinstance(table, exp.Table) and any(table.name.casefold() == known.casefold() for known in public)


def _table(table: object, datasets: Datasets) -> NamedSelection:
    """A declared table, with all of its columns."""
    if not isinstance(table, exp.Table):
        what = describe(table) if isinstance(table, exp.Expression) else "…"
        raise refusal(tr("found {node} where a data set is expected", node=what), clause="FROM")
    identifier, alias = take(table, "this", "alias")
    called = identifier_name(identifier, clause="FROM")[0]
    name = find_dataset(called, datasets, place("FROM"))
    columns = tuple((one, one) for one in datasets[name].columns)
    return NamedSelection(Selection(name, datasets[name], columns), alias_name(alias) or called)


def _look_up(source: QuestionSource, joins: list[exp.Join], public: Mapping[str, PublicTable]) -> QuestionSource:
    """Join a public table by its key."""
    if not joins:
        return source
    if source.lookup is not None:
        raise _too_many()
    table, using, on, kind = take(joins[0], "this", "using", "on", "kind")
    identifier, alias = take(table, "this", "alias")
    called = identifier_name(identifier, clause="FROM")[0]
    key = _shared_column(using, on, source.scope.tables, alias_name(alias) or called)
    if (kind or "INNER") != "INNER" or key is None:
        raise refusal(tr("a join must have the form JOIN table USING (key)"), clause="JOIN")
    column = _key_column(key, on, source.scope)
    found = plan_join(called, key, source.scope.dataset, public, where=place("JOIN"), column=column)
    dataset = extend_dataset(CuratorQuery(source.dataset, (), lookup=found), source.scope.dataset)
    added = {alias_name(alias) or called: {key: column, **{name: name for name in found.names}}}
    scope = NameScope(dataset, {**source.scope.tables, **added}, source.scope.derived)
    scope.optional = source.scope.optional
    return QuestionSource(source.dataset, scope, source.where, source.combined, found)


def _key_column(key: str, on: object, scope: NameScope) -> str:
    """The column that the key of a public table is compared with."""
    sides = (on.this, on.expression) if isinstance(on, exp.EQ) else (exp.column(key),)
    scope.clause = "JOIN"
    column = scope.find(next((side for side in sides if side.table.casefold() in scope.tables), sides[0]))
    if column.casefold() not in {key.casefold(), *(f"{table}.{key}".casefold() for table in scope.tables)}:
        raise refusal(
            tr('the inner SELECT has no column "{name}" of the data set', name=key),
            tr("Select it there, under its own name."),
            clause="JOIN",
        )
    return column


def _inner(
    select: object, datasets: Datasets, public: Mapping[str, PublicTable], *parts: str
) -> tuple[QuestionSource, Any]:
    """FROM, JOIN and WHERE of a SELECT within a question; and its other parts."""
    if not isinstance(select, exp.Select):
        what = describe(select) if isinstance(select, exp.Expression) else "…"
        raise refusal(tr("found {node} where a data set is expected", node=what), clause="FROM")
    source, joins, where, *others = take(select, "from_", "joins", "where", *parts)
    return parse_source(source, joins, where, datasets, public), others


def unalias(node: exp.Expression) -> tuple[str | None, exp.Expression]:
    """The name that AS gives, and what has it."""
    if not isinstance(node, exp.Alias):
        return None, node
    inner, identifier = take(node, "this", "alias")
    return identifier_name(identifier, clause="FROM")[0], inner


def _view(table: exp.Subquery, datasets: Datasets, public: Mapping[str, PublicTable]) -> QuestionSource:
    """FROM (SELECT columns FROM … WHERE …) AS name: its columns may be computed, and its rows those of a view."""
    select, alias = take(table, "this", "alias")
    source, (expressions,) = _inner(select, datasets, public, "expressions")
    scope = source.scope
    scope.clause = "FROM"
    visible: dict[str, str] = {}
    for node in expressions:
        for name, meant in _columns_of_view(node, scope):
            if name.casefold() in map(str.casefold, visible):
                raise refusal(tr("a column appears twice"), tr("Name each column once."), clause="FROM")
            visible[name] = meant
    return replace(source, scope=NameScope(scope.dataset, {alias_name(alias) or "": visible}, scope.derived))


def _columns_of_view(node: exp.Expression, scope: NameScope) -> list[tuple[str, str]]:
    """The columns that one of a view's expressions adds, and what they stand for; the unit is always there."""
    if isinstance(node, exp.Star):
        take(node)
        every = [one for columns in scope.tables.values() for one in columns.items()]
        names = Counter(name.casefold() for name, _ in every)
        return [(name, meant) for name, meant in every if names[name.casefold()] == 1]
    called, meant = unalias(node)
    if scope.is_unit(meant):
        return []
    if called is not None and called.casefold() == str(scope.dataset.unit).casefold():
        raise refusal(tr("the unit's name is given to another column"), tr("Give it another name."), clause="FROM")
    if isinstance(meant, exp.Column):
        found = scope.find(meant)
        return [(called or (found if found.casefold() == meant.name.casefold() else meant.name), found)]
    if called is None:
        raise refusal(tr("a computed column of the inner SELECT has no name"), tr("Give it a name with AS."))
    return [(called, scope.add(called, parse_expression(meant, scope)))]


def _sets(table: exp.Subquery, datasets: Datasets, public: Mapping[str, PublicTable]) -> QuestionSource:
    """FROM (SELECT … UNION SELECT …) AS name."""
    operation, alias = take(table, "this", "alias")
    left, right, distinct = take(operation, "this", "expression", "distinct")
    kind: CombinedKind = {exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except"}[type(operation)]  # type: ignore[assignment]
    if not distinct and kind != "union":
        raise refusal(tr("INTERSECT ALL and EXCEPT ALL are not answered"))
    sides = (one if isinstance(one, exp.Subquery) else exp.Subquery(this=one) for one in (left, right))
    one, other = (_select(_view(side, datasets, public), datasets, "") for side in sides)
    found = combine(kind if distinct else "concat", one.selection, other.selection)
    return _of(found, {alias_name(alias) or "": {name: name for name in found.declared.columns}})


def _side(table: object, datasets: Datasets, public: Mapping[str, PublicTable]) -> NamedSelection:
    """One of two tables that are joined: a data set, or a view of one."""
    if not isinstance(table, exp.Subquery):
        return _table(table, datasets)
    source = _view(table, datasets, public)
    return _select(source, datasets, alias_name(table.args.get("alias")) or source.dataset)


def _select(
    source: QuestionSource, datasets: Datasets, name: str, totals: tuple[PersonTotal, ...] = ()
) -> NamedSelection:
    """The rows of one data set, of which nothing is computed: those that may be combined with others."""
    if source.combined is not None or source.lookup is not None or source.scope.derived:
        raise refusal(
            tr("two tables are combined before anything is computed or looked up, and no third one is"),
            tr("Combine two data sets or selections of their columns first, and compute columns from the result."),
            clause="FROM",
        )
    columns = () if totals else tuple(one for own in source.scope.tables.values() for one in own.items())
    return NamedSelection(Selection(source.dataset, datasets[source.dataset], columns, source.where, totals), name)


def _of(combined: Combined, tables: Mapping[str, Mapping[str, str]]) -> QuestionSource:
    return QuestionSource(combined.left.dataset, NameScope(combined.declared, tables), combined=combined)


def _join(table: object, join: exp.Join, datasets: Datasets, public: Mapping[str, PublicTable]) -> QuestionSource:
    """Two data sets by person. The second may be figures of each person's rows."""
    other, using, on, side, kind = take(join, "this", "using", "on", "side", "kind")
    if (kind or "INNER") not in ("INNER", "OUTER") or (side or "LEFT") != "LEFT" or (kind == "OUTER" and not side):
        raise refusal(tr("two data sets are joined only by JOIN or LEFT JOIN … USING (unit)"), clause="JOIN")
    left = _side(table, datasets, public)
    grouped = isinstance(other, exp.Subquery) and other.this.args.get("group") is not None
    right = _totals(other, datasets, public) if grouped else _side(other, datasets, public)
    _check_by_person(using, on, left, right)
    named = join_selections(left, right, "left join" if side else "join")
    found = _of(*named)
    found.scope.optional = frozenset([right.name.casefold()] if side else [])
    return found


def _membership(table: object, member: exp.In, datasets: Datasets, public: Mapping[str, PublicTable]) -> QuestionSource:
    """unit IN (SELECT unit FROM a data set WHERE …): a left join with the number of the person's rows there."""
    person, query = take(member, "this", "query")
    left = _side(table, datasets, public)
    select = take(query, "this")[0] if isinstance(query, exp.Subquery) else query
    inner, (expressions, distinct) = _inner(select, datasets, public, "expressions", "distinct")
    take(distinct or exp.Distinct())
    ours = NameScope(left.selection.declared, {left.name: {}})
    if not ours.is_unit(person) or len(expressions) != 1 or not inner.scope.is_unit(expressions[0]):
        raise refusal(tr("IN (SELECT …) compares the unit of one data set with that of another"), clause="WHERE")
    counted = PersonTotal(f"rows in {inner.dataset}", "count", None)
    right = _select(inner, datasets, "the other", (counted,))
    source = _of(*join_selections(left, right, "left join"))
    there = exp.column(counted.name, table="the other", quoted=True)
    member.replace(exp.Not(this=exp.Is(this=there, expression=exp.Null())))
    return source


def join_selections(
    left: NamedSelection, right: NamedSelection, kind: CombinedKind
) -> tuple[Combined, dict[str, dict[str, str]]]:
    """Join by person. A name that both tables have needs the name of its table before it."""
    if left.name.casefold() == right.name.casefold():
        raise refusal(tr("two tables of the question have the same name"), tr("Give them names with AS."))
    both = [name.casefold() for one in (left, right) for name in _names(one.selection)]
    tables = {
        one.name: {
            name: name if both.count(name.casefold()) == 1 else f"{one.name}.{name}" for name in _names(one.selection)
        }
        for one in (left, right)
    }
    renamed = [_rename(one, tables[one.name]) for one in (left, right)]
    return combine(kind, renamed[0], renamed[1]), tables


def _names(selection: Selection) -> list[str]:
    return [name for name, _ in selection.columns] + [total.name for total in selection.totals]


def _rename(one: NamedSelection, names: Mapping[str, str]) -> Selection:
    selection = one.selection
    columns = tuple((names[name], own) for name, own in selection.columns)
    totals = tuple(PersonTotal(names[total.name], total.kind, total.column) for total in selection.totals)
    return Selection(selection.dataset, selection.declared, columns, selection.where, totals)


def _check_by_person(
    using: list[exp.Expression] | None, on: object, left: NamedSelection, right: NamedSelection
) -> None:
    """Two private tables are joined by the unit and by nothing else: its value is the person's."""
    unit, named = left.selection.declared.unit, _shared_column(using, on, [left.name], right.name)
    if unit is None or named is None or named.casefold() != unit.casefold():
        raise refusal(tr("two data sets are joined only by JOIN or LEFT JOIN … USING (unit)"), clause="JOIN")


def _shared_column(using: list[exp.Expression] | None, on: object, left: Collection[str], right: str) -> str | None:
    """The column of both tables that USING names, or ON with the name of a table before each; None without one."""
    if on is None:
        return identifier_name(using[0], clause="JOIN")[0] if using and len(using) == 1 else None
    sides = take(on, "this", "expression") if isinstance(on, exp.EQ) else ()
    if using or not sides or not all(isinstance(side, exp.Column) for side in sides):
        return None
    (name, _, one), (same, _, other) = (column_parts(side, clause="JOIN") for side in sides)
    tables = {(one or "").casefold(), (other or "").casefold()}
    known = len(tables) == 2 and any(tables == {table.casefold(), right.casefold()} for table in left)
    return name if known and name.casefold() == same.casefold() else None


def _totals(table: exp.Subquery, datasets: Datasets, public: Mapping[str, PublicTable]) -> NamedSelection:
    """(SELECT unit, COUNT(*) AS n FROM a data set GROUP BY unit) AS name: figures of each person's rows."""
    select, alias = take(table, "this", "alias")
    inner, (expressions, group) = _inner(select, datasets, public, "expressions", "group")
    (keys,) = take(group, "expressions")
    if len(keys or ()) != 1 or not inner.scope.is_unit(keys[0]):
        raise refusal(tr("the inner SELECT of a join must group by the unit alone"))
    totals = tuple(_total(node, inner.scope) for node in expressions if not inner.scope.is_unit(unalias(node)[1]))
    return _select(inner, datasets, alias_name(alias) or inner.dataset, totals)


def _total(node: exp.Expression, scope: NameScope) -> PersonTotal:
    called, meant = unalias(node)
    if called is None:
        raise refusal(tr("a computed column of the inner SELECT has no name"), tr("Give it a name with AS."))
    return parse_total(called, meant, scope)


def parse_total(called: str, node: exp.Expression, scope: NameScope) -> PersonTotal:
    """A figure of each person's rows: COUNT, SUM, MIN or MAX."""
    if type(node) not in TOTALS:
        raise refusal(tr("the figures of each person must be COUNT, SUM, MIN or MAX"))
    inner = take(node, "this", ignored=("big_int",))[0]
    counted = isinstance(inner, exp.Star) or (isinstance(inner, exp.Literal) and not inner.is_string)
    kind = TOTALS[type(node)]
    if counted and kind == "count":
        return PersonTotal(called, "count", None)
    return PersonTotal(called, kind, scope.find(inner))  # type: ignore[arg-type]
