"""Where on the globe there may be land, by squares of ten degrees: enough to see that longitude and latitude were
exchanged, as they are in most files that place people of Fortaleza in the South Atlantic."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

LAND = np.array(
    [
        list(row)
        for row in (
            ".......##########..######..#........",  # 80 to 90 degrees north; from 180 degrees west on
            "####.#############.#################",
            "####################################",
            "#############...####################",
            ".....########...##################..",
            ".....#######..###################...",
            "###...#####.....##################..",
            ".##...#######..#########.########.##",
            "###......#####.#########.###########",
            "#.###...#######.#.######.#.#########",
            "#####.....#####..#.######..#########",
            "#.####.#..######...#####.....#######",
            "#.........###...#..###...#...#####.#",
            "#.........##.....#...#.###......#.##",
            "..........###.##..#......#.......##.",
            "#.........####..####################",
            "####################################",
            "####################################",
        )
    ]
) == "#"  # fmt: skip
"""Squares with land in them or near to them, islands included; drawn by hand, in doubt with land."""


def may_be_land(lon: ArrayLike, lat: ArrayLike) -> NDArray[np.bool_]:
    """Whether there is land in the square of ten degrees that a place is in.

    >>> may_be_land([-38.5, -3.7], [-3.7, -38.5]).tolist()
    [True, False]
    """
    column = np.floor((np.asarray(lon) + 180) % 360 / 10).astype(np.int64)
    row = np.clip(np.floor((90 - np.asarray(lat)) / 10).astype(np.int64), 0, len(LAND) - 1)
    return np.asarray(LAND[row, np.minimum(column, 35)])


def look_exchanged(lon: ArrayLike, lat: ArrayLike) -> bool:
    """Whether all places are far out at sea and would all be on land if what is called longitude were latitude.

    >>> look_exchanged([-3.7, -3.8], [-38.5, -38.4]), look_exchanged([-38.5, -38.4], [-3.7, -3.8])
    (True, False)
    """
    east, north = np.asarray(lon, dtype=np.float64), np.asarray(lat, dtype=np.float64)
    if not east.size or (np.abs(east) > 90).any():
        return False
    return bool(not may_be_land(east, north).any() and may_be_land(north, east).all())
