"""The job behind `cobogo sample`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.floor.progress import Progress, silent
from cobogo.publish.sample.sampled import make
from cobogo.publish.transform import transform
from cobogo.release.transformed import Transformed


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
