"""Points for tests."""

from __future__ import annotations

from hypothesis import strategies as st

lons = st.floats(-180, 180)


lats = st.floats(-90, 90)
