"""Make up devices: an operating system, a home page and hours of screen for each. Nobody real is in them."""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

SYSTEMS = {"Android": 41, "Windows": 27, "iOS": 16, "macOS": 9, "Linux": 5, "Haiku": 1, "FreeBSD": 1}
PAGES = [line for line in Path(__file__).with_name("candidates.txt").read_text(encoding="utf-8").splitlines() if line]
UNHEARD_OF = "intranet.sobral.example"
"""A page that many have and no candidate names: the server cannot find it, and can tell that something is missing."""


def main(directory: str = ".", count: int = 60_000) -> None:
    """Write ``north.csv`` and ``south.csv``. Home pages are as frequent as words are: the second is half as frequent
    as the first."""
    draw = random.Random(7)
    pages = [*PAGES[:40], UNHEARD_OF]
    shares = [1 / (rank + 1) for rank in range(40)] + [0.3]
    for name, many in (("north", count // 3 * 2), ("south", count // 3)):
        systems = draw.choices(list(SYSTEMS), list(SYSTEMS.values()), k=many)
        homes = draw.choices(pages, shares, k=many)
        hours = [min(24, round(draw.gammavariate(4, 1.1))) for _ in range(many)]
        with (Path(directory) / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerows([("system", "page", "hours"), *zip(systems, homes, hours, strict=True)])


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
