"""How the pictures of the gallery are drawn: plain matplotlib, one look for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

BRICK, INK, SKY, SAND = "#b3541e", "#22333b", "#3a7ca5", "#c6ac8f"


def sheet(title: str, subtitle: str) -> tuple[Figure, Any]:
    """A figure with one pair of axes, and a title that says what is to be seen."""
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    axes = figure.subplots()
    figure.suptitle(title, x=0.02, ha="left", fontsize=13, fontweight="bold", color=INK)
    axes.set_title(subtitle, loc="left", fontsize=9.5, color="#555555")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_axisbelow(True)
    return figure, axes


def save(figure: Figure, directory: str | Path, name: str) -> Path:
    """Write the picture."""
    place = Path(directory) / f"gallery-{name}.png"
    figure.savefig(place, dpi=110)
    return place
