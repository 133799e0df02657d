"""Maps: pictures in which every layer shows, pages that need nothing but themselves."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cobogo.locate import maps
from cobogo.locate.maps.layers import COLORS, Layer, MapView
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from cobogo.studies.fortaleza import city_layers

pytestmark = pytest.mark.slow

HERE = Points.from_columns(
    [-38.50, -38.52, -38.54], [-3.73, -3.75, -3.77], time=[0, 3_600, 7_200], user=["a", "a", "a"]
)
GRID = Grid.from_bounds(-38.60, -3.85, -38.45, -3.75, size=2_000)


LAYERS: dict[str, Layer] = {
    "points": maps.points(HERE, "points", color="orange", size=6),
    "rings": maps.points(HERE, "rings", color="purple", shape="ring", size=6),
    "crosses": maps.points(HERE, "crosses", color="ink", shape="cross", size=6),
    "squares": maps.points(HERE, "squares", color="green", shape="square", size=6),
    "paths": maps.paths(HERE, "paths", color="blue"),
    "discs": maps.discs(HERE, [900, 500, 100], "discs", color="green"),
    "boxes": maps.boxes([-38.56], [-3.80], [-38.53], [-3.78], "boxes", color="purple"),
    "polygons": maps.polygons([[(-38.5, -3.8), (-38.48, -3.8), (-38.49, -3.78)]], "areas", values=[2.0], color="blue"),
    "bubbles": maps.bubbles(HERE.lon, HERE.lat, [1, 2, 3], "bubbles", color="blue"),
    "density": maps.density(GRID, np.arange(GRID.cells), "density", color="orange"),
    "texts": maps.texts([-38.5], [-3.75], ["Here"], "texts"),
    "geojson": maps.geojson(
        {"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[-38.5, -3.8], [-38.45, -3.75]]}},
        "a line", color="purple",
    ),
}  # fmt: skip
"""One layer of each kind."""


def picture(layers: list[Layer], path: Path, **options: Any) -> np.ndarray:
    maps.draw_map(layers, path, title="A map", **options)
    return np.asarray(Image.open(path).convert("RGB")).astype(np.int64)


def test_every_kind_of_layer_shows_and_stays_on_the_map(tmp_path: Path) -> None:
    bare = [*city_layers(bairros=False, names=False), maps.points(HERE.take([]), "nothing")]
    without = picture(bare, tmp_path / "bare.png")
    for name, layer in LAYERS.items():
        found = picture([*bare[:-1], layer], tmp_path / f"{name}.png")
        map_only = slice(-(without.shape[0] - 200), -60)  # below title and legend, which differ
        changed = np.abs(found[map_only] - without[map_only]).max(axis=2) > 8
        assert changed.sum() > 20, name
        assert not changed[:, :40].any(), name
        assert not changed[:, -40:].any(), name


def test_a_mark_stands_where_it_should(tmp_path: Path) -> None:
    corners = Points.from_columns([-38.60, -38.40, -38.60, -38.40], [-3.90, -3.90, -3.70, -3.70])
    middle = Points.from_columns([-38.50], [-3.80])
    drawn = picture([maps.points(corners, "corners", color="grey"), maps.points(middle, "m", color="orange", size=8)],
                    tmp_path / "map.png")  # fmt: skip
    orange = np.array([int(COLORS["orange"][at : at + 2], 16) for at in (1, 3, 5)])
    grey = np.array([int(COLORS["grey"][at : at + 2], 16) for at in (1, 3, 5)])
    below = drawn[200:]  # the map itself

    def centre(color: np.ndarray) -> np.ndarray:
        mixed = 0.8 * color + 0.2 * 255
        rows, columns = np.nonzero(np.abs(below - mixed).max(axis=2) < 6)
        return np.array([(rows.min() + rows.max()) / 2, (columns.min() + columns.max()) / 2])

    assert np.abs(centre(orange) - centre(grey)).max() < 4


def test_the_legend_shows_the_mark_that_the_map_does(tmp_path: Path) -> None:
    """A square's corners are coloured, a disc's are not."""
    filled = {}
    for shape in ("square", "dot"):
        layer = maps.points(HERE, "m", color="purple", shape=shape, size=0.1)
        strip = picture([layer], tmp_path / f"{shape}.png")[:230]
        purple = np.array([int(COLORS["purple"][at : at + 2], 16) for at in (1, 3, 5)])
        rows, columns = np.nonzero(np.abs(strip - purple).max(axis=2) < 12)
        filled[shape] = len(rows) / (np.ptp(rows) + 1) / (np.ptp(columns) + 1)
    assert filled["square"] == 1
    assert filled["dot"] < 0.95


def test_the_same_layers_give_the_same_picture(tmp_path: Path) -> None:
    one, two = (picture([LAYERS["density"], LAYERS["paths"]], tmp_path / f"{name}.png") for name in "ab")
    assert (one == two).all()


def test_a_view_goes_over_the_date_line_and_holds_discs() -> None:
    far = maps.discs(Points.from_columns([179.99, -179.99], [0.0, 0.0]), 5_000.0, "discs")
    view = MapView.fit([far])
    assert 12_000 < view.width < 14_000
    assert 10_000 < view.height < 12_000
    assert MapView.fit([]).width == 1_000


def inlined(page: Path) -> Any:
    found = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S
    )
    assert found
    return json.loads(found[1])


def test_a_page_holds_its_layers_in_both_languages_and_fetches_nothing(tmp_path: Path) -> None:
    evil = maps.points(HERE, ("</script><b>x", "pontos"), labels=["</script>", "<img src=x>", "\u2028"])
    maps.map_page([*city_layers(), *LAYERS.values(), evil], tmp_path / "map.html", title=("A map", "Um mapa"))
    text = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|src=\"|<link|@import|url\(|fetch\(|XMLHttp", text)
    assert text.count("</script>") == 2
    content = inlined(tmp_path / "map.html")
    assert content["layers"][-1]["labels"] == ["</script>", "<img src=x>", "\u2028"]
    assert content["title"] == {"en": "A map", "es": "A map", "pt-BR": "Um mapa"}
    assert content["words"]["en"].keys() == content["words"]["pt-BR"].keys()
    assert content["clock"]["start"] == 0
    assert content["clock"]["end"] == 7_200
    east, north = MapView.fit([*city_layers(), *LAYERS.values(), evil]).frame.metres(HERE.lon, HERE.lat)
    assert np.allclose(content["layers"][-1]["x"], east, atol=0.06)
    assert np.allclose(content["layers"][-1]["y"], north, atol=0.06)


def test_a_page_refuses_what_nobody_could_look_at(tmp_path: Path) -> None:
    many = Points(np.zeros(400_001), np.zeros(400_001))
    with pytest.raises(ValueError, match="400,000"):
        maps.map_page([maps.points(many, "many")], tmp_path / "map.html", title="Too much")
    with pytest.raises(ValueError, match="color"):
        maps.points(HERE, "points", color="mauve")


@pytest.mark.skipif(shutil.which("chromium") is None, reason="install chromium to try the pages in a browser")
def test_a_browser_runs_the_page(tmp_path: Path) -> None:
    frames = maps.bubbles(HERE.lon, HERE.lat, [[1, 2, 3], [3, 2, 1]], ("people", "pessoas"), frames=["09:00", "10:00"])
    homes = maps.points(HERE, ("homes", "casas"), color="purple", shape="square", timed=False)
    maps.map_page([*city_layers(), frames, homes], tmp_path / "map.html", title=("A map", "Um mapa"))
    page = (tmp_path / "map.html").as_uri()
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'home'}",
               "--virtual-time-budget=2000", "--dump-dom", f"{page}#at=1&lang=pt-BR"]  # fmt: skip
    seen = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert '<h1 id="title">Um mapa</h1>' in seen
    assert re.search(r"<span>pessoas</span>", seen)
    assert re.search(r"<rect [^>]*></rect></svg><span>casas</span>", seen)
    assert re.search(r'<output id="now">10:00</output>', seen)
    assert re.search(r'id="scale" style="width: [\d.]+px;"><span>\d+ k?m<', seen)
