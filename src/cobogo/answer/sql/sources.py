"""FROM: one data set, a selection of one, or two that are combined; and a public table that is looked up."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlglot import exp

from cobogo.answer.combine import combine
from cobogo.answer.public import PublicTable, extend_dataset, plan_join
from cobogo.answer.query import (
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
from cobogo.answer.sql.scope import NameScope
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
    """Parse FROM and what is joined; and of WHERE, whether the person is in another data set."""
    if not isinstance(node, exp.From):
        raise refusal(tr("the question names no data set"), clause="FROM")
    (table,) = take(node, "this")
    private = [join for join in joins or () if not _is_public(join, public)]
    looked_up = [join for join in joins or () if _is_public(join, public)]
    if len(private) > 1 or len(looked_up) > 1:
        raise refusal(tr("a question can join two data sets and one public table, and nothing else"))
    members = [] if where is None else [one for one in where.find_all(exp.In) if one.args.get("query") is not None]
    if members:
        if len(members) > 1 or private:
            raise refusal(tr("a question can join two data sets and one public table, and nothing else"))
        return _look_up(_membership(table, members[0], datasets), looked_up, public)
    if private:
        return _look_up(_join(table, private[0], datasets), looked_up, public)
    if isinstance(table, exp.Subquery) and not isinstance(table.this, exp.SetOperation):
        return _look_up(_view(table, datasets), looked_up, public)
    if isinstance(table, exp.Subquery):
        return _look_up(_sets(table, datasets), looked_up, public)
    one = _table(table, datasets)
    declared = one.selection.declared
    tables = {one.name: {name: name for name in declared.columns}}
    return _look_up(QuestionSource(one.selection.dataset, NameScope(declared, tables)), looked_up, public)


def inline_views(select: exp.Select) -> exp.Select:
    """Write each view of WITH where it is named, as (SELECT …) AS name."""
    views = select.args.get("with_")
    if views is None:
        return select
    (named,) = take(views, "expressions")
    select.set("with_", None)
    for view in reversed(named):
        inner, alias = take(view, "this", "alias")
        name = str(alias_name(alias)).casefold()
        tables = [table for table in select.find_all(exp.Table) if table.name.casefold() == name]
        if len(tables) > 1:
            raise refusal(tr("a question names a view of WITH at most once"), clause="WITH")
        for table in tables:
            (called,) = take(table, "alias", ignored=("this",))
            table.replace(exp.Subquery(this=inner, alias=alias if called is None else called))
    return select


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


def alias_name(alias: exp.Expression | None) -> str | None:
    """What a question calls a table."""
    return None if alias is None else identifier_name(take(alias, "this")[0], clause="FROM")[0]


def _look_up(source: QuestionSource, joins: list[exp.Join], public: Mapping[str, PublicTable]) -> QuestionSource:
    """Join a public table by its key."""
    if not joins:
        return source
    table, using, on, kind = take(joins[0], "this", "using", "on", "kind")
    identifier, alias = take(table, "this", "alias")
    called = identifier_name(identifier, clause="FROM")[0]
    key = _shared_column(using, on, source.scope.tables, alias_name(alias) or called)
    if (kind or "INNER") != "INNER" or key is None:
        raise refusal(tr("a join must have the form JOIN table USING (key)"), clause="JOIN")
    found = plan_join(called, key, source.scope.dataset, public, where=place("JOIN"))
    dataset = extend_dataset(CuratorQuery(source.dataset, (), lookup=found), source.scope.dataset)
    added = {alias_name(alias) or called: {name: name for name in (found.column, *found.names)}}
    scope = NameScope(dataset, {**source.scope.tables, **added}, source.scope.derived)
    scope.optional = source.scope.optional
    return QuestionSource(source.dataset, scope, source.where, source.combined, found)


def _inner(
    select: object, datasets: Datasets
) -> tuple[list[exp.Expression], NamedSelection, NameScope, Condition | None]:
    """A SELECT within FROM: its columns, its table, and the rows that it keeps."""
    if not isinstance(select, exp.Select):
        what = describe(select) if isinstance(select, exp.Expression) else "…"
        raise refusal(tr("found {node} where a data set is expected", node=what), clause="FROM")
    expressions, source, where = take(select, "expressions", "from_", "where")
    if not isinstance(source, exp.From):
        raise refusal(tr("the question names no data set"), clause="FROM")
    table = _table(take(source, "this")[0], datasets)
    declared = table.selection.declared
    scope = NameScope(declared, {table.name: {name: name for name in declared.columns}})
    condition = None if where is None else parse_condition(take(where, "this")[0], scope)
    return expressions, table, scope, condition


def unalias(node: exp.Expression) -> tuple[str | None, exp.Expression]:
    """The name that AS gives, and what has it."""
    if not isinstance(node, exp.Alias):
        return None, node
    inner, identifier = take(node, "this", "alias")
    return identifier_name(identifier, clause="FROM")[0], inner


def _view(table: exp.Subquery, datasets: Datasets) -> QuestionSource:
    """FROM (SELECT columns FROM a data set WHERE …) AS name: its columns may be computed."""
    select, alias = take(table, "this", "alias")
    expressions, inner, scope, condition = _inner(select, datasets)
    visible: dict[str, str] = {}
    for node in expressions:
        if isinstance(node, exp.Star):
            take(node)
            visible.update({name: name for name in inner.selection.declared.columns})
            continue
        called, meant = unalias(node)
        if scope.is_unit(meant):
            continue
        found = scope.find(meant) if isinstance(meant, exp.Column) else None
        if found is None:
            if called is None:
                raise refusal(tr("a computed column of the inner SELECT has no name"), tr("Give it a name with AS."))
            found = scope.add(called, parse_expression(meant, scope))
        visible[called or found] = found
    names = {alias_name(alias) or inner.name: visible}
    return QuestionSource(inner.selection.dataset, NameScope(scope.dataset, names, scope.derived), condition)


def _sets(table: exp.Subquery, datasets: Datasets) -> QuestionSource:
    """FROM (SELECT … UNION SELECT …) AS name."""
    operation, alias = take(table, "this", "alias")
    left, right, distinct = take(operation, "this", "expression", "distinct")
    kind: CombinedKind = {exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except"}[type(operation)]  # type: ignore[assignment]
    if not distinct and kind != "union":
        raise refusal(tr("INTERSECT ALL and EXCEPT ALL are not answered"))
    found = combine(kind if distinct else "concat", _selection(left, datasets), _selection(right, datasets))
    return _of(found, {alias_name(alias) or "": {name: name for name in found.declared.columns}})


def _selection(select: exp.Expression, datasets: Datasets) -> Selection:
    """One side of a set operation: columns of a data set, and the rows that it keeps."""
    expressions, table, scope, condition = _inner(select, datasets)
    columns: list[tuple[str, str]] = []
    for node in expressions:
        called, meant = unalias(node)
        if isinstance(meant, exp.Star):
            columns += [(name, name) for name in table.selection.declared.columns]
        elif not scope.is_unit(meant):
            own = scope.find(meant)
            columns.append((called or own, own))
    if len({name.casefold() for name, _ in columns}) < len(columns):
        raise refusal(tr("a column appears twice"), tr("Name each column once."), clause="FROM")
    return Selection(table.selection.dataset, table.selection.declared, tuple(columns), condition)


def _of(combined: Combined, tables: Mapping[str, Mapping[str, str]]) -> QuestionSource:
    return QuestionSource(combined.left.dataset, NameScope(combined.declared, tables), combined=combined)


def _join(table: object, join: exp.Join, datasets: Datasets) -> QuestionSource:
    """Two data sets by person. The second may be figures of each person's rows."""
    other, using, on, side, kind = take(join, "this", "using", "on", "side", "kind")
    if (kind or "INNER") not in ("INNER", "OUTER") or (side or "LEFT") != "LEFT" or (kind == "OUTER" and not side):
        raise refusal(tr("two data sets are joined only by JOIN or LEFT JOIN … USING (unit)"), clause="JOIN")
    left = _table(table, datasets)
    right = _totals(other, datasets) if isinstance(other, exp.Subquery) else _table(other, datasets)
    _check_by_person(using, on, left, right)
    named = join_selections(left, right, "left join" if side else "join")
    found = _of(*named)
    found.scope.optional = frozenset([right.name.casefold()] if side else [])
    return found


