"""Draw every figure into ``docs/images``, or into a directory that is named."""

from __future__ import annotations

import sys
from pathlib import Path

from figures import collecting, curator, frequency_list

IMAGES = Path(__file__).parents[1] / "docs" / "images"


def main(directory: Path = IMAGES) -> None:
    """Draw them all."""
    for name, draw in (curator.FIGURES | frequency_list.FIGURES | collecting.FIGURES).items():
        draw(directory / name)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
