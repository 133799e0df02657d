"""The lattice as a picture: levels from bottom to top, loss as colour, what holds as shape."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from cobogo.faces.workbench.session import PageSession
from cobogo.faces.workbench.style import BRICK
from cobogo.floor.arrays import Ints
from cobogo.floor.language import Speech, tr
from cobogo.publish.recode.contract.problem import Levels
from cobogo.publish.recode.lattice.survey import Standing
from cobogo.publish.recode.lattice.walk import successors
from cobogo.studies.exploration import Exploration
from cobogo.tell.report.labels import metric_name

INK = "currentColor"  # the pictures are SVG: their lines and letters are those of the page, light or dark
COLOURS = ("#fde725", "#7ad151", "#22a884", "#2a788e", "#414487", "#440154")
GREY = "#9e9e9e"
FONT = "Roboto, sans-serif"
SHAPES = {Standing.SATISFIES: "circle", Standing.FAILS: "rect", Standing.UNKNOWN: "triangle"}
LABELS_AT_MOST = 9
"""Nodes in the widest row that are labelled with their levels."""


def picture(found: Exploration, shown: Ints, chosen: Levels, session: PageSession, say: Speech) -> dict[str, Any]:
    """What ECharts draws: the nodes of the numbers given, and the steps between them."""
    survey = found.survey
    rows = _arrange(found, shown)
    heights = sorted(rows)
    widest = max(map(len, rows.values()), default=1)
    places = {
        number: (0.5 + (place - (len(row) - 1) / 2) / widest, heights.index(height))
        for height, row in rows.items()
        for place, number in enumerate(row)
    }
    known = [float(survey.values[number]) for number in places if math.isfinite(survey.values[number])]
    scale = Colours(min(known, default=0.0), max(known, default=1.0), dark_is_low=found.problem.metric.maximize)
    size = min(26.0, max(7.0, 560 / widest))
    nodes = [
        _node(found, number, place, size, scale)
        | _mark(found, number, chosen, session, named=widest <= LABELS_AT_MOST)
        | {"tip": _tip(found, number, session, say)}
        for number, place in places.items()
    ]
    links = _steps(found, places, chosen)
    for node in nodes:
        node["itemStyle"] |= node.pop("ring", {})
    return {
        "animation": False,
        "textStyle": {"color": INK, "fontFamily": FONT},
        "grid": {"left": 56, "right": 14, "top": 26, "bottom": 62},
        "tooltip": {"confine": True, ":formatter": "p => p.data.tip || ''", "borderColor": BRICK},
        "xAxis": {"show": False, "min": 0, "max": 1},
        "yAxis": {
            "type": "category",
            "data": heights,
            "boundaryGap": True,
            "name": session.say("sum of levels"),
            "nameLocation": "middle",
            "nameGap": 34,
            "nameTextStyle": {"color": INK},
            "axisLabel": {"color": INK},
            "axisLine": {"show": False},
            "axisTick": {"show": False},
        },
        "dataZoom": [{"type": "inside", "xAxisIndex": 0, "zoomOnMouseWheel": "ctrl", "filterMode": "none"}],
        "visualMap": _legend(scale, metric_name(found.problem.metric.name, say), session),
        "series": [
            {
                "type": "graph",
                "coordinateSystem": "cartesian2d",
                "data": nodes,
                "links": links,
                "lineStyle": {"color": INK, "opacity": min(0.35, max(0.08, 40 / max(len(links), 1))), "width": 1},
                "emphasis": {
                    "focus": "adjacency",
                    "label": {"show": False},
                    "lineStyle": {"opacity": 0.9, "width": 2},
                },
                "cursor": "pointer",
            }
        ],
    }


@dataclass(frozen=True)
class Colours:
    """Values as colours, from bright, where little is lost, to dark."""

    low: float
    high: float
    dark_is_low: bool

    @property
    def steps(self) -> tuple[str, ...]:
        """From the lowest value to the highest."""
        return COLOURS[::-1] if self.dark_is_low else COLOURS

    def colour(self, value: float) -> str:
        """The colour of a value; grey if it is not finite."""
        if not math.isfinite(value):
            return GREY
        span = self.high - self.low
        at = (value - self.low) / span * (len(COLOURS) - 1) if span > 0 else 0.0
        step = min(int(at), len(COLOURS) - 2)
        pair = zip(_channels(self.steps[step]), _channels(self.steps[step + 1]), strict=True)
        return "#" + "".join(f"{round(a + (b - a) * (at - step)):02x}" for a, b in pair)


def _channels(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def _arrange(found: Exploration, shown: Ints) -> dict[int, list[int]]:
    """The nodes in rows by the sum of their levels; in each row a node lies near its neighbours of the next row."""
    survey = found.survey
    rows: dict[int, list[int]] = {}
    for number in shown.tolist():
        rows.setdefault(sum(survey.levels(number)), []).append(number)
    middle = sum(survey.around)
    for height in sorted(rows, key=lambda height: abs(height - middle)):
        toward = height + (1 if height < middle else -1)
        row = rows.get(toward, [])
        across = {survey.levels(number): place / len(row) for place, number in enumerate(row)}
        if across and height != middle:
            rows[height].sort(key=lambda number: _mean_place(survey.levels(number), across))
    return rows


def _mean_place(levels: Levels, across: dict[Levels, float]) -> float:
    """The mean place of a node's neighbours."""
    beside = [
        across[other]
        for column in range(len(levels))
        for step in (-1, 1)
        if (other := (*levels[:column], levels[column] + step, *levels[column + 1 :])) in across
    ]
    return sum(beside) / len(beside) if beside else 0.5


