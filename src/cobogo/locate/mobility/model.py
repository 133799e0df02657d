"""The mobility model: histograms released with noise, and the best estimates from them.

Each part is released twice, in fine and in coarse bins, for half of its ε each: where bins are many and people few, the
coarse counts are more precise (Hay, Rastogi, Miklau & Suciu 2010). The rest is post-processing and costs nothing: the
two are made consistent, then counts below zero are removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cobogo.errors import VerificationFailed
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.floor.untrusted import fraction
from cobogo.locate.mobility.counts import (
    ABOUT,
    SHARES,
    HistogramShape,
    Space,
    bound_calls,
    counts,
    habits,
    histogram_shapes,
)
from cobogo.locate.places.cells import Calls, Cells
from cobogo.promises.mechanisms import Laplace


class NoisyHistogram(NamedTuple):
    """A part as it is released: whole numbers with noise, and the ε of both levels together (None: exact, no noise)."""

    fine: Ints
    coarse: Ints
    epsilon: Fraction | None


def budget(epsilon: Fraction) -> dict[str, Fraction]:
    """The ε of each part; they sum to the whole, exactly."""
    return {name: share * epsilon for name, share in SHARES.items()}


def release(
    exact: Mapping[str, Ints], forms: Mapping[str, HistogramShape], epsilon: Fraction | None
) -> dict[str, NoisyHistogram]:
    """Every part with noise from the operating system's entropy. Without ε there is no noise: for comparison only."""
    spent = dict.fromkeys(exact) if epsilon is None else budget(epsilon)
    return {name: _part(exact[name], forms[name], spent[name]) for name in exact}


def mechanism(shape: HistogramShape, epsilon: Fraction) -> Laplace:
    """The noise of one level of a part."""
    return Laplace(shape.sensitivity, epsilon / 2)


def _part(fine: Ints, shape: HistogramShape, epsilon: Fraction | None) -> NoisyHistogram:
    coarse = coarsen(fine, shape)
    if epsilon is None:
        return NoisyHistogram(fine, coarse, None)
    noise = mechanism(shape, epsilon)
    return NoisyHistogram(_add_noise(noise, fine), _add_noise(noise, coarse), epsilon)


def _add_noise(noise: Laplace, values: Ints) -> Ints:
    return np.array(noise.release(values.tolist()), dtype=np.int64)


def coarsen(fine: Ints, shape: HistogramShape) -> Ints:
    """A histogram in its coarse bins."""
    total = np.zeros(shape.parents, dtype=np.int64)
    np.add.at(total, shape.parent, fine)
    return total


def estimate(noisy: NoisyHistogram, shape: HistogramShape) -> Floats:
    """The counts of a part, in people: consistent, none below zero, in the shape of its axes.

    Both levels have the same noise, so the sum of m fine bins has m times the variance of their coarse bin: the two are
    averaged with these weights, and the difference is spread evenly over the fine bins. Where fine bins are ``alike``
    and differ no more than the noise, their differences are reduced (James & Stein 1961). Then coarse counts, and
    within each the fine ones, are moved to the nearest counts that are not negative and have the same sum.
    """
    variance = 0.0 if noisy.epsilon is None or not shape.alike else mechanism(shape, noisy.epsilon).variance()
    size = np.bincount(shape.parent, minlength=shape.parents)
    told = np.bincount(shape.parent, noisy.fine, shape.parents)
    agreed = (size * noisy.coarse + told) / (size + 1)
    apart = _shrink(noisy.fine - (told / size)[shape.parent], variance * (shape.bins - shape.parents))
    fine = apart + (agreed / size)[shape.parent]
    coarse = project_counts(agreed, np.zeros(shape.parents, dtype=np.int64), np.array([max(agreed.sum(), 0.0)]))
    return (project_counts(fine, shape.parent, coarse) / shape.sensitivity).reshape(shape.axes)


