"""The policy: everything about a job, as typed and validated values.

A policy is a TOML file or the same structure as a Python mapping. Names are those of the file, with hyphens.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from cobogo.errors import PolicyError, number_of


class Role(StrEnum):
    """What an attribute can give away."""

    IDENTIFIER = "identifier"  # names a person: never released
    QUASI_IDENTIFIER = "quasi-identifier"  # names a person together with others: recoded
    SENSITIVE = "sensitive"  # what must not be learnt about a person: released, protected by the models
    NON_SENSITIVE = "non-sensitive"  # released as it is


class Part(BaseModel):
    """A table of the policy: unknown keys are errors, names carry hyphens in the file."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        alias_generator=lambda name: name.replace("_", "-"),
        populate_by_name=True,
        str_strip_whitespace=False,
    )


def _separator(value: str) -> str:
    if not (len(value) == 1 and value.isascii() and not value.isalnum() and (value.isprintable() or value == "\t")):
        raise ValueError("must be one ASCII character that is neither a letter nor a digit")
    if value in "\"'\n\r":
        raise ValueError("must not be a quote or a line end")
    return value


Separator = Annotated[str, AfterValidator(_separator)]
"""What stands between the fields of a CSV file."""


class Data(Part):
    """Where the table is and how to read it."""

    path: str | None = None
    table: str | None = None
    engine: str | None = None
    separator: Separator = ","
    encoding: Literal["utf-8", "latin-1"] = "utf-8"
    decimal: Literal[".", ","] = "."
    missing: tuple[str, ...] = ("",)
    unit: str | None = None


class HierarchySpec(Part):
    """What every way to build a hierarchy shares: ``top = true`` adds a last level ``*``."""

    top: bool = False


class CsvHierarchy(HierarchySpec):
    """A file without header: column 0 the leaves, one column a level."""

    csv: str
    separator: Separator | None = None
    encoding: Literal["utf-8", "latin-1"] | None = None


class DatesHierarchy(HierarchySpec):
    """Dates in a strftime format, coarser formats as levels."""

    dates: str
    levels: Annotated[tuple[str, ...], Field(min_length=1)]


class IntervalsHierarchy(HierarchySpec):
    """Numbers in intervals of nested widths.

    Outside ``lower`` … ``upper`` a value is an error, unless ``open-ends`` makes the outermost intervals open.
    From level 1 up, values below ``bottom-code`` and from ``top-code`` on fall in one class each.
    """

    intervals: Annotated[tuple[float, ...], Field(min_length=1)]
    origin: float | None = None
    lower: float | None = None
    upper: float | None = None
    open_ends: bool = False
    bottom_code: float | None = None
    top_code: float | None = None
    decimal: Literal[".", ","] | None = None


class OrderingHierarchy(HierarchySpec):
    """Ordered categories, grouped in nested steps."""

    ordering: Annotated[tuple[str, ...], Field(min_length=1)]
    steps: Annotated[tuple[Annotated[int, Field(ge=2)], ...], Field(min_length=1)]


class MaskHierarchy(HierarchySpec):
    """Characters masked one by one from the right or the left, the last ``keep`` of them never."""

    mask: Literal["left", "right"]
    keep: Annotated[int, Field(ge=0)] = 0
    character: Annotated[str, Field(min_length=1, max_length=1)] = "*"


class PathHierarchy(HierarchySpec):
    """Places from the finest to the coarsest, joined by a separator: a/b/c → b/c → c."""

    path: Annotated[str, Field(min_length=1)]


class TreeHierarchy(HierarchySpec):
    """Nested tables whose innermost lists are the leaves."""

    tree: dict[str, Any]


BUILDERS: dict[str, type[HierarchySpec]] = {
    "csv": CsvHierarchy,
    "dates": DatesHierarchy,
    "intervals": IntervalsHierarchy,
    "ordering": OrderingHierarchy,
    "mask": MaskHierarchy,
    "path": PathHierarchy,
    "tree": TreeHierarchy,
}
"""The key that names each way to build a hierarchy."""


def _builder(value: Any) -> str | None:
    """Which way to build a hierarchy a table asks for: it has exactly one of the keys."""
    if isinstance(value, HierarchySpec):
        return next(key for key, spec in BUILDERS.items() if isinstance(value, spec))
    named = [key for key in BUILDERS if isinstance(value, Mapping) and key in value]
    return named[0] if len(named) == 1 else None


AnyHierarchy = Annotated[
    Annotated[CsvHierarchy, Tag("csv")]
    | Annotated[DatesHierarchy, Tag("dates")]
    | Annotated[IntervalsHierarchy, Tag("intervals")]
    | Annotated[OrderingHierarchy, Tag("ordering")]
    | Annotated[MaskHierarchy, Tag("mask")]
    | Annotated[PathHierarchy, Tag("path")]
    | Annotated[TreeHierarchy, Tag("tree")],
    Discriminator(
        _builder,
        custom_error_type="builder",
        custom_error_message=f"a hierarchy has exactly one of the keys {', '.join(BUILDERS)}",
    ),
]


