"""Suspects whose values were drawn at random: what is believed of a person is a posterior, not a share of records.

The attacker knows the operator, which the manifest states, and estimates the original distribution from the release.
Each released value then speaks for every original value that may have led to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.classes import Domain
from cobogo.floor.arrays import Floats
from cobogo.promises.operators import stated as operators
from cobogo.promises.operators.base import LARGEST
from cobogo.promises.operators.estimate import likeliest

if TYPE_CHECKING:
    from cobogo.examine.attacks.suspects import Suspects
    from cobogo.release.manifest import Manifest

NOTE = "values were drawn at random: what is believed of a person follows from the operator, and others tell nothing"


def drawn(manifest: Manifest | None, attribute: str) -> Mapping[str, Any] | None:
    """How a manifest says that an attribute was drawn, value by value; None where it was not."""
    if manifest is None or manifest.kind != "randomization":
        return None
    parts = (manifest.transformation or {}).get("drawn", ())
    return next((part for part in parts if part["attributes"] == [attribute] and part["size"] <= LARGEST), None)


def believed(found: Suspects, stated: Mapping[str, Any]) -> Suspects:
    """The same suspects, each group with what the operator lets one believe of its original values."""
    operator, labels = operators.read(stated), tuple(stated["domains"][0])
    place = {label: code for code, label in enumerate(labels)}
    codes = np.array([place[label] for label in found.domain.labels], dtype=np.int64)
    released = np.zeros(operator.size, dtype=np.int64)
    released[codes] = found.domain.total
    prior = likeliest(operator, released, rounds=500)
    posterior = operator.posterior(prior)  # [original, released]
    seen = codes[found.values]
    groups, size = len(found), operator.size
    weights = np.zeros((groups, size))
    np.add.at(weights, found.owners, found.weights[:, None] * posterior.T[seen])
    surest: Floats = np.zeros(groups)
    np.maximum.at(surest, found.owners, posterior.max(axis=0)[seen])
    return replace(
        found,
        offsets=np.arange(groups + 1, dtype=np.int64) * size,
        values=np.tile(np.arange(size), groups),
        weights=weights.ravel(),
        domain=Domain(found.domain.attribute, labels, np.rint(prior * released.sum()).astype(np.int64)),
        notes=(*found.notes, NOTE),
        surest=surest,
    )
