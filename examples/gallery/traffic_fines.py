"""Traffic fines: why a crowd is not enough.

A city publishes its fines: the driver's date of birth, the date of the infraction, the kind of fine. With k-anonymity a
neighbour is hidden in a crowd; if the whole crowd was fined for the same, the neighbour's fine is known all the same.
l-diversity asks that crowds be mixed. The attack is run on each release, as an intruder would.
"""

from __future__ import annotations

import random
import sys
from datetime import date, timedelta

import pandas as pd
from canvas import BRICK, SKY, save, sheet

import cobogo as cb

FINES = {"speeding": 78, "red light": 8, "phone": 6, "parking": 5, "no seat belt": 2, "drunk driving": 1}
DATES = {"dates": "%Y-%m-%d", "levels": ["%Y-%m", "%Y", "decade"]}
RELEASES = {
    "as it is": [],
    "k = 5": [{"model": "k-anonymity", "k": 5}],
    "k = 5\nand l = 2": [{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "kind": "distinct", "l": 2}],
    "k = 5\nand l = 3": [{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "kind": "distinct", "l": 3}],
}


def fines(count: int) -> pd.DataFrame:
    """Made-up fines of a year."""
    draw = random.Random(34)
    kinds = draw.choices(list(FINES), list(FINES.values()), k=count)
    births = [date(1945, 1, 1) + timedelta(days=int(draw.triangular(0, 22_000, 14_000))) for _ in range(count)]
    days = [date(2024, 1, 1) + timedelta(days=draw.randrange(366)) for _ in range(count)]
    return pd.DataFrame({"born": map(str, births), "fined": map(str, days), "fine": kinds})


def main(directory: str = ".", count: int = 8_000) -> None:
    """Release three times, attack, and draw."""
    table = fines(count)
    roles = {
        "born": {"role": "quasi-identifier", "hierarchy": DATES},
        "fined": {"role": "quasi-identifier", "hierarchy": DATES},
        "fine": {"role": "sensitive"},
    }
    shares, lost = [], []
    for name, models in RELEASES.items():
        policy = {"attributes": roles}
        released: object = table
        if models:
            made = cb.anonymize(table, policy | {"privacy": {"models": models}, "recoding": {"suppression-limit": 0.1}})
            released, loss = made, made.metrics["loss"]
        else:
            loss = 0.0
        found = cb.attack("homogeneity", released, policy=policy, threshold=0.99)
        shares.append(100 * len(found.exposed) / count)
        lost.append(100 * loss)
        print(
            f"{' '.join(name.split()):<14} {len(found.exposed):>6,} drivers' fines are known; loss {100 * loss:.1f} %"
        )
    figure, axes = sheet("A crowd that was all fined for the same hides nothing", f"{count:,} made-up fines")
    places = range(len(RELEASES))
    axes.bar([x - 0.2 for x in places], shares, 0.4, color=BRICK, label="drivers whose fine is known for certain")
    axes.bar([x + 0.2 for x in places], lost, 0.4, color=SKY, label="detail lost")
    axes.set_xticks(places, RELEASES)
    axes.set_ylabel("%")
    axes.legend(frameon=False)
    print(save(figure, directory, "traffic-fines"))


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
