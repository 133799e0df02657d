"""The curves of the page about location mechanisms: laws, nothing is drawn at random."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cobogo.locate.device import PRESETS
from cobogo.tell.report.curves import COLORS, Axis, Curve, draw

SHOWN = ("navigation", "game", "recommendation", "weather")
METRES = np.geomspace(1, 10_000, 120)


def off(path: Path) -> None:
    """How many reports are within how many metres, for the noise that each kind of service can bear."""
    curves = []
    for name, color in zip(SHOWN, COLORS, strict=True):
        noise = PRESETS[name].mechanism
        points = [(float(metres), 100 * noise.share_within(float(metres))) for metres in METRES]
        curves.append(Curve(f"{name}: ε = {noise.epsilon:g} per metre", points, color))
    draw(
        path, "A tenth of the ε, ten times as far off", "Reports within a distance of the truth, planar Laplace noise",
        curves,
        across=Axis("metres", [1, 10, 100, 1000, 10_000], logarithmic=True),
        up=Axis("reports within, %", range(0, 101, 25)),
    )  # fmt: skip


FIGURES = {"location-noise.png": off}