NARROW = 14
"""Letters of a line beside the scale, so that scale and words fit a phone."""


def _legend(scale: Colours, metric: str, session: PageSession) -> dict[str, Any]:
    """Beside the picture; the nodes have their colours already."""
    return {
        "type": "continuous",
        "seriesIndex": [],
        "min": scale.low,
        "max": scale.high if scale.high > scale.low else scale.low + 1e-9,
        "calculable": True,
        "hoverLink": False,
        "orient": "horizontal",
        "left": "center",
        "bottom": 10,
        "itemHeight": 125,
        "itemWidth": 14,
        "text": [fill(f"{metric}: {session.say(end)}", NARROW) for end in (tr("high"), tr("low"))],
        "textStyle": {"color": INK, "lineHeight": 14},
        "textGap": 20,
        "inRange": {"color": list(scale.steps)},
        ":formatter": f"v => v.toLocaleString('{session.language}', {{maximumSignificantDigits: 3}})",
    }


def _node(found: Exploration, number: int, place: tuple[float, int], size: float, scale: Colours) -> dict[str, Any]:
    """A node by what is known of it: its shape says whether it satisfies the policy, its colour what is lost."""
    survey = found.survey
    standing = Standing(int(survey.standing[number]))
    good = standing is Standing.SATISFIES
    best = survey.levels(number) == found.optimum
    return {
        "name": node_name(survey.levels(number)),
        "value": list(place),
        "symbol": "diamond" if best else SHAPES[standing],
        "symbolSize": max(18.0, size * 1.5) if best else size * (1.0 if good else 0.75),
        "itemStyle": {
            "color": scale.colour(float(survey.values[number])),
            "opacity": 1 if good else 0.75,
            "borderColor": INK,
            "borderWidth": 1.5 if good else 1,
            "borderType": "solid" if good else "dashed",
        },
    }


