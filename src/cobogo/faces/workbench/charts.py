"""Charts of the pages, as SVG: their letters follow light and dark, and their numbers the language."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nicegui import ui

from cobogo.faces.workbench.session import PageSession

BLUE, ORANGE, GREEN, GREY = "#3a8fbd", "#dd7a16", "#2f9d6b", "#8a949b"
"""Each can be told from the others, and from white and black, by every kind of colour vision."""

FAINT = "rgba(128,128,128,0.35)"

PERCENT = "v => (100 * v).toLocaleString(document.documentElement.lang || undefined) + ' %'"
COMPACT = "v => Intl.NumberFormat(document.documentElement.lang || undefined, {notation: 'compact'}).format(v)"
PLAIN = "v => v.toLocaleString(document.documentElement.lang || undefined)"
"""How axes write numbers: as the page's language does."""

WHISKER = """(params, api) => {
  const low = api.coord([api.value(0), api.value(1)]), high = api.coord([api.value(0), api.value(2)]);
  const line = {stroke: api.visual("color"), lineWidth: 2, fill: null}, half = 6;
  const part = (x1, y1, x2, y2) => ({type: "line", shape: {x1, y1, x2, y2}, style: line});
  return {type: "group", children: [
    part(low[0], low[1], high[0], high[1]),
    part(low[0] - half, low[1], low[0] + half, low[1]),
    part(high[0] - half, high[1], high[0] + half, high[1])]};
}"""
"""Draws [category, low, high] as an interval."""


def plot(options: dict[str, Any], label: str, *, height: str = "18rem") -> ui.echart:
    """A chart with a label for screen readers."""
    whole = {
        "animation": False,
        "textStyle": {"fontFamily": "Roboto, sans-serif"},
        "grid": {"left": 12, "right": 16, "top": 36, "bottom": 12, "containLabel": True},
        **options,
    }
    chart = ui.echart(whole, renderer="svg").classes("w-full cobogo-plot").style(f"height: {height}")
    return chart.props(f'role="img" aria-label="{label.replace(chr(34), chr(39))}"')


def axis(kind: str = "value", **more: Any) -> dict[str, Any]:
    """An axis with quiet lines."""
    lines = {"lineStyle": {"color": FAINT}}
    more = {"axisLabel": {":formatter": PLAIN}, **more} if kind == "value" else more
    return {
        "type": kind, "axisLine": lines, "axisTick": lines, "splitLine": {"show": kind != "category", **lines},
        "nameTextStyle": {"color": GREY}, **more,
    }  # fmt: skip


def whiskers(name: str, intervals: Sequence[tuple[float, float] | None], colour: str = BLUE) -> dict[str, Any]:
    """A series of intervals above categories."""
    data = [[at, *interval] for at, interval in enumerate(intervals) if interval is not None]
    return {
        "type": "custom", "name": name, ":renderItem": WHISKER, "data": data, "itemStyle": {"color": colour},
        "encode": {"x": 0, "y": [1, 2]}, "z": 3, "tooltip": {"show": False},
    }  # fmt: skip


def dots(name: str, values: Sequence[float | None], colour: str = BLUE, **more: Any) -> dict[str, Any]:
    """A series of points above categories."""
    data = [[at, value] for at, value in enumerate(values) if value is not None]
    return {
        "type": "scatter", "name": name, "data": data, "symbolSize": 10, "itemStyle": {"color": colour}, "z": 4, **more,
    }  # fmt: skip


ORIGINAL, RELEASE, LINE = "#7b93a8", "#cc6a33", "#8888"
CSS = """
@layer overrides {
  .cobogo-chart svg text { fill: #333 !important; }
  .body--dark .cobogo-chart svg text { fill: #e4e4e4 !important; }
}
"""


def chart(options: Mapping[str, Any], *, height: str, label: str) -> ui.echart:
    """A chart with a label for screen readers. It is drawn as SVG, whose text takes the page's colours."""
    ui.add_css(CSS)
    base = {"animation": False, "textStyle": {"fontFamily": "inherit", "fontSize": 12}}
    drawn = ui.echart({**base, **options}, renderer="svg").classes("w-full cobogo-chart").style(f"height: {height}")
    return drawn.props(f'role="img" aria-label="{label.replace(chr(34), chr(39))}"')


