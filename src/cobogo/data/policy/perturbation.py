"""How values are perturbed, as a policy asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from cobogo.data.policy.part import Part

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]
Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class Step(Part):
    """What every step of a perturbation says: the attributes whose values it changes."""

    attributes: Names

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len(set(self.attributes)) < len(self.attributes):
            raise ValueError("an attribute stands twice")
        return self


class NoiseStep(Step):
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
    share: Share | None = None
    lower: Annotated[float, Field(allow_inf_nan=False)] | None = None
    upper: Annotated[float, Field(allow_inf_nan=False)] | None = None
    decimals: Annotated[int, Field(ge=0, le=9, strict=True)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        given = [key for key in ("deviation", "relative", "share") if getattr(self, key) is not None]
        able = {"additive": ("deviation", "relative"), "multiplicative": ("deviation",), "correlated": ("share",)}
        if len(given) != 1 or given[0] not in able[self.kind]:
            raise ValueError(f"{self.kind} noise takes {' or '.join(able[self.kind])}, and nothing else of the kind")
        if self.kind == "correlated" and self.distribution != "gaussian":
            raise ValueError("correlated noise is gaussian")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(f"lower {self.lower:g} is not below upper {self.upper:g}")
        return self


class SwapStep(Step):
    """Records exchange the values of the attributes, all of them together.

    Partners are equal in the attributes of ``within``. With ``window`` they also stand near each other by the order of
    the first attribute: within that share of the records. ``share`` of the records take part.
    """

    method: Literal["swap"]
    window: Share | None = None
    within: tuple[str, ...] = ()
    share: Share = 1.0

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        both = set(self.within) & set(self.attributes)
        if both:
            raise ValueError(f"{', '.join(sorted(both))} cannot be swapped within its own values")
        return self


class PramStep(Step):
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
            raise ValueError("give either retention or matrix")
        if self.matrix is not None and len(self.attributes) > 1:
            raise ValueError("a matrix is for one attribute")
        return self


METHODS: dict[str, type[Step]] = {"noise": NoiseStep, "swap": SwapStep, "pram": PramStep}
"""Every method of perturbation."""


def _method(value: Any) -> str | None:
    named = value.get("method") if isinstance(value, Mapping) else getattr(value, "method", None)
    return named if isinstance(named, str) and named in METHODS else None


AnyStep = Annotated[
    Annotated[NoiseStep, Tag("noise")] | Annotated[SwapStep, Tag("swap")] | Annotated[PramStep, Tag("pram")],
    Discriminator(
        _method,
        custom_error_type="method",
        custom_error_message=f"a step has a method: {', '.join(METHODS)}",
    ),
]


class Perturbation(Part):
    """Steps, one after the other. No record gets a combination of values that ``forbid`` lists."""

    steps: Annotated[tuple[AnyStep, ...], Field(min_length=1)]
    forbid: Annotated[tuple[Annotated[dict[str, str], Field(min_length=2)], ...], Field(max_length=64)] = ()
    seed: Annotated[int, Field(ge=0, strict=True)] | None = None
