"""An analyst's session: questions in SQL or by chaining, and their prices; no rows.

::

    session.table("people").where("age > 60").group_by("city").count().release(epsilon=1)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from cobogo.answer.combine import combine
from cobogo.answer.explain import Explanation, explain, find_price
from cobogo.answer.noise import plan_choice
from cobogo.answer.plan import Key, plan
from cobogo.answer.public import extend_dataset, plan_join
from cobogo.answer.query import (
    Both,
    CombinedKind,
    CuratorQuery,
    Kind,
    QueryAggregate,
    QueryPart,
    Selection,
    default_name,
)
from cobogo.answer.result import Answer
from cobogo.answer.sql.expressions import find_column, parse_condition, parse_expression
from cobogo.answer.sql.nodes import QuestionDialect, check_text, refusal
from cobogo.answer.sql.parse import parse
from cobogo.answer.sql.scope import NameScope
from cobogo.answer.sql.sources import NamedSelection, join_selections, parse_total
from cobogo.errors import QueryRefused
from cobogo.floor.language import tr
from cobogo.floor.untrusted import shorten
from cobogo.promises.accounting import Amount, PrivacyLoss, exact_amount, loss_of, to_rho
from cobogo.promises.curator_file import DeclaredDataset, find_dataset
from cobogo.promises.declared_columns import Value
from cobogo.promises.ledger import Balance

if TYPE_CHECKING:
    from cobogo.answer.curator import Curator


class AnalystSession:
    """Everything that one analyst can do."""

    def __init__(self, curator: Curator, analyst: str) -> None:
        self.curator = curator
        self.analyst = analyst

    @property
    def datasets(self) -> dict[str, DeclaredDataset]:
        """The data sets that this analyst may ask about."""
        return self.curator.datasets_for(self.analyst)

    def sql(self, text: str, *, epsilon: Amount | None = None, rho: Amount | None = None, delta: Amount = 0) -> Answer:
        """Answer a question in SQL for a price."""
        query = parse(text, self.datasets, self.curator.public)
        loss = loss_of(epsilon, rho, delta, measure=self.curator.measure(query.dataset))
        return self.curator.answer(query, self.analyst, loss, text)

    def table(self, dataset: str) -> Chain:
        """Begin to chain a question about a data set."""
        return Chain(self, CuratorQuery(find_dataset(dataset, self.datasets, "table"), ()))

    def estimate(
        self,
        text: str,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount = 0,
        rows: int | None = None,
        confidence: float = 0.95,
    ) -> Explanation:
        """How a question in SQL would be computed for a price, and with which error. Nothing is spent or read."""
        query = parse(text, self.datasets, self.curator.public)
        return self.explain_query(query, epsilon=epsilon, rho=rho, delta=delta, rows=rows, confidence=confidence)

    def epsilon_for(
        self, text: str, error: Amount, *, delta: Amount = 0, rows: int | None = None, confidence: float = 0.95
    ) -> Fraction:
        """The ε (or ρ) at which no figure of a question has a larger error, with that confidence. Nothing is spent."""
        query = parse(text, self.datasets, self.curator.public)
        return self.price_query(query, error, delta=delta, rows=rows, confidence=confidence)

    def budget(self, dataset: str) -> Balance:
        """What this analyst has spent on a data set, and may still spend."""
        return self.curator.ledger.balance(find_dataset(dataset, self.datasets, "budget"), self.analyst)

    def explain_query(
        self,
        query: CuratorQuery,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount = 0,
        rows: int | None = None,
        confidence: float = 0.95,
    ) -> Explanation:
        """The same of a typed question."""
        loss = loss_of(epsilon, rho, delta, measure=self.curator.measure(query.dataset))
        return explain(plan(query, self.datasets[query.dataset]), loss, rows=rows, confidence=confidence)

    def price_query(
        self,
        query: CuratorQuery,
        error: Amount,
        *,
        delta: Amount = 0,
        rows: int | None = None,
        confidence: float = 0.95,
    ) -> Fraction:
        """The same of a typed question."""
        return find_price(
            plan(query, self.datasets[query.dataset]),
            error,
            measure=self.curator.measure(query.dataset),
            delta=exact_amount(delta, "delta", zero=True),
            confidence=confidence,
            rows=rows,
        ).amount


WHERE = tr("the chain")


def _read(text: str) -> exp.Expression:
    """Read a condition or an expression in the words of SQL."""
    check_text(text)
    try:
        return sqlglot.condition(text, dialect=QuestionDialect)  # type: ignore[return-value]
    except (SqlglotError, RecursionError, ValueError):
        raise refusal(tr("this expression cannot be read")) from None


@dataclass(frozen=True)
class Chain:
    """A question under construction. Every step returns a new one; nothing is computed before ``release``."""

    session: AnalystSession
    query: CuratorQuery

    def where(self, text: str) -> Chain:
        """Only rows for which a condition holds, in the words of SQL's WHERE."""
        found = parse_condition(_read(text), self._scope)
        both = found if self.query.where is None else Both(self.query.where, found)
        return self._change(where=both)

    def select(self, **derived: str) -> Chain:
        """With columns that are computed from others, ``select(decade="age // 10")``; before anything names them."""
        scope = self._scope
        for name, text in derived.items():
            if any(name.casefold() == known.casefold() for known in self._dataset.columns):
                raise QueryRefused(tr('a column "{name}" already exists', name=name), where=WHERE)
            scope.add(name, parse_expression(_read(text), scope))
        return self._change(derived=scope.derived)

    def union(self, other: Chain) -> Chain:
        """The distinct rows of both, with the columns that both have; the person is a part of a row."""
        return self._combine("union", other)

    def concat(self, other: Chain) -> Chain:
        """All rows of both, with the columns that both have."""
        return self._combine("concat", other)

    def intersect(self, other: Chain) -> Chain:
        """The distinct rows that are in both, by the columns that both have."""
        return self._combine("intersect", other)

    def except_(self, other: Chain) -> Chain:
        """The distinct rows that are not in the other, by the columns that both have."""
        return self._combine("except", other)

    def group_join(self, other: str | Chain, **totals: str) -> Chain:
        """With figures of each person's rows in another data set, ``group_join("visits", n="COUNT(*)")``; they are
        missing for a person who has none there."""
        right = self._selection(other)
        names = {right.dataset: {name: name for name in right.declared.columns}}
        scope = NameScope(right.declared, names)
        figures = tuple(parse_total(name, _read(text), scope) for name, text in totals.items())
        if not figures:
            raise QueryRefused(
                tr("group_join needs one figure or more"),
                where=WHERE,
                remedy=tr('Write it as in: group_join("visits", n="COUNT(*)").'),
            )
        return self._join_by_person("left join", replace(right, columns=(), totals=figures))

    def join(self, other: str | Chain) -> Chain:
        """With the columns of a public table, by its key; or with those of another data set, by person: the pairs of
        each person's rows. Before anything that names them."""
        tables = {name.casefold() for name in self.session.curator.public}
        if isinstance(other, str) and other.casefold() in tables:
            return self._look_up(other)
        return self._join_by_person("join", self._selection(other))

    def _join_by_person(self, kind: CombinedKind, right: Selection) -> Chain:
        left = self._selection(self)
        combined, _ = join_selections(NamedSelection(left, left.dataset), NamedSelection(right, right.dataset), kind)
        return Chain(self.session, CuratorQuery(left.dataset, (), combined=combined))

    def _combine(self, kind: CombinedKind, other: Chain) -> Chain:
        left, right = self._selection(self), self._selection(other)
        known = {name.casefold(): name for name in right.declared.columns}
        both = [(name, known[name.casefold()]) for name, _ in left.columns if name.casefold() in known]
        one = replace(left, columns=tuple((name, name) for name, _ in both))
        two = replace(right, columns=tuple(both))
        return Chain(self.session, CuratorQuery(left.dataset, (), combined=combine(kind, one, two)))

    def _selection(self, other: str | Chain) -> Selection:
        """The rows of a data set that a chain has chosen so far."""
        query = self.session.table(other).query if isinstance(other, str) else other.query
        if query != CuratorQuery(query.dataset, (), where=query.where):
            raise QueryRefused(
                tr("data sets must be combined first: only where may come before"),
                where=WHERE,
                remedy=tr("Call join(…) or union(…) first, then select, group_by and the figures."),
            )
        declared = self.session.datasets[query.dataset]
        return Selection(query.dataset, declared, tuple((name, name) for name in declared.columns), query.where)

    def _look_up(self, public: str) -> Chain:
        if self.query.lookup is not None or self.query.part is not None:
            raise QueryRefused(
                tr("a question has at most one join, and the join comes before a partition"),
                where=WHERE,
                remedy=tr("Call join(…) once, first of all."),
            )
        found = plan_join(public, None, self._dataset, self.session.curator.public, where=WHERE)
        return self._change(lookup=found)

    def group_by(self, *names: str) -> Chain:
        """An answer for each group."""
        scope = self._scope
        found = tuple(self._find(name, scope) for name in names)
        if not found or len(set(found)) < len(found) or self.query.keys:
            raise QueryRefused(
                tr("group_by needs one column or more, each of them once"),
                where=WHERE,
                remedy=tr("Name all columns in one call: group_by(…, …)."),
            )
        return self._change(keys=found, derived=scope.derived)

    def count(self, column: str | None = None) -> Chain:
        """How many rows, or rows with a value of a column."""
        return self._add_aggregate("count", column)

    def people(self) -> Chain:
        """How many people."""
        return self._add_aggregate("people", None)

    def count_distinct(self, column: str) -> Chain:
        """How many values of a column."""
        return self._add_aggregate("count_distinct", column)

    def sum(self, column: str) -> Chain:
        """The sum of a column."""
        return self._add_aggregate("sum", column)

    def mean(self, column: str) -> Chain:
        """The mean of a column."""
        return self._add_aggregate("mean", column)

    def variance(self, column: str) -> Chain:
        """The variance of a column."""
        return self._add_aggregate("variance", column)

    def median(self, column: str) -> Chain:
        """The median of a column."""
        return self.quantile(column, Fraction(1, 2))

    def quantile(self, column: str, share: Amount) -> Chain:
        """The value below which a share of the rows lies."""
        return self._add_aggregate("quantile", column, exact_amount(share, "share"))

    def release(self, *, epsilon: Amount | None = None, rho: Amount | None = None, delta: Amount = 0) -> Answer:
        """Ask, for a price."""
        self._check()
        loss = loss_of(epsilon, rho, delta, measure=self._measure)
        return self.session.curator.answer(self.query, self.session.analyst, loss, self._text())

    def estimate(self, *, rows: int | None = None, confidence: float = 0.95, **budget: Any) -> Explanation:
        """How far off the answer would be for a price (``epsilon=``, ``rho=``, ``delta=``), without asking."""
        self._check()
        return self.session.explain_query(self.query, rows=rows, confidence=confidence, **budget)

    def epsilon_for(self, error: Amount, **options: Any) -> Fraction:
        """The price at which no figure is farther off than ``error``, as a rule, without asking."""
        self._check()
        return self.session.price_query(self.query, error, **options)

    def partition(self, column: str) -> QueryPartition:
        """The parts of the rows so far by a column with public keys, to ask each something else."""
        found = self._dataset.find_column(column, quoted=False, where=WHERE)
        declared = self._dataset.columns[found]
        if declared.public_keys is None or declared.edges is not None:
            raise QueryRefused(
                tr('the keys of "{found}" are not public', found=found),
                where=WHERE,
                remedy=tr("Partition by a column with declared keys."),
            )
        if self.query.keys or self.query.aggregates or self.query.part:
            raise QueryRefused(
                tr("a partition comes before the groups and figures of its parts"),
                where=WHERE,
                remedy=tr("Call partition(…) first, and ask for groups and figures in each part."),
            )
        return QueryPartition(self, found, declared.public_keys)

    def noisy_max(self, *, epsilon: Amount | None = None, rho: Amount | None = None, by: str | None = None) -> Key:
        """The public group with the most rows, or the largest sum of a column."""
        return self.top_k(1, epsilon=epsilon, rho=rho, by=by)[0]

    def top_k(
        self, k: int, *, epsilon: Amount | None = None, rho: Amount | None = None, by: str | None = None
    ) -> list[Key]:
        """The k public groups with the most rows, or the largest sums of a column, the largest first."""
        return self._choose(k, by, self._price(epsilon, rho), exponential=False)

    def choose(self, *, epsilon: Amount | None = None, rho: Amount | None = None, by: str | None = None) -> Key:
        """The same as `noisy_max` by the exponential mechanism."""
        return self._choose(1, by, self._price(epsilon, rho), exponential=True)[0]

    def shortfall(
        self,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        by: str | None = None,
        k: int = 1,
        exponential: bool = False,
        confidence: float = 0.95,
    ) -> float:
        """How far below the largest the group of `noisy_max` may be (`top_k` with ``k``, `choose` with
        ``exponential``), in rows or the column's units, from declarations alone. Nothing is spent or read."""
        if not 0 < confidence < 1:
            raise QueryRefused(
                tr("must be between 0 and 1. Got {value} instead", value=shorten(confidence)),
                where="confidence",
                remedy=tr("Write 0.95 for 95 % confidence."),
            )
        query = self._add_score(by).query
        planned = plan(query, self.session.datasets[query.dataset])
        return plan_choice(planned, self._price(epsilon, rho), k=k, exponential=exponential).shortfall(confidence)

    def _add_score(self, by: str | None) -> Chain:
        if self.query.aggregates:
            raise QueryRefused(
                tr("a choice names a group and gives no figures"), where=WHERE, remedy=tr("Leave the figures out.")
            )
        return self.count() if by is None else self.sum(by)

    def _price(self, epsilon: Amount | None, rho: Amount | None) -> PrivacyLoss:
        """A choice is of pure ε: a book in ρ charges ε²/2 for it, which its analyst may say in either measure."""
        if self._measure == "rho" and rho is None and epsilon is not None:
            return to_rho(loss_of(epsilon))
        return loss_of(epsilon, rho, 0, measure=self._measure)

    def _choose(self, k: int, by: str | None, loss: PrivacyLoss, *, exponential: bool) -> list[Key]:
        asked = self._add_score(by)
        text = f"{'exponential choice' if exponential else f'noisy top {shorten(k)}'} by {asked._text()}"
        return self.session.curator.choose(asked.query, self.session.analyst, loss, text, k=k, exponential=exponential)

    def _add_aggregate(self, kind: Kind, column: str | None, share: Fraction | None = None) -> Chain:
        scope = self._scope
        found = None if column is None else self._find(column, scope)
        asked = QueryAggregate(kind, found, default_name(kind, found, share), share)
        aggregates = tuple(dict.fromkeys([*self.query.aggregates, asked]))
        return self._change(aggregates=aggregates, derived=scope.derived)

    def _find(self, text: str, scope: NameScope) -> str:
        """A column by its name, or one that is computed: ``"income * 2"``."""
        for known in self._dataset.columns:
            if known.casefold() == text.casefold():
                return known
        node = _read(text)
        if isinstance(node, exp.Column):
            return self._dataset.find_column(text, quoted=False, where=WHERE)
        return find_column(node, scope)

    def _check(self) -> None:
        if not self.query.aggregates:
            raise QueryRefused(
                tr("nothing is asked for"), where=WHERE, remedy=tr("Add count(), sum(…), mean(…) or another figure.")
            )
        names = [name.casefold() for name, _ in self.query.outputs]
        if len(set(names)) < len(names):
            raise QueryRefused(
                tr("two columns of the answer have the same name"),
                where=WHERE,
                remedy=tr("Ask in SQL, and give them names with AS."),
            )

    def _text(self) -> str:
        asked = ", ".join(aggregate.name for aggregate in self.query.aggregates)
        keys = f" by {', '.join(self.query.keys)}" if self.query.keys else ""
        return f"{asked} of {self.query.dataset}{keys}" + (f" where {self.query.where}" if self.query.where else "")

    def _change(self, **changes: Any) -> Chain:
        return replace(self, query=replace(self.query, **changes))

    @property
    def _dataset(self) -> DeclaredDataset:
        return extend_dataset(self.query, self.session.datasets[self.query.dataset])

    @property
    def _scope(self) -> NameScope:
        """What names stand for here."""
        tables = {self.query.dataset: {name: name for name in self._dataset.columns}}
        for name in self._dataset.columns:
            for dataset in self.query.datasets:
                if name.startswith(f"{dataset}."):
                    tables.setdefault(dataset, {})[name.removeprefix(f"{dataset}.")] = name
        return NameScope(self._dataset, tables, self.query.derived)

    @property
    def _measure(self) -> str:
        return self.session.curator.measure(self.query.dataset)