def percent(session: PageSession, digits: int = 1) -> str:
    """JavaScript that writes a share, given in hundredths."""
    return f"v => v.toLocaleString('{session.language}', {{maximumFractionDigits: {digits}}}) + '%'"


def hundredths(shares: Sequence[float] | Any) -> list[float]:
    """Shares as charts are given them."""
    return [round(100 * float(share), 4) for share in shares]


def _colours(session: PageSession, series: Iterable[str]) -> list[str]:
    """Of the sides that are there."""
    return [ORIGINAL if name == session.say("Original") else RELEASE for name in series]


def _value_axis(session: PageSession) -> dict[str, Any]:
    return {
        "type": "value",
        "min": 0,
        "axisLabel": {":formatter": percent(session)},
        "splitLine": {"lineStyle": {"color": LINE, "type": "dotted"}},
    }


def bars(
    session: PageSession,
    labels: Sequence[str],
    series: Mapping[str, Sequence[float]],
    *,
    label: str,
    upright: bool = False,
) -> ui.echart:
    """Grouped bars of shares; ``upright`` for what has an order from left to right."""
    names: dict[str, Any] = {
        "type": "category",
        "data": list(labels),
        "axisTick": {"show": False},
        "axisLabel": {"width": 150 if not upright else 90, "overflow": "truncate", "interval": 0},
    }
    axes: dict[str, Any] = {"xAxis": names, "yAxis": _value_axis(session)}
    if upright:
        names["axisLabel"]["rotate"] = 40 if len(labels) > 7 else 0
    else:
        axes = {"yAxis": {**names, "inverse": True}, "xAxis": _value_axis(session)}
    options = {
        "color": _colours(session, series),
        "legend": {"top": 0},
        "tooltip": {"trigger": "axis", "axisPointer": {"type": "shadow"}, ":valueFormatter": percent(session, 2)},
        "grid": {"left": 8, "right": 24, "top": 32, "bottom": 8, "containLabel": True},
        **axes,
        "series": [
            {"name": name, "type": "bar", "data": hundredths(values), "barGap": "10%", "barMaxWidth": 30}
            for name, values in series.items()
        ],
    }
    tall = 320 if upright else max(220, 60 + 30 * len(labels))
    return chart(options, height=f"{tall}px", label=label)


def heat(
    session: PageSession,
    cells: Any,
    rows: Sequence[str],
    across: Sequence[str],
    *,
    most: float,
    title: str,
    signed: bool,
) -> ui.echart:
    """A heat map of shares, or of differences of shares, on a scale that is given."""
    top = max(round(100 * most, 4), 1e-6)
    data = [
        [x, y, round(100 * float(cells[y][x]), 4)] for y in range(len(rows)) for x in range(len(across))
    ]  # fmt: skip
    colours = ["#2f6f9f", "#f2efe9", "#b3541e"] if signed else ["#f2efe9", "#e39a6b", "#8f3d10"]
    small = {"fontSize": 10, "interval": 0, "overflow": "truncate"}
    options = {
        "title": {"text": title, "left": "center", "textStyle": {"fontSize": 13}},
        "tooltip": {":valueFormatter": percent(session, 2)},
        "grid": {"left": 4, "right": 8, "top": 28, "bottom": 46, "containLabel": True},
        "xAxis": {"type": "category", "data": list(across), "axisLabel": {**small, "rotate": 50, "width": 80}},
        "yAxis": {"type": "category", "data": list(rows), "inverse": True, "axisLabel": {**small, "width": 84}},
        "visualMap": {
            "min": -top if signed else 0,
            "max": top,
            "calculable": False,
            "orient": "horizontal",
            "left": "center",
            "bottom": 0,
            "itemHeight": 90,
            "itemWidth": 10,
            "inRange": {"color": colours},
            ":formatter": percent(session),
        },
        "series": [
            {"type": "heatmap", "name": title, "data": data, "itemStyle": {"borderColor": LINE, "borderWidth": 0.5}}
        ],
    }
    return chart(options, height=f"{max(300, 130 + 22 * len(rows))}px", label=title)


