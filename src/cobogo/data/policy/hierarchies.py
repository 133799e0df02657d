"""The ways to build a hierarchy, as a policy asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, SerializerFunctionWrapHandler, Tag, model_serializer, model_validator

from cobogo.data.policy.toml_file import PolicyTable, Separator
from cobogo.floor.language import tr
from cobogo.floor.representation import brief


class HierarchySpec(PolicyTable):
    """What every way to build a hierarchy shares: ``top = true`` adds a last level ``*``."""

    top: bool = False

    def __repr__(self) -> str:
        """Its kind: its keys may list values of the data."""
        return brief(self, self.key)

    def __str__(self) -> str:
        return repr(self)

    @model_serializer(mode="wrap")
    def _key_first(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """As people write it: what kind it is comes first."""
        content: dict[str, Any] = write(self)
        return {self.key: content[self.key]} | content

    @property
    def key(self) -> str:
        """The key that names this way to build a hierarchy."""
        return next(key for key, spec in BUILDERS.items() if isinstance(self, spec))

    def preview(self, values: Any, rows: int = 10) -> Any:
        """What becomes of some values, level by level, as a pandas frame: it shows the values that it is given.

        >>> print(MaskHierarchy(mask="right", keep=1, top=True).preview(["601", "602"]).to_string(index=False))
          0   1   2 3
        601 60* 6** *
        602 60* 6** *
        """
        from cobogo.data.hierarchy.build import preview

        return preview(self, values, rows)


class CsvHierarchy(HierarchySpec):
    """A file without header: column 0 the leaves, one column a level."""

    csv: str
    separator: Separator | None = None
    encoding: Literal["utf-8", "latin-1"] | None = None


class DatesHierarchy(HierarchySpec):
    """Dates in a strftime format; each level is a coarser format, or one of week, month, quarter, year, 5-years, …,
    decade.

    A value that is no date is an error; with ``lenient`` it stays as it is.
    """

    dates: str
    levels: Annotated[tuple[str, ...], Field(min_length=1)]
    lenient: bool = False


class AgeHierarchy(HierarchySpec):
    """Dates of birth in a strftime format: the age in full years on the day ``at``, then bands of nested widths.

    Ages from ``top-code`` on fall in one class, from level 1 up.
    """

    age: str
    at: date
    widths: Annotated[tuple[Annotated[int, Field(ge=2)], ...], Field(min_length=1)]
    top_code: Annotated[int, Field(ge=1)] | None = None


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


class QuantilesHierarchy(HierarchySpec):
    """Numbers in bands that each hold as large a share of a declared distribution; never of the data themselves.

    ``domain`` lists the least and the greatest number, and between them where the ``shares`` of the population change.
    Without ``shares`` the population is spread evenly. ``decimals`` are those of the data and of the cut points.
    """

    quantiles: Annotated[tuple[Annotated[int, Field(ge=2)], ...], Field(min_length=1)]
    domain: Annotated[tuple[float, ...], Field(min_length=2)]
    shares: Annotated[tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...], Field(min_length=1)] | None = None
    decimals: Annotated[int, Field(ge=0, le=9)] = 0

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        parts = len(self.domain) - 1
        if self.shares is None and parts > 1:
            raise ValueError(
                tr("domain has numbers between its ends, and shares are not given"),
                tr("Give shares, one for each part of the domain, or only the two ends."),
            )
        if self.shares is not None and len(self.shares) != parts:
            raise ValueError(
                tr(
                    "shares must have one entry for each part of the domain. Got {shares} for {parts} parts",
                    shares=len(self.shares),
                    parts=parts,
                ),
                tr("A domain of n numbers has n - 1 parts."),
            )
        return self


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
    """Places from the finest to the coarsest, joined by a separator: a/b/c → b/c → c.

    A value of another form is an error; with ``lenient`` it stays as it is.
    """

    path: Annotated[str, Field(min_length=1)]
    lenient: bool = False


class TreeHierarchy(HierarchySpec):
    """Nested tables whose innermost lists are the leaves."""

    tree: dict[str, Any]


class LabelsHierarchy(HierarchySpec):
    """Codes and the label of each: 1 is Male. Codes with the same label fall together."""

    labels: Annotated[dict[str, str], Field(min_length=1)]


class CodesHierarchy(HierarchySpec):
    """Codes of a public classification that ships: IBGE's municipalities, postal codes of Brazil, ICD-10.

    A code that the classification does not have is an error; with ``lenient`` it stays as it is.
    """

    codes: Literal["municipality", "cep", "icd-10"]
    lenient: bool = False


BUILDERS: dict[str, type[HierarchySpec]] = {
    "csv": CsvHierarchy,
    "dates": DatesHierarchy,
    "age": AgeHierarchy,
    "intervals": IntervalsHierarchy,
    "quantiles": QuantilesHierarchy,
    "ordering": OrderingHierarchy,
    "mask": MaskHierarchy,
    "path": PathHierarchy,
    "tree": TreeHierarchy,
    "labels": LabelsHierarchy,
    "codes": CodesHierarchy,
}
"""The key that names each way to build a hierarchy."""

LISTED = (CsvHierarchy, OrderingHierarchy, TreeHierarchy, LabelsHierarchy)
"""Hierarchies that list their leaves, so that they can be built without the data."""


def _builder(value: Any) -> str | None:
    """Which way to build a hierarchy a table asks for: it has exactly one of the keys."""
    if isinstance(value, HierarchySpec):
        return value.key
    named = [key for key in BUILDERS if isinstance(value, Mapping) and key in value]
    return named[0] if len(named) == 1 else None


AnyHierarchy = Annotated[
    Annotated[CsvHierarchy, Tag("csv")]
    | Annotated[DatesHierarchy, Tag("dates")]
    | Annotated[AgeHierarchy, Tag("age")]
    | Annotated[IntervalsHierarchy, Tag("intervals")]
    | Annotated[QuantilesHierarchy, Tag("quantiles")]
    | Annotated[OrderingHierarchy, Tag("ordering")]
    | Annotated[MaskHierarchy, Tag("mask")]
    | Annotated[PathHierarchy, Tag("path")]
    | Annotated[TreeHierarchy, Tag("tree")]
    | Annotated[LabelsHierarchy, Tag("labels")]
    | Annotated[CodesHierarchy, Tag("codes")],
    Discriminator(
        _builder,
        custom_error_type="builder",
        custom_error_message="exactly one builder",  # complaints.py has the words
    ),
]
