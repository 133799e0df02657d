"""The model: what was released, and the chances that follow from it. It may leave the house, as may all it leads to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from cobogo.errors import VerificationFailed
from cobogo.floor.arrays import Floats
from cobogo.floor.untrusted import fraction
from cobogo.locate.mobility.counts import ABOUT, SHARES, Shape, shapes
from cobogo.locate.mobility.noise import Noisy, estimate, mechanism
from cobogo.locate.mobility.space import Space
from cobogo.locate.places.cells import Cells

FORMAT = "cobogo-where/1"

MOST_PEOPLE = 250_000
"""People that are drawn at most where nobody says how many: they fit into a few gigabytes."""


@dataclass(frozen=True, eq=False)
class Model:
    """A released model. ``epsilon`` is what it cost a person in all; None for one without noise, which is nobody's to
    give away: it serves to tell how much of an error is the noise's and how much the model's own."""

    space: Space
    parts: Mapping[str, Noisy]
    epsilon: Fraction | None

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """The form of every part."""
        return shapes(self.space)

    @cached_property
    def counts(self) -> dict[str, Floats]:
        """People in every bin of every part, as near as can be told."""
        return {name: estimate(part, self.shapes[name]) for name, part in self.parts.items()}

    @property
    def people(self) -> int:
        """How many people there seem to be, held within what can be drawn: with little ε it is mostly noise."""
        return min(max(1, round(float(self.counts["home"].sum()))), MOST_PEOPLE)

    def costs(self) -> list[dict[str, Any]]:
        """What each part cost, and its noise."""
        rows: list[dict[str, Any]] = []
        for name, part in self.parts.items():
            if part.epsilon is None:
                continue
            shape = self.shapes[name]
            noise = mechanism(shape, part.epsilon)
            rows.append(
                {
                    "part": name, "about": ABOUT[name], "epsilon": str(part.epsilon), "share": str(SHARES[name]),
                    "levels": 2, "bins": [shape.bins, shape.parents], "mechanism": noise.name,
                    "sensitivity": shape.sensitivity, "scale": noise.scale,
                }
            )  # fmt: skip
        return rows

    def as_dict(self) -> dict[str, Any]:
        """The model as it is published: declarations, and whole numbers with noise."""
        return {
            "format": FORMAT,
            "epsilon": None if self.epsilon is None else str(self.epsilon),
            "space": self.space.as_dict(),
            "parts": {
                name: {
                    "epsilon": None if part.epsilon is None else str(part.epsilon),
                    "fine": part.fine.tolist(),
                    "coarse": part.coarse.tolist(),
                }
                for name, part in self.parts.items()
            },
        }

    @classmethod
    def of(cls, content: Any, where: str = "model.json") -> Model:
        """A published model, read again; refused where it is not one."""
        try:
            if content["format"] != FORMAT:
                raise ValueError
            said, cells = content["space"], content["space"]["cells"]
            space = Space(
                Cells.of([c["cell"] for c in cells], [c["lon"] for c in cells], [c["lat"] for c in cells], where=where),
                date.fromisoformat(said["first"]), int(said["days"]), float(said["utc-offset"]), float(said["area"]),
                int(said["most-a-day"]),
            )  # fmt: skip
            parts = {
                name: Noisy(
                    np.array(content["parts"][name]["fine"], dtype=np.int64),
                    np.array(content["parts"][name]["coarse"], dtype=np.int64),
                    _fraction(content["parts"][name]["epsilon"]),
                )
                for name in SHARES
            }
            model = cls(space, parts, _fraction(content["epsilon"]))
        except (KeyError, TypeError, ValueError, OverflowError):
            raise VerificationFailed("is not a mobility model of this version", where=where) from None
        for name, shape in model.shapes.items():
            if (len(parts[name].fine), len(parts[name].coarse)) != (shape.bins, shape.parents):
                raise VerificationFailed(f"the part {name} does not have the bins that were declared", where=where)
        return model


def _fraction(text: Any) -> Fraction | None:
    return None if text is None else fraction(text)
