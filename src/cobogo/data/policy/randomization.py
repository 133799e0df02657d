"""How sensitive values are randomized, as a policy asks for it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from cobogo.data.policy.part import Part

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]


class Randomization(Part):
    """Which attributes are randomized and by what; the guarantees that it must meet are in ``[privacy]``.

    Without ``retention`` it is the largest that meets them. The attributes are the sensitive ones, each by itself
    unless ``joint``. ``domains`` lists an attribute's possible values; without it they are those of the data. ``cap``
    and ``margin`` are conditions on operators that are made for the table's own distribution, ``objective`` and
    ``min-retention`` on partitions.
    """

    method: str = "uniform"
    attributes: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    joint: Annotated[bool, Field(strict=True)] = False
    retention: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)] | None = None
    domains: dict[str, Annotated[tuple[str, ...], Field(min_length=2)]] | None = None
    cap: Annotated[float, Field(gt=1, allow_inf_nan=False)] | None = None
    margin: Share | None = None
    objective: Literal["total", "maximin"] = "total"
    min_retention: Share = 0.0
    seed: Annotated[int, Field(ge=0, strict=True)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        unknown = set(self.domains or ()) - set(self.attributes or self.domains or ())
        if unknown:
            raise ValueError(f"domains names {', '.join(sorted(unknown))}, which is not among the attributes")
        return self
