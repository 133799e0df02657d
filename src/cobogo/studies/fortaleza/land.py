"""The land of Fortaleza as squares of a hundred metres, its bairros, the towers of a mobile network, and map layers.

A bairro is the land nearer to its centre than to any other. Whatever is made up (homes, schools, towers) is on a square
that is land to its corners, so nobody lives in the sea.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cobogo.examples.places import BAIRROS, COAST, OUTLINE
from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.maps.layers import Layer, polygons, texts
from cobogo.locate.places.cells import Cells
from cobogo.locate.places.geometry import Frame

SIDE = 100.0
"""Metres of a square's side."""

FRAME = Frame(-38.52, -3.79)
"""The flat map that everything of the example is made on: metres to the east and to the north of about the Castelão."""

WEST, SOUTH, ACROSS, UP = -13_400.0, -11_700.0, 275, 227
"""The sheet of squares: its south-western corner in metres, squares from west to east and from south to north."""


def in_polygon(x: Floats, y: Floats, ring: Floats) -> NDArray[np.bool_]:
    """Which points lie in a polygon: a ray to the east crosses its ring an odd number of times.

    >>> square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    >>> in_polygon(np.array([1.0, 3.0]), np.array([1.0, 1.0]), square).tolist()
    [True, False]
    """
    inside = np.zeros(np.shape(x), dtype=np.bool_)
    for (x1, y1), (x2, y2) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        if y1 != y2:
            inside ^= ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return inside


class Land(NamedTuple):
    """The squares that are land, and for each square of the whole sheet the land next to it."""

    x: Floats
    """Metres of each land square's south-western corner, west to east."""
    y: Floats
    bairro: Ints
    """Number of the bairro of each land square, in the order of `BAIRROS`."""
    of_bairro: list[Ints]
    """The land squares of each bairro."""
    nearest: Ints
    """For each square of the sheet (row by row from the south), the nearest land square: itself where it is land."""
    land: NDArray[np.bool_]
    """Which squares of the sheet are land."""


@cache
def city_land() -> Land:
    """The squares of land within the outline of the city, and to which bairro each belongs."""
    from scipy.spatial import cKDTree

    ring = np.column_stack(FRAME.metres(*np.array(OUTLINE).T))
    corner_x, corner_y = np.meshgrid(WEST + np.arange(ACROSS + 1) * SIDE, SOUTH + np.arange(UP + 1) * SIDE)
    dry = in_polygon(corner_x, corner_y, ring)
    land = dry[:-1, :-1] & dry[:-1, 1:] & dry[1:, :-1] & dry[1:, 1:]
    rows, columns = np.nonzero(land)
    x, y = np.asarray(WEST + columns * SIDE, np.float64), np.asarray(SOUTH + rows * SIDE, np.float64)
    middles = np.column_stack((x, y)) + SIDE / 2
    bairro = cKDTree(np.column_stack(FRAME.metres(*centres()))).query(middles)[1].astype(np.int64)
    sheet = np.column_stack((corner_x[:-1, :-1].ravel(), corner_y[:-1, :-1].ravel())) + SIDE / 2
    nearest = cKDTree(middles).query(sheet)[1].astype(np.int64)
    of_bairro = [np.flatnonzero(bairro == number) for number in range(len(BAIRROS))]
    return Land(x, y, bairro, of_bairro, nearest, land.ravel())


@cache
def centres() -> tuple[Floats, Floats]:
    """Longitudes and latitudes of the bairros' centres."""
    lon, lat = np.array([(bairro.lon, bairro.lat) for bairro in BAIRROS.values()]).T
    return lon, lat


@cache
def residents() -> Floats:
    """Residents of each bairro, in the order of `BAIRROS`."""
    return np.array([bairro.residents for bairro in BAIRROS.values()], dtype=np.float64)


@cache
def jobs() -> Floats:
    """How much work draws people to each bairro, in the order of `BAIRROS`."""
    return np.array([bairro.jobs for bairro in BAIRROS.values()], dtype=np.float64)


def random_places(bairro: Ints, random: np.random.Generator) -> tuple[Floats, Floats]:
    """A place in each of the bairros given, in metres: any land square of it, and anywhere on that."""
    here = city_land()
    sizes = np.array([len(squares) for squares in here.of_bairro])
    starts = np.cumsum(sizes) - sizes
    flat = np.concatenate(here.of_bairro)
    square = flat[starts[bairro] + (random.random(len(bairro)) * sizes[bairro]).astype(np.int64)]
    return here.x[square] + random.random(len(bairro)) * SIDE, here.y[square] + random.random(len(bairro)) * SIDE


