"""The curator's file: a TOML file with everything that the data holder declares."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, PrivateAttr, ValidationError

from cobogo.answer.metadata.datasets import Dataset
from cobogo.answer.metadata.public_tables import PublicTablePolicy
from cobogo.data.policy.part import Part
from cobogo.data.policy.readable import readable
from cobogo.data.policy.toml_file import read_toml
from cobogo.errors import PolicyError
from cobogo.floor.urls import is_url


class CuratorPolicy(Part):
    """Data sets, public tables, and the ledger of what was spent.

    >>> age = {"type": "integer", "bounds": [0, 110]}
    >>> people = {"path": "people.csv", "budget": {"epsilon": 1}, "columns": {"age": age}}
    >>> policy = CuratorPolicy.of({"datasets": {"people": people}})
    >>> policy.datasets["people"].max_rows
    1
    """

    ledger: str = "ledger.db"
    seal: str | None = None  # the file of the ledger's key, where the ledger is in PostgreSQL or the file elsewhere
    datasets: Annotated[dict[str, Dataset], Field(min_length=1)]
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
            raise readable(error, name, cls) from None
        policy._home, policy._name = Path(home), name
        folded = [dataset.casefold() for dataset in policy.datasets]
        if len(set(folded)) < len(folded):
            raise PolicyError("two data sets have names that differ only in case", where=f"{name}, datasets")
        return policy

    def open_to(self, analyst: str) -> dict[str, Dataset]:
        """The data sets that somebody may ask about."""
        return {name: dataset for name, dataset in self.datasets.items() if analyst in dataset.analysts}

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._name

    def resolve(self, path: str) -> Path:
        """A path of the file, from where the program runs."""
        return self._home / Path(path).expanduser()

    def located(self, place: str) -> str:
        """A path or URL of the file from where the program runs: files of databases are relative to it, too."""
        for kind in ("duckdb:///", "sqlite:///"):
            if place.startswith(kind):
                return f"{kind}{self.resolve(place.removeprefix(kind)).absolute()}"
        return place if is_url(place) else str(self.resolve(place))
