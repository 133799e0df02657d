"""Figures: the aggregates of a question, and what is computed from them once they have noise.

What follows the noise costs nothing more: sums and ratios of figures, HAVING, ORDER BY.
"""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from cobogo.answer.derive import DATE_PARTS, TRUNCATIONS
from cobogo.answer.query import (
    CaseWhen,
    ColumnValue,
    Computation,
    Condition,
    ConstantValue,
    Expression,
    Kind,
    QueryAggregate,
    TruthOf,
    default_name,
)
from cobogo.answer.sql.expressions import parse_condition, parse_expression
from cobogo.answer.sql.nodes import ALLOWED, column_parts, describe, refusal, take
from cobogo.answer.sql.scope import NameScope
from cobogo.errors import QueryRefused
from cobogo.floor.language import join, tr
from cobogo.floor.untrusted import fraction
from cobogo.promises.declared_columns import DeclaredColumn

OF_A_COLUMN: dict[type[exp.Expression], Kind] = {
    exp.Sum: "sum",
    exp.Avg: "mean",
    exp.Variance: "variance",
    exp.VariancePop: "variance",
    exp.Stddev: "deviation",
    exp.StddevPop: "deviation",
    exp.StddevSamp: "deviation",
    exp.Median: "quantile",
}


class FigureScope(NameScope):
    """What names stand for after noise: the keys of a question, its aggregates, and the columns of its answer."""

    def __init__(self, rows: NameScope, keys: tuple[str, ...]) -> None:
        super().__init__(rows.dataset, rows.tables)
        self.rows, self.named = rows, dict[str, Expression]()
        known = {one.name: one.expression for one in rows.derived}
        self._keys = {known.get(key, ColumnValue(key)): key for key in keys}

    def leaf(self, node: exp.Expression) -> Expression | None:
        """An aggregate, a key, or a column of the answer."""
        if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
            return parse_aggregate(node, self.rows)
        if isinstance(node, exp.Literal) or node.find(exp.AggFunc) is not None or node.find(exp.Column) is None:
            return None
        if isinstance(node, exp.Column) and (named := self._output(node)) is not None:
            return named
        found = self._before_noise(node)
        if found is not None and found in self._keys:
            return ColumnValue(self._keys[found])
        if isinstance(found, ColumnValue):
            raise refusal(
                tr('"{name}" is selected, and the question does not group by it', name=found.name),
                join([tr("Add it to GROUP BY."), ALLOWED]),
                clause=self.rows.clause,
            )
        return None

    def _before_noise(self, node: exp.Expression) -> Expression | None:
        """What a node would be of a row; None where it has names of the answer's columns in it."""
        try:
            return parse_expression(node, self.rows)
        except QueryRefused:
            if isinstance(node, exp.Column):
                raise
            return None

    def _output(self, node: exp.Column) -> Expression | None:
        name, _, table = column_parts(node)
        return self.named.get(name.casefold()) if table is None else None

    def declare(self, expression: Expression) -> DeclaredColumn:
        """The type of a figure; a refusal where it is computed from what is no number."""
        match expression:
            case ColumnValue(name):
                known = {one.name: one.declared for one in self.rows.derived}
                column = known.get(name) or self.dataset.columns[name]
                return DeclaredColumn(type="text") if column.edges is not None else column
            case ConstantValue(str()):
                return DeclaredColumn(type="text")
            case ConstantValue(bool()) | TruthOf():
                return DeclaredColumn(type="boolean")
            case CaseWhen(cases, otherwise):
                return self._alike(*(value for _, value in cases), otherwise)
            case Computation("coalesce" | "nullif", operands):
                return self._alike(*operands)
            case Computation("lower" | "upper", (one,)) if self.declare(one).type == "text":
                return DeclaredColumn(type="text")
            case Computation(function, operands):
                self._check_numbers(function, operands)
        return DeclaredColumn(type="number")

    def _check_numbers(self, function: str, operands: tuple[Expression, ...]) -> None:
        numbers = all(self.declare(one).type in ("integer", "number") for one in operands)
        if function in DATE_PARTS or not numbers:
            called = "DATE_TRUNC" if function in TRUNCATIONS else function.upper()
            raise refusal(tr("{function} needs numbers", function=called), ALLOWED)

    def _alike(self, *values: Expression) -> DeclaredColumn:
        there = [self.declare(one) for one in values if one != ConstantValue(None)]
        kinds = {"number" if one.type == "integer" else one.type for one in there}
        if len(kinds) != 1:
            raise refusal(tr("the values of the expression have different types"), ALLOWED)
        return there[0] if kinds != {"number"} else DeclaredColumn(type="number")


