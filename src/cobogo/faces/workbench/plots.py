"""Charts of the workbench: drawn as SVG, so that their letters follow light and dark as the page's do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

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


def plotted(options: dict[str, Any], label: str, *, height: str = "18rem") -> ui.echart:
    """A chart that says what it shows to those who do not see it."""
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