def _mark(found: Exploration, number: int, chosen: Levels, session: PageSession, *, named: bool) -> dict[str, Any]:
    """The marks of the best and the chosen node, and the levels if there is room for them."""
    levels = found.survey.levels(number)
    best, mine = levels == found.optimum, levels == chosen
    marks = [session.say("best")] * best + [session.say("chosen")] * (mine and not best)
    ring = {"borderColor": BRICK, "borderWidth": 4, "borderType": "solid", "opacity": 1} if mine else {}
    texts = marks + ["·".join(map(str, levels))] * named
    if not texts:
        return {"ring": ring}
    plate = {"color": "#ffffff", "backgroundColor": BRICK, "padding": [1, 5], "borderRadius": 3, "lineHeight": 15}
    label: dict[str, Any] = {
        "show": True,
        "position": "top",
        "formatter": "  ".join(texts),
        "fontSize": 11,
        "color": INK,
    }
    label |= plate if marks else {}
    return {"ring": ring, "label": label, "emphasis": {"label": {"show": True}}}


def _steps(found: Exploration, places: dict[int, tuple[float, int]], chosen: Levels) -> list[dict[str, Any]]:
    """From each node to those one level of one attribute above it."""
    survey = found.survey
    names = {number: node_name(survey.levels(number)) for number in places}
    links: list[dict[str, Any]] = []
    for number in places:
        levels = survey.levels(number)
        for above in successors(levels, survey.problem.highest):
            other = survey.number(above)
            if other in names:
                link: dict[str, Any] = {"source": names[number], "target": names[other]}
                if chosen in (levels, above):
                    link["lineStyle"] = {"color": BRICK, "opacity": 0.9, "width": 2}
                links.append(link)
    return links


def _tip(found: Exploration, number: int, session: PageSession, say: Speech) -> str:
    survey = found.survey
    standing = Standing(int(survey.standing[number]))
    lines = [f"<b>{html.escape(standing_words(session, standing))}</b>"]
    lines += [
        f"{html.escape(name)}: {level} / {height}"
        for name, level, height in zip(
            found.attributes, survey.levels(number), survey.problem.scale.heights.tolist(), strict=True
        )
    ]
    if standing is not Standing.UNKNOWN:
        share = survey.suppressed[number] / survey.problem.scale.records
        figures = {
            metric_name(survey.problem.metric.name, say): say.number(float(survey.values[number])),
            session.say("suppressed"): f"{say.number(int(survey.suppressed[number]))} ({say.percent(share)})",
            session.say("classes"): say.number(int(survey.classes[number])),
            session.say("smallest class"): say.number(int(survey.smallest[number])),
        }
        lines += ["", *(f"{html.escape(name)}: <b>{html.escape(text)}</b>" for name, text in figures.items())]
    return "<br>".join(lines)


def node_name(levels: Levels) -> str:
    """A node's name in the picture."""
    return "·".join(map(str, levels))


LONG = 24
"""Levels that are listed of a node; more would fill the page."""


def list_levels(levels: Levels) -> str:
    """A node's levels for a reader: all, or the first of hundreds.

    >>> list_levels((2, 0, 1)), list_levels((1,) * 400).count("1")
    ('2 · 0 · 1', 24)
    """
    return " · ".join(map(str, levels[:LONG])) + (" · …" if len(levels) > LONG else "")


def count_nodes(nodes: int, say: Speech) -> str:
    """How many nodes there are, as a power of ten where the digits would fill a line.

    >>> from cobogo.floor.language import speech
    >>> count_nodes(15_000, speech("pt-BR")), count_nodes(12 * 10**235, speech("pt-BR"))
    ('15.000', '1,2 × 10²³⁶')
    """
    if nodes < MANY:
        return say.number(nodes)
    power = len(str(nodes)) - 1
    digits = str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{say.number(nodes // 10 ** (power - 3) / 1000)} × 10{digits}"


MANY = 10**15


def standing_words(session: PageSession, standing: Standing) -> str:
    """What is known of a node, in words."""
    match standing:
        case Standing.SATISFIES:
            return session.say("satisfies the policy")
        case Standing.FAILS:
            return session.say("does not satisfy the policy")
    return session.say("not examined")
