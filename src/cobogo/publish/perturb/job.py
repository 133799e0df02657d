"""The job behind `cobogo perturb`: the policy's table says whether values are randomized or perturbed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.errors import PolicyError
from cobogo.floor.progress import Progress, silent
from cobogo.publish.transform import Maker, transform
from cobogo.release.transformed import Transformed

TABLES: dict[str, str] = {
    "perturbation": "cobogo.publish.perturb.make",
    "randomization": "cobogo.publish.randomize.make",
}
"""The tables of a policy that this job serves, and the module whose function ``make`` settles what each asks for."""


def perturb(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    engine: str | None = None,
    progress: Progress = silent,
) -> Transformed:
    """Settle how the values of a table are randomized or perturbed, by a policy. Writes nothing.

    ``perturb(policy)`` reads the policy's own data; ``perturb(data, policy)`` takes the data given: a path, or a frame
    of pandas, polars, Arrow or Ibis.
    """
    if policy is None:
        data, policy = None, data
    rules = Policy.given(policy)
    return transform(data, rules, _maker(rules), engine=engine, progress=progress)


def _maker(policy: Policy) -> Maker:
    asked = [name for name in TABLES if getattr(policy, name) is not None]
    if len(asked) != 1:
        known = " or ".join(f"[{name}]" for name in TABLES)
        raise PolicyError(
            f"asks for {' and '.join(asked) or 'nothing'} to be done",
            where=policy.name,
            remedy=f"Give one table {known}, as the documentation shows.",
        )
    maker: Maker = import_module(TABLES[asked[0]]).make
    return maker
