"""The tables of a policy for releases that are drawn at random: ``[randomization]``, ``[perturbation]``, ``[sampling]``
and ``[synthesis]``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from cobogo.data.policy.toml_file import PolicyTable
from cobogo.floor.language import tr

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]


class Randomization(PolicyTable):
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
            raise ValueError(
                tr("these names in domains are not among the attributes: {names}", names=", ".join(sorted(unknown))),
                tr("Take them out of domains, or add them to attributes."),
            )
        return self


Positive = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]
ProperShare = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class PerturbationStep(PolicyTable):
    """What every step of a perturbation says: the attributes whose values it changes."""

    attributes: Names

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len(set(self.attributes)) < len(self.attributes):
            raise ValueError(tr("an attribute appears twice"), tr("Name each attribute once."))
        return self


class NoiseStep(PerturbationStep):
    """Noise on numbers.

    ``additive`` and ``multiplicative`` take a standard deviation: ``deviation`` in the attribute's own units (for
    multiplicative noise, of the factor), or ``relative`` to the attribute's own. ``correlated`` takes the ``share`` of
    the variance that becomes noise.
    """

    method: Literal["noise"]
    kind: Literal["additive", "multiplicative", "correlated"] = "additive"
    distribution: Literal["gaussian", "laplace", "uniform"] = "gaussian"
    deviation: Positive | None = None
    relative: Positive | None = None
    share: ProperShare | None = None
    lower: Annotated[float, Field(allow_inf_nan=False)] | None = None
    upper: Annotated[float, Field(allow_inf_nan=False)] | None = None
    decimals: Annotated[int, Field(ge=0, le=9, strict=True)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        given = [key for key in ("deviation", "relative", "share") if getattr(self, key) is not None]
        able = {"additive": ("deviation", "relative"), "multiplicative": ("deviation",), "correlated": ("share",)}
        if len(given) != 1 or given[0] not in able[self.kind]:
            raise ValueError(
                tr("{kind} noise needs exactly one of: {keys}", kind=self.kind, keys=", ".join(able[self.kind])),
                tr("Give one of them, and leave the others out."),
            )
        if self.kind == "correlated" and self.distribution != "gaussian":
            raise ValueError(tr("correlated noise is always gaussian"), tr("Leave distribution out."))
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(
                tr("lower {lower} is not below upper {upper}", lower=f"{self.lower:g}", upper=f"{self.upper:g}"),
                tr("Exchange them."),
            )
        return self


class SwapStep(PerturbationStep):
    """Records exchange the values of the attributes, all of them together.

    Partners are equal in the attributes of ``within``. With ``window`` they also stand near each other by the order of
    the first attribute: within that share of the records. ``share`` of the records take part.
    """

    method: Literal["swap"]
    window: ProperShare | None = None
    within: tuple[str, ...] = ()
    share: ProperShare = 1.0

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        both = set(self.within) & set(self.attributes)
        if both:
            raise ValueError(
                tr("these attributes are both swapped and in within: {names}", names=", ".join(sorted(both))),
                tr("Take them out of within: a value cannot be swapped among records with the same value."),
            )
        return self


class PramStep(PerturbationStep):
    """Each category is exchanged by chance: by a ``matrix`` (from each value to the probabilities of others; what is
    left is the probability to keep it), or kept with probability ``retention`` and else drawn evenly from all.

    ``invariant`` adapts the matrix so that the expected frequencies are those of the table.
    """

    method: Literal["pram"]
    retention: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)] | None = None
    matrix: dict[str, dict[str, Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]]] | None = None
    invariant: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.retention is None) == (self.matrix is None):
            raise ValueError(tr("needs either retention or matrix"), tr("Give one of the two."))
        if self.matrix is not None and len(self.attributes) > 1:
            raise ValueError(tr("a matrix is for one attribute"), tr("Write a step for each attribute."))
        return self


METHODS: dict[str, type[PerturbationStep]] = {"noise": NoiseStep, "swap": SwapStep, "pram": PramStep}
"""Every method of perturbation."""


def _method(value: Any) -> str | None:
    named = value.get("method") if isinstance(value, Mapping) else getattr(value, "method", None)
    return named if isinstance(named, str) and named in METHODS else None


AnyStep = Annotated[
    Annotated[NoiseStep, Tag("noise")] | Annotated[SwapStep, Tag("swap")] | Annotated[PramStep, Tag("pram")],
    Discriminator(
        _method,
        custom_error_type="method",
        custom_error_message="a known method",  # complaints.py has the words
    ),
]


class Perturbation(PolicyTable):
    """Steps, one after the other. No record gets a combination of values that ``forbid`` lists."""

    steps: Annotated[tuple[AnyStep, ...], Field(min_length=1)]
    forbid: Annotated[tuple[Annotated[dict[str, str], Field(min_length=2)], ...], Field(max_length=64)] = ()
    seed: Annotated[int, Field(ge=0, strict=True)] | None = None


class Sampling(PolicyTable):
    """A random sample, made coarser by levels that do not depend on the data, without rows that few share.

    ``levels`` says the level of each quasi-identifier. Those that it does not name are chosen by the exponential
    mechanism, for ``search-epsilon`` of the ε that the policy's model allows. ``share`` is the chance of each record to
    be in the sample; without it, the one for which the fewest records need look alike.
    """

    levels: dict[str, Annotated[int, Field(ge=0, strict=True)]] | None = None
    search_epsilon: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)] | None = None
    share: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(ge=0, strict=True)] | None = None


Amount = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False, strict=True)]
Number = Annotated[float, Field(allow_inf_nan=False)]

MOST_VALUES = 100_000
MOST_BINS = 10_000


class DomainSpec(PolicyTable):
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
            raise ValueError(
                tr("these keys say the same in different ways: {keys}", keys=", ".join(given)), tr("Give one of them.")
            )
        if (self.bounds is None) != (self.bins is None):
            raise ValueError(
                tr("bounds and bins go together"),
                tr("Give both: the smallest and the largest number, and the number of bins between them."),
            )
        if self.decimals and self.bounds is None and self.edges is None:
            raise ValueError(tr("decimals are only for numbers"), tr("Give bounds and bins, or edges."))
        if self.values is not None and len(set(self.values)) < len(self.values):
            raise ValueError(tr("a value appears twice"), tr("List each value once."))
        if self.values is not None and "" in self.values:
            raise ValueError(
                tr("the empty text means NULL and cannot be listed"),
                tr("Take it out. NULL is a value, unless you write null = false."),
            )
        rising = self.edges or self.bounds or ()
        if any(one >= next_one for one, next_one in pairwise(rising)):
            raise ValueError(tr("the numbers of bounds and edges must rise"), tr("Put them in ascending order."))
        return self


def _listed(given: Any) -> Any:
    """A plain list is a list of values."""
    return {"values": given} if isinstance(given, list | tuple) else given


ListedDomain = Annotated[DomainSpec, BeforeValidator(_listed, json_schema_input_type=tuple[str, ...] | DomainSpec)]
"""A domain, or the list of its values."""


class Synthesis(PolicyTable):
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
    domains: dict[str, ListedDomain] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.rho is not None and (self.epsilon is not None or self.delta is not None):
            raise ValueError(tr("epsilon and delta, or rho: not both"), tr("Leave out rho, or the other two."))
        if (self.epsilon is None) != (self.delta is None):
            raise ValueError(
                tr("epsilon and delta go together: δ is the probability with which ε may be exceeded"), tr("Give both.")
            )
        if self.curator is None and (self.dataset is not None or self.analyst is not None):
            raise ValueError(
                tr("dataset and analyst name a budget of a curator"), tr('Give its file: curator = "curator.toml".')
            )
        if self.curator is not None and (self.dataset is None or self.analyst is None):
            raise ValueError(
                tr("a curator keeps a budget for each dataset and analyst"), tr("Name both dataset and analyst.")
            )
        return self
