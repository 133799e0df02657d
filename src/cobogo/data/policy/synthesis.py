"""How synthetic records are made, as a policy asks for it."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from cobogo.data.policy.part import Part

Amount = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False, strict=True)]
Number = Annotated[float, Field(allow_inf_nan=False)]

MOST_VALUES = 100_000
MOST_BINS = 10_000


class DomainSpec(Part):
    """What values an attribute may have: public knowledge, never read off the data.

    ``values`` lists them. Numbers have ``bounds`` and so many ``bins`` of equal width, or the ``edges`` of the bins,
    and ``decimals`` digits after the mark; numbers beyond are brought to the nearest bound. A ``level`` of the
    attribute's hierarchy releases the values of that level. NULL is one more value, and stands for whatever else the
    data hold; with ``null = false`` such records are left out.
    """

    values: Annotated[tuple[str, ...], Field(min_length=1, max_length=MOST_VALUES)] | None = None
    bounds: tuple[Number, Number] | None = None
    bins: Annotated[int, Field(ge=1, le=MOST_BINS, strict=True)] | None = None
    edges: Annotated[tuple[Number, ...], Field(min_length=2, max_length=MOST_BINS + 1)] | None = None
    decimals: Annotated[int, Field(ge=0, le=9, strict=True)] = 0
    level: Annotated[int, Field(ge=0, strict=True)] | None = None
    null: Annotated[bool, Field(strict=True)] = True

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        given = [key for key in ("values", "bounds", "edges", "level") if getattr(self, key) is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} are two ways to say which values there are: give one")
        if (self.bounds is None) != (self.bins is None):
            raise ValueError("bounds and bins go together: a number lies between bounds, in one of so many bins")
        if self.decimals and self.bounds is None and self.edges is None:
            raise ValueError("decimals are of numbers: give bounds and bins, or edges")
        if self.values is not None and len(set(self.values)) < len(self.values):
            raise ValueError("a value stands twice")
        if self.values is not None and "" in self.values:
            raise ValueError("empty text is NULL, which is a value unless null = false")
        rising = self.edges or self.bounds or ()
        if any(one >= next_one for one, next_one in pairwise(rising)):
            raise ValueError("bounds and edges rise from one to the next")
        return self


def _listed(given: Any) -> Any:
    """A plain list is a list of values."""
    return {"values": given} if isinstance(given, list | tuple) else given


class Synthesis(Part):
    """By what method synthetic records are made, what that may cost anybody's privacy, and what is public.

    ``epsilon`` and ``delta`` (or ``rho``) are the whole cost. ``records`` is how many records are drawn; without it
    about as many as there are, by a noisy count. ``max-rows`` bounds how many rows of a person count, where
    ``data.unit`` tells people apart. ``degree`` is how many attributes are looked at together. With a ``curator``, its
    file, the cost is debited from the budget of its ``dataset`` and ``analyst`` before a row is looked at. ``domains``
    says what values an attribute may have; one with a hierarchy that lists its leaves needs nothing more.
    """

    method: str = "mst"
    epsilon: Amount | None = None
    delta: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False, strict=True)] | None = None
    rho: Amount | None = None
    records: Annotated[int, Field(ge=1, le=10**9, strict=True)] | None = None
    max_rows: Annotated[int, Field(ge=1, le=10**6, strict=True)] | None = None
    degree: Annotated[int, Field(ge=1, le=4, strict=True)] = 2
    curator: str | None = None
    dataset: str | None = None
    analyst: str | None = None
    domains: dict[str, Annotated[DomainSpec, BeforeValidator(_listed)]] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.rho is not None and (self.epsilon is not None or self.delta is not None):
            raise ValueError("give epsilon and delta, or rho")
        if (self.epsilon is None) != (self.delta is None):
            raise ValueError("epsilon and delta go together: noise is Gaussian, and δ is the chance that ε is exceeded")
        if self.curator is None and (self.dataset is not None or self.analyst is not None):
            raise ValueError("dataset and analyst name a budget of a curator: give its file")
        if self.curator is not None and (self.dataset is None or self.analyst is None):
            raise ValueError("a curator keeps budgets by dataset and analyst: name both")
        return self
