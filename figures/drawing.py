"""The look that the figures of tutorials and concepts share: Cobogó's colours on white, few lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

BRICK, INK, SAND, MIST = "#b3541e", "#22333b", "#c6ac8f", "#9fb3bd"


def sheet(title: str, *, panels: int = 1, height: float = 3.2, width: float = 9.0) -> tuple[Figure, list[Any]]:
    """A figure with a title over some panels, side by side."""
    figure = Figure(figsize=(width, height), dpi=130)
    FigureCanvasAgg(figure)
    figure.suptitle(title, x=0.02, ha="left", fontsize=11, color=INK, fontweight="bold")
    axes = list(figure.subplots(1, panels, squeeze=False)[0])
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
        one.tick_params(colors=INK, labelsize=8)
    return figure, axes


def keep(figure: Figure, path: Path) -> None:
    """Write it, with no date inside, so that the same figure is the same file."""
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    figure.savefig(path, metadata={"Software": None})
