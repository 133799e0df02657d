"""The tables of a policy: data, attributes, privacy, recoding, utility, risk, output, report."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, Protocol, Self, get_args

from pydantic import AfterValidator, Field, PrivateAttr, field_validator, model_validator

from cobogo.data.policy.hierarchies import AnyHierarchy
from cobogo.data.policy.toml_file import PolicyTable, Separator
from cobogo.errors import InputError
from cobogo.floor.language import LANGUAGES, tr
from cobogo.floor.memory import bound_memory, parse_memory
from cobogo.floor.urls import remote_url


class Role(StrEnum):
    """What an attribute can give away."""

    IDENTIFIER = "identifier"  # names a person: never released
    QUASI_IDENTIFIER = "quasi-identifier"  # names a person together with others: recoded
    SENSITIVE = "sensitive"  # what must not be learnt about a person: released, protected by the models
    NON_SENSITIVE = "non-sensitive"  # released unchanged


def _without_credentials(place: str) -> str:
    """Refuse an address that carries credentials."""
    try:
        remote_url(place)
    except InputError as error:
        raise ValueError(error.what, error.remedy) from None
    return place


Place = Annotated[str, AfterValidator(_without_credentials)]
"""A path, the URL of a database, or an address in object storage."""


Formulas = Literal["kept", "neutralised"]
"""Whether cells that a spreadsheet would take for formulas have an apostrophe before them: see `table.formulas`."""


DataFormat = Literal[
    "csv", "parquet", "xlsx", "xls", "ods", "sav", "dta", "sas7bdat", "xpt", "jsonl", "arrow", "sqlite",
    "delta", "iceberg",
]  # fmt: skip
"""The kinds of files (see `table.formats`) and of tables of lakes (see `table.lakes`)."""

Encoding = Literal["auto", "utf-8", "utf-16", "cp1252", "latin-1"]

Labels = Literal["values", "codes", "hierarchy"]
"""What of a labelled code is the value: its label, itself, or itself with its label as the level above it."""


class Data(PolicyTable):
    """Where the table is and how to read it. What is left out of a CSV file's dialect is detected."""

    path: Place | None = None
    format: DataFormat | None = None
    sheet: str | None = None
    range: str | None = None
    table: str | None = None
    labels: Labels = "values"
    version: Annotated[int, Field(ge=0, strict=True)] | None = None
    engine: str | None = None
    separator: Separator = ","
    encoding: Encoding = "auto"
    decimal: Literal[".", ","] = "."
    missing: tuple[str, ...] = ("",)
    formulas: Formulas = "kept"
    unit: str | None = None

    _notes: tuple[str, ...] = PrivateAttr(default=())
    _copies: dict[str, Any] = PrivateAttr(default_factory=dict)  # of places that what is above was detected on

    @property
    def copies(self) -> dict[str, Any]:
        """Copies of places elsewhere on which keys were detected, for the reader that comes next."""
        return self._copies

    @property
    def notes(self) -> tuple[str, ...]:
        """What was detected where nothing was said, for people to read."""
        return self._notes

    def settle(self, notes: Sequence[str], **found: Any) -> Data:
        """The same with what was detected, and sentences about it."""
        settled = Data.model_validate({**self._given(), **found})
        settled._notes = (*self._notes, *notes)
        return settled

    @property
    def dialect(self) -> Data:
        """How another table is read that the policy names: as this one, but for where in which kind of file it is."""
        own = {"path", "format", "sheet", "range", "table", "version"}
        return Data.model_validate({key: value for key, value in self._given().items() if key not in own})

    def _given(self) -> dict[str, Any]:
        """The keys that the policy has."""
        return {key: getattr(self, key) for key in Data.model_fields if key in self.model_fields_set}


Normalization = Literal["trim", "case", "accents", "number"]
"""What of the writing of a value may not make it another one."""

NORMALIZATIONS: tuple[Normalization, ...] = get_args(Normalization)