def _shrink(differences: Floats, noise: float) -> Floats:
    """Differences, reduced by the share of their squares that the noise alone explains."""
    squares = float((differences**2).sum())
    return differences * max(0.0, 1 - noise / squares) if squares > 0 else differences


def project_counts(values: Floats, group: Ints, total: Floats) -> Floats:
    """The nearest values, by squares, that are not negative and sum to a total in each group.

    In a group the largest values are lowered by the same amount and the rest are 0 (projection on a simplex).
    """
    order = np.lexsort((-values, group))
    grouped, ranked = group[order], values[order]
    starts = np.searchsorted(grouped, np.arange(len(total)))
    upto = np.cumsum(ranked)
    upto -= (upto - ranked)[starts][grouped]
    lowered = (upto - total[grouped]) / (np.arange(len(values)) - starts[grouped] + 1)
    kept = np.maximum(np.bincount(grouped, ranked > lowered, len(total)), 1).astype(np.int64)
    result = np.empty_like(values)
    result[order] = np.maximum(ranked - lowered[starts + kept - 1][grouped], 0.0)
    return result


FORMAT = "cobogo-where/1"

MOST_PEOPLE = 250_000
"""People that are drawn at most where no number is given: they fit into a few gigabytes."""


@dataclass(frozen=True, eq=False)
class MobilityModel:
    """A released model. ``epsilon`` is what it costs a person in all; None for a model without noise, which must not be
    released: it serves to part the error of the noise from that of the model."""

    space: Space
    parts: Mapping[str, NoisyHistogram]
    epsilon: Fraction | None

    @cached_property
    def shapes(self) -> dict[str, HistogramShape]:
        """The form of every part."""
        return histogram_shapes(self.space)

    @cached_property
    def counts(self) -> dict[str, Floats]:
        """The estimated number of people in every bin of every part."""
        return {name: estimate(part, self.shapes[name]) for name, part in self.parts.items()}

    @property
    def people(self) -> int:
        """The estimated number of people, limited to what can be drawn: with little ε it is mostly noise."""
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
    def from_dict(cls, content: Any, where: str = "model.json") -> MobilityModel:
        """A published model; raises `VerificationFailed` where it is damaged."""
        try:
            if content["format"] != FORMAT:
                raise ValueError
            said, cells = content["space"], content["space"]["cells"]
            names, lon, lat = ([cell[part] for cell in cells] for part in ("cell", "lon", "lat"))
            space = Space(
                Cells.from_columns(names, lon, lat, where=where),
                date.fromisoformat(said["first"]), int(said["days"]), float(said["utc-offset"]), float(said["area"]),
                int(said["most-a-day"]),
            )  # fmt: skip
            parts = {
                name: NoisyHistogram(
                    np.array(content["parts"][name]["fine"], dtype=np.int64),
                    np.array(content["parts"][name]["coarse"], dtype=np.int64),
                    _fraction(content["parts"][name]["epsilon"]),
                )
                for name in SHARES
            }
            model = cls(space, parts, _fraction(content["epsilon"]))
        except (KeyError, TypeError, ValueError, OverflowError):
            raise VerificationFailed(
                tr("is not a mobility model of this version"),
                where=where,
                remedy=tr("Use the Cobogó that wrote it, or a later one."),
            ) from None
        for name, shape in model.shapes.items():
            if (len(parts[name].fine), len(parts[name].coarse)) != (shape.bins, shape.parents):
                raise VerificationFailed(
                    tr("the part {name} does not have the declared bins", name=name),
                    where=where,
                    remedy=tr("Get the release again from the data holder."),
                )
        return model


def _fraction(text: Any) -> Fraction | None:
    return None if text is None else fraction(text)


def fit_model(calls: Calls, space: Space, epsilon: Fraction | None) -> MobilityModel:
    """The model of call records with a privacy loss of ε for each person; without noise where ε is None."""
    records = bound_calls(calls, space)
    found = counts(records, habits(records, space), space)
    return MobilityModel(space, release(found, histogram_shapes(space), epsilon), epsilon)
