"""The figures of the concepts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from figures.drawing import BRICK, INK, MIST, keep, sheet

CLASSES = {
    "class of those under 85": ["sinusitis", "influenza", "diabetes", "hernia"],
    "class of those under 40": ["sinusitis", "diabetes", "bronchitis", "bronchitis"],
}


def closeness(path: Path) -> None:
    """The shares of a sensitive attribute in two classes, beside those of the whole table."""
    whole = Counter(value for values in CLASSES.values() for value in values)
    total = sum(whole.values())
    figure, axes = sheet("How far a class is from the whole table", panels=2)
    for panel, (name, values) in zip(axes, CLASSES.items(), strict=True):
        own = Counter(values)
        distance = sum(abs(own[value] / len(values) - count / total) for value, count in whole.items()) / 2
        for place, (value, count) in enumerate(whole.items()):
            panel.bar(place - 0.2, count / total, 0.38, color=MIST, label=None if place else "the whole table")
            panel.bar(place + 0.2, own[value] / len(values), 0.38, color=BRICK, label=None if place else "the class")
        panel.set_xticks(range(len(whole)), list(whole), fontsize=8)
        panel.set_title(f"{name}: t = {distance:.2f}", fontsize=9, color=INK)
        panel.set_ylim(0, 0.6)
        panel.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes[0].legend(frameon=False, fontsize=8)
    keep(figure, path)


FIGURES = {"concept-closeness.png": closeness}
