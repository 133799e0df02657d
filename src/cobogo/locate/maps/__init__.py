"""Maps as pictures and as pages that need no network.

::

    from cobogo.locate import maps

    layers = [
        *base,                                             # layers of the place itself: sea, land, borders
        maps.paths(truth, ("true path", "caminho verdadeiro"), color="blue"),
        maps.points(reports, ("reports", "relatos"), color="orange", shape="cross"),
        maps.discs(reports, radius, ("discs", "discos"), color="orange"),
        maps.boxes(west, south, east, north, ("cloaks", "regiões"), time=time),
        maps.bubbles(cells.lon, cells.lat, by_hour, ("people", "pessoas"), frames=range(24)),
        maps.density(grid, posterior, ("posterior", "posterior")),
        maps.polygons(rings, ("areas", "áreas"), values=counts, labels=names),
        maps.texts(lon, lat, labels, "names"),
        maps.geojson(collection, "anything"),
    ]
    maps.draw_map(layers, "map.png", title="…", what="…")           # a PNG; language="pt-BR" for the other
    maps.map_page(layers, "map.html", title="…", what="…")          # one HTML file: pan, zoom, layers, time

The base layers are the caller's: `cobogo.studies.fortaleza.city_layers` has those of one city. A name is a text, or
two: English and Portuguese. ``time`` (seconds since 1970, UTC) makes a layer play; ``utc_offset``
of a page says by which clock. What a map shows of true positions is not private: it belongs into the evidence.
"""

from __future__ import annotations

from cobogo.locate.maps.layers import Layer, boxes, bubbles, density, discs, geojson, paths, points, polygons, texts
from cobogo.locate.maps.page import map_page
from cobogo.locate.maps.picture import draw_map

__all__ = [
    "Layer", "boxes", "bubbles", "density", "discs", "draw_map", "geojson", "map_page", "paths",
    "points", "polygons", "texts",
]  # fmt: skip
