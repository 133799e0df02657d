"""The map as a chart: land, paths, reports, regions and guesses in kilometres. Nothing of it comes from the network."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from cobogo.examples.places import BAIRROS, OUTLINE
from cobogo.faces.workbench.charts import BLUE, FAINT, GREEN, GREY, ORANGE
from cobogo.floor.language import tr
from cobogo.locate.places.geometry import Frame
from cobogo.studies.fortaleza import bairro_rings, layers_below
from cobogo.studies.fortaleza.land import NAMED
from cobogo.studies.location_trial import LocationTrial, TrialGround

WIDE = 1.75
"""Width of the map by its height."""

TRAIL = 400
"""Reports of the past that are drawn at most."""

KM = "v => v.toLocaleString(document.documentElement.lang || undefined) + ' km'"

LAND = """(params, api) => ({type: "polygon", silent: true, shape: {points: RING.map(p => api.coord(p))},
  style: {fill: "rgba(170,150,110,0.20)", stroke: "rgba(128,128,128,0.6)", lineWidth: 1}})"""

REGION = """(params, api) => {
  const style = {fill: "rgba(221,122,22,0.15)", stroke: "#dd7a16", lineWidth: 1.5};
  const at = api.coord([api.value(1), api.value(2)]);
  if (api.value(0) === 1) {
    const r = api.size([api.value(3), api.value(3)])[0];
    return {type: "circle", silent: true, shape: {cx: at[0], cy: at[1], r}, style};
  }
  const to = api.coord([api.value(3), api.value(4)]);
  return {type: "rect", silent: true, style, shape: {x: Math.min(at[0], to[0]), y: Math.min(at[1], to[1]),
    width: Math.abs(to[0] - at[0]), height: Math.abs(to[1] - at[1])}};
}"""

Say = Callable[..., str]


class MapPicture:
    """What is drawn of a ground, in a frame of its own."""

    def __init__(self, ground: TrialGround, say: Say) -> None:
        self.ground, self.say = ground, say
        truth = ground.truth
        self.frame: Frame = truth.frame
        self.known = bool(layers_below(truth.lon, truth.lat))
        x, y = self._metres(truth.lon, truth.lat)
        middle_x, middle_y = (x.min() + x.max()) / 2, (y.min() + y.max()) / 2
        tall = max(y.max() - y.min(), (x.max() - x.min()) / WIDE, 0.3) * 1.16
        self.view = [middle_x - tall * WIDE / 2, middle_x + tall * WIDE / 2, middle_y - tall / 2, middle_y + tall / 2]

    def _metres(self, lon: Any, lat: Any) -> tuple[Any, Any]:
        """Kilometres to the east and to the north."""
        east, north = self.frame.metres(lon, lat)
        return east / 1000, north / 1000

    def _places(self, lon: Any, lat: Any) -> list[list[float]]:
        x, y = self._metres(np.atleast_1d(lon), np.atleast_1d(lat))
        return [[round(a, 4), round(b, 4)] for a, b in zip(x.tolist(), y.tolist(), strict=True)]

    def window(self, tried: LocationTrial, person: int, moment: float, *, close: bool) -> dict[str, dict[str, float]]:
        """The bounds of the chart: everybody, or the surroundings of the person who is followed."""
        west, east, south, north = self.view
        row = tried.row(person, moment)
        if close and row is not None:
            wide = 0.0 if tried.released.radius is None else float(tried.released.radius[row])
            reach = max(1.6 * tried.run.quality_loss, 1.6 * (tried.error or 0.0), 1.4 * wide, 400.0) / 1000
            tall = min(2 * reach, north - south)
            x, y = (float(part) for part in self._metres(tried.truth.lon[row], tried.truth.lat[row]))
            west, east, south, north = x - tall * WIDE / 2, x + tall * WIDE / 2, y - tall / 2, y + tall / 2
        return {
            "xAxis": {"min": round(west, 4), "max": round(east, 4)},
            "yAxis": {"min": round(south, 4), "max": round(north, 4)},
        }

    def options(self, tried: LocationTrial, person: int, moment: float, *, close: bool = False) -> dict[str, Any]:
        seen = self.window(tried, person, moment, close=close)
        label = {
            "inside": True,
            "color": GREY,
            "margin": 4,
            "showMinLabel": False,
            "showMaxLabel": False,
            ":formatter": KM,
        }
        quiet = {"axisLine": {"show": False}, "axisTick": {"show": False}, "splitLine": {"show": False}}
        water = {"show": self.known, "backgroundColor": "rgba(58,143,189,0.13)", "borderWidth": 0}
        return {
            "grid": {**dict.fromkeys(("left", "right", "top", "bottom"), 0), "outerBoundsMode": "none", **water},
            "legend": {
                "bottom": 26, "right": 8, "orient": "vertical", "itemGap": 4, "padding": 6, "borderRadius": 4,
                "backgroundColor": "rgba(128,128,128,0.15)",
                "data": [self.say(one) for one in (tr("true path"), tr("reports"), tr("guesses"), tr("other "
                                                                                                     "people"))],
            },
            "xAxis": {"type": "value", **seen["xAxis"], "axisLabel": label, **quiet},
            "yAxis": {"type": "value", **seen["yAxis"], "axisLabel": label, **quiet},
            "dataZoom": [
                {"type": "inside", "xAxisIndex": 0, "filterMode": "none"},
                {"type": "inside", "yAxisIndex": 0, "filterMode": "none"},
            ],
            "series": [*self._backdrop(), *self._still(tried, person), *self.moving(tried, person, moment)],
        }  # fmt: skip

    def _backdrop(self) -> list[dict[str, Any]]:
        if not self.known:
            return []
        outline = np.array(OUTLINE)
        ring = json.dumps(self._places(outline[:, 0], outline[:, 1]))
        borders = [{"coords": self._places(*np.vstack((one, one[:1])).T)} for one in bairro_rings().values()]
        names = np.array([(BAIRROS[name].lon, BAIRROS[name].lat) for name in NAMED])
        named = [
            {"value": place, "name": name}
            for place, name in zip(self._places(names[:, 0], names[:, 1]), NAMED, strict=True)
        ]
        return [
            {"id": "land", "type": "custom", ":renderItem": LAND.replace("RING", ring), "data": [[0, 0]], "z": 1,
             "silent": True, "clip": True},
            {"id": "borders", "type": "lines", "coordinateSystem": "cartesian2d", "polyline": True, "silent": True,
             "data": borders, "lineStyle": {"color": FAINT, "width": 0.6, "opacity": 1}, "z": 1, "clip": True},
            {"id": "names", "type": "scatter", "symbolSize": 0.1, "silent": True, "data": named, "z": 1,
             "label": {"show": True, "formatter": "{b}", "fontSize": 10, "opacity": 0.75, "color": GREY}},
        ]  # fmt: skip

    def _still(self, tried: LocationTrial, person: int) -> list[dict[str, Any]]:
        """The true path of the one who is followed."""
        rows = tried.rows_until(person, float("inf"))
        return [
            {"id": "path", "type": "line", "name": self.say("true path"), "showSymbol": False, "z": 2,
             "clip": True, "data": self._places(tried.truth.lon[rows], tried.truth.lat[rows]), "silent": True,
             "lineStyle": {"color": BLUE, "width": 1.5, "opacity": 0.6}, "itemStyle": {"color": BLUE}},
        ]  # fmt: skip

    def moving(self, tried: LocationTrial, person: int, moment: float) -> list[dict[str, Any]]:
        """What changes from moment to moment: these series replace those of the same ids."""
        rows = tried.rows_until(person, moment)
        now = int(rows[-1]) if len(rows) else None
        past = rows[-TRAIL:]
        reports, truth = tried.released.points, tried.truth
        each = [] if tried.one_guess_each else [tried.guess(person, int(row)) for row in past]
        guessed = [place for place in each if place is not None]
        guess = None if now is None else tried.guess(person, now)
        here = [] if now is None else self._places(truth.lon[now], truth.lat[now])
        said = [] if now is None else self._places(reports.lon[now], reports.lat[now])
        thinks = [] if guess is None else self._places(guess[0], guess[1])
        region, members = self._region(tried, now)
        return [
            self._dots("others", self._others(tried, person, moment), GREY, 5, 0.8, 2, tr("other people")),
            {"id": "region", "type": "custom", ":renderItem": REGION, "data": region, "z": 2, "silent": True,
             "clip": True, "encode": {"x": 1, "y": 2}},
            self._dots("said", self._places(reports.lon[past], reports.lat[past]), ORANGE, 5, 0.5, 3, tr("reports")),
            self._dots("guess", self._places(*np.array(guessed).T) if guessed else [], GREEN, 5, 0.5, 3,
                       tr("guesses")),
            self._dots("members", members, ORANGE, 9, 0.9, 4, symbol="diamond"),
            {"id": "tie", "type": "lines", "coordinateSystem": "cartesian2d", "silent": True, "z": 4, "clip": True,
             "data": [{"coords": [here[0], other[0]], "lineStyle": {"color": colour, "width": 1.5, "type": "dashed",
                                                                    "opacity": 0.9}}
                      for other, colour in ((said, ORANGE), (thinks, GREEN)) if here and other]},
            self._dots("here", here, BLUE, 16, 1, 6),
            self._dots("said-now", said, ORANGE, 14, 1, 5, symbol="diamond"),
            self._dots("guess-now", thinks, GREEN, 15, 1, 5, symbol="triangle"),
        ]  # fmt: skip

    def _dots(
        self, name: str, data: list[list[float]], colour: str, size: float, opacity: float, over: int,
        word: str | None = None, symbol: str = "circle",
    ) -> dict[str, Any]:  # fmt: skip
        named = {} if word is None else {"name": self.say(word)}
        edge = {"borderColor": "white", "borderWidth": 1.5} if size > 10 else {}
        return {
            "id": name, "type": "scatter", "symbol": symbol, "symbolSize": size, "data": data, "z": over,
            "silent": True, "clip": True, "itemStyle": {"color": colour, "opacity": opacity, **edge}, **named,
        }  # fmt: skip

    def _others(self, tried: LocationTrial, person: int, moment: float) -> list[list[float]]:
        rows = [
            row
            for row in (tried.row(int(one), moment) for one in self.ground.people if one != person)
            if row is not None
        ]
        return self._places(tried.truth.lon[rows], tried.truth.lat[rows]) if rows else []

    def _region(self, tried: LocationTrial, now: int | None) -> tuple[list[list[float]], list[list[float]]]:
        """The area, or the several positions, that the report at hand names."""
        released = tried.released
        if now is None:
            return [], []
        if released.box is not None:
            west, south, east, north = (float(side[now]) for side in released.box)
            (low,), (high,) = self._places(west, south), self._places(east, north)
            return [[0, *low, *high]], []
        if released.radius is not None:
            (middle,) = self._places(released.points.lon[now], released.points.lat[now])
            return [[1, *middle, float(released.radius[now]) / 1000, 0]], []
        if released.members is not None and released.report is not None:
            rows = np.flatnonzero(released.report == now)
            return [], self._places(released.members.lon[rows], released.members.lat[rows])
        return [], []