def curves(
    session: PageSession,
    lines: Mapping[str, Sequence[tuple[float, float]]],
    *,
    across: str,
    up: str,
    label: str,
    logarithmic: bool = False,
    shares: bool = False,
    height: str = "300px",
) -> ui.echart:
    """Lines of shares over numbers (or over shares); steps, since what is counted jumps."""
    number = f"v => v.toLocaleString('{session.language}')"
    end = max((points[-1][0] for points in lines.values() if points), default=1.0)
    whole = {name: [*points, *([(end, points[-1][1])] if points else [])] for name, points in lines.items()}
    options = {
        "color": _colours(session, lines),
        "legend": {"top": 0},
        "tooltip": {"trigger": "axis", ":valueFormatter": percent(session, 2)},
        "grid": {"left": 8, "right": 32, "top": 52, "bottom": 30, "containLabel": True},
        "xAxis": {
            "type": "log" if logarithmic else "value",
            "name": across,
            "nameLocation": "middle",
            "nameGap": 26,
            "axisLabel": {":formatter": percent(session) if shares else number},
            "axisPointer": {
                "label": {
                    ":formatter": "p => " + (f"({percent(session)})(p.value)" if shares else f"({number})(p.value)")
                }
            },
            "splitLine": {"show": False},
        },
        "yAxis": {**_value_axis(session), "max": 100, "name": up, "nameTextStyle": {"align": "left"}},
        "series": [
            {
                "name": name,
                "type": "line",
                "step": "end",
                "showSymbol": False,
                "lineStyle": {"width": 2.5},
                "areaStyle": {"opacity": 0.08},
                "data": [[100 * x if shares else x, round(100 * y, 4)] for x, y in points],
            }
            for name, points in whole.items()
        ],
    }
    return chart(options, height=height, label=label)


def gauge(session: PageSession, before: float | None, after: float | None, *, label: str) -> ui.echart:
    """Two half rings from 0 to 100 %: the original outside, the release inside."""

    def ring(name: str, value: float | None, colour: str, radius: str, *, told: bool) -> dict[str, Any]:
        return {
            "type": "gauge",
            "name": name,
            "startAngle": 180,
            "endAngle": 0,
            "min": 0,
            "max": 100,
            "radius": radius,
            "center": ["50%", "78%"],
            "pointer": {"show": False},
            "progress": {"show": value is not None, "width": 14, "itemStyle": {"color": colour}},
            "axisLine": {"lineStyle": {"width": 14, "color": [[1, "#8883"]]}},
            "axisTick": {"show": False},
            "splitLine": {"show": False},
            "axisLabel": {"show": False},
            "detail": {
                "show": told and value is not None,
                "offsetCenter": [0, "-8%"],
                "fontSize": 24,
                "fontWeight": 600,
                "formatter": session.say.percent(value),
            },
            "data": [{"value": 0 if value is None or math.isnan(value) else round(100 * value, 4)}],
        }

    options = {
        "series": [
            ring(session.say("Original"), before, ORIGINAL, "130%", told=False),
            ring(session.say("Released data"), after, RELEASE, "96%", told=True),
        ]
    }
    return chart(options, height="150px", label=label)


def _room(letters: int) -> str:
    """The least width of a column whose longest cell has so many letters: on a phone a sentence, or a date, keeps room
    for a few words."""
    return "15rem" if letters > 60 else "8rem" if letters > 20 else "0"


def table(columns: Sequence[tuple[str, str, str]], rows: Sequence[Mapping[str, Any]], *, page: int = 0) -> ui.table:
    """A plain table: each column's key, title and side; long texts wrap."""
    room = {key: _room(max((len(str(row.get(key, ""))) for row in rows), default=0)) for key, *_ in columns}
    shown = [
        {
            "name": key,
            "label": title,
            "field": key,
            "align": side,
            "style": f"white-space: normal; min-width: {room[key]}",
            "headerStyle": "white-space: normal",
        }
        for key, title, side in columns
    ]
    numbered = [{"row": place, **row} for place, row in enumerate(rows)]
    made = ui.table(rows=numbered, columns=shown, row_key="row", pagination=page or None)
    return made.classes("w-full").props("flat bordered dense wrap-cells" + ("" if page else " hide-pagination"))