class AttributePolicy(Part):
    """One column: its role and, for a quasi-identifier, how it may be recoded."""

    role: Role
    hierarchy: AnyHierarchy | None = None
    weight: Annotated[float, Field(gt=0, le=1e9, strict=True)] = 1.0
    min_level: Annotated[int, Field(ge=0, strict=True)] = 0
    max_level: Annotated[int, Field(ge=0, strict=True)] | None = None
    publish_unique: Annotated[bool, Field(strict=True)] = False
    aggregate: Literal["mean", "median", "mode", "ancestor"] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.role is not Role.QUASI_IDENTIFIER:
            given = self.model_fields_set & {"weight", "min_level", "max_level", "aggregate"}
            if given:
                names = ", ".join(sorted(name.replace("_", "-") for name in given))
                raise ValueError(f"{names} can be given for a quasi-identifier only; the role here is {self.role}")
        if self.hierarchy is not None and self.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            raise ValueError(
                f"a hierarchy has no use for the role {self.role}: quasi-identifiers are recoded by it, "
                "and sensitive attributes compared"
            )
        if self.max_level is not None and self.max_level < self.min_level:
            raise ValueError(f"min-level {self.min_level} is above max-level {self.max_level}")
        return self


class Privacy(Part):
    """The models that must hold; each is a table with a ``model`` and its parameters."""

    models: Annotated[tuple[dict[str, Any], ...], Field(min_length=1)]


class Recoding(Part):
    """How to look for a solution, and what to look for."""

    algorithm: str = "optimal"
    kind: Literal["full-domain", "subtree", "sibling", "cell"] | None = None
    metric: str = "loss"
    suppression_limit: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)] = 0.0
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)] | None = None
    label: str | None = None


class Utility(Part):
    """What to measure on the finished release, against the original. The seed draws queries and held-out records."""

    queries: Annotated[int, Field(ge=1, le=100_000)] = 1000
    selectivity: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.05
    label: str | None = None
    seed: Annotated[int, Field(ge=0)] = 0


class Output(Part):
    """Where and how the release is written."""

    directory: str | None = None
    format: Literal["csv", "parquet", "table"] = "csv"
    table: str | None = None
    suppressed: Literal["drop", "star"] = "drop"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.format == "table") != (self.table is not None):
            raise ValueError('format = "table" and table = "its name" go together')
        return self


class RegistryPolicy(Part):
    """The registry that a release is recorded in and checked against, and what it must keep to besides.

    ``path`` is a file, or the URL of a PostgreSQL database.
    """

    path: str
    dataset: str
    key: str | None = None
    base: Literal["previous", "quasi-identifiers", "m-invariance"] | None = None


class ReportPolicy(Part):
    """How the report speaks and what it draws."""

    language: Literal["en", "pt-BR"] = "en"
    largest_classes: Annotated[int, Field(ge=1, le=100, strict=True)] = 10


