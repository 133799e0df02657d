"""The job behind `cobogo synthesize`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.errors import PolicyError
from cobogo.floor.progress import Progress, silent
from cobogo.publish.synthesize.make import make
from cobogo.publish.transform import transform
from cobogo.release.transformed import Transformed


def synthesize(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    engine: str | None = None,
    progress: Progress = silent,
) -> Transformed:
    """Settle how synthetic records are made, by a policy. Looks at no row and spends nothing: that is done when the
    records are first asked for, or written.

    ``synthesize(policy)`` reads the policy's own data; ``synthesize(data, policy)`` takes the data given: a path, or a
    frame of pandas, polars, Arrow or Ibis.
    """
    if policy is None:
        data, policy = None, data
    rules = Policy.given(policy)
    if rules.synthesis is None:
        raise PolicyError(
            "this key is required and is not there",
            where=f"{rules.name}, synthesis",
            remedy='Say how, for example: method = "mst", epsilon = 1.0, delta = 1e-9.',
        )
    return transform(data, rules, make, engine=engine, progress=progress, blind=True)
