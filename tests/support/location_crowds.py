"""Snapshots of people for cloaks."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from cobogo.locate.places.points import Points


@st.composite
def snapshots(draw: st.DrawFn) -> Points:
    """People about a corner of the world, the date line and the poles among them; some reported several times."""
    seed = draw(st.integers(0, 10**6))
    lon, lat = draw(st.sampled_from([(-38.5, -3.7), (180.0, 0.0), (-180.0, 60.0), (0.0, 0.0), (10.0, 89.99)]))
    spread = draw(st.sampled_from([1e-4, 1e-2, 1.0]))
    rng = np.random.default_rng(seed)
    size, people = draw(st.integers(4, 60)), draw(st.integers(4, 40))
    east, north = rng.normal(size=(2, size)) * spread
    whose = np.concatenate([np.arange(4), rng.integers(0, people, size - 4)])
    if draw(st.booleans()):
        east, north = np.round(east / spread) * spread, np.round(north / spread) * spread  # many at one place
    return Points.from_columns(lon + east, np.clip(lat + north, -90, 90), user=whose, time=rng.permutation(size))
