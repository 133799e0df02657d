"""The diagrams of a full-domain recoding: the level of each attribute, and the lattice of all levels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cobogo.floor.arrays import Ints
from cobogo.tell.report.canvas import BLUE, GREY, INK, LINE, MARGIN, MUTED, ORANGE, PALE, PAPER, TINT, WIDTH, Sheet
from cobogo.tell.report.content import AttributeStory, LatticeStory
from cobogo.tell.report.figures import steps
from cobogo.tell.report.words import Words

Box = tuple[float, float, float, float]


def levels(attributes: Sequence[AttributeStory], path: Path, *, say: Words) -> None:
    """One row of steps for each attribute that has a level, filled up to the one released."""
    rows = [story for story in attributes if story.level is not None]
    kept = sum(story.level == 0 for story in rows)
    if kept in (0, len(rows)):
        fact = say("plot.levels.none" if rows and not kept else "plot.levels.all")
    else:
        fact = say("plot.levels", n=kept, total=len(rows))
    sheet = Sheet(fact, say("plot.levels.what"))
    names = [sheet.fit(story.name, 2.2, 9.5) for story in rows]
    left = MARGIN + max((sheet.measure(name) for name in names), default=0) + 0.2
    right = WIDTH - MARGIN - 0.7
    columns = max((len(steps(story, say)) for story in rows), default=1)
    wide = min((right - left) / columns, 2.4)
    right = left + columns * wide
    boxes: dict[str, list[Box]] = {TINT: [], BLUE: [], PAPER: []}
    for column in range(columns if rows else 0):
        heading = say("plot.levels.level", level=column)
        heading = heading if sheet.measure(heading, 9) < wide else say.number(column)
        sheet.text(left + (column + 0.5) * wide, sheet.top, heading, size=9, color=MUTED, align="center")
    y = sheet.top + 0.16
    for story, name in zip(rows, names, strict=True):
        level = story.level or 0
        sheet.text(left - 0.2, y + 0.17, name, align="right")
        for step, label in enumerate(steps(story, say)):
            fill = BLUE if step == level else TINT if step < level else PAPER
            boxes[fill].append((left + step * wide + 0.03, y, wide - 0.06, 0.34))
            color = PAPER if step == level else INK if step < level else MUTED
            shown = sheet.fit(label, wide - 0.16, 8.5)
            if len(shown) > 3 or shown == label:  # two letters and dots tell nobody anything
                sheet.text(left + (step + 0.5) * wide, y + 0.17, shown, size=8.5, color=color, align="center")
        reached = say("of", level=level, height=len(steps(story, say)) - 1)
        sheet.text(right + 0.12, y + 0.17, reached, size=9, color=INK if level else MUTED)
        y += 0.42
    for fill, some in boxes.items():
        sheet.pills(some, fill=fill, edge=LINE if fill == PAPER else fill, thick=0.8, over=1)
    sheet.save(path, y - 0.08)


def lattice(story: LatticeStory, path: Path, *, say: Words, optimal: bool = True) -> None:
    """The Hasse diagram of a small lattice: the original table at the bottom, the most general at the top."""
    nodes = story.levels
    varied = [i for i in range(nodes.shape[1]) if np.ptp(nodes[:, i])] or list(range(nodes.shape[1]))[:1]
    glue = "," if len(varied) <= 4 or nodes.max() > 9 else ""
    labels = [glue.join(str(int(level)) for level in node[varied]) for node in nodes]
    fact = say(
        "plot.lattice.optimal" if optimal else "plot.lattice.chosen",
        satisfied=int(story.satisfied.sum()), nodes=len(nodes), levels=_tuple(labels[story.chosen], glue),
    )  # fmt: skip
    what = say("plot.lattice.what", names=", ".join(story.attributes[i] for i in varied))

    heights = nodes.sum(axis=1) - nodes.sum(axis=1).min()
    tiers = [np.flatnonzero(heights == height) for height in range(int(heights.max()) + 1)]
    most = max(map(len, tiers))
    size = 10.5 if most <= 8 else 8.5 if most <= 16 else 7
    sheet = Sheet(fact, what)
    _legend(sheet, say, optimal)

    wide, high = max(sheet.measure(label, size) for label in labels) + 0.14, size * 0.025
    pitch = max(min(0.82 if most <= 8 else 0.95, 10 / len(tiers)), high + 0.12)
    places = np.zeros((len(nodes), 2))
    y = sheet.top + high / 2
    for members in reversed(tiers):
        # Descending order puts what the first attribute alone reaches on the left, as the cube is usually drawn.
        ordered = members[np.lexsort(-nodes[members].T[::-1])]
        slot = min((WIDTH - 2 * MARGIN - wide) / max(len(ordered) - 1, 1), 1.5)
        ranks = np.arange(len(ordered))
        rows = min(len(ordered), int(np.ceil((wide + 0.06) / slot)))  # a crowded tier stands in staggered rows
        places[ordered, 0] = WIDTH / 2 + (ranks - (len(ordered) - 1) / 2) * slot
        places[ordered, 1] = y + ranks % rows * (high + 0.06)
        y += (rows - 1) * (high + 0.06) + pitch
    bottom = places[:, 1].max()
    pairs = _steps_up(nodes)
    both = story.satisfied[pairs].all(axis=1) if len(pairs) else np.zeros(0, bool)
    for chosen, color in ((~both, LINE), (both, PALE)):
        sheet.lines([(tuple(places[a]), tuple(places[b])) for a, b in pairs[chosen]], color, thick=0.8)

    def boxes(which: Ints, grow: float = 0) -> list[Box]:
        return [
            (x - wide / 2 - grow, y - high / 2 - grow, wide + 2 * grow, high + 2 * grow)
            for x, y in places[which].tolist()
        ]

    best = np.array([story.chosen])
    rest = np.arange(len(nodes)) != story.chosen
    sheet.pills(boxes(np.flatnonzero(rest & ~story.satisfied)), fill=PAPER, edge=GREY)
    sheet.pills(boxes(np.flatnonzero(rest & story.satisfied)), fill=BLUE, edge=BLUE)
    sheet.pills(boxes(best, 0.1), fill=PAPER, edge=ORANGE, thick=1.4, over=3)
    sheet.pills(boxes(best, 0.045), fill=ORANGE, edge=ORANGE, over=4)
    for node, label in enumerate(labels):
        x, y = places[node].tolist()
        color = PAPER if node == story.chosen or story.satisfied[node] else MUTED
        sheet.text(x, y, label, size=size, color=color, bold=node == story.chosen, align="center")
    sheet.save(path, bottom + high)


def _tuple(label: str, glue: str) -> str:
    """Levels in a sentence: in brackets, or "1,2" would be a decimal in Portuguese."""
    return f"({label.replace(glue, ', ')})" if glue else label


def _steps_up(nodes: Ints) -> Ints:
    """Pairs of nodes, the second one level above the first in one attribute."""
    index = {tuple(node): i for i, node in enumerate(nodes.tolist())}
    pairs = [
        (i, index[above])
        for node, i in index.items()
        for attribute in range(len(node))
        if (above := (*node[:attribute], node[attribute] + 1, *node[attribute + 1 :])) in index
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _legend(sheet: Sheet, say: Words, optimal: bool) -> None:
    """What the three kinds of node mean, in one line."""
    x, y = MARGIN, sheet.top
    kinds = [
        ("plot.lattice.best" if optimal else "plot.lattice.taken", ORANGE, ORANGE),
        ("plot.lattice.satisfied", BLUE, BLUE),
        ("plot.lattice.unsatisfied", PAPER, GREY),
    ]
    for key, fill, edge in kinds:
        sheet.pills([(x, y - 0.08, 0.26, 0.16)], fill=fill, edge=edge)
        sheet.text(x + 0.34, y, say(key), size=9)
        x += 0.34 + sheet.measure(say(key), 9) + 0.3
    sheet.top += 0.42
