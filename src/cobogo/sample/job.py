"""The job behind `cobogo sample`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cobogo.policy import Policy
from cobogo.sample.sampled import make
from cobogo.transform.job import Progress, silent, transform
from cobogo.transform.release import Transformed


def sample(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    engine: str | None = None,
    progress: Progress = silent,
) -> Transformed:
    """Settle a differentially private sample of a table, by a policy. Writes nothing.

    ``sample(policy)`` reads the policy's own data; ``sample(data, policy)`` takes the data given: a path, or a frame of
    pandas, polars, Arrow or Ibis.
    """
    if policy is None:
        data, policy = None, data
    return transform(data, Policy.given(policy), make, engine=engine, progress=progress)
