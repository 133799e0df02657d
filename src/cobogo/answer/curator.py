"""The curator: keeps the data and the ledger, and answers questions.

Analysts get a session. A question is read, checked and priced first. Its price is on disk before the engine reads a
row. From then on every outcome costs the same, and every failure has the same message.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cobogo.answer.measure import add_noise, build_answer, measure, statements
from cobogo.answer.noise import choose_noise, plan_choice
from cobogo.answer.plan import Exact, Key, QueryPlan, plan
from cobogo.answer.public import PublicTable, load_public_table
from cobogo.answer.query import CuratorQuery
from cobogo.answer.result import Answer
from cobogo.answer.session import AnalystSession
from cobogo.answer.sql.combined import SqlSource
from cobogo.answer.sql.dialects import dialect_of
from cobogo.data.engines.engine import Engine, connect
from cobogo.data.policy.complaints import explain_error
from cobogo.data.table.read import Table, read, table_in
from cobogo.errors import CobogoError, DataError, NoAnswer, PolicyError, QueryRefused
from cobogo.floor.language import tr
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.curator_file import (
    Budget,
    CuratorPolicy,
    DeclaredDataset,
    PublicTablePolicy,
    find_dataset,
    open_book,
)
from cobogo.promises.ledger import Balance, Ledger
from cobogo.promises.ledger.ledger import check_name


class RegisteredDataset:
    """A data set: its declaration, the analysts who may ask, and its rows once they were opened.

    ``analysts``: None where no file says who may ask, and the ledger's grants alone decide.
    """

    def __init__(
        self, declared: DeclaredDataset, data: Any, engine: str | None, analysts: set[str] | None = None
    ) -> None:
        self.declared, self.data, self.url, self.analysts = declared, data, engine, analysts
        self.lock = threading.Lock()
        self._opened: tuple[Engine, SqlSource] | None = None
        self._seen: dict[str, str] = {}

    @contextmanager
    def open_rows(self) -> Iterator[tuple[Engine, SqlSource]]:
        """Open the rows for a block: the engine, and what to select from. All statements of a block see the same rows.

        An engine answers one question at a time. One that was lost since the last question is opened again, and so is a
        table whose columns have changed.
        """
        with self.lock:
            if self._opened is None or not self._opened[0].alive() or self._types(self._opened[0]) != self._seen:
                self._opened = None
                self._opened = self._open()
            with self._opened[0].snapshot():
                yield self._opened

    def measure(self, plan: QueryPlan, salt: int | None = None) -> Exact:
        """The exact figures of a plan, to which noise is added."""
        with self.open_rows() as (engine, source):
            return measure(plan, statements(plan, source, engine, salt), engine)

    def _open(self) -> tuple[Engine, SqlSource]:
        """Open the table in an engine of its own."""
        engine = connect(self.url)
        source = self.open_in(engine)
        self._seen = self._types(engine)
        engine.rest()
        return engine, source

    def open_in(self, engine: Engine, *, beside: bool = False) -> SqlSource:
        """Open the table in an engine, ``beside`` others; the declared columns must exist, with types that fit."""
        table = self._table(engine)
        engine.check_texts()
        kinds = dict(table.expression.schema().items())
        for name in [*([self.declared.unit] if self.declared.unit else []), *self.declared.columns]:
            if name not in kinds:
                raise DataError(
                    tr('there is no column "{name}", although it is declared', name=name),
                    where=table.name,
                    remedy=tr("Correct the declared name, or add the column to the data."),
                )
        dialect, unit = dialect_of(engine.language), self.declared.unit
        for name, column in self.declared.columns.items():
            dialect.cast_column(name, column, kinds[name], self.declared.decimal)
        if unit is not None:
            dialect.cast_unit(unit, kinds[unit])
        copied = beside and self.declared.table is None  # an engine may call every table that it reads the same
        self._rows = engine.materialize(table.expression) if copied else table.expression
        return SqlSource(engine.statement(self._rows), kinds)

    def _types(self, engine: Engine) -> dict[str, str]:
        return {} if self.declared.table is None else engine.types(self.declared.table)

    def _table(self, engine: Engine) -> Table:
        if self.declared.table is not None:
            return table_in(engine, self.declared.table, self.declared, tr("table {table}", table=self.declared.table))
        return read(self.data, self.declared, engine)


class DatasetPair(RegisteredDataset):
    """Two data sets in one engine, for questions that combine them."""

    def __init__(self, one: RegisteredDataset, name: str, other: RegisteredDataset) -> None:
        super().__init__(one.declared, one.data, one.url)
        self._name = name
        self._other = RegisteredDataset(other.declared, other.data, other.url)

    def _types(self, engine: Engine) -> dict[str, str]:
        found = {f"{self._name} {name}": kind for name, kind in self._other._types(engine).items()}
        return {**super()._types(engine), **found}

    def open_in(self, engine: Engine, *, beside: bool = True) -> SqlSource:
        """Open both."""
        source = super().open_in(engine, beside=beside)
        return replace(source, others={self._name: self._other.open_in(engine, beside=beside)})


def public_tables(rules: CuratorPolicy) -> dict[str, PublicTable]:
    """The public tables that a file declares."""
    return {
        name: load_public_table(name, rules.resolve(declared.path or ""), declared)
        for name, declared in rules.public.items()
    }


class Curator:
    """Answers questions about data sets with differential privacy.

    ``engine`` is the URL of an engine (DuckDB in memory if not given); ``ledger`` a `Ledger`, or its path or URL.
    """

    def __init__(self, engine: str | None = None, ledger: Ledger | str | Path = "ledger.db") -> None:
        self._url = engine
        self.ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
        self._registered: dict[str, RegisteredDataset] = {}
        self._pairs: dict[tuple[str, ...], DatasetPair] = {}
        self.public: dict[str, PublicTable] = {}

    @classmethod
    def load(cls, policy: str | Path | CuratorPolicy, engine: str | None = None) -> Curator:
        """A curator as a file declares it: its data sets, their budgets and what analysts may spend."""
        rules = policy if isinstance(policy, CuratorPolicy) else CuratorPolicy.load(policy)
        curator = cls(engine, rules.open_ledger())
        for name, declared in rules.datasets.items():
            data, url = rules.place_of(name)
            curator._add(name, declared, data, url, set(declared.analysts))
        curator.public.update(public_tables(rules))
        return curator

    def register_public(self, name: str, data: Any, *, key: str, columns: Sequence[str], **options: Any) -> None:
        """Let questions join a public table: its ``columns``, as texts, by its ``key``."""
        try:
            declared = PublicTablePolicy.model_validate({"key": key, "columns": tuple(columns), **options})
        except ValidationError as error:
            raise explain_error(error, name, PublicTablePolicy) from None
        self.public[name] = load_public_table(name, data, declared)

    def register(
        self,
        name: str,
        data: Any = None,
        *,
        columns: Mapping[str, Mapping[str, Any]],
        budget: Mapping[str, Any],
        **declared: Any,
    ) -> None:
        """Declare a data set: a path or a frame, or ``table=`` for one in the engine's database.

        ``declared`` are the other keys of a data set in the curator's file: unit, max_groups, max_rows, separator, ….
        """
        content = {key.replace("_", "-"): value for key, value in declared.items() if value is not None}
        try:
            found = DeclaredDataset.model_validate({**content, "columns": dict(columns), "budget": dict(budget)})
        except ValidationError as error:
            raise explain_error(error, name, DeclaredDataset) from None
        if (data is None) == (found.table is None):
            raise PolicyError(
                tr("give either the data or the name of a table"),
                where=name,
                remedy=tr('Pass a path or a frame as the data, or name a table of the database with table="…".'),
            )
        self._add(name, found, data, found.engine, set(found.analysts) or None)

    def _add(self, name: str, declared: DeclaredDataset, data: Any, url: str | None, analysts: set[str] | None) -> None:
        if any(known.casefold() == name.casefold() for known in self._registered):
            raise PolicyError(
                tr("a data set of this name is already registered"), where=name, remedy=tr("Choose another name.")
            )
        open_book(self.ledger, name, declared, analysts)
        self._registered[name] = RegisteredDataset(declared, data, url or self._url, analysts)

    def grant(self, dataset: str, analyst: str, **budget: Any) -> None:
        """Let an analyst spend ``epsilon=`` (or ``rho=``) and ``delta=`` on a data set, in all."""
        try:
            found = Budget.model_validate(budget)
        except ValidationError as error:
            raise explain_error(error, f"{dataset}, {analyst}", Budget) from None
        name = find_dataset(dataset, self.datasets, "grant")
        self.ledger.grant(name, analyst, found.loss())
        analysts = self._registered[name].analysts
        if analysts is not None:
            analysts.add(analyst)

    def session(self, analyst: str) -> AnalystSession:
        """Everything that an analyst can do."""
        check_name(analyst)
        return AnalystSession(self, analyst)

    @property
    def datasets(self) -> dict[str, DeclaredDataset]:
        """The declarations, by name. They are public."""
        return {name: dataset.declared for name, dataset in self._registered.items()}

    def check(self) -> None:
        """Open every data set as a question would; an error says why the first one cannot be opened. For the data
        holder only, who may know where the rows are."""
        for dataset in self._registered.values():
            with dataset.open_rows():
                pass

    def datasets_for(self, analyst: str) -> dict[str, DeclaredDataset]:
        """The declarations of the data sets that an analyst may ask about. Others do not exist for the analyst."""
        return {
            name: dataset.declared
            for name, dataset in self._registered.items()
            if dataset.analysts is None or analyst in dataset.analysts
        }

    def measure(self, dataset: str) -> str:
        """What the book of a data set counts in."""
        return self._registered[dataset].declared.budget.loss().measure

    def answer(self, query: CuratorQuery, analyst: str, loss: PrivacyLoss, question: str) -> Answer:
        """Check a question, debit its price, compute the figures, add noise."""
        chosen = choose_noise(plan(query, self._dataset_of(query, analyst).declared), loss)
        left, (exact,) = self._pay_and_measure([chosen.plan], analyst, loss, question)
        with _hide_cause():
            return build_answer(add_noise(exact, chosen), chosen, loss, left)

    def answer_parts(
        self, queries: Sequence[CuratorQuery], analyst: str, loss: PrivacyLoss, question: str
    ) -> list[Answer]:
        """Answer a question for each part of a partition. Where a person can be in several parts, they share the
        price."""
        declared = self._dataset_of(queries[0], analyst).declared
        plans = [plan(query, declared) for query in queries]
        times = plans[0].parts_of_a_person
        share = PrivacyLoss(loss.measure, loss.amount / times, loss.delta / times)
        chosen = [choose_noise(one, share) for one in plans]
        left, found = self._pay_and_measure(plans, analyst, loss, question)
        with _hide_cause():
            return [
                build_answer(add_noise(exact, one), one, share, left) for exact, one in zip(found, chosen, strict=True)
            ]

    def choose(
        self,
        query: CuratorQuery,
        analyst: str,
        loss: PrivacyLoss,
        question: str,
        *,
        k: int = 1,
        exponential: bool = False,
    ) -> list[Key]:
        """Check, debit, compute, and choose the public groups that are the largest by the query's one figure."""
        declared = self._dataset_of(query, analyst).declared
        choice = plan_choice(plan(query, declared), loss, k=k, exponential=exponential)
        _, (exact,) = self._pay_and_measure([choice.plan], analyst, loss, question)
        with _hide_cause():
            return choice.release(exact)

    def _dataset_of(self, query: CuratorQuery, analyst: str) -> RegisteredDataset:
        """The data set of a question, if the analyst may ask about it."""
        first, *_ = (find_dataset(name, self.datasets_for(analyst), tr("the question")) for name in query.datasets)
        if len({self._registered[name].url for name in query.datasets}) > 1:
            raise QueryRefused(
                tr("the tables of the question are in different databases"),
                where=tr("the question"),
                remedy=tr("Ask the data holder to copy them into one."),
            )
        return self._registered[first]

    def _pay_and_measure(
        self, plans: Sequence[QueryPlan], analyst: str, loss: PrivacyLoss, question: str
    ) -> tuple[Balance, list[Exact]]:
        """Debit the price, then compute the exact figures of plans with one salt.

        Before the debit the rows are opened and every statement is written; after it all failures look the same.
        """
        datasets, salt = plans[0].query.datasets, secrets.randbits(62)
        with self._open_rows(datasets) as (engine, source):
            written = [statements(one, source, engine, salt) for one in plans]
            left = self.ledger.debit_all(datasets, analyst, loss, question)[0]
            with _hide_cause():
                return left, [measure(one, its, engine) for one, its in zip(plans, written, strict=True)]

    @contextmanager
    def _open_rows(self, datasets: tuple[str, ...]) -> Iterator[tuple[Engine, SqlSource]]:
        """Open the rows of data sets. Why they cannot be read is for the data holder to know, not for the analyst."""
        with ExitStack() as stack:
            try:
                opened = stack.enter_context(self._rows_of(datasets).open_rows())
            except Exception as error:
                raise DataError(
                    tr("its rows cannot be read now; nothing was spent"),
                    where=", ".join(datasets),
                    remedy=tr("The data holder can find out why with `cobogo answer check`."),
                ) from (error if isinstance(error, CobogoError) else None)
            yield opened

    def _rows_of(self, datasets: tuple[str, ...]) -> RegisteredDataset:
        first, *others = datasets
        if not others:
            return self._registered[first]
        if datasets not in self._pairs:
            self._pairs[datasets] = DatasetPair(self._registered[first], others[0], self._registered[others[0]])
        return self._pairs[datasets]


@contextmanager
def _hide_cause() -> Iterator[None]:
    """Give all failures of a block the same message: after the debit a failure may depend on somebody's data."""
    try:
        yield
    except Exception:
        raise NoAnswer(
            tr("the question could not be answered, and what it cost stays spent"),
            remedy=tr("Ask another question. The reason is not shown, because it may depend on a person's data."),
        ) from None
