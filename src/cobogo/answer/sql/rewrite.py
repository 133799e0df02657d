"""Questions as people and tools write them, rewritten into the few forms that are read: each view of WITH is written
where it is named, a comma join becomes JOIN … ON, other conditions of ON go to WHERE, and EXISTS becomes IN.

Every step gives SQL of the same meaning, so that what is known of JOIN, IN and nested SELECTs holds for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from sqlglot import exp

from cobogo.answer.sql.nodes import column_parts, identifier_name, refusal, take
from cobogo.floor.language import tr

MOST_SELECTS = 32
"""SELECTs of a question, once views are written out: views that name views twice would double it at each of them."""


def rewrite(select: exp.Select, shared: Sequence[str]) -> exp.Select:
    """Rewrite a question. ``shared`` are the columns by which tables are joined: units, then keys of public tables."""
    _inline_views(select)
    names = [name.casefold() for name in shared]
    for exists in list(select.find_all(exp.Exists)):
        exists.replace(_membership(exists, names))
    for one in list(select.find_all(exp.Select)):
        _write_joins(one, names)
    return select


def alias_name(alias: exp.Expression | None) -> str | None:
    """What a question calls a table."""
    return None if alias is None else identifier_name(take(alias, "this")[0], clause="FROM")[0]


def _inline_views(select: exp.Select) -> None:
    """Write each view of WITH where it is named, as (SELECT …) AS name. A view sees those before it."""
    views = select.args.get("with_")
    named = [] if views is None else take(views, "expressions")[0]
    select.set("with_", None)
    selects = _count(select) + sum(map(_count, named))
    for view in reversed(named):
        inner, alias = take(view, "this", "alias")
        name = str(alias_name(alias)).casefold()
        tables = [table for table in select.find_all(exp.Table) if table.name.casefold() == name]
        selects += (len(tables) - 1) * _count(inner)
        _check_number(selects)
        for table in tables:
            (called,) = take(table, "alias", ignored=("this",))
            table.replace(exp.Subquery(this=inner.copy(), alias=alias.copy() if called is None else called))
    _check_number(_count(select))


def _count(node: exp.Expression) -> int:
    return sum(1 for _ in node.find_all(exp.Select))


def _check_number(selects: int) -> None:
    if selects > MOST_SELECTS:
        raise refusal(
            tr("the question has more than {most} SELECTs, once its views are written out", most=MOST_SELECTS),
            tr("Ask a shorter question."),
        )


def _write_joins(select: exp.Select, shared: Sequence[str]) -> None:
    """FROM a, b WHERE a.unit = b.unit becomes FROM a JOIN b ON a.unit = b.unit."""
    known = _tables(select)
    for join in select.args.get("joins") or ():
        _move_conditions(select, join, shared)
    for at, join in enumerate(select.args.get("joins") or (), 1):
        options = {name for name, value in join.args.items() if name != "this" and value not in (None, [])}
        if options - {"kind"} or join.args.get("kind") not in (None, "CROSS"):
            continue
        both = [
            one
            for one in _conjuncts(select)
            if (sides := _sides(one, shared)) and set(sides) & set(known[:at]) and known[at] in sides
        ]
        condition = _join_condition(both, shared)
        if condition is not None:
            _remove(select, condition)
            join.set("kind", None)
            join.set("on", condition)


def _move_conditions(select: exp.Select, join: exp.Join, shared: Sequence[str]) -> None:
    """JOIN b ON a.unit = b.unit AND x becomes JOIN b ON a.unit = b.unit WHERE x, if no row stays without a partner."""
    on = join.args.get("on")
    condition = None if on is None else on.unnest()
    if not isinstance(condition, exp.And) or join.args.get("side") or join.args.get("kind") not in (None, "INNER"):
        return
    every: list[Any] = list(condition.flatten())
    key = _join_condition([one for one in every if _sides(one, shared)], shared)
    if key is not None:
        join.set("on", key)
        where = [*_conjuncts(select), *(one for one in every if one is not key)]
        select.set("where", exp.Where(this=_all(where)))


def _join_condition(conditions: list[exp.Expression], shared: Sequence[str]) -> exp.Expression | None:
    """Of several common columns that two tables are compared by, the first of ``shared``."""
    return min(conditions, key=lambda one: shared.index(one.this.name.casefold()), default=None)


def _membership(exists: exp.Exists, shared: Sequence[str]) -> exp.In:
    """EXISTS (SELECT … FROM b WHERE b.unit = a.unit AND …) becomes a.unit IN (SELECT b.unit FROM b WHERE …)."""
    (select,) = take(exists, "this")
    if isinstance(select, exp.Select) and all(map(_is_one_for_each_row, select.expressions)):
        own = _tables(select)
        for condition in _conjuncts(select):
            sides = _sides(condition, shared)
            inside = [table in own for table in sides]
            if sorted(inside) == [False, True]:
                _remove(select, condition)
                unit, person = condition.this, condition.expression
                unit, person = (unit, person) if inside[0] else (person, unit)
                select.set("expressions", [unit])
                return exp.In(this=person, query=exp.Subquery(this=select))
    raise refusal(
        tr("EXISTS is answered only for rows of the same person in another data set"),
        tr("Write it as in: EXISTS (SELECT 1 FROM visits AS v WHERE v.unit = p.unit AND …)."),
        clause="WHERE",
    )


def _is_one_for_each_row(node: exp.Expression) -> bool:
    """Whether a column of EXISTS has a value for each row: a row of an aggregate exists always."""
    return isinstance(node, exp.Star | exp.Literal | exp.Null | exp.Boolean | exp.Column)


def _tables(select: exp.Select) -> list[str]:
    """What the tables of a SELECT are called."""
    source = select.args.get("from_")
    tables = [source.this] if source is not None else []
    return [one.alias_or_name.casefold() for one in [*tables, *(join.this for join in select.args.get("joins") or ())]]


def _conjuncts(select: exp.Select) -> Iterator[exp.Expression]:
    """The conditions of WHERE that must all hold."""
    where = select.args.get("where")
    if where is not None:
        condition = where.this.unnest()
        every: list[Any] = list(condition.flatten()) if isinstance(condition, exp.And) else [condition]
        yield from every


def _remove(select: exp.Select, condition: exp.Expression) -> None:
    rest = [one for one in _conjuncts(select) if one is not condition]
    select.set("where", exp.Where(this=_all(rest)) if rest else None)


def _all(conditions: list[exp.Expression]) -> exp.Expression:
    return reduce(lambda one, other: exp.And(this=one, expression=other), conditions)


def _sides(condition: exp.Expression, shared: Sequence[str]) -> list[str]:
    """The two tables whose common column a condition compares; none where it compares anything else."""
    if not isinstance(condition, exp.EQ):
        return []
    columns = [side for side in (condition.this, condition.expression) if isinstance(side, exp.Column)]
    parts = [column_parts(one) for one in columns if isinstance(one.this, exp.Identifier)]
    names = {name.casefold() for name, _, table in parts if table is not None}
    if len(parts) < 2 or len(names) != 1 or not names <= set(shared):
        return []
    tables = [table.casefold() for _, _, table in parts if table is not None]
    return tables if len(set(tables)) == 2 else []
