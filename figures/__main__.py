"""Draw every figure into ``docs/images``, or into a directory that is named."""

from __future__ import annotations

import sys
from pathlib import Path

from figures import (
    clinics,
    collecting,
    concepts,
    curator,
    frequency_list,
    locating,
    location_noise,
    tutorials,
    where,
    workbench,
)

ROOMS = (clinics, collecting, concepts, curator, frequency_list, locating, location_noise, tutorials, where, workbench)
IMAGES = Path(__file__).parents[1] / "docs" / "images"


def main(directory: Path = IMAGES) -> None:
    """Draw them all."""
    for name, draw in {k: v for room in ROOMS for k, v in room.FIGURES.items()}.items():
        draw(directory / name)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
