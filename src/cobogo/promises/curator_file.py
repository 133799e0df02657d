"""The curator's file: everything that the data holder declares. Nothing is read off the data.

It declares data sets (where the rows are, whose they are, how much of them one person can be, what may be spent),
public tables, and the ledger of what was spent.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr, ValidationError, model_validator

from cobogo.data.policy.complaints import explain_error
from cobogo.data.policy.tables import Data
from cobogo.data.policy.toml_file import PolicyTable, read_toml
from cobogo.errors import PolicyError, QueryRefused
from cobogo.floor.language import nearest, tr
from cobogo.floor.urls import is_elsewhere, is_url, resolve_file
from cobogo.promises.accounting import LARGEST_LOSS, PrivacyLoss, exact_amount
from cobogo.promises.declared_columns import DeclaredColumn
from cobogo.promises.ledger import Ledger
from cobogo.promises.ledger.balance import Units

MOST_ROWS = 10**6


class Budget(PolicyTable):
    """An amount of privacy: ε (with or without δ), or ρ."""

    epsilon: Annotated[float, Field(gt=0, le=LARGEST_LOSS, allow_inf_nan=False)] | None = None
    rho: Annotated[float, Field(gt=0, le=LARGEST_LOSS, allow_inf_nan=False)] | None = None
    delta: Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)] = 0.0

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.epsilon is None) == (self.rho is None):
            raise ValueError("a budget is either epsilon or rho")
        return self

    def loss(self) -> PrivacyLoss:
        """The same as fractions."""
        delta = exact_amount(self.delta, "delta", zero=True)
        if self.rho is not None:
            return PrivacyLoss("rho", exact_amount(self.rho, "rho"), delta)
        return PrivacyLoss("epsilon", exact_amount(self.epsilon or 0, "epsilon"), delta)


class DeclaredDataset(Data):
    """A table about people that analysts may ask about.

    ``unit`` is the column that tells people apart; without it every row is somebody else's. One person is counted in at
    most ``max_groups`` groups of an answer, with at most ``max_rows`` rows in each.
    """

    max_groups: Annotated[int, Field(ge=1, le=MOST_ROWS, strict=True)] = 1
    max_rows: Annotated[int, Field(ge=1, le=MOST_ROWS, strict=True)] = 1
    columns: Annotated[dict[str, DeclaredColumn], Field(min_length=1)]
    budget: Budget
    analysts: Annotated[dict[str, Budget], Field(default_factory=dict)]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        given = self.model_fields_set & {"max_groups", "max_rows"}
        if self.unit is None and given:
            raise ValueError("max-groups and max-rows bound a person's rows: name the unit that tells people apart")
        if self.unit is None and any(column.constant for column in self.columns.values()):
            raise ValueError("constant speaks of a person's rows: name the unit that tells people apart")
        if self.unit is not None and self.unit in self.columns:
            raise ValueError(f"the unit {self.unit!r} cannot be a column that analysts may name")
        folded = [name.casefold() for name in self.columns]
        if len(set(folded)) < len(folded):
            raise ValueError("two columns have names that differ only in case")
        for analyst, budget in self.analysts.items():
            if budget.loss().measure != self.budget.loss().measure:
                raise ValueError(f"the budget of {analyst!r} is not in the measure of the data set's budget")
        return self

    def find_column(self, name: str, *, quoted: bool, where: str) -> str:
        """The declared column that an analyst names; unquoted names may differ in case."""
        for known in self.columns:
            if known == name or (not quoted and known.casefold() == name.casefold()):
                return known
        known = ", ".join(self.columns)
        raise QueryRefused(
            tr('there is no column "{name}"', name=name),
            where=where,
            remedy=tr("Declared columns: {known}.", known=known),
        )

    def groups_of_a_person(self, keys: tuple[str, ...]) -> int:
        """In how many groups of these keys a person is counted at most."""
        if not keys or all(self.columns[key].constant for key in keys):
            return 1
        return self.max_groups


class PublicTablePolicy(Data):
    """A table that is no secret: ``key`` is a column of a data set, too; ``columns`` are what it adds, as texts."""

    key: str
    columns: Annotated[tuple[str, ...], Field(min_length=1)]
    table: None = None
    engine: None = None
    unit: None = None
    decimal: Literal["."] = "."


class CuratorPolicy(PolicyTable):
    """Data sets, public tables, and the ledger of what was spent.

    >>> age = {"type": "integer", "bounds": [0, 110]}
    >>> people = {"path": "people.csv", "budget": {"epsilon": 1}, "columns": {"age": age}}
    >>> policy = CuratorPolicy.of({"datasets": {"people": people}})
    >>> policy.datasets["people"].max_rows
    1
    """

    ledger: str = "ledger.db"
    seal: str | None = None  # the file of the ledger's key, where the ledger is in PostgreSQL or the file elsewhere
    datasets: Annotated[dict[str, DeclaredDataset], Field(min_length=1)]
    public: Annotated[dict[str, PublicTablePolicy], Field(default_factory=dict)]

    _home: Path = PrivateAttr(default_factory=Path)
    _name: str = PrivateAttr(default="curator.toml")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file; its paths are relative to it."""
        path = Path(path)
        return cls.of(read_toml(path, "curator"), home=path.parent, name=str(path))

    @classmethod
    def of(cls, content: Mapping[str, Any], *, home: str | Path = ".", name: str = "curator.toml") -> Self:
        """Validate a mapping with the structure of the file."""
        try:
            policy = cls.model_validate(content)
        except ValidationError as error:
            raise explain_error(error, name, cls) from None
        policy._home, policy._name = Path(home), name
        folded = [dataset.casefold() for dataset in policy.datasets]
        if len(set(folded)) < len(folded):
            raise PolicyError(
                tr("two data sets have names that differ only in case"),
                where=f"{name}, datasets",
                remedy=tr("Rename one of them."),
            )
        return policy

    def datasets_for(self, analyst: str) -> dict[str, DeclaredDataset]:
        """The data sets that an analyst may ask about."""
        return {name: dataset for name, dataset in self.datasets.items() if analyst in dataset.analysts}

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._name

    def resolve(self, path: str) -> Path:
        """A path of the file, from where the program runs."""
        return Path(path) if is_elsewhere(path) else self._home / Path(path).expanduser()

    def resolve_place(self, place: str) -> str:
        """A path or URL of the file, seen from where the program runs: files of databases are relative to the file,
        too."""
        if is_url(place):
            return resolve_file(place, lambda path: self.resolve(path).absolute())
        return str(self.resolve(place))

    def place_of(self, dataset: str) -> tuple[Path | None, str | None]:
        """Where the rows of a data set are: a file, or the URL of the engine that has its table."""
        declared = self.datasets[dataset]
        path, url = declared.path, declared.engine
        if path is not None and is_url(path):
            path, url = None, path
        if (path is None) == (declared.table is None):
            raise PolicyError(
                tr("names no data, or names both a file and a table"),
                where=f"{self.name}, datasets.{dataset}.path",
                remedy=tr("Give the path of a file, or a database's URL and a table."),
            )
        return None if path is None else self.resolve(path), url and self.resolve_place(url)

    def open_ledger(self) -> Ledger:
        """The ledger that the file names, with its seal."""
        return Ledger(self.resolve_place(self.ledger), seal=None if self.seal is None else self.resolve(self.seal))

    def open_books(self) -> Ledger:
        """The ledger, with the book of every data set open and what each analyst may spend granted."""
        ledger = self.open_ledger()
        for name, declared in self.datasets.items():
            self.place_of(name)
            open_book(ledger, name, declared, set(declared.analysts))
        return ledger


def open_book(ledger: Ledger, name: str, declared: DeclaredDataset, analysts: set[str] | None) -> None:
    """Open the book of a data set and grant its analysts what they may spend.

    Where ``analysts`` are named, earlier grants of others no longer hold: an analyst who was taken out of the file may
    neither ask nor pay.
    """
    ledger.open(name, declared.budget.loss())
    for analyst, budget in declared.analysts.items():
        ledger.grant(name, analyst, budget.loss())
    if analysts is None:
        return
    for balance in ledger.balances(name):
        if balance.analyst is not None and balance.analyst not in analysts and balance.limit != Units(0, 0):
            ledger.grant(name, balance.analyst, Units(0, 0).loss(balance.measure))


def find_dataset(name: str, datasets: Mapping[str, DeclaredDataset], where: str) -> str:
    """The data set that an analyst names, in any case."""
    for known in datasets:
        if known.casefold() == name.casefold():
            return known
    raise QueryRefused(
        tr('there is no data set "{name}"', name=name),
        where=where,
        remedy=nearest(name, datasets, "cobogo answer budget"),
    )
