"""PINQ's operators on two tables: Union, Concat, Intersect, Except, Join and GroupJoin, by person.

Rows are combined first, and what each person contributes to the combination is bounded last. So the stability of an
operator, by how much more a person can change its result than a table's own figures, follows from one question: what
is left of a person in the result who leaves one of the tables?

Formula
    1 if nothing is left (the same table on both sides, Intersect, Join); otherwise 2: what the person contributed goes,
    and something else may come in its place. Where rows are people: 1, and 2 if one table is on both sides with other
    columns, because its row then is up to two rows of the result.
"""

from __future__ import annotations

from dataclasses import replace

from cobogo.answer.derive import MOST_KEYS, ValueDomain, compute_domain, domain_of_column
from cobogo.answer.query import Combined, CombinedKind, PersonTotal, Selection
from cobogo.errors import QueryRefused
from cobogo.floor.language import tr
from cobogo.promises.curator_file import MOST_ROWS, DeclaredDataset
from cobogo.promises.declared_columns import DeclaredColumn

SETS = ("union", "concat", "intersect", "except")


def rows_before_join(dataset: DeclaredDataset) -> int:
    """How many rows of a person enter a join: without a limit two tables of a thousand rows each make a million."""
    return min(MOST_ROWS, dataset.max_groups * dataset.max_rows)


def combine(kind: CombinedKind, left: Selection, right: Selection) -> Combined:
    """Combine rows of two declared tables, or twice of one; a refusal where they are not about the same people."""
    _check_people(kind, left, right)
    columns = _columns_of_sets(kind, left, right) if kind in SETS else _columns_of_join(left, right)
    if not columns:
        raise _refusal(tr("the two tables have no column in common"), tr("Name the columns of each in the same order."))
    if kind in SETS:
        right = _name_alike(left, right)
    groups, rows = _limits(kind, left, right)
    update = {"columns": columns, "max_groups": groups, "max_rows": rows}
    return Combined(kind, left, right, left.declared.model_copy(update=update))


def _check_people(kind: CombinedKind, left: Selection, right: Selection) -> None:
    one, other = left.declared, right.declared
    if one.unit != other.unit:
        raise _refusal(
            tr('"{left}" and "{right}" are not declared with the same unit', left=left.dataset, right=right.dataset),
            tr("Ask the data holder to declare the same unit for both, if they are about the same people."),
        )
    if one.budget.loss().measure != other.budget.loss().measure:
        raise _refusal(
            tr(
                'the budgets of "{left}" and "{right}" are in different measures',
                left=left.dataset,
                right=right.dataset,
            ),
            tr("Ask about each data set alone."),
        )
    if (
        one.unit is None
        and kind not in ("union", "intersect", "except")
        and (kind != "concat" or left.dataset == right.dataset)
    ):
        raise _refusal(
            tr("without a unit, no two rows are known to belong to the same person"),
            tr("Ask the data holder to declare the unit, or write UNION without ALL."),
        )


def _limits(kind: CombinedKind, left: Selection, right: Selection) -> tuple[int, int]:
    """In how many groups, and with how many rows in each, a person counts in the result."""
    one, other = left.declared, right.declared
    if kind in ("intersect", "except") or (left.dataset == right.dataset and kind in SETS) or right.totals:
        return one.max_groups, one.max_rows
    if kind in SETS:
        if one.unit is None:
            return 1, 1
        return min(MOST_ROWS, one.max_groups + other.max_groups), min(MOST_ROWS, one.max_rows + other.max_rows)
    return min(MOST_ROWS, one.max_groups * other.max_groups), min(MOST_ROWS, one.max_rows * other.max_rows)


def _columns_of_join(left: Selection, right: Selection) -> dict[str, DeclaredColumn]:
    found = {name: one.declared.columns[own] for one in (left, right) for name, own in one.columns}
    return {**found, **{total.name: declare_total(total, right.declared) for total in right.totals}}


def declare_total(total: PersonTotal, dataset: DeclaredDataset) -> DeclaredColumn:
    """What a person's own figure can be, from the bounds of the rows that it is computed from."""
    rows, constant = rows_before_join(dataset), dataset.unit is not None
    if total.kind == "count":
        keys = tuple(range(rows + 1)) if rows < MOST_KEYS else None
        return DeclaredColumn(type="integer", bounds=(0, rows), keys=keys, constant=constant)
    column = dataset.columns[str(total.column)]
    if column.bounds is None:
        raise _refusal(
            tr('"{name}" has no declared bounds, so nothing limits what is computed from it', name=total.column),
            tr("Ask the data holder to declare bounds, from general knowledge and not from the data."),
        )
    domain = domain_of_column(str(total.column), column)
    if total.kind == "sum":
        domain = compute_domain("*", (domain, ValueDomain("number", 0, rows)))
    return domain.column(constant=constant)


def _name_alike(left: Selection, right: Selection) -> Selection:
    """The right side with the names of the left one: SQL pairs the columns of both by their place."""
    names = (name for name, _ in left.columns)
    return replace(right, columns=tuple(zip(names, (own for _, own in right.columns), strict=True)))


def _columns_of_sets(kind: CombinedKind, left: Selection, right: Selection) -> dict[str, DeclaredColumn]:
    if len(left.columns) != len(right.columns):
        raise _refusal(tr("the two sides have different numbers of columns"), tr("Name the same columns in both."))
    found = {}
    for (name, own), (_, other) in zip(left.columns, right.columns, strict=True):
        same = left.dataset == right.dataset and own == other
        one, two = left.declared.columns[own], right.declared.columns[other]
        if one.type != two.type:
            raise _refusal(
                tr(
                    '"{name}" is of type {one} on one side and {two} on the other',
                    name=name,
                    one=one.type,
                    two=two.type,
                ),
                tr("Name columns of the same types."),
            )
        found[name] = one if same or kind in ("intersect", "except") else _merge(one, two)
    return found


def _merge(one: DeclaredColumn, two: DeclaredColumn) -> DeclaredColumn:
    """What is known of a value that may come from either of two columns."""
    bounds, keys = None, None
    if one.bounds is not None and two.bounds is not None:
        bounds = (min(one.bounds[0], two.bounds[0]), max(one.bounds[1], two.bounds[1]))
    if one.keys is not None and two.keys is not None:
        keys = tuple(dict.fromkeys((*one.keys, *two.keys)))
    years = None
    if one.years is not None and two.years is not None:
        years = (min(one.years[0], two.years[0]), max(one.years[1], two.years[1]))
    edges = one.edges if one.edges == two.edges else None
    return DeclaredColumn(
        type=one.type, bounds=bounds, decimals=max(one.decimals, two.decimals), keys=keys, edges=edges, years=years
    )


def _refusal(what: str, remedy: str) -> QueryRefused:
    return QueryRefused(what, where=tr("the question"), remedy=remedy)