@dataclass(frozen=True)
class QueryPartition:
    """Parts of a data set that are asked different things for one price (parallel composition).

    Where a person lies in one part (a ``constant`` column), every part gets all of the price; else what is left of it
    when it is paid for each of the parts that a person counts in.
    """

    base: Chain
    column: str
    keys: tuple[Value, ...]

    def release(
        self,
        asked: Mapping[Value, Callable[[Chain], Chain]],
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount = 0,
    ) -> dict[Value, Answer]:
        """An answer for each part: ``release({"Crato": lambda part: part.count(), …}, epsilon=1)``."""
        session, query = self.base.session, self.base.query
        unknown = [key for key in asked if key not in self.keys]
        if unknown or not asked:
            raise QueryRefused(
                tr('every part must be a public key of "{column}", and there must be at least one', column=self.column),
                where=WHERE,
                remedy=tr("Public keys: {keys}.", keys=shorten(", ".join(map(str, self.keys)))),
            )
        queries = []
        for key, build in asked.items():
            part = QueryPart(self.column, tuple(asked), key, query.where)
            chain = build(Chain(session, replace(query, where=None, part=part)))
            if chain.query.part != part or chain.query.dataset != query.dataset:
                raise QueryRefused(
                    tr("the question for a part must begin with that part"),
                    where=WHERE,
                    remedy=tr("Write it as in: lambda part: part.count()."),
                )
            chain._check()
            queries.append(chain.query)
        loss = loss_of(epsilon, rho, delta, measure=session.curator.measure(query.dataset))
        text = f"{len(queries)} parts by {self.column} of {query.dataset}"
        return dict(zip(asked, session.curator.answer_parts(queries, session.analyst, loss, text), strict=True))