def _membership(table: object, member: exp.In, datasets: Datasets) -> QuestionSource:
    """unit IN (SELECT unit FROM a data set WHERE …): a left join with the number of the person's rows there."""
    person, query = take(member, "this", "query")
    left = _table(table, datasets)
    select = take(query, "this")[0] if isinstance(query, exp.Subquery) else query
    expressions, inner, scope, condition = _inner(select, datasets)
    ours = NameScope(left.selection.declared, {left.name: {}})
    if not ours.is_unit(person) or len(expressions) != 1 or not scope.is_unit(expressions[0]):
        raise refusal(tr("IN (SELECT …) compares the unit of one data set with that of another"), clause="WHERE")
    counted = PersonTotal(f"rows in {inner.selection.dataset}", "count", None)
    right = Selection(inner.selection.dataset, inner.selection.declared, (), condition, (counted,))
    source = _of(*join_selections(left, NamedSelection(right, "the other"), "left join"))
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


def _totals(table: exp.Subquery, datasets: Datasets) -> NamedSelection:
    """(SELECT unit, COUNT(*) AS n FROM a data set GROUP BY unit) AS name: figures of each person's rows."""
    select, alias = take(table, "this", "alias")
    if not isinstance(select, exp.Select):
        raise refusal(tr("two data sets are joined only by JOIN or LEFT JOIN … USING (unit)"), clause="JOIN")
    parts = ("expressions", "from_", "where", "group")
    expressions, source, where, group = take(select, *parts)
    plain = exp.Select(expressions=[], from_=source, where=where)
    _, inner, scope, condition = _inner(plain, datasets)
    keys = [] if group is None else take(group, "expressions")[0]
    if len(keys) != 1 or not scope.is_unit(keys[0]):
        raise refusal(tr("the inner SELECT of a join must group by the unit alone"))
    totals = tuple(_total(node, scope) for node in expressions if not scope.is_unit(unalias(node)[1]))
    selection = Selection(inner.selection.dataset, inner.selection.declared, (), condition, totals)
    return NamedSelection(selection, alias_name(alias) or inner.name)


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
