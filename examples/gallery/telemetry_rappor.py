"""Telemetry with RAPPOR: which home pages are common, without knowing anybody's.

Each browser sets the bits that stand for its home page, flips many of them by chance, and sends that. The server, which
has a list of candidates, finds the common ones. Rare ones stay in the noise: that is the price, and the protection.
"""

from __future__ import annotations

import csv
import random
import sys
import tempfile
from pathlib import Path

from canvas import BRICK, SAND, save, sheet

import cobogo as cb
from cobogo.collect.pilot import encode_column
from cobogo.collect.wire import Batch

PAGES = [f"site{number:02}.example" for number in range(1, 41)]
COLLECTION = {
    "collection": {
        "name": "Home pages",
        "question": "browser.home-page",
        "version": 1,
        "mechanism": "rappor",
        "bits": 128,
        "hashes": 2,
        "cohorts": 16,
        "f": 0.25,
        "p": 0.35,
        "q": 0.65,
        "candidates": PAGES,
    }
}


def main(directory: str = ".", browsers: int = 200_000) -> None:
    """Report, count, decode and draw."""
    draw = random.Random(2014)
    homes = draw.choices(PAGES, [1 / (rank + 1) for rank in range(len(PAGES))], k=browsers)
    true = {page: 100 * homes.count(page) / browsers for page in PAGES}
    collection = cb.collect.Collection.of(COLLECTION, name="Home pages")
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "browsers.csv"
        with file.open("w", encoding="utf-8", newline="") as sink:
            csv.writer(sink).writerows([("page",), *((home,) for home in homes)])
        reports = encode_column(collection, str(file), "page")
    found = cb.collect.Aggregate.of(collection, Batch(reports)).findings()
    shares = dict(zip(found.labels, found.shares, strict=True))
    errors = dict(zip(found.labels, found.errors, strict=True))
    seen = {page for page, there in zip(found.labels, found.significant, strict=True) if there}
    print(f"{len(seen)} of {len(PAGES)} pages are found among {browsers:,} browsers")
    figure, axes = sheet(
        "The common pages are found, the rare ones stay hidden",
        f"{browsers:,} made-up browsers, RAPPOR; lines are intervals of 95 %",
    )
    places = range(len(PAGES))
    axes.bar(places, [true[page] for page in PAGES], color=SAND, label="true share")
    shown = [x for x, page in enumerate(PAGES) if page in seen]
    axes.errorbar(
        shown,
        [100 * shares[PAGES[x]] for x in shown],
        yerr=[196 * errors[PAGES[x]] / browsers for x in shown],
        fmt="o",
        color=BRICK,
        capsize=3,
        label="found, estimated share",
    )
    axes.set(xlabel="home pages, from the most common to the rarest", ylabel="% of the browsers", xticks=[])
    axes.legend(frameon=False)
    print(save(figure, directory, "telemetry-rappor"))


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
