"""A salary survey: nobody's answer is known, and the shares are.

Everybody draws a lot before answering: it says to tell one's band, or one that is drawn. Whoever reads an answer cannot
hold it against anybody. Over many people chance evens out. The guarantee decides how often the truth is told.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import pandas as pd
from canvas import BRICK, SAND, SKY, save, sheet

import cobogo as cb
from cobogo.publish.randomize.estimate import estimate_count

BANDS = {"up to 1": 31, "1 to 2": 28, "2 to 3": 16, "3 to 5": 12, "5 to 10": 9, "over 10": 4}
"""Minimum wages a month, and how many per cent of the made-up people earn them."""


def main(directory: str = ".", people: int = 5_000) -> None:
    """Ask, estimate and draw."""
    draw = random.Random(1965)
    table = pd.DataFrame(
        {
            "town": draw.choices(["Crato", "Sobral", "Fortaleza"], [1, 2, 5], k=people),
            "salary": draw.choices(list(BANDS), list(BANDS.values()), k=people),
        }
    )
    policy = {
        "attributes": {"town": {"role": "quasi-identifier"}, "salary": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "rho1-rho2-privacy", "rho1": 0.1, "rho2": 0.5}]},
        "randomization": {"method": "uniform", "domains": {"salary": list(BANDS)}},
    }
    with tempfile.TemporaryDirectory() as place:
        release = cb.perturb(table, policy)
        release.write(Path(place) / "survey")
        answers = release.to_pandas()["salary"].value_counts()
        found = {
            band: estimate_count(Path(place) / "survey" / "public", where={}, sensitive={"salary": [band]})
            for band in BANDS
        }
    true = table["salary"].value_counts()
    share = 100 / people
    for band, one in found.items():
        print(
            f"{band:<8} true {share * true[band]:4.1f} %, answered {share * answers[band]:4.1f} %, "
            f"estimated {share * one.count:4.1f} ± {share * one.error:.1f} %"
        )
    figure, axes = sheet(
        "The answers lie; what is made of them does not",
        f"{people:,} made-up people; no belief of 10 % about anybody can rise over 50 %",
    )
    places = range(len(BANDS))
    axes.bar([x - 0.27 for x in places], [share * true[band] for band in BANDS], 0.27, color=SAND, label="true")
    axes.bar(list(places), [share * answers[band] for band in BANDS], 0.27, color=SKY, label="answered")
    axes.bar(
        [x + 0.27 for x in places],
        [share * one.count for one in found.values()],
        0.27,
        yerr=[1.96 * share * one.error for one in found.values()],
        capsize=3,
        color=BRICK,
        label="estimated, with 95 % intervals",
    )
    axes.set_xticks(places, BANDS)
    axes.set(xlabel="minimum wages a month", ylabel="% of the people")
    axes.legend(frameon=False)
    print(save(figure, directory, "salary-survey"))


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