def parse_aggregate(node: exp.Expression, scope: NameScope) -> QueryAggregate:
    """Parse an aggregate, with the FILTER that it may have."""
    condition = None
    if isinstance(node, exp.Filter):
        node, where = take(node, "this", "expression")
        condition = parse_condition(take(where, "this")[0], scope)
    kind, value, share = _aggregate(node, scope)
    if condition is not None:
        value = _filter(kind, value, condition)
        kind = "count" if kind == "count" else kind
    column = None if value is None else scope.name(value)
    return QueryAggregate(kind, column, default_name(kind, column, share), share)


def _filter(kind: Kind, value: Expression | None, condition: Condition) -> Expression:
    """Only the values of rows for which a condition holds: others are missing, and missing ones do not count."""
    if kind == "people":
        raise refusal(tr("COUNT(DISTINCT unit) is answered with WHERE, and not with FILTER"), ALLOWED)
    counted = ConstantValue(Fraction(1)) if value is None else value
    return CaseWhen(((condition, counted),), ConstantValue(None))


def _aggregate(node: exp.Expression, scope: NameScope) -> tuple[Kind, Expression | None, Fraction | None]:
    if isinstance(node, exp.Count):
        return _count(node, scope)
    if type(node) in OF_A_COLUMN:
        (value,) = take(node, "this")
        kind = OF_A_COLUMN[type(node)]
        return kind, parse_expression(value, scope), Fraction(1, 2) if kind == "quantile" else None
    if isinstance(node, exp.Quantile):
        value, share = take(node, "this", "quantile")
        return "quantile", parse_expression(value, scope), _share(share)
    if isinstance(node, exp.PercentileCont | exp.PercentileDisc):
        value, share = take(node, "this", "expression")
        return "quantile", parse_expression(value, scope), _share(share)
    if isinstance(node, exp.WithinGroup):
        return _within_group(node, scope)
    raise refusal(tr("{node} is not answered", node=describe(node)), clause=scope.clause)


def _within_group(node: exp.WithinGroup, scope: NameScope) -> tuple[Kind, Expression, Fraction]:
    inner, order = take(node, "this", "expression")
    if not isinstance(inner, exp.PercentileCont | exp.PercentileDisc) or len(order.expressions) != 1:
        raise refusal(tr("{node} is not answered", node=describe(inner)), clause=scope.clause)
    value, descending = take(order.expressions[0], "this", "desc", ignored=("nulls_first",))
    share = _share(take(inner, "this")[0])
    return "quantile", parse_expression(value, scope), 1 - share if descending else share


def _count(node: exp.Count, scope: NameScope) -> tuple[Kind, Expression | None, None]:
    inner, more = take(node, "this", "expressions", ignored=("big_int",))
    if more:
        raise refusal(tr("COUNT of several columns is not answered"), clause=scope.clause)
    if isinstance(inner, exp.Star) or (isinstance(inner, exp.Literal) and not inner.is_string):
        take(inner, ignored=("this", "is_string"))
        return "count", None, None
    if isinstance(inner, exp.Distinct):
        (columns,) = take(inner, "expressions")
        if len(columns) != 1:
            raise refusal(tr("COUNT(DISTINCT …) of several columns is not answered"), clause=scope.clause)
        if scope.is_unit(columns[0]):
            return "people", None, None
        return "count_distinct", parse_expression(columns[0], scope), None
    if scope.is_unit(inner):  # rows without a person do not count
        return "count", None, None
    return "count", parse_expression(inner, scope), None


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
