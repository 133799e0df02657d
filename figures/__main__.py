"""Draw every figure into ``docs/images``, or into a directory that is named."""

from __future__ import annotations

import sys
from pathlib import Path

from figures import collecting, curator, frequency_list, location_noise

IMAGES = Path(__file__).parents[1] / "docs" / "images"


def main(directory: Path = IMAGES) -> None:
    """Draw them all."""
    for part in (curator, frequency_list, collecting, location_noise):
        for name, draw in part.FIGURES.items():
            draw(directory / name)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
