"""An original and a release of it, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import cobogo as cb
from cobogo.data.policy import Policy
from cobogo.examine.utility.pairs.pair import TablePair, open_pair

ATTRIBUTES: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 30], "top": True}},
    "town": {"role": "quasi-identifier"},
    "illness": {"role": "sensitive"},
    "paid": {"role": "non-sensitive"},
}


def people(rows: int = 400) -> pd.DataFrame:
    random = np.random.default_rng(5)
    town = random.choice(["Sobral", "Fortaleza", "Crato"], rows, p=[0.2, 0.7, 0.1])
    ill = np.where(random.random(rows) < 0.5, "flu", np.where(town == "Sobral", "dengue", "cold"))
    ages = random.integers(18, 80, rows).astype(str).astype(object)
    ages[:7] = None
    return pd.DataFrame(
        {"age": ages, "town": town, "illness": ill, "paid": (random.integers(1, 60, rows) * 50).astype(str)}
    )


def pair(home: Path, *, original: bool = True, frame: pd.DataFrame | None = None, **content: Any) -> TablePair:
    frame = people() if frame is None else frame
    rules = Policy.of({"attributes": ATTRIBUTES, **content})
    if "masking" in content:
        from cobogo.publish.transform import mask as make
    elif "perturbation" in content:
        from cobogo.publish.transform import perturb as make
    else:
        make = cb.anonymize  # type: ignore[assignment]
    make(frame, rules).write(home / "release")
    return open_pair(home / "release", rules, frame if original else None)


def recoded(level: dict[str, int], **more: Any) -> dict[str, Any]:
    """A policy's recoding at the levels given."""
    attributes = {
        name: part | ({"min-level": level[name], "max-level": level[name]} if name in level else {})
        for name, part in ATTRIBUTES.items()
    }
    return {"attributes": attributes, "privacy": {"models": [{"model": "k-anonymity", "k": 1}]}, **more}


def shares(found: Any) -> dict[str, tuple[float, float]]:
    return {
        one.text or one.kind: (float(a), float(b))
        for one, a, b in zip(found.shown, found.before, found.after, strict=True)
    }
