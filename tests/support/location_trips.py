"""Trips that are put together for tests."""

from __future__ import annotations

import numpy as np

from cobogo.locate.places.points import Points


def plain_crowd(released: Points, delta: float) -> list[int]:
    """How many trajectories are within δ of each at every moment, one pair after the other."""
    traces = released.traces()
    return [
        sum(
            len(one) == len(other)
            and bool((one.time == other.time).all())
            and bool((one.distance(other) <= delta + 1e-6).all())
            for other in traces
        )
        for one in traces
    ]


def joined(*parts: Points) -> Points:
    return Points.from_columns(
        np.concatenate([part.lon for part in parts]),
        np.concatenate([part.lat for part in parts]),
        time=np.concatenate([part.time for part in parts]),
        user=np.concatenate([[f"{number} {one}" for one in part.user] for number, part in enumerate(parts)]),
    )
