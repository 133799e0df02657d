"""The curator: holds the data and the books, and answers.

Analysts get a session. A question is read, checked and priced before anything else; the price is on disk before the
engine is asked; whatever happens after that costs the same and is told in the same words.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cobogo.dp.accounting import Loss
from cobogo.dp.answer import Answer
from cobogo.dp.choice import chosen_by
from cobogo.dp.ledger import Balance, Ledger
from cobogo.dp.metadata import Budget, CuratorPolicy, Dataset
from cobogo.dp.metadata.datasets import dataset_named
from cobogo.dp.metadata.public_tables import PublicTablePolicy
from cobogo.dp.noise import noises
from cobogo.dp.plan import Key, Plan, plan
from cobogo.dp.public import PublicTable, load_public
from cobogo.dp.query import Query
from cobogo.dp.release import Exact, answer, measured, with_noise
from cobogo.dp.session import Session
from cobogo.dp.sql.dialects import DIALECTS
from cobogo.dp.sql.emit import Source
from cobogo.errors import DataError, NoAnswer, PolicyError
from cobogo.policy.readable import readable
from cobogo.table.connect import connect, is_url
from cobogo.table.engine import Engine
from cobogo.table.read import Table, read, table_in


class Held:
    """A registered data set: its declaration, and its rows once they were opened."""

    def __init__(self, declared: Dataset, data: Any, engine: str | None) -> None:
        self.declared, self.data, self.url = declared, data, engine
        self.lock = threading.Lock()
        self._opened: tuple[Engine, Source] | None = None

    def opened(self) -> tuple[Engine, Source]:
        """The engine, and where the rows are in it; the declared columns must be there, of types that fit."""
        with self.lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def rows(self, plan: Plan, salt: int | None = None) -> Exact:
        """The exact figures of a plan, for noise. An engine answers one question at a time."""
        engine, source = self.opened()
        with self.lock:
            return measured(plan, source, engine, salt)

    def _open(self) -> tuple[Engine, Source]:
        table = self._table()
        kinds = dict(table.expression.schema().items())
        for name in [*([self.declared.unit] if self.declared.unit else []), *self.declared.columns]:
            if name not in kinds:
                raise DataError(f'has no column "{name}", which was declared', where=table.name)
        dialect = DIALECTS[table.engine.name]
        for name, column in self.declared.columns.items():
            dialect.typed(name, column, kinds[name], self.declared.decimal)
        return table.engine, Source(table.engine.connection.compile(table.expression), kinds)

    def _table(self) -> Table:
        engine = connect(self.url)
        if self.declared.table is not None:
            return table_in(engine, self.declared.table, self.declared, f"table {self.declared.table}")
        return read(self.data, self.declared, engine)


def public_tables(rules: CuratorPolicy) -> dict[str, PublicTable]:
    """The public tables that a file declares."""
    return {
        name: load_public(name, rules.resolve(declared.path or ""), declared) for name, declared in rules.public.items()
    }


class Curator:
    """Answers questions about data sets with differential privacy.

    ``engine`` is the URL of an engine (DuckDB in memory if not given); ``ledger`` a `Ledger`, or its path or URL.
    """

    def __init__(self, engine: str | None = None, ledger: Ledger | str | Path = "ledger.db") -> None:
        self._url = engine
        self.ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
        self._held: dict[str, Held] = {}
        self.public: dict[str, PublicTable] = {}

    @classmethod
    def load(cls, policy: str | Path | CuratorPolicy, engine: str | None = None) -> Curator:
        """A curator as a file declares it: its data sets, their budgets and what analysts may spend."""
        rules = policy if isinstance(policy, CuratorPolicy) else CuratorPolicy.load(policy)
        curator = cls(engine, rules.located(rules.ledger))
        for name, declared in rules.datasets.items():
            path, url = declared.path, declared.engine
            if path is not None and is_url(path):
                path, url = None, path
            if (path is None) == (declared.table is None):
                raise PolicyError(
                    "names no data, or two places of them",
                    where=f"{rules.name}, datasets.{name}.path",
                    remedy="Give the path of a file, or a database's URL and a table.",
                )
            curator._add(name, declared, None if path is None else rules.resolve(path), url and rules.located(url))
        curator.public.update(public_tables(rules))
        return curator

    def register_public(self, name: str, data: Any, *, key: str, columns: Sequence[str], **options: Any) -> None:
        """Let questions join a table that is no secret: ``columns`` of it, as texts, by its ``key``."""
        try:
            declared = PublicTablePolicy.model_validate({"key": key, "columns": tuple(columns), **options})
        except ValidationError as error:
            raise readable(error, name, PublicTablePolicy) from None
        self.public[name] = load_public(name, data, declared)

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
            found = Dataset.model_validate({**content, "columns": dict(columns), "budget": dict(budget)})
        except ValidationError as error:
            raise readable(error, name, Dataset) from None
        if (data is None) == (found.table is None):
            raise PolicyError("give either the data or the name of a table", where=name)
        self._add(name, found, data, found.engine)

    def _add(self, name: str, declared: Dataset, data: Any, url: str | None) -> None:
        if any(known.casefold() == name.casefold() for known in self._held):
            raise PolicyError("is registered already", where=name)
        self.ledger.open(name, declared.budget.loss())
        self._held[name] = Held(declared, data, url or self._url)
        for analyst, budget in declared.analysts.items():
            self.ledger.grant(name, analyst, budget.loss())

    def grant(self, dataset: str, analyst: str, **budget: Any) -> None:
        """Let an analyst spend ``epsilon=`` (or ``rho=``) and ``delta=`` on a data set, in all."""
        try:
            found = Budget.model_validate(budget)
        except ValidationError as error:
            raise readable(error, f"{dataset}, {analyst}", Budget) from None
        self.ledger.grant(dataset_named(dataset, self.datasets, "grant"), analyst, found.loss())

    def session(self, analyst: str) -> Session:
        """Everything that an analyst can do."""
        return Session(self, analyst)

    @property
    def datasets(self) -> dict[str, Dataset]:
        """The declarations, by name: they are no secret."""
        return {name: held.declared for name, held in self._held.items()}

    def measure(self, dataset: str) -> str:
        """What the book of a data set counts in."""
        return self._held[dataset].declared.budget.loss().measure

    def answer(self, query: Query, analyst: str, loss: Loss, question: str) -> Answer:
        """Check, debit, compute, add noise."""
        held = self._held[query.dataset]
        chosen = noises(plan(query, held.declared), loss)
        with self._paid(held, query, analyst, loss, question) as left:
            return answer(with_noise(held.rows(chosen.plan), chosen), chosen, loss, left)

    def answer_parts(self, queries: Sequence[Query], analyst: str, loss: Loss, question: str) -> list[Answer]:
        """The same of the parts of a partition, each for what is left of the cost where a person is in several."""
        held = self._held[queries[0].dataset]
        plans = [plan(query, held.declared) for query in queries]
        times = plans[0].parts_of_a_person
        share = Loss(loss.measure, loss.amount / times, loss.delta / times)
        chosen = [noises(one, share) for one in plans]
        salt = secrets.randbits(62)
        with self._paid(held, queries[0], analyst, loss, question) as left:
            return [answer(with_noise(held.rows(one.plan, salt), one), one, share, left) for one in chosen]

    def choose(
        self, query: Query, analyst: str, loss: Loss, question: str, *, k: int = 1, exponential: bool = False
    ) -> list[Key]:
        """Check, debit, compute, and tell which public groups are the largest by the query's one figure."""
        held = self._held[query.dataset]
        choice = chosen_by(plan(query, held.declared), loss, k=k, exponential=exponential)
        with self._paid(held, query, analyst, loss, question):
            return choice.release(held.rows(choice.plan))

    @contextmanager
    def _paid(self, held: Held, query: Query, analyst: str, loss: Loss, question: str) -> Iterator[Balance]:
        """A block that runs after the debit was committed, and whose failures all look the same."""
        held.opened()
        left = self.ledger.debit(query.dataset, analyst, loss, question)
        try:
            yield left
        except Exception:  # whatever it is, it may depend on somebody's data
            raise NoAnswer() from None
