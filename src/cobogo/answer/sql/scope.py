"""What names stand for in a question: the columns of its tables, and those that it derives from them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sqlglot import exp

from cobogo.answer.derive import derive, domain_of
from cobogo.answer.query import ColumnValue, Derived, Expression, text_of
from cobogo.answer.sql.nodes import WHERE, column_parts, place, refusal
from cobogo.errors import QueryRefused
from cobogo.floor.language import tr
from cobogo.promises.curator_file import DeclaredDataset
from cobogo.promises.declared_columns import DeclaredColumn


class NameScope:
    """What names stand for before noise: the columns of a data set, and those that were derived from them.

    ``tables`` are the names by which columns may be qualified, each with the columns of it by their own names.
    """

    def __init__(
        self,
        dataset: DeclaredDataset,
        tables: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
        derived: tuple[Derived, ...] = (),
    ) -> None:
        self.dataset, self.tables = dataset, {name.casefold(): columns for name, columns in tables.items()}
        self._derived = {one.name: one for one in derived}
        self._added: list[str] = []
        self.clause = ""  # that is being read, for messages
        self.optional: frozenset[str] = frozenset()  # tables that have no row for some people

    @property
    def derived(self) -> tuple[Derived, ...]:
        """The columns that were derived so far."""
        return tuple(self._derived.values())

    @property
    def columns(self) -> Mapping[str, DeclaredColumn]:
        """The declared columns, without those that were derived."""
        return {name: one for name, one in self.dataset.columns.items() if name not in self._derived}

    def find(self, node: exp.Expression) -> str:
        """The column that a name stands for."""
        name, quoted, table = column_parts(node, clause=self.clause)
        if table is not None and table.casefold() not in self.tables:
            raise refusal(tr('there is no table "{table}" in the question', table=table))
        own = self.tables if table is None else {table: self.tables[table.casefold()]}
        shown = [*own.values(), *([{one: one for one in self._added}] if table is None else [])]
        found = dict.fromkeys(
            meant
            for columns in shown
            for known, meant in columns.items()
            if known == name or (not quoted and known.casefold() == name.casefold())
        )
        if len(found) > 1:
            raise refusal(
                tr('both tables have a column "{name}"', name=name), tr("Write the name of its table before it.")
            )
        return next(iter(found)) if found else self._unknown(name)

    def _unknown(self, name: str) -> str:
        visible = dict.fromkeys([*(known for columns in self.tables.values() for known in columns), *self._added])
        raise QueryRefused(
            tr('there is no column "{name}"', name=name),
            where=place(self.clause) if self.clause else WHERE,
            remedy=tr("Declared columns: {known}.", known=", ".join(visible)),
        )

    def is_unit(self, node: exp.Expression) -> bool:
        """Whether a name stands for the column that tells people apart."""
        unit = self.dataset.unit
        if unit is None or not isinstance(node, exp.Column):
            return False
        name, quoted, table = column_parts(node)
        known = name == unit or (not quoted and name.casefold() == unit.casefold())
        if known and table is not None and table.casefold() in self.optional:
            raise refusal(
                tr('in a LEFT JOIN the unit of "{table}" is missing for some rows', table=table),
                tr("Write JOIN instead, or ask about the people of the first table."),
            )
        return known and (table is None or table.casefold() in self.tables)

    def leaf(self, node: exp.Expression) -> Expression | None:
        """What a node stands for that is not computed; None where it is."""
        if not isinstance(node, exp.Column):
            return None
        name = self.find(node)
        return self._derived[name].expression if name in self._derived else ColumnValue(name)

    def declare(self, expression: Expression) -> DeclaredColumn:
        """What is known of an expression's values."""
        if isinstance(expression, ColumnValue):
            return self.dataset.columns[expression.name]
        return domain_of(expression, self.columns).column()

    def name(self, expression: Expression) -> str:
        """The column of an expression, derived now if it was not there."""
        if isinstance(expression, ColumnValue):
            return expression.name
        for one in self._derived.values():
            if one.expression == expression:
                return one.name
        return self.add(text_of(expression), expression)

    def add(self, name: str, expression: Expression) -> str:
        """Derive a column; its name is made to differ from all others."""
        taken = {one.casefold() for one in (*self.dataset.columns, *self._derived)}
        names = (name, *(f"{name} {more}" for more in range(2, len(taken) + 3)))
        free = next(one for one in names if one.casefold() not in taken)
        self._derived[free] = derive(free, expression, self.columns)
        self._added.append(free)
        return free