def on_land(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Which points are on a land square."""
    square, on_sheet = _square(x, y)
    return np.asarray(city_land().land[square] & on_sheet)


def move_to_land(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The points themselves where they are on land; the nearest land square's middle where they are not."""
    here = city_land()
    square, on_sheet = _square(x, y)
    wet = np.flatnonzero(~(here.land[square] & on_sheet))
    near = here.nearest[square[wet]]
    x, y = np.array(x), np.array(y)
    x[wet], y[wet] = here.x[near] + SIDE / 2, here.y[near] + SIDE / 2
    return x, y


def _square(x: Floats, y: Floats) -> tuple[Ints, NDArray[np.bool_]]:
    """The number of each point's square, or of one at the edge of the sheet where it lies beyond."""
    column, row = ((x - WEST) // SIDE).astype(np.int64), ((y - SOUTH) // SIDE).astype(np.int64)
    on_sheet = (column >= 0) & (column < ACROSS) & (row >= 0) & (row < UP)
    return np.clip(row, 0, UP - 1) * ACROSS + np.clip(column, 0, ACROSS - 1), on_sheet


@cache
def bairro_rings() -> dict[str, Floats]:
    """Each bairro's ring of longitudes and latitudes: the outline, cut by the lines halfway to all other centres.

    >>> len(bairro_rings()), bool(all(len(ring) >= 3 for ring in bairro_rings().values()))
    (121, True)
    """
    place = np.column_stack(FRAME.metres(*centres()))
    outline = np.column_stack(FRAME.metres(*np.array(OUTLINE).T))
    rings = {}
    for number, name in enumerate(BAIRROS):
        ring = outline
        away = np.linalg.norm(place - place[number], axis=1)
        for other in np.argsort(away)[1:]:
            reach = np.linalg.norm(ring - place[number], axis=1).max()
            if away[other] > 2 * reach:
                break
            ring = _cut(ring, (place[number] + place[other]) / 2, place[other] - place[number])
        rings[name] = np.column_stack(FRAME.degrees(ring[:, 0], ring[:, 1]))
    return rings


def _cut(ring: Floats, through: Floats, normal: Floats) -> Floats:
    """The part of a ring on the side of a line that the normal points away from (Sutherland & Hodgman 1974)."""
    side = (ring - through) @ normal
    after, after_side = np.roll(ring, -1, axis=0), np.roll(side, -1)
    kept: list[Floats] = []
    for here, there, a, b in zip(ring, after, side, after_side, strict=True):
        if a <= 0:
            kept.append(here)
        if (a < 0 < b) or (b < 0 < a):
            kept.append(here + (there - here) * (a / (a - b)))
    return np.array(kept)


@lru_cache(maxsize=8)
def towers(number: int = 300) -> Cells:
    """So many towers; each serves the land nearer to it than to any other. They depend on public facts only: residents
    and jobs of the bairros.

    >>> towers(5).names
    ('T1', 'T2', 'T3', 'T4', 'T5')
    """
    from scipy.spatial import cKDTree

    here = city_land()
    if not 1 <= number <= len(here.x):
        raise ValueError(f"The 'number' parameter of towers must be of 1 to {len(here.x)}. Got {number!r} instead")
    squares = np.array([len(of) for of in here.of_bairro])
    demand = residents() + 900 * jobs()
    weight = np.sqrt(demand / squares)[here.bairro]  # towers reach far where people are few
    place = np.column_stack((here.x, here.y)) + SIDE / 2
    # Start at even steps through the weight along a boustrophedon, then settle to the middles of what is served.
    along = np.lexsort((np.where(here.y // 1_000 % 2 == 0, here.x, -here.x), here.y // 1_000))
    steps = np.cumsum(weight[along]) / weight.sum()
    found = place[along[np.searchsorted(steps, (np.arange(number) + 0.5) / number)]]
    for _ in range(12):
        served = cKDTree(found).query(place)[1]
        total = np.bincount(served, weight, number)
        middle = np.column_stack([np.bincount(served, weight * place[:, axis], number) for axis in (0, 1)])
        found = np.where(total[:, np.newaxis] > 0, middle / np.maximum(total, 1e-12)[:, np.newaxis], found)
    lon, lat = FRAME.degrees(found[:, 0], found[:, 1])
    width = len(str(number))
    return Cells(tuple(f"T{at:0{width}}" for at in range(1, number + 1)), lon.round(5), lat.round(5))


NEAR = 20_000.0
"""Metres around the middle of Fortaleza within which its map is used."""

NAMED = (
    "Centro", "Aldeota", "Benfica", "Barra do Ceará", "Antônio Bezerra", "Parangaba", "Conjunto Ceará I", "Mondubim",
    "Messejana", "Jangurussu", "Edson Queiroz", "Praia do Futuro II", "Sabiaguaba", "Passaré", "Siqueira", "Paupina",
)  # fmt: skip
"""Bairros whose names are on the map."""


def city_layers(*, bairros: bool = True, names: bool = True) -> list[Layer]:
    """The base layers of a map of the city. Its outline is drawn by hand, its bairros by their centres: for
    orientation."""
    layers = [
        polygons([_sea()], ("sea", "mar"), color="sea", opacity=1.0, backdrop=True),
        polygons([OUTLINE], ("land", "terra"), color="land", opacity=1.0, backdrop=True),
    ]
    if bairros:
        found = bairro_rings()
        layers.append(
            polygons(
                list(found.values()), ("bairros", "bairros"), color="border", opacity=1.0, filled=False, backdrop=True,
                labels=list(found), size=0.6,
            )
        )  # fmt: skip
    if names:
        places = np.array([(BAIRROS[name].lon, BAIRROS[name].lat) for name in NAMED])
        layers.append(texts(places[:, 0], places[:, 1], NAMED, ("names", "nomes"), backdrop=True))
    return layers


def layers_below(lon: Floats, lat: Floats) -> list[Layer]:
    """The city's layers where all of the places are in or about it, else none."""
    east, north = FRAME.metres(lon, lat)
    near = len(east) and float(max(np.abs(east).max(), np.abs(north).max())) < NEAR
    return city_layers() if near else []


def _sea() -> Floats:
    """A polygon of water off the coast, which continues in the same direction on both sides."""
    west, east = [[-38.80, -3.62], [-38.66, -3.665]], [[-38.36, -3.885], [-38.32, -3.95]]
    return np.concatenate((west, COAST, east, [[-38.15, -3.95], [-38.15, -3.50], [-38.80, -3.50]]))