class AttributePolicy(PolicyTable):
    """One column: its role and, for a quasi-identifier, how it may be recoded."""

    role: Role
    title: Annotated[str, Field(min_length=1, max_length=256)] | None = None  # what people call it, beside its name
    hierarchy: AnyHierarchy | None = None
    weight: Annotated[float, Field(gt=0, le=1e9, strict=True)] = 1.0
    min_level: Annotated[int, Field(ge=0, strict=True)] = 0
    max_level: Annotated[int, Field(ge=0, strict=True)] | None = None
    publish_unique: Annotated[bool, Field(strict=True)] = False
    publish_text: Annotated[bool, Field(strict=True)] = False
    aggregate: Literal["mean", "median", "mode", "ancestor", "range"] | None = None
    normalize: tuple[Normalization, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.role is not Role.QUASI_IDENTIFIER:
            given = self.model_fields_set & {"weight", "min_level", "max_level", "aggregate"}
            if given:
                names = ", ".join(sorted(name.replace("_", "-") for name in given))
                raise ValueError(
                    tr(
                        "only a quasi-identifier may have: {names}. The role here is {role}",
                        names=names,
                        role=self.role,
                    ),
                    tr("Leave it out, or change the role."),
                )
        if self.hierarchy is not None and self.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            raise ValueError(
                tr(
                    "only quasi-identifiers and sensitive attributes have a hierarchy. The role here is {role}",
                    role=self.role,
                ),
                tr("Leave the hierarchy out, or change the role."),
            )
        if self.max_level is not None and self.max_level < self.min_level:
            raise ValueError(
                tr("min-level {least} is above max-level {most}", least=self.min_level, most=self.max_level),
                tr("Exchange them, or leave one out."),
            )
        return self


class ModelObject(Protocol):
    """A model as an object: a policy keeps what its table would be in the file."""

    def as_table(self) -> dict[str, Any]:
        """Its name, as ``model``, and its parameters."""


def _as_table(model: Any) -> Any:
    """The table of a model that is an object; anything else, a class among it, is left to be judged."""
    is_object = hasattr(model, "as_table") and not isinstance(model, type)
    return model.as_table() if is_object else model


class Privacy(PolicyTable):
    """The models that must hold; each is a table with a ``model`` and its parameters."""

    models: Annotated[tuple[dict[str, Any], ...], Field(min_length=1)]

    @field_validator("models", mode="before")
    @classmethod
    def _as_tables(cls, models: Any) -> Any:
        if not isinstance(models, list | tuple):
            return models
        return tuple(_as_table(one) for one in models)

    @field_validator("models")
    @classmethod
    def _named(cls, models: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
        for entry in models:
            if not isinstance(entry.get("model", ""), str):
                raise ValueError(tr("a model is named by a text"), tr('For example: { model = "k-anonymity", k = 5 }.'))
        return models


class Recoding(PolicyTable):
    """How to look for a solution, and what to look for."""

    algorithm: str = "optimal"
    kind: Literal["full-domain", "subtree", "sibling", "value", "cell"] | None = None
    metric: str = "loss"
    suppression_limit: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)] = 0.0
    suppress: Literal["records", "sensitive"] = "records"
    marginals: tuple[Annotated[tuple[str, ...], Field(min_length=1)], ...] = ()
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)] | None = None
    label: str | None = None


def allowed_records(share: float, records: int) -> int:
    """How many of the records a suppression limit allows: floor(share · records), in exact decimal arithmetic.

    >>> allowed_records(0.29, 100)       # 0.29 * 100 is 28.999999999999996 in binary
    29
    """
    return int(Decimal(repr(share)) * records)


class Utility(PolicyTable):
    """What to measure on the finished release, against the original. The seed draws queries and held-out records."""

    queries: Annotated[int, Field(ge=1, le=100_000)] = 1000
    selectivity: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.05
    label: str | None = None
    seed: Annotated[int, Field(ge=0)] = 0


class RiskPolicy(PolicyTable):
    """What is known of the people that the data were drawn from, and which risk is too high."""

    threshold: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)] = 0.2
    population: str | None = None
    population_size: Annotated[int, Field(ge=1, strict=True)] | None = None
    fraction: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if sum(given is not None for given in (self.population, self.population_size, self.fraction)) > 1:
            raise ValueError(
                tr("population, population-size and fraction are three ways to say the same"), tr("Give one of them.")
            )
        return self


OutputFormat = Literal["csv", "parquet", "xlsx", "sav", "dta", "table", "delta", "iceberg"]

LAKES = ("delta", "iceberg")
"""Formats of releases that are tables of a lake."""

TABLES = ("table", *LAKES)
"""Formats of releases that are tables somewhere else, and no files of the release directory."""


class Output(PolicyTable):
    """Where and how the release is written."""

    directory: Place | None = None
    evidence: str | None = None
    format: OutputFormat = "csv"
    table: Place | None = None
    suppressed: Literal["drop", "star", "star-all"] = "drop"
    formulas: Formulas = "kept"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.formulas == "neutralised" and self.format != "csv":
            raise ValueError(
                tr('formulas = "neutralised" is only for format = "csv"'), tr('Leave it out, or write format = "csv".')
            )
        if (self.format in TABLES) != (self.table is not None):
            raise ValueError(
                tr('format = "table", "delta" or "iceberg" and table = "its name" go together'),
                tr("Give both, or neither of them."),
            )
        return self


class EnginePolicy(PolicyTable):
    """What the work may take. Of a policy's bound and the command line's the lower one holds."""

    memory: str | None = None

    @field_validator("memory", mode="before")
    @classmethod
    def _is_an_amount(cls, memory: Any) -> Any:
        if memory is not None:
            parse_memory(str(memory))
        return memory

    def apply(self) -> None:
        """Bound the memory of this process."""
        bound_memory(None if self.memory is None else parse_memory(self.memory))


class RegistryPolicy(PolicyTable):
    """The registry that a release is recorded in and checked against, and what it must keep to besides.

    ``path`` is a file, or the URL of a PostgreSQL database.
    """

    path: str
    dataset: str
    key: str | None = None
    base: Literal["previous", "quasi-identifiers", "m-invariance"] | None = None


class Responsibility(PolicyTable):
    """Who answers for a release, and why it is made: for the page that is signed. It stays in the evidence."""

    controller: str | None = None
    officer: str | None = None
    purpose: str | None = None
    legal_basis: str | None = None
    recipients: tuple[str, ...] = ()
    retention: str | None = None
    signatories: tuple[str, ...] = ()


class ReportPolicy(PolicyTable):
    """How the report speaks and what it draws."""

    language: Literal[LANGUAGES] = "en"  # type: ignore[valid-type]
    largest_classes: Annotated[int, Field(ge=1, le=100, strict=True)] = 10