class Policy(Part):
    """A whole job.

    >>> policy = Policy.of({"data": {"path": "a.csv"}, "attributes": {"age": {"role": "quasi-identifier"}},
    ...                     "privacy": {"models": [{"model": "k-anonymity", "k": 2}]}})
    >>> policy.quasi_identifiers
    ('age',)
    """

    data: Data = Data()
    attributes: Annotated[dict[str, AttributePolicy], Field(min_length=1)]
    privacy: Privacy
    recoding: Recoding = Recoding()
    utility: Utility | None = None
    output: Output = Output()
    report: ReportPolicy = ReportPolicy()
    registry: RegistryPolicy | None = None

    _home: Path = PrivateAttr(default_factory=Path)
    _name: str = PrivateAttr(default="policy")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a TOML file; its paths are relative to it."""
        path = Path(path)
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            raise PolicyError("no such policy file", where=str(path), remedy="Check the path.") from None
        except IsADirectoryError:
            raise PolicyError("is a directory, not a policy file", where=str(path)) from None
        except UnicodeDecodeError as error:
            raise PolicyError(
                f"is not UTF-8 text (byte {error.start})", where=str(path), remedy="Save the policy as UTF-8."
            ) from None
        except OSError as error:
            raise PolicyError(f"cannot be read: {error.strerror}", where=str(path)) from None
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PolicyError(
                f"is not TOML: {error}",
                where=str(path),
                remedy="See the policy page of the documentation for an example.",
            ) from None
        return cls.of(content, home=path.parent, name=str(path))

    @classmethod
    def of(cls, content: Mapping[str, Any], *, home: str | Path = ".", name: str = "policy") -> Self:
        """Validate a mapping with the structure of the file. ``name`` is what error messages call it."""
        try:
            policy = cls.model_validate(content)
        except ValidationError as error:
            raise _readable(error, name) from None
        policy._home = Path(home)
        policy._name = name
        policy.check_label(policy.recoding.label, "recoding.label")
        policy.check_label(policy.utility.label if policy.utility else None, "utility.label")
        return policy

    @classmethod
    def given(cls, policy: str | Path | Mapping[str, Any] | Policy) -> Policy:
        """A policy in any of the forms that functions accept: a path, a mapping, or a policy."""
        if isinstance(policy, Policy):
            return policy
        if isinstance(policy, Mapping):
            return cls.of(policy)
        if isinstance(policy, str | Path):
            return cls.load(policy)
        raise PolicyError(f"a policy is a path, a mapping or a Policy. Got {type(policy).__name__} instead")

    @property
    def home(self) -> Path:
        """The directory that the policy's paths are relative to."""
        return self._home

    @property
    def name(self) -> str:
        """What error messages call this policy."""
        return self._name

    def resolve(self, path: str) -> Path:
        """A path of the policy, from where the program runs."""
        try:
            full = self._home / Path(path).expanduser()
            full.exists()
        except (ValueError, RuntimeError, OSError):
            raise PolicyError(f"{path!r} is no path", where=self._name) from None
        return full

    def located(self, url: str) -> str:
        """A URL of the policy from where the program runs: a database file's path is relative to the policy, too."""
        before, mark, path = url.partition("duckdb:///")
        return f"{mark}{self.resolve(path)}" if mark and not before else url

    def check_label(self, name: str | None, key: str) -> None:
        """A label is a column that is released as it is: sensitive or non-sensitive."""
        if name is not None and name not in self.with_role(Role.SENSITIVE) + self.with_role(Role.NON_SENSITIVE):
            role = f"whose role is {self.attributes[name].role}" if name in self.attributes else "which is no attribute"
            raise PolicyError(
                f"the label is {name!r}, {role}",
                where=f"{self.name}, {key}",
                remedy="Name a sensitive or non-sensitive attribute: a label is released as it is.",
            )

    def asked_utility(self, changes: Mapping[str, Any]) -> Utility:
        """The table ``[utility]`` with some of its keys given otherwise."""
        known = {} if self.utility is None else self.utility.model_dump()
        try:
            asked = Utility.model_validate({**known, **changes})
        except ValidationError as error:
            raise _readable(error, "utility") from None
        self.check_label(asked.label, "utility.label")
        return asked

    def with_role(self, role: Role) -> tuple[str, ...]:
        """The attributes of one role, in the policy's order."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role is role)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the policy's order."""
        return self.with_role(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes, in the policy's order."""
        return self.with_role(Role.SENSITIVE)


def _readable(error: ValidationError, name: str) -> PolicyError:
    """The first of pydantic's complaints as a sentence, with the others counted."""
    details = error.errors(include_url=False)
    first = details[0]
    steps = list(first["loc"])
    if "hierarchy" in steps[:-1]:
        del steps[steps.index("hierarchy") + 1]  # the tag of the builder, which is no key of the file
    place = ".".join(map(str, steps))
    more = f" (and {number_of(len(details) - 1, 'error')} more)" if len(details) > 1 else ""
    what, remedy = _sentence(first)
    return PolicyError(what + more, where=f"{name}, {place}" if place else name, remedy=remedy)


def _sentence(detail: ErrorDetails) -> tuple[str, str | None]:
    context = detail.get("ctx", {})
    shown = detail["input"]
    match detail["type"]:
        case "extra_forbidden":
            known = _keys_beside(detail["loc"])
            near = difflib.get_close_matches(str(detail["loc"][-1]), known, n=1)
            return "unknown key", f'Did you mean "{near[0]}"?' if near else f"Known keys: {', '.join(known)}."
        case "missing":
            return "this key is required and is not there", None
        case "value_error":
            return str(context.get("error", detail["msg"])), None
        case "enum" if str(shown).startswith("CONFIRM "):
            meant = str(shown).removeprefix("CONFIRM ")
            return (
                f"the role {meant!r} is a guess of `cobogo inspect`",
                f'Look at the column, then write role = "{meant}", or another role.',
            )
        case "enum" | "literal_error":
            return f"must be {context['expected']}. Got {shown!r} instead", None
        case "too_short":
            return "must not be empty", None
    text = detail["msg"].replace("Input should", "must").replace("must be a valid", "must be a")
    return (f"{text}. Got {shown!r} instead" if isinstance(shown, str | int | float) else text), None


def _keys_beside(location: tuple[str | int, ...]) -> list[str]:
    """The keys that the policy knows at the place of an unknown one."""
    part: type[BaseModel] = Policy
    for step in location[:-1]:
        field = part.model_fields.get(str(step))
        if step == "attributes":
            part = AttributePolicy
        elif step in BUILDERS:
            part = BUILDERS[str(step)]
        elif field:
            kinds = (field.annotation, *get_args(field.annotation))
            part = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), part)
    return [field.alias or name for name, field in part.model_fields.items()]
