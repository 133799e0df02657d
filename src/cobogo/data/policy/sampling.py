"""How a table is sampled, made coarser and cut, as a policy asks for it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cobogo.data.policy.part import Part


class Sampling(Part):
    """A random sample, made coarser by levels that do not depend on the data, without rows that few share.

    ``levels`` says the level of each quasi-identifier. Those that it does not name are chosen by the exponential
    mechanism, for ``search-epsilon`` of the ε that the policy's model allows. ``share`` is the chance of each record to
    be in the sample; without it, the one for which the fewest records need look alike.
    """

    levels: dict[str, Annotated[int, Field(ge=0, strict=True)]] | None = None
    search_epsilon: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)] | None = None
    share: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(ge=0, strict=True)] | None = None
