"""The base layers of a map of Fortaleza: sea, land, bairros."""

from __future__ import annotations

import numpy as np

from cobogo.examples.places import BAIRROS, COAST, OUTLINE
from cobogo.floor.arrays import Floats
from cobogo.locate.maps.layers import Layer, polygons, texts
from cobogo.studies.fortaleza.land import FRAME, bairro_rings

NEAR = 20_000.0
"""Metres around the middle of Fortaleza that its map is of use for."""

NAMED = (
    "Centro", "Aldeota", "Benfica", "Barra do Ceará", "Antônio Bezerra", "Parangaba", "Conjunto Ceará I", "Mondubim",
    "Messejana", "Jangurussu", "Edson Queiroz", "Praia do Futuro II", "Sabiaguaba", "Passaré", "Siqueira", "Paupina",
)  # fmt: skip
"""Bairros by whose names people find their way on a map."""


def city_layers(*, bairros: bool = True, names: bool = True) -> list[Layer]:
    """The layers of the municipality. Its outline is drawn by hand, its bairros by their centres: for orientation."""
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
    """A sheet of water off the coast, which goes on in the same direction on both sides."""
    west, east = [[-38.80, -3.62], [-38.66, -3.665]], [[-38.36, -3.885], [-38.32, -3.95]]
    return np.concatenate((west, COAST, east, [[-38.15, -3.95], [-38.15, -3.50], [-38.80, -3.50]]))
